"""Corpora that are refused, with the way out; each door: tests/test_bad_input.py."""

import re
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from sklda import CollapsedGibbsLDA
from sklda._data.checks import check_matrix
from sklda.datasets import make_lda_corpus

X = make_lda_corpus(12, 7, 3, document_length=20, random_state=0)[0]
LIMIT = 2**31 - 1


def make():
    return CollapsedGibbsLDA(n_components=3, max_iter=4, random_state=0)


def refuse(match, X, error=ValueError):
    """Assert that fit raises an error with all these words, and sets nothing."""
    estimator = make()
    with pytest.raises(error, match=r"(?s)" + ".*".join(map(re.escape, match))):
        estimator.fit(X)
    assert vars(estimator) == vars(make())


def cells(values, dtype, word=(), n_words=2):
    """Make a matrix of one document with these cells, duplicates and all."""
    data = np.asarray(values, dtype)
    word = np.asarray(word if len(word) else np.zeros(data.size), np.int32)
    return sparse.csr_array((data, word, [0, data.size]), shape=(1, n_words))


def test_values_that_are_not_counts():
    refuse(["fractions such as 2.5"], [[1.0, 3.0], [2.5, 0.0]])
    refuse(["fractions such as 0.5"], cells([0.5, 0.5], np.float64))
    refuse(['adata.layers["counts"]'], np.log1p([[1.0, 3.0], [2.0, 0.0]]))
    refuse(["Negative values", 'adata.layers["counts"]'], cells([-1, 3], np.int64))


TEXTS = ["", "all the words of a document", "and those of another"]


def test_tables_name_what_is_wrong():
    pandas = pytest.importorskip("pandas")
    texts = pandas.Series(TEXTS, index=[3, 5, 8])
    refuse(["matrix of counts", "CountVectorizer"], texts)
    days = pandas.date_range("2008-01-01", periods=3)
    table = pandas.DataFrame({"day": days, "post": [None, *TEXTS[1:]], "length": 3})
    refuse(["CountVectorizer", "column of texts"], table, TypeError)
    refuse(["CountVectorizer", "column of texts"], table[["post", "length"]])
    refuse(["leave out columns of dates"], table[["day", "length"]], TypeError)
    refuse(["NaN", "count 0", "fillna(0)"], pandas.DataFrame({"a": [1, np.nan]}))
    assert make().fit(table[["length"]].astype(object)).n_features_in_ == 1


def test_objects_of_other_libraries():
    # As annotated data and lazy frames: they have a shape, but no values.
    lazy = type("Lazy", (), {"shape": (12, 7)})()
    kinds = "an array, a data frame, a SciPy sparse matrix, or blocks of documents"
    refuse(["X must be", f"of type Lazy: pass {kinds}"], lazy)
    adata = type("AnnData", (), {"__module__": "anndata._core.anndata"})()
    refuse(["of type AnnData", 'adata.layers["counts"]', "to_memory()"], adata)


def too_many(X):
    """Assert the refusal, and that it comes before memory is asked for."""
    tracemalloc.start()
    try:
        refuse(["tokens, above the limit of"], X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 2**31 tokens ask for 4 GB; what is imported on the way, for a few MB at most.
    assert peak < 2**26


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64, np.uint32])
def test_more_tokens_than_are_counted(dtype):
    too_many(np.array([[LIMIT, 1]], dtype))
    too_many(sparse.csr_array(np.array([[LIMIT + 1], [1]], dtype)))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**32 + 1], np.int64),  # a 1 as int32
        ([1e300], np.float64),
        ([2**62] * 4, np.int64),  # 0 in 64 bits
        ([2**64 - 1, 2], np.uint64),  # 1
    ],
)
def test_counts_that_overflow(values, dtype):
    too_many(cells(values, dtype))


BROKEN = {
    "unsigned, decreasing": {"indptr": np.array([0, 250, 24], np.uint8)},
    "8 bits, differences overflow": {"indptr": np.array([0, 100, -100], np.int8)},
    "64 bits, beyond the sign": {"indptr": np.array([0, 2**63 + 12, 24], np.uint64)},
    "beyond the cells": {"indptr": np.array([0, 12, 10**7])},
    "before the first cell": {"indptr": np.array([1, 12, 24])},
    "too few rows": {"indptr": np.array([0, 24])},
    "fractions": {"indices": np.arange(24) % 12 * 0.5},
    "objects": {"indices": np.array([0, "a"] * 12, object)},
    "two dimensions": {"indices": np.zeros((24, 1), int)},
    "unsigned, beyond": {"indices": np.full(24, 2**64 - 1, np.uint64)},
    "negative": {"indices": np.full(24, -1)},
    "too few values": {"data": np.ones(23, int)},
    "values of another type": {"data": np.full(24, "1")},
}


@pytest.mark.parametrize("arrays", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "bsr_array"])
def test_compressed_matrices_that_lead_outside(form, arrays):
    shape = (12, 2) if form == "csc_array" else (2, 12)
    bad = getattr(sparse, form)(np.ones(shape, int))
    if form == "bsr_array":
        bad = bad.tobsr((1, 1))
        arrays = {
            n: a.reshape(-1, 1, 1) if n == "data" else a for n, a in arrays.items()
        }
    vars(bad).update(arrays)
    refuse(["X is not a valid sparse matrix"], bad)
    with pytest.raises(ValueError, match="values is not a valid sparse matrix"):
        check_matrix(bad, "values")


def broken_lists():
    """Yield matrices of the other formats that lead outside."""
    sound, far = np.ones((2, 7), int), 10**6
    for index in (far, -1, 10**30):
        lil, dok = sparse.lil_array(sound), sparse.dok_array(sound)
        lil.rows[1][0] = index
        dok.setdefault((1, index), 1)
        yield from (lil, dok)
        for axis in ("row", "col") if index <= far else ():
            coo = sparse.coo_array(sound)
            getattr(coo, axis)[0] = index
            yield coo
    for name in ("rows", "data"):
        lil = sparse.lil_array(sound)
        getattr(lil, name)[1].append(0)
        yield lil
    short = sparse.lil_array(sound)
    short.rows, short.data = short.rows[:1], short.data[:1]
    fewer = sparse.coo_array(sound)
    fewer.data = fewer.data[:-1]
    same, more = sparse.dia_array(sound), sparse.dia_array(sound)
    same.offsets[:] = 0
    more.offsets = np.append(more.offsets, 99)
    yield from (short, fewer, same, more)


def test_other_formats_that_lead_outside():
    for bad in broken_lists():
        refuse(["X is not a valid sparse matrix"], bad)
    for shape in ((2, 5, 1), (2, 1, 5), (2, 0, 1)):  # they do not tile the matrix
        bad = sparse.bsr_array(np.ones((2, 2)), blocksize=(1, 2))
        bad.data = np.ones(shape)
        refuse(["not a valid sparse matrix"], bad)


def test_more_words_than_are_numbered():
    wide = sparse.csr_array(([1], ([0], [5])), shape=(1, 2**31))
    refuse(["2,147,483,648 words", "limit of 2,147,483,647", "vocabulary"], wide)


def test_names_of_words_survive_a_refused_fit():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X.toarray(), columns=list("abcdefg"))
    estimator = make().fit(frame)
    for bad in (frame.rename(columns=str.upper) * 0.5, X * 0.5):
        with pytest.raises(ValueError, match="whole numbers"):
            estimator.fit(bad)
        assert "".join(estimator.feature_names_in_) == "abcdefg"
