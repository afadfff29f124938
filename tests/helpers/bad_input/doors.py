"""What a caller can call, with what its parameters refuse.

They follow from the constraints of a function, and from the names that parameters have
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
NOT_MODELS = ("model", None, 5, CollapsedGibbsLDA, {1})


@cache
def with_draws() -> CollapsedGibbsLDA:
    model = CollapsedGibbsLDA(N_TOPICS, max_iter=12, thin=1, keep_draws=N_DRAWS)
    return model.set_params(random_state=0).fit(X)


@cache
def topic_model() -> list[Bad]:
    """Return the bad values of a fitted topic model."""
    pipeline = make_pipeline("passthrough", CollapsedGibbsLDA(2, max_iter=2)).fit(X)
    svd = TruncatedSVD(2).fit(X.toarray() - 1.5)
    unfitted = CollapsedGibbsLDA(), make_pipeline("passthrough", CollapsedGibbsLDA())
    bad = [
        *(Bad(model, "not fitted", NotFittedError) for model in unfitted),
        Bad(pipeline, r"Pipeline has no components_.*pipeline\[-1\]", TypeError),
        Bad(svd, "components_ of TruncatedSVD contains negative"),
        Bad(KnownTopics([[1, 2, math.nan]]), "components_ contains NaN"),
        *(Bad(other, "estimator: pass|is a class", TypeError) for other in NOT_MODELS),
    ]
    return bad


@cache
def common() -> dict[str, list[Bad]]:
    """Return the bad values of parameters that have one meaning in all functions."""
    not_draws = 5, None, "draws", [1], with_draws()
    words = "draws_ of an estimator.*keep_draws"
    return {
        "X": counts(N_DOCS, N_WORDS, whole=True, fitted=True),
        "ax": refused(5, "here", {1}, object()),
        "documents": indices(N_DOCS),
        "draws": refused(*not_draws, words=words, error=TypeError),
        "estimator": topic_model(),
        "feature_names": names(N_WORDS, "words"),
        "style": refused(  # the errors of matplotlib, or with what sklda adds
            {"nonsense": 1}, words="nonsense", error=(AttributeError, TypeError)
        ),
        "topic_names": names(N_TOPICS, "topics"),
        "topics": indices(N_TOPICS),
    }


def bad_of(function: Callable, special: dict[str, list[Bad]]) -> dict[str, list[Bad]]:
    """Return the bad values of each parameter."""
    found = {}
    method = function.__init__ if inspect.isclass(function) else function
    constraints = getattr(method, "parameter_constraints", {})
    for name in (parameter.name for parameter in parameters(function)):
        if name in special:
            found[name] = special[name]
        elif name in constraints:
            found[name] = derived(constraints[name])
            if name in LIMITS:
                found[name] += at_most(LIMITS[name])
        elif name in common():
            found[name] = common()[name]
    return found


def door(
    function: Callable, sound: dict[str, Any], **special: list[Bad]
) -> tuple[str, Door]:
    """Return the name of a function or method, and its door."""
    return function.__qualname__, Door(function, sound, bad_of(function, special))


def display_doors(
    cls: type,
    sound: dict[str, Any],
    factory: str = "from_estimator",
    made_of: dict[str, list[Bad]] | None = None,
    **special: list[Bad],
) -> Iterator[tuple[str, Door]]:
    """Yield the doors of a display; `factory` is the method that makes it.

    `made_of` has the bad values of its constructor, if users call it.
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
    made = bad_of(getattr(cls, factory), special)
    yield f"{cls.__name__}.{factory}", Door(make, sound, made)
    drawn = partial(call, cls(**content).plot)
    yield f"{cls.__name__}.plot", Door(drawn, {}, bad_of(cls.plot, {}))


def only_fitted() -> list[Bad]:
    """Return what is refused where arrays are taken as well as models."""
    return topic_model()[: -len(NOT_MODELS)]


def result_of(source: str, *others: Any) -> list[Bad]:
    """Return the bad values of what a function of sklda has returned."""
    return refused(5, None, *others, words=source, error=TypeError)


def several_models(model: Any, array: np.ndarray, *, minimum: int = 2) -> list[Bad]:
    """Return the bad values of a list of models, of which `model` is one."""
    not_lists = (model, array, "ab", None, 5, {1, 2})
    spec = refused(*not_lists, {"a": model}, words="{name} must be a list of models")
    few = ([], [model][: minimum - 1], ())
    spec += refused(*few, words=f"{{name}} must contain at least {minimum} models")
    for bad in topic_model()[:2]:
        spec += refused([model, bad.value], words=bad.words, error=bad.error)
    for row, words in ((math.nan, "NaN"), (-1, "negative"), (0, "of topic 1 are 0")):
        weights = np.ones((2, N_WORDS))
        weights[1] = row
        words = rf"{{name}}\[1\].*{words}|components_.*{words}"
        spec += refused([model, KnownTopics(weights)], words=words, error=ValueError)
    other = KnownTopics(np.ones((2, N_WORDS + 1)))
    spec += refused([model, other], words=rf"has {N_WORDS} words.* has {N_WORDS + 1}")
    return spec


def fits() -> list[Bad]:
    """Return the bad values of fits whose traces are plotted."""
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
    return bad
