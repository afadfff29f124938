"""Minka's fixed point for the parameters of Dirichlet priors, beneath the chain."""

import numpy as np
import pytest
from scipy.special import gammaln, psi

from sklda._sampling import minka

# A call takes at most 50 steps; the chain calls again and again, and so do the tests.
CALLS = 40


def draw_counts(alpha, lengths, seed):
    """Draw n_dk: proportions of each document from Dirichlet(alpha), then tokens."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(lengths, rng.dirichlet(alpha, len(lengths)))


def learn(counts, alpha, *, symmetric=False, calls=CALLS):
    topics, documents = np.nonzero(counts.T)
    histogram = topics, counts.T[topics, documents], np.ones(topics.size)
    lengths = np.unique(counts.sum(1), return_counts=True)
    for _ in range(calls):
        alpha = minka.doc_topic_fixed_point(
            alpha, histogram, lengths, symmetric=symmetric
        )
    return alpha


def learn_beta(word_topic, beta, calls=CALLS):
    histogram = np.unique(word_topic, return_counts=True)
    totals = word_topic.sum(0)
    for _ in range(calls):
        beta = minka.topic_word_fixed_point(beta, histogram, totals, len(word_topic))
    return beta


def log_likelihood(counts, alpha):
    """Return the log probability of rows of counts, but for what alpha leaves alone."""
    rows = gammaln(alpha.sum()) - gammaln(counts.sum(1) + alpha.sum())
    return rows.sum() + (gammaln(counts + alpha) - gammaln(alpha)).sum()


def gradient(counts, alpha):
    totals = counts.sum(1)
    gain = (psi(counts + alpha) - psi(alpha)).sum(0)
    return gain - (psi(totals + alpha.sum()) - psi(alpha.sum())).sum()


def standard_errors(counts, alpha):
    """From the curvature of the log likelihood, by differences of the gradient."""
    step = 1e-5
    rows = [
        (gradient(counts, alpha + step * e) - gradient(counts, alpha - step * e))
        / (2 * step)
        for e in np.eye(alpha.size)
    ]
    return np.sqrt(np.diag(np.linalg.inv(-np.array(rows))))


LENGTHS = np.random.default_rng(0).integers(0, 80, size=1500)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [[0.05, 0.3, 1.5], [4.0, 1.0], [0.1] * 6])
def test_alpha_is_found_again(alpha, seed):
    alpha = np.array(alpha)
    counts = draw_counts(alpha, LENGTHS, seed)
    found = learn(counts, np.full(alpha.size, 1.0))
    # Five standard errors: one false alarm in about a million values.
    assert (abs(found - alpha) < 5 * standard_errors(counts, found)).all()
    assert (standard_errors(counts, found) < 0.1 * alpha).all()
    # Relative to what it is the difference of, the gradient is zero.
    most = (psi(LENGTHS + found.sum()) - psi(found.sum())).sum()
    assert (abs(gradient(counts, found)) < 1e-3 * most).all()


@pytest.mark.parametrize("beta", [0.01, 0.1, 2.0])
def test_beta_is_found_again(beta):
    # Topics are the draws: 40 of 2,000 tokens over 300 words.
    counts = draw_counts(np.full(300, beta), np.full(40, 2000), 1)
    found = learn_beta(counts.T, 1.0)
    assert found == pytest.approx(beta, rel=0.1)
    most = 300 * (psi(2000 + 300 * found) - psi(300 * found)) * 40
    assert abs(gradient(counts, np.full(300, found)).sum()) < 1e-3 * most
    # The answer is that of symmetric alpha with words in place of topics.
    alpha = learn(counts, np.full(300, 1.0), symmetric=True)
    assert found == pytest.approx(alpha[0], rel=1e-3)


def betas(counts, beta):
    """Return what a call makes of a symmetric beta, for topics in rows."""
    return np.full(beta.size, learn_beta(counts.T, beta[0], calls=1))


@pytest.mark.parametrize(
    "call",
    [
        lambda counts, alpha: learn(counts, alpha, calls=1),
        lambda counts, alpha: learn(counts, alpha, symmetric=True, calls=1),
        betas,
    ],
    ids=["asymmetric", "symmetric", "beta"],
)
@pytest.mark.parametrize("seed", range(5))
def test_no_call_lowers_the_likelihood(seed, call):
    rng = np.random.default_rng(seed)
    counts, alpha = rng.poisson(rng.uniform(0.1, 3, 4), (15, 4)), np.full(4, 5.0)
    for _ in range(10):
        better = call(counts, alpha)
        before, after = (log_likelihood(counts, a) for a in (alpha, better))
        assert after > before - 1e-9 * abs(before)
        alpha = better


def test_documents_without_tokens_do_not_matter():
    counts = draw_counts([0.3, 0.6], np.full(50, 20), 0)
    more = np.insert(counts, [0, 7, 50], 0, axis=0)
    for symmetric in (False, True):
        np.testing.assert_array_equal(
            learn(more, np.ones(2), symmetric=symmetric),
            learn(counts, np.ones(2), symmetric=symmetric),
        )


DEGENERATE = {
    "no documents": np.zeros((0, 3), np.int64),
    "no tokens": np.zeros((2, 3), np.int64),
    "one token": np.array([[0, 1, 0]]),
    "one token a document": np.array([[0, 1, 0], [1, 0, 0]]),
    "one document": np.array([[3, 1, 0]]),
    "one topic": np.array([[3], [1]]),
    "one of the topics": np.array([[3, 0], [5, 0]]),
    "all the same": np.full((50, 3), 4),
    "large": np.array([[10**6, 0], [0, 10**6]]),
}


@pytest.mark.parametrize("start", [minka.LOWEST, 1.0, minka.HIGHEST])
@pytest.mark.parametrize("name", DEGENERATE)
def test_priors_stay_in_bounds(name, start):
    counts = DEGENERATE[name]
    n_docs, n_topics = counts.shape
    for symmetric in (False, True):
        alpha = learn(counts, np.full(n_topics, start), symmetric=symmetric, calls=20)
        assert alpha.shape == (n_topics,)
        assert ((alpha >= minka.LOWEST) & (alpha <= minka.HIGHEST)).all()
        if counts.sum() == 0:
            np.testing.assert_array_equal(alpha, start)
        if n_topics == 1:  # all values explain one topic equally well
            np.testing.assert_allclose(alpha, start, rtol=1e-6)
    if n_docs == 0:
        return
    beta = learn_beta(counts, start, calls=20)
    assert isinstance(beta, float)
    assert minka.LOWEST <= beta <= minka.HIGHEST
    assert counts.sum() > 0 or beta == start
    assert n_docs > 1 or beta == pytest.approx(start, rel=1e-6)


def test_what_is_never_together_goes_to_the_lowest():
    # Each document has one topic: alpha -> 0 is best. All alike: alpha -> infinity.
    alone, alike = DEGENERATE["large"], DEGENERATE["all the same"]
    np.testing.assert_array_equal(learn(alone, np.ones(2), calls=200), minka.LOWEST)
    assert (learn(alike, np.ones(3), calls=200) > 100).all()


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("size", [1e-300, 1e-20, 1e-15, 1e-9])
def test_tiny_counts_say_what_small_ones_say(size, symmetric):
    # For counts near 0, psi(n + a) - psi(a) is n times a derivative, and their size
    # cancels out.
    def learn_both(size):
        counts = size * np.array([[3.0, 1.0], [1.0, 2.0], [0.5, 4.0]])
        histogram = (np.tile([0, 1], 3), counts.ravel(), np.ones(6))
        lengths = np.unique(counts.sum(axis=1), return_counts=True)
        alpha = minka.doc_topic_fixed_point(
            np.array([0.3, 0.7]), histogram, lengths, symmetric=symmetric
        )
        totals = counts.sum(axis=0)
        return [*alpha, minka.topic_word_fixed_point(0.5, histogram[1:], totals, 4)]

    np.testing.assert_allclose(learn_both(size), learn_both(1e-4), rtol=0.01)
