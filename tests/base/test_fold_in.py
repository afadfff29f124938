"""Documents under fixed topics, beneath the estimators: fold-in and slices."""

import joblib
import numpy as np
import pytest

from sklda._base import fold_in
from sklda._base.kernels import fold_in as kernels
from sklda._core.problem import WeightedCorpus
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


def infer_to_the_end(counts, components, alpha):
    """Run the kernel without its stop, for what the float32 numbers can give."""
    weights, topics = fold_in.prepare(to_weights(counts), components, alpha)
    theta = np.empty((len(counts), alpha.size))
    alphas, row = topics.doc_topic_prior[np.newaxis], np.zeros(len(counts), np.int32)
    given = *weights, topics.word_topic, alphas, row
    kernels.fold_in(*given, 5000, np.float32(0), theta)
    return theta


@pytest.mark.parametrize("n_topics", [1, 4, 17])
def test_fold_in_is_a_fixed_point(n_topics):
    # Karush-Kuhn-Tucker: alpha_k + sum_w n_w p(k | w) = theta_k (N + A) for all k. The
    # objective is concave, so that this is its optimum.
    components, alpha = random_topics(n_topics, n_topics)
    phi = components / components.sum(1, keepdims=True)
    counts = random_counts(3)
    theta = infer_to_the_end(counts, components, alpha)
    expected = theta * ((counts / (theta @ phi)) @ phi.T) + alpha
    mass = counts.sum(1, keepdims=True) + alpha.sum()
    np.testing.assert_allclose(expected / mass, theta, atol=2e-6)
    np.testing.assert_allclose(theta.sum(1), 1, rtol=1e-12)


def test_the_default_stop_costs_little():
    # In nats per token. The error of an estimate from a few tokens is far larger.
    components, alpha = random_topics(0)
    phi = components / components.sum(1, keepdims=True)
    counts = random_counts(1)
    theta = infer(counts, components, alpha)
    best = infer_to_the_end(counts, components, alpha)
    for document, row, top in zip(counts, theta, best, strict=True):
        found, most = (
            document @ np.log(t @ phi) + alpha @ np.log(t) for t in (row, top)
        )
        assert -1e-5 < most - found < 1e-4 * max(document.sum(), 1)


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
