"""Draws of supervised chains beside topics: xi, weights, and all of them together."""

import numpy as np
import pytest
from scipy import integrate, stats

from sklda._medlda import sampler
from sklda._medlda.kernels.labels import HIGHEST_XI
from sklda._medlda.sampler import (
    EpsilonInsensitive,
    Hinge,
    MaxMargin,
    draw_xi,
    token_proportions,
)
from sklda._sampling.problem import Problem
from sklda.datasets import make_lda_corpus
from tests.helpers.corpora import corpus_of
from tests.helpers.enumeration import RIGHT, WRONG
from tests.helpers.mutants import streams

# --- xi --------------------------------------------------------------------------


@pytest.mark.parametrize("c_x", [1e-6, 0.01, 0.3, 1.0, 4.0, 60.0])
def test_xi_is_inverse_gaussian(c_x):
    xi = draw_xi(np.full((1000, 100), c_x), streams(0)).ravel()
    exact = stats.invgauss(1 / c_x)  # mean 1 / c_x, shape 1
    assert stats.kstest(xi, exact.cdf).pvalue > RIGHT
    # An error of 10 % in the mean is found.
    wrong = stats.invgauss(1.1 / c_x)
    assert c_x < 0.1 or stats.kstest(xi, wrong.cdf).pvalue < RIGHT


def test_xi_where_the_mean_is_infinite():
    xi = draw_xi(np.zeros((200, 100)), streams(1)).ravel()
    assert stats.kstest(xi, stats.levy.cdf).pvalue > RIGHT


def test_xi_where_the_mean_is_next_to_nothing():
    c_x = np.array([1e3, 1e8, 1e100, 1e300])
    xi = draw_xi(np.repeat(c_x, 1000).reshape(4, -1), streams(2))
    assert np.isfinite(xi).all()
    assert (xi >= 0).all()
    assert xi.max() <= HIGHEST_XI
    assert stats.kstest(xi[0] * 1e3, stats.invgauss(1e-3, scale=1e3).cdf).pvalue > RIGHT


@pytest.mark.parametrize(
    ("loss", "hinges"),
    [
        (Hinge(0.8), lambda y, s: [1 - y * s]),
        (EpsilonInsensitive(0.7, 0.2), lambda y, s: [y - s - 0.2, s - y - 0.2]),
    ],
)
def test_given_xi_the_loss_is_a_gaussian_factor(loss, hinges, monkeypatch):
    # exp(-c x - c^2 xi x^2 / 2) for each hinge, and xi is drawn for c |x|.
    wanted, draws = [], np.random.default_rng(3).exponential(size=(2, 20, 3))
    monkeypatch.setattr(
        sampler,
        "draw_xi",
        lambda c_x, rng: wanted.append(c_x) or draws[len(wanted) - 1],
    )
    rng, c = np.random.default_rng(4), loss.C
    y = rng.choice([-1.0, 1.0], (20, 3))
    s, s_new = rng.normal(size=(2, 20, 3))
    a, b = loss.augment(y, s, rng)
    expected = 0
    for x, x_new, xi, c_x in zip(hinges(y, s), hinges(y, s_new), draws, wanted):  # noqa: B905
        np.testing.assert_allclose(c_x, c * abs(x))
        expected += c * (x_new - x) + c**2 * xi * (x_new**2 - x**2) / 2
    np.testing.assert_allclose(
        -expected, a * (s_new - s) - b * (s_new**2 - s**2) / 2, atol=1e-12
    )
    np.testing.assert_allclose(loss(y, s), sum(np.maximum(0, x) for x in hinges(y, s)))


def test_weight_of_a_target_multiplies_c():
    rng = np.random.default_rng(5)
    y, weight = rng.choice([-1.0, 1.0], (20, 3)), rng.choice([0.25, 1.0, 8.0], (20, 3))
    scores = rng.normal(size=(20, 3))
    weighted = Hinge(0.7).augment(weight * y, scores, streams(6))
    for w in (0.25, 1.0, 8.0):
        plain = Hinge(0.7 * w).augment(y, scores, streams(6))
        for found, expected in zip(weighted, plain, strict=True):
            np.testing.assert_allclose(
                found[weight == w], expected[weight == w], rtol=1e-12
            )
    np.testing.assert_allclose(
        Hinge(0.7)(weight * y, scores), weight * Hinge(0.7)(y, scores)
    )


def test_the_scale_mixture():
    # exp(-2 c max(0, x)) is the integral over t = 1 / xi of N(t; -c x, t).
    for x in (-2.0, 0.5, 1.5):

        def density(t, x=x):
            return np.exp(-((t + 0.7 * x) ** 2) / (2 * t)) / np.sqrt(2 * np.pi * t)

        value, _ = integrate.quad(density, 0, np.inf)
        assert value == pytest.approx(np.exp(-1.4 * max(0, x)), rel=1e-6)


# --- weights ---------------------------------------------------------------------

