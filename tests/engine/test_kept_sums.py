"""Sums over kept samples, beside sums that NumPy makes of the same samples."""

from copy import deepcopy

import numpy as np
import pytest
from scipy import sparse

from sklda import CollapsedGibbsLDA
from sklda._data.corpus import check_corpus, document_lengths
from sklda._engine import kept_samples
from sklda._engine.kept_samples import KeptSums, add_to_rows, joined
from sklda._sampling import problem as problems
from sklda._sampling.problem import Problem
from sklda._tables import lists, rows

N_DOCS, N_WORDS = 23, 17
FORMS = {"table": 2**22, "rows": 0}  # the largest table
forms = pytest.mark.parametrize("form", FORMS)
tables = pytest.mark.parametrize("counts", [rows, lists])


@pytest.fixture(scope="module")
def X():
    """Return counts with empty documents and words, and one beyond 16 bits."""
    X = np.random.default_rng(0).poisson(0.7, (N_DOCS, N_WORDS))
    X[[0, 7, 8, -1]] = 0
    X[:, [0, 5, -1]] = 0
    X[3, 4] = 70_000
    X[:, 6], X[9] = 1, 2
    return X


class Samples:
    """Random samples, and sums of their counts with all zeros."""

    def __init__(self, X, n_topics, counts):
        corpus = check_corpus(CollapsedGibbsLDA(), sparse.csr_array(X), reset=True)
        self.problem = Problem(corpus, N_WORDS, np.full(n_topics, 0.1), 0.1)
        self.counts = counts
        self.docs, words = np.nonzero(X)
        tokens = X[self.docs, words]
        self.docs, self.words = np.repeat(self.docs, tokens), np.repeat(words, tokens)
        self.rng = np.random.default_rng(1)
        self.sums = [np.zeros((n, n_topics)) for n in X.shape]
        self.kept = KeptSums()

    def add(self, n=1, alpha_sums=(None,)):
        """Add samples to both; in each, a document has few topics."""
        n_topics, lengths = self.problem.n_topics, document_lengths(self.problem.corpus)
        for i in range(n):
            z = self.docs * 3 + self.rng.integers(4, size=self.docs.size)
            z = (z % n_topics).astype(np.uint16)
            state = self.counts.from_topics(self.problem, z)
            alpha_sum = alpha_sums[i % len(alpha_sums)]
            counts = self.counts.counts(self.problem, state)
            self.kept.add(self.problem, z, counts, alpha_sum)
            n_dk, n_wk = np.zeros_like(self.sums[0]), np.zeros_like(self.sums[1])
            np.add.at(n_dk, (self.docs, z), 1)
            np.add.at(n_wk, (self.words, z), 1)
            if alpha_sum is not None:
                n_dk *= (1 / (lengths + alpha_sum))[:, np.newaxis]
            self.sums[0] += n_dk
            self.sums[1] += n_wk

    def check(self):
        """Assert that both sums are the same, and the rows as narrow as they can be."""
        self.kept.close()
        kept = self.kept.doc_topic, self.kept.word_topic
        for found, expected in zip(map(joined, kept), self.sums, strict=True):
            np.testing.assert_array_equal(
                found.dense(self.problem.n_topics), expected, strict=True
            )
            assert found.topic.size == np.count_nonzero(expected)
            if found.value.dtype != np.float64:
                assert found.value.dtype == np.min_scalar_type(int(expected.max()))


CHUNKS = {"_CHUNK_TOKENS": 50, "_CHUNK_SUMS": 12, "_CHUNK_ENTRIES": 12}


@pytest.mark.parametrize("chunks", [{}, CHUNKS], ids=["whole", "chunks"])
@tables
@forms
@pytest.mark.parametrize("n_topics", [1, 3, 16, 17, 40, 300])
def test_sums_are_exact(X, n_topics, form, counts, chunks, monkeypatch):
    for name, size in (chunks | {"_SMALL_TABLE": FORMS[form]}).items():
        monkeypatch.setattr(kept_samples, name, size)
    samples = Samples(X, n_topics, counts)
    samples.add(5)
    kept = samples.kept.doc_topic, samples.kept.word_topic
    assert all(isinstance(sums, list) == (form == "rows") for sums in kept)
    if chunks and form == "rows":
        assert min(map(len, kept)) > 1
    samples.check()
    samples.add(2)  # a fit that goes on
    samples.check()


@forms
def test_scaled_counts_are_added_in_the_order_of_the_samples(X, form, monkeypatch):
    for name, size in (CHUNKS | {"_SMALL_TABLE": FORMS[form]}).items():
        monkeypatch.setattr(kept_samples, name, size)
    samples = Samples(X, 20, rows)
    of_each = np.random.default_rng(2).uniform(1, 9, N_DOCS)
    samples.add(6, alpha_sums=(0.3, of_each, 7.1))
    samples.check()


def test_tables_hold_more_than_32_bits(X, monkeypatch):
    samples = Samples(X, 3, rows)
    monkeypatch.setattr(problems, "MAX_32_BITS", 2 * samples.docs.size)
    samples.add(2)
    assert samples.kept.doc_topic.dtype == samples.kept.word_topic.dtype == np.int32
    samples.kept.doc_topic[4, 2] = samples.kept.word_topic[9, 1] = 2**31 - 1
    samples.sums[0][4, 2] = samples.sums[1][9, 1] = 2**31 - 1
    samples.add(2)
    assert samples.kept.doc_topic.dtype == samples.kept.word_topic.dtype == np.int64
    samples.check()


def test_rows_hold_more_than_32_bits():
    first, topic = np.array([0, 2, 2]), np.array([5, 2], np.uint16)
    sums = []
    for _ in range(3):
        before = deepcopy(sums)
        kept = list(sums)
        add_to_rows(sums, 0, (first, topic, np.array([2**40, 3])), 17)
        for rows_before, same in zip(kept, before, strict=True):  # not changed in place
            assert all(map(np.array_equal, rows_before, same))
    assert sums[0].size.tolist() == [2, 0]
    assert sums[0].topic.tolist() == [5, 2]  # in the order in which they came
    assert sums[0].value.tolist() == [3 * 2**40, 9]


def test_samples_in_pieces_keep_the_order_of_their_topics():
    first = np.array([[0, 2, 3], [3, 3, 6]])
    topic = np.array([7, 1, 4, 9, 4, 0], np.uint16)
    sums = []
    add_to_rows(sums, 0, (first, topic, np.array([1, 2, 3, 4, 5, 6])), 10)
    assert sums[0].size.tolist() == [2, 3]
    assert sums[0].topic.tolist() == [7, 1, 4, 9, 0]
    assert sums[0].value.tolist() == [1, 2, 8, 4, 6]
