"""Bad arguments of estimators; most follow from the constraints."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sklda import CVBLDA
from sklda.datasets import make_lda_corpus
from tests.helpers.bad_input.values import (
    Bad,
    Door,
    counts,
    derived,
    names,
    refused,
    rows,
)
from tests.helpers.public_names import estimators, methods, parameters

N_DOCS, N_WORDS, N_TOPICS = 12, 7, 3
X, THETA, _ = make_lda_corpus(
    N_DOCS, N_WORDS, N_TOPICS, document_length=20, random_state=0
)
LABELS = np.array(["one", "two", "three"])[np.arange(N_DOCS) % 3]
IS_ONE = LABELS == "one"
ONE_COVARIATE = np.arange(N_DOCS) ** 2.0

FAST = {"n_components": N_TOPICS, "max_iter": 10, "random_state": 0, "tol": 0}
# Valid values where the default is None or takes too long.
TYPICAL = {"n_fold_in_steps": 5, "n_components": 127, "burn_in": 7, "keep_draws": 60}
TYPICAL |= {"doc_topic_prior": 0.5, "topic_word_prior": 0.5, "max_iter": 5, "n_jobs": 2}
# With the sweeps or minibatches, or a table's padding, above what np.int8 holds.
TYPICAL |= {"damping": 100, "learning_offset": 126.0, "total_samples": 100.0}
TYPICAL |= {"learning_decay": 0.75, "batch_size": 5}
# Parameters that have no effect without others, or later than np.int8 can count.
LONG = {"max_iter": 140}
CONTEXT = {
    "n_components": {"max_iter": 1},
    "max_block_size": {"blocking": "nested"},
    "burn_in": {"max_iter": 20, "thin": 1},
    "max_iter": {"thin": 1},
    "learn_priors": {"max_iter": 40},
    "hyperpriors": {"learn_priors": "hierarchical"},
    "damping": LONG,
    "evaluate_every": LONG,
    "thin": LONG,
    "keep_draws": LONG | {"thin": 1},
}


def labels_for(cls: type) -> Any:
    known = {"MedLDAClassifier": LABELS, "MedLDARegressor": THETA[:, 0]}
    return known.get(cls.__name__)


def more_for(cls: type) -> dict[str, Any]:
    return {"covariates": ONE_COVARIATE} if cls.__name__ == "DMRLDA" else {}


@cache
def fitted(cls: type) -> Any:
    return fit(cls)


def make(cls: type, **params: Any) -> Any:
    context = FAST.copy()
    for name in params.keys() & CONTEXT:
        context |= CONTEXT[name]
    known = cls().get_params()
    return cls(**({k: v for k, v in context.items() if k in known} | params))


@contextmanager
def untouched_if_refused(model: Any) -> Iterator[Any]:
    """Give the model, and check that what is raised has left it as it was."""
    before = vars(model).copy()
    try:
        yield model
    except Exception:
        after = vars(model)
        assert after.keys() == before.keys(), "it was changed, and refused"
        assert all(after[name] is before[name] for name in before)
        raise


def fit(cls: type, **params: Any) -> Any:
    with untouched_if_refused(make(cls, **params)) as model:
        return model.fit(X, labels_for(cls), **more_for(cls))


def partial_fit(**params: Any) -> Any:
    with untouched_if_refused(make(CVBLDA, **params)) as model:
        return model.partial_fit(X).partial_fit(X)


@cache
def after_a_minibatch() -> Any:
    return partial_fit()


def partial_fit_again(**params: Any) -> Any:
    model = deepcopy(after_a_minibatch()).set_params(**params)
    with untouched_if_refused(model):
        return model.partial_fit(X)


def call_method(cls: type, method: str, **arguments: Any) -> Any:
    models = {"fit": clone(fitted(cls)), "partial_fit": deepcopy(after_a_minibatch())}
    models["fit_transform"] = clone(fitted(cls))
    with untouched_if_refused(models.get(method, fitted(cls))) as model:
        return getattr(model, method)(**arguments)


def prior(sound: np.ndarray, words: str) -> list[Bad]:
    """Return what is refused as a prior: one number, or an array such as `sound`."""
    shape = rf"shape \({len(sound) - 1},\).*shape \({len(sound)},\)"
    return rows(
        (sound[1:], f"{shape}.*{words}"),
        (np.ma.masked_less(sound, 0.2), "masked entries"),
        *((["a"] * len(sound), "must contain numbers"), ({3}, "must contain numbers")),
        *(
            (np.where(sound > 0.2, x, sound), rf"from 1e-10 to 1e\+10.*got {x}")
            for x in (0.0, -2.0, math.nan, math.inf)
        ),
        *((x, r"1e-10.*(1e\+10|10{10})") for x in (1e-60, 9e-11, 1.1e10, 1e39)),
    )


SHAPE = rf"must contain finite numbers.*\({N_TOPICS}, {N_WORDS}\)"
TOPICS = np.arange(1.0, 1 + N_TOPICS * N_WORDS).reshape(N_TOPICS, N_WORDS)
NO_TOPICS = "without components_.*Fit it first.*init=model.components_"
INIT = rows(
    *((topics, SHAPE) for topics in ({3}, [], TOPICS[1:], TOPICS.astype(str).tolist())),
    (np.ma.masked_less(TOPICS, 3), "has masked entries"),
    (np.where(TOPICS > 1, TOPICS, math.nan), SHAPE),
    (TOPICS - 2, "must not be negative, got -1"),
    (TOPICS * [[1], [0], [1]], "only zeros in topic 1"),
)
INIT += refused(CVBLDA(), CVBLDA, words=NO_TOPICS, error=NotFittedError)
INIT += refused(5, 0.5, True, b"random")
WORD_PRIOR = np.linspace(0.1, 0.7, N_WORDS)
TOPIC_WORD_PRIOR = np.outer([1, 2, 3], WORD_PRIOR)
PER_WORD = prior(WORD_PRIOR, r"columns.*\(3, 7\).*n_components=3")
PER_WORD += rows((TOPIC_WORD_PRIOR[1:], r"shape \(2, 7\).*shape \(7,\).*\(3, 7\)"))
GAMMA = r"\['doc_concentration'\] must"
HYPERPRIORS = rows(
    ({"doc": (1, 1)}, "unknown name 'doc'.*'doc_concentration', 'weight_conc.*'topic_"),
    ({5: (1, 1)}, "unknown name 5"),
    *(
        ({"doc_concentration": gamma}, f"{GAMMA} contain finite numbers")
        for gamma in (5, "ab", {1, 2}, [1], (1, math.nan), (1, 1j), [True, True])
    ),
    *(
        (
            {"doc_concentration": gamma},
            f"{GAMMA} be a shape and a rate from 1e-10 to 1e",
        )
        for gamma in ((0, 1), (1, -2.0), (9e-11, 1), (1, 1.1e10))
    ),
    ({"weight_concentration": (1, 0)}, r"\['weight_concentration'\] must.*\(1, 0\)"),
    ({"topic_word_prior": (1, -1)}, r"\['topic_word_prior'\] must.*\(1, -1\)"),
)
# What does not follow from the constraints.
MORE = {
    # A document of a class that the dict names as another.
    "class_weight": refused({"a": 2.0}, words="not in class_weight|columns of y"),
    "hyperpriors": HYPERPRIORS,
    "doc_topic_prior": prior(np.array([0.1, 0.2, 0.3]), "n_components=3"),
    "init": INIT,
    "topic_word_prior": PER_WORD,
    "burn_in": rows((20, "=20.*smaller than max_iter=20.*half"), (21, "=21")),
    "keep_draws": rows((71, "=71 exceeds .* 70: .*thin=1.*max_iter=140.*=141")),
}


def derived_specs(cls: type) -> dict[str, list[Bad]]:
    """Return what follows from the constraints of each parameter."""
    constraints = cls._parameter_constraints
    return {name: derived(constraints[name]) for name in cls().get_params()}


def labels() -> list[Bad]:
    """Return what is refused as the classes of documents."""
    spec = refused(None, words="requires y to be passed")
    spec += refused(LABELS[1:], words="inconsistent numbers of samples")
    spec += refused(["one"] * N_DOCS, words="only one class.*at least 2 classes")
    spec += refused(THETA[:, 0], words="Unknown label type.*use MedLDARegressor")
    spec += refused({*range(N_DOCS)}, words="y")
    words = "indicator matrix of 0 and 1"
    spec += refused(np.column_stack([LABELS, LABELS]), words=words)
    for value in (math.nan, math.inf):
        y = np.where(np.arange(N_DOCS) == 3, value, np.arange(N_DOCS) % 2)
        spec += refused(y, y.astype(object), words="(NaN|infinity|Unknown).*Leave out")
    member = np.eye(3, dtype=bool)[np.arange(N_DOCS) % 3]
    for low, high in ((0, 2), (-2, 2), (0, -1)):
        y = np.where(member, high, low)
        spec += refused(y, sparse.csr_array(y), sparse.lil_array(y), words=words)
    outside = sparse.csr_array(member.astype(int))
    outside.indices[0] = 3
    spec += refused(outside, words="not a valid")
    return spec


def targets() -> list[Bad]:
    """Return what is refused as the numbers of documents."""
    spec = refused(None, words="requires y to be passed")
    spec += refused(THETA[1:, 0], words="inconsistent numbers of samples")
    spec += refused(THETA, words="MultiOutputRegressor")
    spec += refused(LABELS, words="For labels, use MedLDAClassifier")
    spec += refused({*range(N_DOCS)}, words="y")
    spec += refused(np.full(N_DOCS, 10**400), words="too large")
    spec += refused(np.ma.masked_less(THETA[:, 0], 0.1), words="y has masked")
    for value, word in ((math.nan, "NaN"), (math.inf, "infinity")):
        spec += refused(np.where(IS_ONE, value, 1), words=word)
    return spec


def scored() -> dict[str, list[Bad]]:
    """Return bad values of what scikit-learn's accuracy compares with."""
    y = refused(None, 5, "one", words="y must have a label for each document")
    y += refused(LABELS[1:], words="inconsistent numbers of samples")
    y += refused(THETA, words="indicator matrix of 0 and 1")
    weights = refused("a", 5) + refused(np.ones(N_DOCS - 1), words="inconsistent")
    return {"y": y, "sample_weight": weights}


