"""The corpora of the benchmarks, and the splits that programs are compared by."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks import corpora


def test_half_of_the_words_of_the_last_documents_are_held_out(counts):
    train, held_out = corpora.split(counts, "kos")
    test = counts[30:].toarray()
    expected = np.zeros_like(test)
    expected[test > 0] = np.random.default_rng(0).binomial(test[test > 0], 0.5)
    assert np.array_equal(held_out.toarray(), expected)
    assert np.array_equal(train[30:].toarray(), test - expected)
    assert np.array_equal(train[:30].toarray(), counts[:30].toarray())


def test_every_document_keeps_a_word(monkeypatch):
    monkeypatch.setitem(corpora.N_TEST_DOCUMENTS, "titles", 200)
    X = sparse.csr_array(np.repeat([[1, 0, 0], [1, 1, 0]], 150, axis=0))
    train, held_out = corpora.split(X, "titles")
    assert (train.sum(axis=1) > 0).all()
    assert X.sum() - train.sum() == held_out.sum()
    assert 25 < held_out.sum() < 125  # of the documents of two words, at most one each


def test_a_quarter_of_the_documents_is_for_tests(counts):
    train, test = corpora.split_documents(counts)
    assert (train.shape, test.shape) == ((30, 25), (10, 25))
    both, whole = np.vstack([train.toarray(), test.toarray()]), counts.toarray()
    assert np.array_equal(np.unique(both, axis=0), np.unique(whole, axis=0))
    assert not np.array_equal(test.toarray(), whole[-10:])


def test_a_tenth_of_the_tokens_of_each_document_is_held_out(counts):
    train, held_out = corpora.hold_out_tokens(counts)
    assert np.array_equal((train + held_out).toarray(), counts.toarray())
    assert min(train.data.min(), held_out.data.min()) >= 1  # no zeros are stored
    assert np.array_equal(held_out.sum(axis=1), np.round(0.1 * counts.sum(axis=1)))


def test_log_probability_is_that_of_a_plain_loop(counts):
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.ones(3), size=40)
    phi = rng.dirichlet(np.ones(25), size=3)
    total = 0.0
    for d, w in zip(*counts.nonzero(), strict=True):
        probability = sum(theta[d, k] * phi[k, w] for k in range(3))
        total += counts[d, w] * np.log(probability)
    value = corpora.log_probability(theta, phi, counts)
    assert value == pytest.approx(total / counts.sum())
    assert corpora.perplexity(theta, phi, counts) == pytest.approx(np.exp(-value))
