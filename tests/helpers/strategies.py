"""Corpora in every form that scikit-learn takes, and estimators with valid parameters.

All draws are from short lists. Hypothesis mixes constants of all loaded modules into
draws from wide ranges, so the examples would depend on what else the process tests.
"""

import tempfile
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import sklda
from sklda._base.sklearn_private import StrOptions
from sklda._chain.hierarchical import GammaPriors

among = st.sampled_from


def powers(low, high):
    """Draw a power of ten with an exponent from `low` to `high`."""
    return st.integers(low, high).map(lambda exponent: 10.0**exponent)


def arrays(elements, shape, dtype=np.int64):
    """Draw an array whose elements are drawn one by one."""
    return hnp.arrays(dtype, shape, elements=among(elements), fill=st.nothing())


# --- matrices --------------------------------------------------------------------

NATIVE = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 g".split()
SWAPPED = [np.dtype(name).newbyteorder() for name in ("i4", "u2", "i8", "f4", "f8")]
DTYPES = [*map(np.dtype, NATIVE), *SWAPPED, np.dtype(object)]


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
    """Draw a matrix that holds these values: its container, dtype and memory."""
    build = draw(among([_array, _sparse, _sparse, _sequence, _frame]))
    return build(draw, values)


def _dtype(draw, values, dtypes=DTYPES):
    """Draw a dtype that holds the values exactly."""
    with np.errstate(all="ignore"):
        return draw(among([d for d in dtypes if _equal(values.astype(d), values)]))


def _equal(a, b):
    """Return whether arrays of any dtype are equal; NaN equals itself."""
    return ((a == b) | ((a != a) & (b != b))).all()


def _array(draw, values):
    array = values.astype(_dtype(draw, values))
    memory = draw(among("C F columns rows read-only map".split()))
    if memory == "F":
        return np.asfortranarray(array)
    if memory == "columns":
        return np.repeat(array, 2, axis=1)[:, ::2]
    if memory == "rows":
        return array[::-1].copy()[::-1]
    if memory == "map" and array.dtype.kind != "O":
        with tempfile.TemporaryFile() as file:
            file.write(array.tobytes())
            file.flush()
            return np.memmap(file, array.dtype, "r", shape=array.shape)
    array.flags.writeable = memory != "read-only"
    return array


def _sequence(draw, values):
    array = values.astype(_dtype(draw, values))
    rows = draw(among([np.ndarray.tolist, list, tuple]))(array)
    return draw(among([list, tuple]))(rows)


def _frame(draw, values):
    dtypes = [d for d in DTYPES if d.isnative and d.char != "g"]
    names = draw(among([list("abcdefgh"), range(8)]))
    frame = pd.DataFrame(values, columns=list(names)[: values.shape[1]])
    kind = draw(among("one each nullable sparse".split()))
    if kind == "nullable":
        return frame.convert_dtypes()
    if kind == "sparse":
        return frame.astype(pd.SparseDtype(values.dtype, 0))
    if kind == "one":
        return frame.astype(_dtype(draw, values, dtypes))
    return frame.astype({n: _dtype(draw, frame[n].values, dtypes) for n in frame})


def _sparse(draw, values):
    X = _csr(draw, values)
    if X.dtype.char != "e" and X.dtype.isnative:  # SciPy converts neither
        X = X.asformat(draw(among("csr csr csc coo lil dok bsr dia".split())))
    if X.format in ("csr", "csc", "bsr"):
        if draw(st.booleans()):
            X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        if draw(st.booleans()):
            for array in (X.data, X.indices, X.indptr):
                array.flags.writeable = False
    return X


def _csr(draw, values):
    """Draw a CSR matrix that need not be canonical."""
    dtype = _dtype(draw, values, [d for d in DTYPES if d.kind != "O"])
    doc, word = np.indices(values.shape).reshape(2, -1)
    value = values.ravel()
    if draw(st.booleans()):  # two cells instead of one
        half = np.floor(value / 2)
        with np.errstate(invalid="ignore"):  # inf - inf
            value = np.append(half, value - half)
        doc, word = np.tile(doc, 2), np.tile(word, 2)
    stored = (value != 0) | draw(st.booleans())
    doc, word, value = doc[stored], word[stored], value[stored]
    order = np.lexsort((draw(among([word, -word, word[::-1]])), doc))
    doc, word, value = doc[order], word[order], value[order]
    indptr = np.searchsorted(doc, np.arange(len(values) + 1))
    cls = draw(among([sparse.csr_array, sparse.csr_matrix]))
    X = cls((value, word, indptr), shape=values.shape)
    X.data = X.data.astype(dtype)  # of types that SciPy does not create, too
    return X


# --- estimators ------------------------------------------------------------------

MAX_ITER = 22
TRACE = {"evaluate_every": among([0, 1, 3, 50])}
SHARDS = {"n_shards": among([1, 1, 2, 5, 40])}
GIBBS = {**TRACE, **SHARDS}
CVB = {
    **TRACE,
    "tol": among([0, 0.01, 2.5]),
    "learning_decay": among([0.51, 0.7, 1]),
    "learning_offset": among([0, 10.0, 1e6]),
    "total_samples": powers(0, 9),
}
MEDLDA = {
    "C": powers(-4, 4),
    "prior_precision": powers(-4, 4),
    "n_mh_steps": among([1, 2, 6]),
    "n_weight_steps": among([None, 1, 2, 5]),
}
# What each class has beside number of topics, priors, schedule and options: sets of
# parameters that go together.
PARAMETERS: dict[type, list[dict[str, st.SearchStrategy]]] = {
    sklda.CollapsedGibbsLDA: [
        {**GIBBS, "max_block_size": among([1, 2, 4, 5, 50, None])}
    ],
    sklda.PartiallyCollapsedGibbsLDA: [TRACE],
    sklda.UncollapsedGibbsLDA: [TRACE],
    sklda.DMRLDA: [
        {**TRACE, "weight_scale": powers(-2, 1), "intercept_scale": powers(-2, 1)}
    ],
    sklda.ECGSLDA: [
        {**GIBBS, "strategy": among(["standard", "shortcut"])},
        {**GIBBS, "strategy": st.just("dynamic"), "damping": among([1, 2, 10**9])},
    ],
    sklda.CVBLDA: [
        {**CVB, **SHARDS, "approximation": among(["gaussian", "zero-order"])},
        {**CVB, "approximation": st.just("exact")},
    ],
    sklda.MedLDAClassifier: [{**MEDLDA, "n_fold_in_steps": among([None, 1, 2, 2000])}],
    sklda.MedLDARegressor: [{**MEDLDA, "epsilon": among([0, 0.1, 5])}],
}
CLASSES = list(PARAMETERS)


def options(cls):
    """Return what draws the parameters that are a choice of texts, or a flag."""
    found = {}
    for name, constraints in cls._parameter_constraints.items():
        texts = [one.options for one in constraints if isinstance(one, StrOptions)]
        values = sorted(*texts) if texts else []
        values += [None] if values and None in constraints else []
        values += [False, True] if "boolean" in constraints else []
        if values:
            found[name] = among(values)
    return found


@st.composite
def estimators(draw, cls):
    """Draw an estimator of a class with valid parameters."""
    sets = [st.fixed_dictionaries(options(cls) | own) for own in PARAMETERS[cls]]
    params: dict[str, Any] = draw(st.one_of(sets))
    is_exact = params.get("approximation") == "exact"  # O(tokens ** 2) for each topic
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
