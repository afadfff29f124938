"""What a caller can call, with what its parameters refuse and take.

Specs follow from the constraints of a function, and from the names that parameters have
in many functions. A door names only what differs.
"""

import inspect
import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from sklda import CVBLDA, CollapsedGibbsLDA
from tests.helpers.bad_input.estimators import (
    N_DOCS,
    N_TOPICS,
    N_WORDS,
    X,
    fitted,
)
from tests.helpers.bad_input.values import (
    Bad,
    Door,
    Spec,
    accepted,
    at_most,
    counts,
    derived,
    indices,
    names,
    refused,
)
from tests.helpers.known_topics import KnownTopics
from tests.helpers.public_names import parameters

N_DRAWS = 4
LIMITS = {"n_words": N_WORDS, "n_documents": N_DOCS, "draw": N_DRAWS - 1}
NO_MODELS = ("model", None, 5, CollapsedGibbsLDA, {1})


@cache
def with_draws() -> CollapsedGibbsLDA:
    model = CollapsedGibbsLDA(N_TOPICS, max_iter=12, thin=1, keep_draws=N_DRAWS)
    return model.set_params(random_state=0).fit(X)


@cache
def topic_model() -> Spec:
    """Return the Spec of a fitted topic model."""
    pipeline = make_pipeline("passthrough", CollapsedGibbsLDA(2, max_iter=2)).fit(X)
    svd = TruncatedSVD(2).fit(X.toarray() - 1.5)
    unfitted = CollapsedGibbsLDA(), make_pipeline("passthrough", CollapsedGibbsLDA())
    bad = [
        *(Bad(model, "not fitted", NotFittedError) for model in unfitted),
        Bad(pipeline, r"Pipeline has no components_.*pipeline\[-1\]", TypeError),
        Bad(svd, "components_ of TruncatedSVD contains negative"),
        Bad(KnownTopics([[1, 2, math.nan]]), "components_ contains NaN"),
        *(Bad(other, "estimator: pass|is a class", TypeError) for other in NO_MODELS),
    ]
    return Spec(bad, [])


@cache
def common() -> dict[str, Spec]:
    """Return the Specs of parameters that have one meaning in all functions."""
    no_draws = 5, None, "draws", [1], with_draws()
    words = "draws_ of an estimator.*keep_draws"
    return {
        "X": counts(N_DOCS, N_WORDS, whole=True, fitted=True),
        "ax": refused(5, "here", {1}, object()) + accepted(None),
        "documents": indices(N_DOCS),
        "draws": refused(*no_draws, words=words, error=TypeError),
        "estimator": topic_model(),
        "feature_names": names(N_WORDS, "words"),
        "style": refused(  # the errors of matplotlib, or with what sklda adds
            {"nonsense": 1}, words="nonsense", error=(AttributeError, TypeError)
        ),
        "topic_names": names(N_TOPICS, "topics"),
        "topics": indices(N_TOPICS),
    }


def specs_of(
    function: Callable, sound: dict[str, Any], specs: dict[str, Spec | list]
) -> dict[str, Spec]:
    """Return the Spec of each parameter.

    A list in `specs` holds groups of valid values that take the place of those that
    follow from the constraints.
    """
    found = {}
    method = function.__init__ if inspect.isclass(function) else function
    constraints = getattr(method, "parameter_constraints", {})
    for parameter in parameters(function):
        name, spec = parameter.name, specs.get(parameter.name)
        if isinstance(spec, Spec):
            found[name] = spec
        elif name in constraints:
            typical = sound.get(name, parameter.default)
            found[name] = derived(constraints[name], typical, most=1000)
            if name in LIMITS:
                found[name] += at_most(LIMITS[name])
        elif name in common():
            found[name] = common()[name]
        if isinstance(spec, list):
            found[name] = Spec(found[name].bad, spec)
    return found


def door(
    function: Callable, sound: dict[str, Any], **specs: Spec | list
) -> tuple[str, Door]:
    """Return the name of a function or method, and its door."""
    door = Door(function, sound, specs_of(function, sound, specs))
    return function.__qualname__, door


