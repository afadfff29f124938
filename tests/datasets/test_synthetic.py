"""Corpora drawn from the model: make_lda_corpus and make_bars."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats

from sklda.datasets import _synthetic, make_bars, make_lda_corpus


def chisquare_pvalue(X, doc_topic, topic_word):
    """Test that each document is a multinomial draw from its own mixture."""
    lengths = X.sum(axis=1)
    expected = np.asarray(lengths) * (doc_topic @ topic_word)
    statistic = ((X.toarray() - expected) ** 2 / expected).sum()
    degrees = X.shape[0] * (X.shape[1] - 1)
    return stats.chi2.sf(statistic, degrees)


@pytest.mark.parametrize("shape", [(30, 11, 3), (7, 11, 3), (1, 1, 1)])
@pytest.mark.parametrize("length", [100, 3, 0])
def test_arrays(shape, length):
    n_docs, n_words, n_topics = shape
    options = {"document_length": length, "random_state": 0}
    X, doc_topic, topic_word = make_lda_corpus(*shape, **options)
    assert (X.format, X.dtype, X.shape) == ("csr", np.int64, (n_docs, n_words))
    assert (doc_topic.shape, topic_word.shape) == ((n_docs, n_topics), shape[:0:-1])
    np.testing.assert_allclose(doc_topic.sum(axis=1), 1.0)
    np.testing.assert_allclose(topic_word.sum(axis=1), 1.0)
    assert (X.sum(axis=1) == length).all()
    # A new matrix computes the flag from the arrays; that of X may have been set.
    assert type(X)((X.data, X.indices, X.indptr), shape=X.shape).has_canonical_format
    assert (X.data >= 1).all()
    same = make_lda_corpus(*shape, doc_topic_prior=1 / n_topics, **options)
    assert (same[0] != X).nnz == 0


@pytest.mark.parametrize("tokens_per_chunk", [1 << 22, 5000])
def test_counts_follow_the_true_mixture(monkeypatch, tokens_per_chunk):
    # Also where the corpus is joined from chunks of two and a half documents.
    monkeypatch.setattr(_synthetic, "_TOKENS_PER_CHUNK", tokens_per_chunk)
    options = {"doc_topic_prior": 0.5, "topic_word_prior": 2.0, "random_state": 3}
    X, doc_topic, topic_word = make_lda_corpus(
        40, 15, 4, document_length=2000, **options
    )
    assert chisquare_pvalue(X, doc_topic, topic_word) > 0.01
    # The test has the power to see documents with the proportions of others.
    assert chisquare_pvalue(X, np.roll(doc_topic, 1, axis=0), topic_word) < 1e-10
    assert chisquare_pvalue(X, doc_topic, np.roll(topic_word, 1, axis=0)) < 1e-10


def test_priors_are_dirichlet_concentrations():
    alpha = np.array([0.5, 1.0, 2.5])
    options = {"doc_topic_prior": alpha, "topic_word_prior": [3.0, 1.0, 1.0, 1.0, 1.0]}
    options |= {"document_length": 0, "random_state": 0}
    _, doc_topic, topic_word = make_lda_corpus(4000, 5, 3, **options)
    # A coordinate of a Dirichlet vector has a beta distribution.
    for k in range(3):
        law = stats.beta(alpha[k], alpha.sum() - alpha[k])
        assert stats.kstest(doc_topic[:, k], law.cdf).pvalue > 0.01
    _, _, phi = make_lda_corpus(
        1, 2, 4000, document_length=0, topic_word_prior=[3.0, 1.0], random_state=0
    )
    assert stats.kstest(phi[:, 0], stats.beta(3.0, 1.0).cdf).pvalue > 0.01
    assert topic_word.shape == (3, 5)


@pytest.mark.parametrize(
    "prior", [1e-200, 1e-5, 1e200, [1e-200, 1, 1e200], np.float16(1)]
)
def test_priors_at_the_ends_of_their_range_give_proportions(prior):
    _, doc_topic, topic_word = make_lda_corpus(
        50, 3, 3, doc_topic_prior=prior, topic_word_prior=prior, random_state=0
    )
    np.testing.assert_allclose(doc_topic.sum(axis=1), 1.0)
    np.testing.assert_allclose(topic_word.sum(axis=1), 1.0)


def test_large_vocabulary_needs_no_dense_array():
    tracemalloc.start()
    try:
        X, _, _ = make_lda_corpus(1000, 50_000, 2, document_length=20, random_state=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # One byte for each cell of a dense matrix would be 50 MB.
    assert peak < 20e6
    assert X.sum() == 20_000


def test_bars_of_griffiths_and_steyvers():
    X, doc_topic, topic_word = make_bars(random_state=0)
    assert X.shape == (2000, 25)
    assert X.dtype == np.int64
    assert (X.sum(axis=1) == 100).all()
    assert doc_topic.shape == (2000, 10)
    # alpha = 1: each proportion is Beta(1, 9)
    assert stats.kstest(doc_topic[:, 0], stats.beta(1, 9).cdf).pvalue > 0.01
    images = topic_word.reshape(10, 5, 5)
    for i in range(5):
        row, column = np.zeros((5, 5)), np.zeros((5, 5))
        row[i, :] = column[:, i] = 0.2
        np.testing.assert_array_equal(images[i], row)
        np.testing.assert_array_equal(images[5 + i], column)
