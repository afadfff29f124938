"""Corpora in every form that scikit-learn takes, and estimators with valid parameters.

All draws are from short lists. Hypothesis mixes constants of all loaded modules into
draws from wide ranges, so the examples would depend on what else the process tests.
"""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import sklda
from sklda._data.sklearn_private import StrOptions
from sklda._engine.hierarchical_prior import GammaPriors
from tests.helpers import public_names
from tests.helpers.forms import FORMS

among = st.sampled_from


def powers(low, high):
    """Draw a power of ten with an exponent from `low` to `high`."""
    return st.integers(low, high).map(lambda exponent: 10.0**exponent)


def arrays(elements, shape, dtype=np.int64):
    """Draw an array whose elements are drawn one by one."""
    return hnp.arrays(dtype, shape, elements=among(elements), fill=st.nothing())


# --- matrices --------------------------------------------------------------------


@st.composite
def corpora(draw, model, least_docs=1, n_words=None):
    """Draw an array that a model takes: cells of none and of many tokens; fractions."""
    cells = [0, 0, 0, 1, 1, 2, 3, 6, 40, 300]
    is_exact = getattr(model, "approximation", None) == "exact"
    n_docs = draw(st.integers(least_docs, 8))
    n_words = draw(st.integers(1, 8)) if n_words is None else n_words
    counts = draw(arrays(cells[: 7 if is_exact else None], (n_docs, n_words)))
    if model._whole_counts:
        return counts
    return counts * draw(among([1, 1, 2**-30, 2**-9, 0.5, 2**20]))


@st.composite
def forms(draw, values):
    """Draw a matrix that holds these values."""
    return draw(among([form for form in FORMS.values() if form.holds(values)]))(values)


# --- estimators ------------------------------------------------------------------

MAX_ITER = 22
POWERS = [10.0**i for i in range(-4, 5)]
# Values of parameters of these names, beside number of topics, priors, schedule and
# options, in all classes that have them.
NUMBERS = {
    "C": POWERS,
    "batch_size": [1, 2, 16],
    "damping": [1, 2, 10**9],
    "epsilon": [0, 0.1, 5],
    "evaluate_every": [0, 1, 3, 50],
    "intercept_scale": [0.01, 1.0, 10.0],
    "learning_decay": [0.51, 0.7, 1],
    "learning_offset": [0, 10.0, 1e6],
    "max_block_size": [1, 2, 4, 5, 50, None],
    "n_fold_in_steps": [None, 1, 2, 2000],
    "n_mh_steps": [1, 2, 6],
    "n_shards": [1, 1, 2, 5, 40],
    "n_weight_steps": [None, 1, 2, 5],
    "prior_precision": POWERS,
    "tol": [0, 0.01, 2.5],
    "total_samples": [None, 1, 1000, 1e9],
    "weight_scale": [0.01, 1.0, 10.0],
}
CLASSES = list(public_names.estimators().values())


def options(cls):
    """Return what draws the parameters that are a choice of texts, or a flag."""
    found = {}
    for name, constraints in cls._parameter_constraints.items():
        texts = [kind.options for kind in constraints if isinstance(kind, StrOptions)]
        values = sorted(*texts) if texts else []
        values += [None] if values and None in constraints else []
        values += [False, True] if "boolean" in constraints else []
        if values:
            found[name] = among(values)
    return found


@st.composite
def estimators(draw, cls):
    """Draw an estimator of a class with valid parameters."""
    numbers = {
        name: among(NUMBERS[name]) for name in NUMBERS if name in cls().get_params()
    }
    params: dict[str, Any] = draw(st.fixed_dictionaries(options(cls) | numbers))
    if params.get("strategy", "dynamic") != "dynamic":
        del params["damping"]  # would have no effect
    is_exact = params.get("approximation") == "exact"  # O(tokens ** 2) for each topic
    if is_exact:
        del params["n_shards"]
    n_topics = draw(among([1, 2, 3, 5, 16, 17, 40, 130][: 4 if is_exact else None]))
    params |= draw(_priors(n_topics)) | draw(_schedules(cls))
    if cls is sklda.DMRLDA:  # which samples its prior anyway
        del params["learn_priors"]
    elif cls is not sklda.CVBLDA and np.ndim(params["doc_topic_prior"]) == 0:
        params |= draw(st.just({}) | _hierarchical)
    seed = draw(st.integers(0, 99))
    n_jobs = draw(among([None, 1, 2, 3, -1]))
    return cls(n_topics, random_state=seed, n_jobs=n_jobs, **params)


@st.composite
def _priors(draw, n_topics):
    alpha = draw(st.none() | powers(-10, 10) | st.lists(powers(-10, 10), min_size=1))
    if isinstance(alpha, list):
        alpha = draw(among([list, tuple, np.array]))(np.resize(alpha, n_topics))
    beta = draw(st.none() | powers(-10, 10))
    return {"doc_topic_prior": alpha, "topic_word_prior": beta}


_gamma = st.tuples(powers(-10, 10), powers(-10, 10))
_hierarchical = st.fixed_dictionaries(
    {
        "learn_priors": st.just("hierarchical"),
        "hyperpriors": st.none()
        | st.fixed_dictionaries(
            {}, optional=dict.fromkeys(GammaPriors._fields, _gamma)
        ),
    }
)


@st.composite
def _schedules(draw, cls):
    """Draw when things happen; where priors are learned, there is the time for it."""
    learn_priors = draw(among([None, None, "symmetric", "asymmetric"]))
    least = 0 if learn_priors is None else 10
    max_iter = draw(st.integers(least + 1, MAX_ITER))
    params = {"learn_priors": learn_priors, "max_iter": max_iter}
    if cls is sklda.CVBLDA:
        return params
    burn_in = st.integers(least, max_iter - 1)
    params["burn_in"] = draw(burn_in if least else burn_in | st.none())
    return params | {"thin": draw(among([1, 2, 7, 50]))}


# --- all that a fit takes --------------------------------------------------------


class Case(NamedTuple):
    """An estimator, and one corpus as an array and in another form."""

    model: Any
    values: np.ndarray
    X: Any
    y: Any


@st.composite
def cases(draw, cls):
    """Draw an estimator of a class and what it is fitted to."""
    model = draw(estimators(cls))
    values = draw(corpora(model, least_docs=2 if cls is sklda.MedLDAClassifier else 1))
    return Case(model, values, draw(forms(values)), draw(_targets(cls, len(values))))


@st.composite
def _targets(draw, cls, n_docs):
    """Draw labels of at least two classes, indicators, numbers, or None."""
    if cls is sklda.MedLDARegressor:
        y = draw(arrays([-3, -1, 0, 0.5, 2], n_docs, np.float64))
        return draw(powers(-3, 3)) * y
    if cls is not sklda.MedLDAClassifier:
        return None
    if draw(st.booleans()):
        y = draw(arrays([0, 1], (n_docs, draw(st.integers(2, 4)))))
        return draw(among([np.asarray, np.ndarray.tolist, sparse.csr_array]))(y)
    classes = draw(among([[False, True], [3, 1, -1, 7], ["b", "a", "c"]]))
    y = draw(arrays(range(len(classes)), n_docs))
    y[:2] = 0, 1
    return draw(among([np.array, list]))([classes[i] for i in y])