def covariates(*, fitted: bool) -> list[Bad]:
    """Return what is refused as covariates of a model with one of them."""
    first = ONE_COVARIATE
    spec = rows(
        (first[1:], f"have {N_DOCS - 1} rows.*{N_DOCS} documents"),
        (np.where(IS_ONE, math.nan, first), "NaN"),
        (np.where(IS_ONE, math.inf, first), "infinity"),
        (np.ones((N_DOCS, 2, 2)), "dim 3"),
        ({"first": first}, r"DataFrame makes one of a dict of columns.* dim 0: \{"),
        (np.ma.masked_less(first, 3), "has masked"),
        ([[1], [1, 2]] * (N_DOCS // 2), "number"),
        ([10**400, *first[1:]], "out of range"),
    )
    spec += refused(5, "a", {1})
    if fitted:
        spec += refused(np.column_stack([first, first]), words="but fit had")
    return spec


def groups() -> list[Bad]:
    """Return what is refused as the groups of documents."""
    mixed = [1, *LABELS[1:]], [(d, 1) for d in range(N_DOCS)]
    return (
        names(N_DOCS, "documents")
        + refused([None] * N_DOCS, words="row 0")
        + refused(*mixed, words="{name} must contain only .*Convert them")
    )


LABELLED = {
    **{
        f"DMRLDA.{name}": {"covariates": covariates(fitted="fit" not in name)}
        for name in ("fit", "fit_transform", "transform", "score", "perplexity")
    },
    "MedLDAClassifier.fit": {"y": labels()},
    "MedLDAClassifier.score": scored(),
    "MedLDARegressor.fit": {"y": targets()},
}


def estimator_doors() -> Iterator[tuple[str, Door]]:
    for name, cls in estimators().items():
        derived = derived_specs(cls)
        more = {k: v for k, v in MORE.items() if (k, cls) != ("init", CVBLDA)}
        specs = {k: v + more.get(k, []) for k, v in derived.items()}
        yield f"sklda.{name}", Door(partial(fit, cls), {}, specs)
        if hasattr(cls, "partial_fit"):
            yield f"sklda.{name}, partial_fit", Door(partial_fit, {}, specs)
            yield (
                f"sklda.{name}, partial_fit again",
                Door(partial_fit_again, {}, derived),
            )
        for method, function in methods(cls):
            if method == "set_params":
                continue
            whole = not issubclass(cls, CVBLDA)
            is_fit = method in ("fit", "fit_transform")
            specs = {"X": counts(N_DOCS, N_WORDS, whole=whole, fitted=not is_fit)}
            sound, labels = {"X": X}, LABELLED.get(f"{name}.{method}", {})
            if any(parameter.name == "y" for parameter in parameters(function)):
                sound["y"] = labels_for(cls)
            if not any(parameter.name == "X" for parameter in parameters(function)):
                sound = specs = {}
            call = partial(call_method, cls, method)
            yield f"sklda.{name}.{method}", Door(call, sound, specs | labels)
