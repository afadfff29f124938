"""Input that must work: every form of the same counts gives kernels equal arrays.

``tests/test_properties.py`` also shows that no form of X is changed.
"""

import numpy as np
import pytest
from scipy import sparse

from sklda import CollapsedGibbsLDA
from sklda._data.checks import check_structure
from sklda._data.corpus import check_corpus, check_weights
from sklda.datasets import make_lda_corpus
from tests.helpers.forms import CONTAINERS, FORMS

COUNTS = make_lda_corpus(30, 12, 3, document_length=25, random_state=0)[0].toarray()
COUNTS[4] = 0  # a document without words
COUNTS[:, 7] = 0  # a word that never occurs
X = sparse.csr_matrix(COUNTS)


def fit(X, **params):
    params = {"n_components": 3, "max_iter": 6, "random_state": 0, **params}
    return CollapsedGibbsLDA(**params).fit(X)


form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def assert_corpus(X, expected):
    """Assert that kernels get each cell of a canonical matrix once, and no zeros."""
    model = CollapsedGibbsLDA()
    corpus = check_corpus(model, X, reset=True)
    weights = check_weights(model, X, reset=False, whole=True)
    for cells in (corpus, weights):
        np.testing.assert_array_equal(cells.doc_ptr, expected.indptr)
        np.testing.assert_array_equal(cells.word, expected.indices)
    np.testing.assert_array_equal(np.diff(corpus.token_ptr), expected.data)
    np.testing.assert_array_equal(weights.count, expected.data.astype(np.float32))
    dtypes = [np.int64, np.int32, np.int64, np.float32]
    for array, dtype in zip((*corpus, weights.count), dtypes, strict=True):
        assert array.dtype == dtype
        assert array.flags.carray  # contiguous, aligned, writeable, native
        assert type(array) is np.ndarray  # no memory map


@form
def test_kernels_get_each_cell_once_and_no_zeros(form):
    counts = COUNTS > 0 if form.dtype == "bool" else COUNTS
    assert_corpus(form(COUNTS), sparse.csr_matrix(counts.astype(int)))


class View(sparse.csr_matrix):
    """As ``adata[cells].X``, whose deep copy holds all cells."""

    def __deepcopy__(self, memo):
        return X


def test_a_view_of_annotated_data_has_its_own_cells():
    assert_corpus(View(X[3:9]), X[3:9])


def test_nothing_of_the_caller_is_kept():
    X_own = X.copy()
    model = fit(X_own)
    expected = model.transform(X)
    arrays = {k: v.copy() for k, v in vars(model).items() if isinstance(v, np.ndarray)}
    X_own.data[:] = 99
    X_own.indices[:] = 0
    for name, value in arrays.items():
        np.testing.assert_array_equal(getattr(model, name), value)
    np.testing.assert_array_equal(model.transform(X), expected)


@pytest.mark.parametrize("container", [*CONTAINERS[:-1], sparse.dia_array])
def test_another_thread_may_write_to_x(container, monkeypatch):
    # As soon as its structure is checked.
    matrix = container(COUNTS)
    names = ("data", "indices", "indptr", "row", "col", "offsets")
    arrays = [getattr(matrix, name) for name in names if hasattr(matrix, name)]

    def check_and_spoil(matrix, name):
        checked = check_structure(matrix, name)
        for array in arrays:
            array[...] = -(2**30)
        return checked

    monkeypatch.setattr("sklda._data.corpus.check_structure", check_and_spoil)
    corpus = check_corpus(CollapsedGibbsLDA(), matrix, reset=True)
    np.testing.assert_array_equal(corpus.doc_ptr, X.indptr)
    np.testing.assert_array_equal(corpus.word, X.indices)
    np.testing.assert_array_equal(np.diff(corpus.token_ptr), X.data)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint64, ">i4"])
@pytest.mark.parametrize(
    "container",
    [sparse.csr_array, sparse.csc_array, sparse.bsr_array, sparse.dia_array],
)
def test_indices_of_any_type(container, dtype):
    # SciPy computes with them in their own type: 120 rows and 10 overflow 8 bits.
    counts = np.zeros((120, 24), int)
    counts[:12, ::2] = np.diag(np.arange(1, 13))
    matrix = container(counts)
    for name in ("indices", "indptr", "offsets"):
        if hasattr(matrix, name):
            index = np.maximum(getattr(matrix, name), 0)
            setattr(matrix, name, index.astype(dtype))
    assert_corpus(matrix, sparse.csr_array(counts))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, bool])
def test_duplicates_that_add_up_beyond_their_type(dtype):
    most = 1 if dtype is bool else np.iinfo(dtype).max
    values = np.full(3, most, dtype)
    X_twice = sparse.csr_array((values, [0, 0, 1], [0, 3]), shape=(1, 2))
    assert_corpus(X_twice, sparse.csr_array([[2 * int(most), int(most)]]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_minus_zero_is_zero(dtype):
    X_float = COUNTS.astype(dtype)
    X_float[X_float == 0] = -0.0
    assert_corpus(X_float, X)