X = make_lda_corpus(12, 7, 3, document_length=9, random_state=0)[0].toarray()
X[4] = 0


LENGTHS = X.sum(axis=1)


def start(targets, n_weight_steps, n_topics=3):
    """Return a sampler, its problem, and a state with topics drawn at random."""
    alpha = np.linspace(0.5, 0.9, n_topics)
    problem = Problem(corpus_of(X), X.shape[1], alpha, 0.5)
    sampler = MaxMargin(0.8, n_weight_steps, None, Hinge(1.5), targets)
    z = np.random.default_rng(0).integers(n_topics, size=LENGTHS.sum())
    return sampler, problem, sampler.from_topics(problem, z.astype(np.uint16))


@pytest.mark.slow
@pytest.mark.parametrize("n_weight_steps", [None, 1, 2])
def test_weights_are_drawn_from_their_gaussian(n_weight_steps):
    targets = np.random.default_rng(1).choice([-1.0, 1.0], (12, 2))
    sampler, problem, state = start(targets, n_weight_steps)
    zbar = np.zeros((12, 3))
    np.add.at(zbar, (np.repeat(np.arange(12), LENGTHS), state.z), 1)
    zbar /= np.maximum(LENGTHS, 1)[:, np.newaxis]
    np.testing.assert_allclose(
        token_proportions(problem, state.z, slice(0, 12)).toarray(), zbar
    )
    noise = streams(3)
    a, b = sampler.loss.augment(targets, state.scores, noise)
    precision = [0.8 * np.eye(3) + (zbar.T * b[:, t]) @ zbar for t in range(2)]
    mean = [np.linalg.solve(precision[t], zbar.T @ a[:, t]) for t in range(2)]
    roots = [np.linalg.cholesky(p) for p in precision]
    # Started from exact draws, whose distribution must not change.
    rng, draws = np.random.default_rng(2), np.empty((2000, 2, 3))
    for draw in draws:
        for t in range(2):
            normal = np.linalg.solve(roots[t].T, rng.standard_normal(3))
            state.weights[:, t] = mean[t] + normal
        sampler.resample_weights(problem, state, a, b, noise)
        draw[:] = state.weights.T
        np.testing.assert_allclose(state.scores, zbar @ state.weights, atol=1e-9)
    for t in range(2):
        white = (draws[:, t] - mean[t]) @ roots[t]
        for column in (*white.T, (white[:, 0] + white[:, 1]) / np.sqrt(2)):
            assert stats.kstest(column, stats.norm.cdf).pvalue > RIGHT
        # The same draws are far from a Gaussian without the prior.
        off = (draws[:, t] - 1.3 * mean[t]) @ roots[t]
        assert min(stats.kstest(c, stats.norm.cdf).pvalue for c in off.T) < WRONG


def test_one_pass_over_the_weights_moves_to_their_mean():
    # With one topic the pass draws from the closed form, wherever it starts.
    sampler, problem, state = start(np.ones((12, 1)), 1, n_topics=1)
    noise = streams(3)
    a, b = sampler.loss.augment(sampler.targets, state.scores, noise)
    precision = 0.8 + b[LENGTHS > 0].sum()
    draws = []
    for _ in range(2000):
        sampler.resample_weights(problem, state, a, b, noise)
        draws.append(state.weights[0, 0])
    white = (draws - a[LENGTHS > 0].sum() / precision) * np.sqrt(precision)
    assert stats.kstest(white, stats.norm.cdf).pvalue > RIGHT


# --- moves -----------------------------------------------------------------------


def last_sweep(counts, n_topics, n_mh_steps, n_sweeps=3):
    """Return what the sampler tells of its last sweep, and how many tokens moved."""
    alpha = np.full(n_topics, 0.5)
    problem = Problem(corpus_of(counts), counts.shape[1], alpha, 0.5)
    sampler = MaxMargin(0.8, 2, n_mh_steps, Hinge(1.5), np.ones((12, 1)))
    z = np.random.default_rng(0).integers(n_topics, size=LENGTHS.sum())
    state, rng = sampler.from_topics(problem, z.astype(np.uint16)), streams(0)
    for _ in range(n_sweeps):
        before = state.z.copy()
        sampler.sweep(problem, state, rng)
    return sampler.info(problem, state), (state.z != before).sum()


def test_moves_are_counted():
    n_tokens = LENGTHS.sum()
    info, moved = last_sweep(X, 3, 1)
    assert info.n_draws == n_tokens
    assert 0 < moved == info.n_accepted < info.n_proposed < n_tokens
    info, moved = last_sweep(X, 3, 6)
    assert moved < info.n_accepted < info.n_proposed < 6 * n_tokens
    # With one word and weights of 0, documents propose the conditional itself.
    info, moved = last_sweep(LENGTHS[:, np.newaxis], 3, 1, n_sweeps=1)
    assert moved == info.n_accepted == info.n_proposed > 0
    # One topic, and draws from the conditional: nothing is proposed.
    assert last_sweep(X, 1, 6)[0] == last_sweep(X, 3, None)[0] == (n_tokens, 0, 0)