def display_doors(
    cls: type,
    sound: dict[str, Any],
    factory: str = "from_estimator",
    made_of: dict[str, Spec] | None = None,
    **specs: Spec | list,
) -> Iterator[tuple[str, Door]]:
    """Yield the doors of a display; `factory` is the method that makes it.

    `made_of` has the Specs of its constructor, if users call it.
    """
    # Only bad arguments of drawing need a picture.
    undrawn = type(cls.__name__, (cls,), {"plot": lambda self, ax=None: self})

    def call(method: Callable, **arguments: Any) -> Any:
        return method(**arguments.pop("style", {}), **arguments)

    def make(**arguments: Any) -> Any:
        is_drawn = arguments.keys() & {"ax", "style"}
        return call(getattr(cls if is_drawn else undrawn, factory), **arguments)

    shown = getattr(undrawn, factory)(**sound)
    content = {name: getattr(shown, name) for name in inspect.signature(cls).parameters}
    if made_of is not None:
        yield cls.__name__, Door(cls, content, made_of)
    made = specs_of(getattr(cls, factory), sound, specs)
    yield f"{cls.__name__}.{factory}", Door(make, sound, made)
    drawn = partial(call, cls(**content).plot)
    yield f"{cls.__name__}.plot", Door(drawn, {}, specs_of(cls.plot, {}, {}))


def only_fitted() -> Spec:
    """Return the Spec of what is refused where arrays are taken as well as models."""
    return Spec(topic_model().bad[: -len(NO_MODELS)], [])


def result_of(source: str, *others: Any) -> Spec:
    """Return the Spec of what a function of sklda has returned."""
    return refused(5, None, *others, words=source, error=TypeError)


def several_models(model: Any, array: np.ndarray, *, minimum: int = 2) -> Spec:
    """Return the Spec of a list of models, of which `model` is one."""
    no_list = (model, array, "ab", None, 5, {1, 2})
    spec = refused(*no_list, {"a": model}, words="{name} must be a list of models")
    few = ([], [model][: minimum - 1], ())
    spec += refused(*few, words=f"{{name}} must contain at least {minimum} models")
    for bad in topic_model().bad[:2]:
        spec += refused([model, bad.value], words=bad.words, error=bad.error)
    for row, words in ((math.nan, "NaN"), (-1, "negative"), (0, "of topic 1 are 0")):
        weights = np.ones((2, N_WORDS))
        weights[1] = row
        words = rf"{{name}}\[1\].*{words}|components_.*{words}"
        spec += refused([model, KnownTopics(weights)], words=words, error=ValueError)
    other = KnownTopics(np.ones((2, N_WORDS + 1)))
    spec += refused([model, other], words=rf"has {N_WORDS} words.* has {N_WORDS + 1}")
    same = [model] * max(minimum, 2)
    return spec + Spec([], [[same, tuple(same)]])


def fits() -> Spec:
    """Return the Spec of fits whose traces are plotted."""
    fit = fitted(CollapsedGibbsLDA)
    params = {"evaluate_every": 0, "max_iter": 2}
    silent = CollapsedGibbsLDA(2, **params).fit(X)
    bound = CVBLDA(2, **(params | {"evaluate_every": 1, "tol": 0})).fit(X)
    bad = [
        Bad(CollapsedGibbsLDA(), "not fitted", NotFittedError),
        Bad([fit, CollapsedGibbsLDA()], "not fitted", NotFittedError),
        Bad({"a": fit, "b": silent}, "b was fitted without a trace: set evaluate"),
        Bad([fit, bound], r"bound \(nats per token\) and log joint"),
        *(Bad(empty, "no fit to plot") for empty in ([], {}, ())),
        Bad(KnownTopics([[1, 2]]), "KnownTopics records no trace", TypeError),
        *(Bad(value, "not an estimator", TypeError) for value in ("fit", None, 5, {1})),
    ]
    return Spec(bad, [[fit], [[fit, fit], (fit, fit)], [{"a": fit, "b": fit}]])
