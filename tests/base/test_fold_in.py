"""Documents under fixed topics, beneath the estimators: fold-in and slices."""

import itertools

import joblib
import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.exceptions import ConvergenceWarning

from sklda._base import fold_in
from sklda._core.problem import WeightedCorpus
from tests.helpers.fixed_point import fixed_point
from tests.helpers.halves import to_weights


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
    weights, topics = fold_in.prepare(to_weights(counts), components, alpha)
    return fold_in.doc_topic(weights, topics, n_jobs)


def similar_topics(shared, n_topics=3, n_words=12):
    """Return topics that give `shared` of their mass to the same words, and alpha."""
    rng = np.random.default_rng(5)
    components = (1 - shared) * rng.dirichlet(np.full(n_words, 0.5), n_topics)
    components += shared * rng.dirichlet(np.full(n_words, 2.0))
    return components, np.full(n_topics, 0.5)


@pytest.mark.parametrize("n_topics", [1, 4, 17])
def test_transform_is_the_fixed_point(n_topics):
    components, alpha = random_topics(n_topics, n_topics)
    counts = random_counts(3)
    theta = infer(counts, components, alpha)
    expected = fixed_point(counts, components, alpha)
    assert abs(theta - expected).sum(axis=1).max() < 2e-3
    np.testing.assert_allclose(theta.sum(1), 1, rtol=1e-12)


@pytest.mark.parametrize("weight", [0.3, 2.5])
def test_weights_leave_out_at_most_one_token(weight):
    components, alpha = random_topics(4)
    counts = random_counts(3) * weight
    theta = infer(counts, components, alpha)
    expected = fixed_point(counts, components, alpha)
    assert abs(theta - expected).sum(axis=1).max() < 2e-3


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


def test_one_token_gets_its_posterior_mean():
    components, alpha = random_topics(7)
    phi = components / components.sum(1, keepdims=True)
    posterior = (alpha * phi.T) / (alpha @ phi)[:, np.newaxis]
    expected = (alpha + posterior) / (alpha.sum() + 1)
    theta = infer(np.eye(15, dtype=np.int64), components, alpha)
    np.testing.assert_allclose(theta, expected, rtol=2e-6)


def posterior_mean(words, phi, alpha):
    """Return E[theta] of a document, by enumeration of the topics of its tokens."""
    total, mean = 0.0, np.zeros(alpha.size)
    for topics in itertools.product(range(alpha.size), repeat=len(words)):
        n = np.bincount(topics, minlength=alpha.size)
        weight = np.exp((gammaln(alpha + n) - gammaln(alpha)).sum())
        weight *= phi[list(topics), words].prod()
        total += weight
        mean += weight * (alpha + n)
    return mean / total / (alpha.sum() + len(words))


def posterior_mode(words, phi, alpha):
    """Return the mode of theta in the softmax basis, by EM."""
    theta = alpha / alpha.sum()
    for _ in range(5000):
        joint = theta * phi[:, words].T
        theta = alpha + (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
        theta /= theta.sum()
    return theta


def test_it_is_nearer_to_the_posterior_mean_than_the_mode_is():
    components, alpha = random_topics(11, n_topics=3)
    phi, rng = components / components.sum(1, keepdims=True), np.random.default_rng(1)
    for length in (2, 3, 5, 7):
        far = np.zeros(2)
        for _ in range(10):
            words = rng.integers(15, size=length)
            counts = np.bincount(words, minlength=15)[np.newaxis]
            mean = posterior_mean(words, phi, alpha)
            theta = infer(counts, components, alpha)[0]
            mode = posterior_mode(words, phi, alpha)
            far += abs(theta - mean).sum(), abs(mode - mean).sum()
        assert far[0] < 0.8 * far[1]


def test_documents_that_do_not_converge_are_counted(monkeypatch):
    monkeypatch.setattr(fold_in, "MAX_STEPS", 3)
    weights, topics = fold_in.prepare(to_weights(random_counts(3)), *random_topics(4))
    with pytest.warns(ConvergenceWarning, match="of 1[0-9] of 20 documents did"):
        fold_in.doc_topic(weights, topics, max_steps=3)
    fold_in.doc_topic(weights, topics, max_steps=2)  # as told, which is no warning


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_backend_of_processes_does_not_take_the_result_away(backend):
    # Slices are written into one array, which other processes do not share. The serial
    # call comes second: otherwise the first could find its result in reused memory.
    components, alpha = random_topics(99)
    with joblib.parallel_config(backend, n_jobs=2):
        theta = infer(random_counts(99), components, alpha)
    np.testing.assert_array_equal(theta, infer(random_counts(99), components, alpha))


@pytest.mark.parametrize("n_jobs", [2, 5])
@pytest.mark.parametrize("lengths", [[0, 0, 9, 0], [40, 1, 1, 1, 1], [0, 0], [1] * 7])
def test_slices_are_all_documents_once(lengths, n_jobs):
    doc_ptr = np.cumsum([0, *lengths]).astype(np.int64)
    seen = np.zeros(len(lengths), np.int64)

    def work(first, last):
        seen[first:last] += 1

    fold_in._for_slices(work, WeightedCorpus(doc_ptr, None, None), n_jobs)
    assert seen.tolist() == [1] * len(lengths)
