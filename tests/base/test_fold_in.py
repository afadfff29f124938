"""Documents under fixed topics, beneath the estimators: fold-in, slices, completion."""

import math
from functools import partial

import joblib
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from sklda._base import fold_in
from sklda._base.kernels import fold_in as kernels
from sklda._core.problem import WeightedCorpus
from tests.helpers.halves import dense_halves, to_weights


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


def infer_to_the_end(counts, components, alpha):
    """Run the kernel without its stop, for what the float32 numbers can give."""
    weights, topics = fold_in.prepare(to_weights(counts), components, alpha)
    theta = np.empty((len(counts), alpha.size))
    kernels.fold_in(
        *weights, topics.word_topic, topics.doc_topic_prior, 5000, np.float32(0), theta
    )
    return theta


def objective(eta, counts, phi, alpha):
    """Return minus the log posterior of softmax(eta), and its gradient."""
    theta = softmax(eta)
    ratio = counts / (theta @ phi)
    value = counts @ np.log(theta @ phi) + alpha @ np.log(theta)
    slope = theta * (phi @ ratio) + alpha
    return -value, theta * slope.sum() - slope


# --- fold-in ---------------------------------------------------------------------


@pytest.mark.parametrize("n_topics", [2, 4, 17])
def test_fold_in_is_the_optimum(n_topics):
    components, alpha = random_topics(n_topics, n_topics)
    phi = components / components.sum(1, keepdims=True)
    counts = random_counts(n_topics, n_docs=8)
    theta = infer_to_the_end(counts, components, alpha)
    for row, document in zip(theta, counts, strict=True):
        best = minimize(
            objective, np.zeros(n_topics), (document, phi, alpha), jac=True, tol=1e-10
        )
        # float32 holds 7 digits; near its top the objective is flat, so that the
        # steps of both methods end somewhat earlier than that.
        np.testing.assert_allclose(row, softmax(best.x), atol=3e-5)


@pytest.mark.parametrize("n_topics", [1, 4, 17])
def test_fold_in_is_a_fixed_point(n_topics):
    # Karush-Kuhn-Tucker: alpha_k + sum_w n_w p(k | w) = theta_k (N + A) for all k.
    components, alpha = random_topics(n_topics, n_topics)
    phi = components / components.sum(1, keepdims=True)
    counts = random_counts(3)
    theta = infer_to_the_end(counts, components, alpha)
    expected = theta * ((counts / (theta @ phi)) @ phi.T) + alpha
    mass = counts.sum(1, keepdims=True) + alpha.sum()
    np.testing.assert_allclose(expected / mass, theta, atol=2e-6)
    np.testing.assert_allclose(theta.sum(1), 1, rtol=1e-12)


def test_the_default_stop_costs_little():
    # In nats per token; what an estimate from a few tokens leaves open is far more.
    components, alpha = random_topics(0)
    phi = components / components.sum(1, keepdims=True)
    counts = random_counts(1)
    theta = infer(counts, components, alpha)
    best = infer_to_the_end(counts, components, alpha)
    for document, row, top in zip(counts, theta, best, strict=True):
        loss = [objective(np.log(t), document, phi, alpha)[0] for t in (row, top)]
        assert -1e-5 < loss[0] - loss[1] < 1e-4 * max(document.sum(), 1)


def test_a_document_without_tokens_gets_the_prior_mean():
    components, alpha = random_topics(5)
    for counts in (np.zeros((3, 15), np.int64), random_counts(2)[2:4]):
        theta = infer(counts, components, alpha)
        np.testing.assert_allclose(theta[0], alpha / alpha.sum(), rtol=1e-6)


@pytest.mark.parametrize("n_topics", [3, 20])
def test_a_row_depends_on_its_document_alone(n_topics):
    components, alpha = random_topics(n_topics, n_topics)
    counts = random_counts(7)
    theta = infer(counts, components, alpha)
    order = np.random.default_rng(0).permutation(len(counts))
    assert np.unique(theta.round(6), axis=0).shape == theta.shape
    np.testing.assert_array_equal(infer(counts[order], components, alpha), theta[order])
    np.testing.assert_array_equal(infer(counts[4:9], components, alpha), theta[4:9])
    for d in (0, 7, 19):
        one = infer(counts[d : d + 1], components, alpha)
        np.testing.assert_array_equal(one, theta[d : d + 1])


# --- slices ----------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_do_not_change_a_bit(n_jobs):
    components, alpha = random_topics(1)
    for counts in (random_counts(1), random_counts(1)[:1], random_counts(1)[1:2]):
        np.testing.assert_array_equal(
            infer(counts, components, alpha, n_jobs), infer(counts, components, alpha)
        )


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_backend_of_processes_does_not_take_the_result_away(backend):
    # Slices are written into one array, which other processes do not share. It comes
    # before the serial one: else it might find that result in memory used again.
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


# --- completion -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_completion_is_its_definition(seed):
    # Theta of a half is that of a corpus which holds nothing but that half.
    components, alpha = random_topics(seed)
    phi = components / components.sum(1, keepdims=True)
    counts = random_counts(seed)
    expected = 0.0
    halves = dense_halves(counts)
    for seen, held_out in (halves, halves[::-1]):
        theta = infer(seen, components, alpha)
        for d, w in zip(*np.nonzero(held_out), strict=True):
            probability = sum(theta[d, k] * phi[k, w] for k in range(alpha.size))
            expected += held_out[d, w] * math.log(probability)
    weights = to_weights(counts)
    cells = fold_in.split_tokens(weights)
    weights, topics = fold_in.prepare(weights, components, alpha)
    found = [
        fold_in.completion_score(
            weights,
            cells,
            topics.word_topic,
            partial(fold_in.doc_topic, topics=topics, n_jobs=jobs),
        )
        for jobs in (None, 2)
    ]
    assert found[0] == found[1]
    # phi is float32
    assert found[0] * counts.sum() == pytest.approx(expected, rel=1e-6)