# --- all together ----------------------------------------------------------------


N_WORDS, ALPHA, BETA, NU = 3, np.array([0.5, 0.9]), 0.5, 0.6
DOC = np.repeat([0, 1, 2], [3, 2, 4])  # of each token


def joint_draws(rng, n, sampler):
    """Yield words, topics, weights and scores from prior times loss, by rejection."""
    n_topics, targets, loss = ALPHA.size, sampler.targets, sampler.loss
    while n > 0:
        size = (1000, n_topics)
        phi = rng.dirichlet(np.full(N_WORDS, BETA), size)
        weights = rng.normal(0, NU**-0.5, (*size, targets.shape[1]))
        theta = rng.dirichlet(ALPHA, (1000, len(targets)))
        z = pick(rng, theta[:, DOC])
        words = pick(rng, phi[np.arange(1000)[:, np.newaxis], z])
        in_documents = [z[:, DOC == d] for d in range(len(targets))]
        zbar = [[(z_d == k).mean(1) for k in range(n_topics)] for z_d in in_documents]
        zbar = np.array(zbar).transpose(2, 0, 1)
        scores = zbar @ weights
        sampler = 2 * loss.C * loss(targets, scores).sum((1, 2))
        for i in np.flatnonzero(rng.random(1000) < np.exp(-sampler))[:n]:
            yield words[i], z[i], weights[i], scores[i]
            n -= 1


def pick(rng, p):
    """Draw an index for each row of probabilities, the last axis."""
    return (p.cumsum(-1) < rng.random(p.shape[:-1])[..., np.newaxis]).sum(-1)


def statistics(words, z, weights, scores):
    """Return numbers that depend on each step of the sampler."""
    agreement = z[:, np.newaxis] == z
    score_moments = [scores[0, 0], scores[-1, 0], (scores**2).mean()]
    weight_moments = [(weights**2).mean(), weights[z[0], 0]]
    topic_shares = [agreement[words[:, np.newaxis] == words].mean(), agreement.mean()]
    return score_moments + weight_moments + topic_shares


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_weight_steps", "n_mh_steps"), [(None, None), (1, 3)], ids=["gibbs", "light"]
)
@pytest.mark.parametrize(
    ("loss", "targets"),
    [
        (Hinge(0.7), [[1.0], [-1.0], [1.0]]),
        (EpsilonInsensitive(0.6, 0.2), [[0.8], [-0.5], [0.1]]),
    ],
    ids=["hinge", "epsilon"],
)
def test_joint_distribution(n_weight_steps, n_mh_steps, loss, targets):
    """Geweke, "Getting it right" (2004): words, topics, weights are left as they are.

    Words are data, so a sweep from a joint draw must give a draw of the same joint
    distribution. The two samples are independent of each other.
    """
    sampler = MaxMargin(NU, n_weight_steps, n_mh_steps, loss, np.array(targets))
    assert min(joint_pvalues(sampler)) > RIGHT


class NotLinear(Hinge):
    """A hinge loss that has lost the linear term of its Gaussian factor."""

    def augment(self, targets, scores, rng):
        slope, curvature = super().augment(targets, scores, rng)
        return slope - self.C * targets, curvature


class NotSquared(Hinge):
    """A hinge loss that has lost the quadratic term."""

    def augment(self, targets, scores, rng):
        slope, curvature = super().augment(targets, scores, rng)
        return slope, 0 * curvature


@pytest.mark.slow
@pytest.mark.parametrize("loss", [NotLinear(0.7), NotSquared(0.7)])
@pytest.mark.parametrize("n_weight_steps", [None, 1])
def test_joint_distribution_of_a_wrong_sampler(n_weight_steps, loss):
    targets = np.array([[1.0], [-1.0], [1.0]])
    sampler = MaxMargin(NU, n_weight_steps, None, loss, targets)
    assert min(joint_pvalues(sampler)) < WRONG


def joint_pvalues(sampler):
    n, rng = 1500, np.random.default_rng(4)
    before = [statistics(*sample) for sample in joint_draws(rng, n, sampler)]
    after = []
    for i, (words, z, weights, scores) in enumerate(joint_draws(rng, n, sampler)):
        order = np.lexsort((words, DOC))
        z, words = z[order].astype(np.uint16), words[order]
        counts = np.zeros((3, N_WORDS), int)
        np.add.at(counts, (DOC, words), 1)
        problem = Problem(corpus_of(counts), N_WORDS, ALPHA, BETA)
        state = sampler.from_topics(problem, z)
        state.weights[:], state.scores[:] = weights, scores
        sampler.sweep(problem, state, streams(i))
        after.append(statistics(words, state.z, state.weights, state.scores))
    return [
        stats.ks_2samp(drawn, swept, method="asymp").pvalue
        for drawn, swept in zip(np.array(before).T, np.array(after).T, strict=True)
    ]
