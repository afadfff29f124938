"""Documents under fixed topics, beneath the estimators: fold-in and slices."""

import joblib
import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.exceptions import ConvergenceWarning

from sklda._fitted import fold_in
from sklda._fitted.kernels.fold_in import MOST_TOKENS
from tests.helpers.corpora import prepare, to_weights
from tests.helpers.references import fixed_point


def random_topics(seed, n_topics=4, n_words=15):
    """Return components, pseudo-counts of very unlike size, and alpha."""
    rng = np.random.default_rng(seed)
    components = rng.gamma(0.3, size=(n_topics, n_words)) + 0.01
    return components * rng.uniform(1, 50, (n_topics, 1)), rng.gamma(1, size=n_topics)


def random_counts(seed, n_docs=20, n_words=15):
    counts = np.random.default_rng(seed).poisson(0.8, (n_docs, n_words))
    counts[seed % n_docs] = 0
    return counts


def infer(counts, components, alpha, n_jobs=None):
    weights, topics = prepare(to_weights(counts), components, alpha)
    return fold_in.doc_topic(weights, topics, n_jobs)


def similar_topics(shared, n_topics=3, n_words=12):
    """Return topics that give `shared` of their mass to the same words, and alpha."""
    rng = np.random.default_rng(5)
    components = (1 - shared) * rng.dirichlet(np.full(n_words, 0.5), n_topics)
    components += shared * rng.dirichlet(np.full(n_words, 2.0))
    return components, np.full(n_topics, 0.5)


@pytest.mark.parametrize(
    ("n_topics", "weight"), [(1, 1), (4, 1), (17, 1), (4, 0.3), (4, 2.5)]
)
def test_transform_is_the_fixed_point(n_topics, weight):
    components, alpha = random_topics(n_topics, n_topics)
    counts = random_counts(3) * weight
    theta = infer(counts, components, alpha)
    np.testing.assert_allclose(theta.sum(1), 1, rtol=1e-12)
    # Few whole tokens have the posterior mean.
    many = (counts.sum(axis=1) > MOST_TOKENS) | (counts % 1 > 0).any(axis=1)
    expected = fixed_point(counts[many], components, alpha)
    assert abs(theta[many] - expected).sum(axis=1).max() < 2e-3


@pytest.mark.parametrize("length", [20, 400, 10_000])
@pytest.mark.parametrize("shared", [0.9, 0.97, 0.99])
def test_topics_that_share_words_do_not_stop_it_early(shared, length):
    # Here plain steps creep: one of them says nothing about the distance that is left.
    components, alpha = similar_topics(shared)
    rng = np.random.default_rng(2)
    thetas = rng.dirichlet(np.ones(3), 8) @ components
    counts = np.array([rng.multinomial(length, row) for row in thetas])
    theta = infer(counts, components, alpha)
    expected = fixed_point(counts, components, alpha, 100_000)
    assert abs(theta - expected).sum(axis=1).max() < 2e-3


def posterior_mean(words, phi, alpha):
    """Return E[theta] of a document, by enumeration of the topics of its tokens."""
    topics = np.indices([alpha.size] * len(words)).reshape(len(words), -1)
    mass = alpha + np.sum(topics[..., np.newaxis] == np.arange(alpha.size), axis=0)
    weight = np.exp((gammaln(mass) - gammaln(alpha)).sum(axis=1))
    weight *= np.prod([phi[z, w] for z, w in zip(topics, words, strict=True)], axis=0)
    return weight @ mass / weight.sum() / (alpha.sum() + len(words))


@pytest.mark.parametrize(
    ("n_topics", "length"), [(1, 8), (3, 8), (5, 6), (20, 3), (20, 1)]
)
@pytest.mark.parametrize("concentration", [1e-8, 0.02, 0.2, 1])
def test_few_tokens_get_their_posterior_mean(n_topics, length, concentration):
    components, _ = random_topics(length, n_topics, n_words=6)
    phi, rng = components / components.sum(1, keepdims=True), np.random.default_rng(1)
    alpha = concentration * rng.uniform(0.5, 2, n_topics)
    for n_words in (1, 3, 6):  # up to eight times the same word
        words = rng.integers(n_words, size=length)
        counts = np.bincount(words, minlength=6)[np.newaxis]
        expected = posterior_mean(words, phi, alpha)
        theta = infer(counts, components, alpha)[0]
        np.testing.assert_allclose(theta, expected, rtol=1e-5)


@pytest.mark.parametrize("tiny", [1e-26, 1e-36, 1e-310])
@pytest.mark.parametrize("n_tokens", [1, 8, 1000])
def test_a_rare_word_tells_as_much_as_any_other(tiny, n_tokens):
    alpha, counts = np.full(2, 0.5), np.array([[0, n_tokens]])
    theta = infer(counts, np.array([[1, 4 * tiny], [1, tiny]]), alpha)
    expected = infer(counts, np.array([[1, 4e-9], [1, 1e-9]]), alpha)
    np.testing.assert_allclose(theta, expected, rtol=1e-5)


def test_weights_whose_sum_overflows():
    components, alpha = random_topics(4)
    theta = infer(random_counts(3), components / components.max() * 1e308, alpha)
    np.testing.assert_allclose(theta, infer(random_counts(3), components, alpha), 1e-4)


def test_documents_that_do_not_converge_are_counted(monkeypatch):
    monkeypatch.setattr(fold_in, "MAX_STEPS", 3)
    weights, topics = prepare(to_weights(random_counts(3)), *random_topics(4))
    with pytest.warns(ConvergenceWarning, match="of 1[0-9] of 20 documents did"):
        fold_in.doc_topic(weights, topics, max_steps=3)
    fold_in.doc_topic(weights, topics, max_steps=2)  # as told


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_backend_of_processes_does_not_take_the_result_away(backend):
    # Slices are written into one array, which other processes do not share. The serial
    # call comes second: otherwise the first could find its result in reused memory.
    components, alpha = random_topics(99)
    with joblib.parallel_config(backend, n_jobs=2):
        theta = infer(random_counts(99), components, alpha)
    np.testing.assert_array_equal(theta, infer(random_counts(99), components, alpha))
