"""Corpora refused for more than one bad value; the rest: tests/test_bad_input.py."""

import re
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from sklda import CollapsedGibbsLDA
from sklda._fitted.fitted_topics import check_matrix
from sklda.datasets import make_lda_corpus

X = make_lda_corpus(12, 7, 3, document_length=20, random_state=0)[0]
LIMIT = 2**31 - 1


def make():
    return CollapsedGibbsLDA(n_components=3, max_iter=4, random_state=0)


def refuse(match, X):
    """Assert that fit raises ValueError with all these words, and sets nothing."""
    estimator = make()
    with pytest.raises(ValueError, match=r"(?s)" + ".*".join(map(re.escape, match))):
        estimator.fit(X)
    assert vars(estimator) == vars(make())


def cells(values, dtype, word=(), n_words=2):
    """Make a matrix of one document with these cells, duplicates and all."""
    data = np.asarray(values, dtype)
    word = np.asarray(word if len(word) else np.zeros(data.size), np.int32)
    return sparse.csr_array((data, word, [0, data.size]), shape=(1, n_words))


def test_the_message_shows_a_fraction():
    refuse(["fractions such as 2.5"], [[1.0, 3.0], [2.5, 0.0]])


def test_fractional_duplicates_that_add_up_to_one():
    refuse(["fractions such as 0.5"], cells([0.5, 0.5], np.float64))


def test_negative_duplicates_that_add_up_to_a_count():
    refuse(["Negative values"], cells([-1, 3], np.int64))


TEXTS = ["", "all the words of a document", "and those of another"]


def test_a_column_of_texts_has_not_been_counted():
    pandas = pytest.importorskip("pandas")
    texts = pandas.Series(TEXTS, index=[3, 5, 8])
    refuse(["matrix of counts", "CountVectorizer"], texts)


def test_a_table_with_texts_and_dates_names_the_column_to_count():
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2008-01-01", periods=3)
    table = pandas.DataFrame({"day": days, "post": [None, *TEXTS[1:]], "length": 3})
    refuse(["is a table with", "'post', 'day'", "fit_transform(X['post'])"], table)
    refuse(["other columns: 'day'", "fit_transform(X['text'])"], table[["day"]])
    refuse(["other columns: 'post'"], table[["post"]].astype("string"))
    assert make().fit(table[["length"]].astype(object)).n_features_in_ == 1


def test_gaps_and_rows_of_different_lengths():
    pandas = pytest.importorskip("pandas")
    refuse(["NaN", "count 0", "fillna(0)"], pandas.DataFrame({"a": [1, np.nan]}))
    refuse(["rows of different lengths"], [[1, 2], [1]])


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


def test_one_count_beyond_its_type():
    # Cast to int32, 2**32 + 1 would be a 1 and pass.
    too_many(np.array([[2**32 + 1, 0]]))
    too_many(cells([2**32 + 1], np.int64))
    too_many(np.array([[1e300, 0]]))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**62] * 4, np.int64),
        ([2**62] * 2, np.int64),
        ([2**63] * 2, np.uint64),
        ([2**64 - 1], np.uint64),
        ([2**64 - 1, 0], np.uint64),
        ([2**64 - 1, 2], np.uint64),
    ],
)
def test_sums_that_wrap_round_in_64_bits(values, dtype):
    # 4 * 2**62 and 2**64 - 1 + 2 are 0 and 1 there; 2 * 2**62 is negative.
    too_many(cells(values, dtype))


BROKEN = {
    "unsigned, decreasing": {"indptr": np.array([0, 250, 24], np.uint8)},
    "8 bits, differences overflow": {"indptr": np.array([0, 100, -100], np.int8)},
    "32 bits, differences overflow": {"indptr": np.int32([0, 2**31 - 1, -(2**31)])},
    "64 bits, beyond the sign": {"indptr": np.array([0, 2**63 + 12, 24], np.uint64)},
    "beyond the cells": {"indptr": np.array([0, 12, 10**7])},
    "before the first cell": {"indptr": np.array([1, 12, 24])},
    "too few rows": {"indptr": np.array([0, 24])},
    "no rows": {"indptr": np.array([], int)},
    "fractions of cells": {"indptr": np.array([0.0, 12.0, 24.0])},
    "fractions": {"indices": np.arange(24) % 12 * 0.5},
    "objects": {"indices": np.array([0, "a"] * 12, object)},
    "two dimensions": {"indices": np.zeros((24, 1), int)},
    "unsigned, beyond": {"indices": np.full(24, 2**64 - 1, np.uint64)},
    "bytes, beyond": {"indices": np.full(24, 12, np.uint8)},
    "too few values": {"data": np.ones(23, int)},
}


@pytest.mark.parametrize("arrays", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "bsr_array"])
def test_indices_that_lead_outside(form, arrays):
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


def test_blocks_that_do_not_tile_the_matrix():
    for shape in ((2, 5, 1), (2, 1, 5), (2, 0, 1)):
        bad = sparse.bsr_array(np.ones((2, 2)), blocksize=(1, 2))
        bad.data = np.ones(shape)
        refuse(["not a valid sparse matrix", "multiple of the blocks"], bad)


def test_more_words_than_are_numbered():
    wide = sparse.csr_array(([1], ([0], [5])), shape=(1, 2**31))
    refuse(["2,147,483,648 words", "limit of 2,147,483,647", "vocabulary"], wide)


def test_names_of_words_survive_a_refused_fit():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X.toarray(), columns=list("abcdefg"))
    estimator = make().fit(frame)
    with pytest.raises(ValueError, match="whole numbers"):
        estimator.fit(frame.rename(columns=str.upper) * 0.5)
    assert "".join(estimator.feature_names_in_) == "abcdefg"
    with pytest.raises(ValueError, match="whole numbers"):
        estimator.fit(X * 0.5)
    assert "".join(estimator.feature_names_in_) == "abcdefg"
