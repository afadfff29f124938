"""What supervised chains draw beside topics: xi, weights, and all of them together."""

import numpy as np
import pytest
from scipy import integrate, stats

from sklda._medlda.classifier import chain as _supervised
from sklda._medlda.kernels import gibbs as medlda_gibbs
from sklda._medlda.kernels import light as medlda_light
from sklda._core.rows import State as DenseState
from sklda._medlda.chain import (
    HIGHEST_XI,
    EpsilonInsensitive,
    Hinge,
    Settings,
    SupervisedChain,
    draw_xi,
)
from sklda.datasets import make_lda_corpus
from tests.core.test_kernels import corpus_of

RIGHT, WRONG = 1e-3, 1e-6  # as in test_exactness


# --- xi --------------------------------------------------------------------------


@pytest.mark.parametrize("c_x", [1e-6, 0.01, 0.3, 1.0, 4.0, 60.0])
def test_xi_is_inverse_gaussian(c_x):
    xi = draw_xi(np.full(20_000, c_x), np.random.default_rng(0))
    exact = stats.invgauss(1 / c_x)  # mean 1 / c_x, shape 1
    assert stats.kstest(xi, exact.cdf).pvalue > RIGHT
    # An error of 3 % in the mean is found.
    wrong = stats.invgauss(1.1 / c_x)
    assert c_x < 0.1 or stats.kstest(xi, wrong.cdf).pvalue < RIGHT


def test_xi_where_the_mean_is_infinite():
    xi = draw_xi(np.zeros(20_000), np.random.default_rng(1))
    assert stats.kstest(xi, stats.levy.cdf).pvalue > RIGHT


def test_xi_where_the_mean_is_next_to_nothing():
    c_x = np.array([1e3, 1e8, 1e100, 1e300])
    xi = draw_xi(np.repeat(c_x, 1000), np.random.default_rng(2)).reshape(4, -1)
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
    asked, given = [], np.random.default_rng(3).exponential(size=(2, 20, 3))
    monkeypatch.setattr(
        _supervised,
        "draw_xi",
        lambda c_x, rng: asked.append(c_x) or given[len(asked) - 1],
    )
    rng, c = np.random.default_rng(4), loss.C
    y = rng.choice([-1.0, 1.0], (20, 3))
    s, other = rng.normal(size=(2, 20, 3))
    a, b = loss.augment(y, s, rng)
    expected = 0
    for x, x_other, xi, c_x in zip(hinges(y, s), hinges(y, other), given, asked):  # noqa: B905
        np.testing.assert_allclose(c_x, c * abs(x))
        expected += c * (x_other - x) + c**2 * xi * (x_other**2 - x**2) / 2
    np.testing.assert_allclose(
        -expected, a * (other - s) - b * (other**2 - s**2) / 2, atol=1e-12
    )
    np.testing.assert_allclose(loss(y, s), sum(np.maximum(0, x) for x in hinges(y, s)))


def test_the_scale_mixture():
    # exp(-2 c max(0, x)) is the integral over t = 1 / xi of N(t; -c x, t).
    for x in (-2.0, 0.5, 1.5):
        value, _ = integrate.quad(
            lambda t, x=x: (
                np.exp(-((t + 0.7 * x) ** 2) / (2 * t)) / np.sqrt(2 * np.pi * t)
            ),
            0,
            np.inf,
        )
        assert value == pytest.approx(np.exp(-1.4 * max(0, x)), rel=1e-6)


# --- weights ---------------------------------------------------------------------

X = make_lda_corpus(12, 7, 3, document_length=9, random_state=0)[0].toarray()
X[4] = 0


def new_chain(X, targets, n_weight_steps, kernel=medlda_gibbs, arguments=(), **params):
    params = {"loss": Hinge(1.5), "nu": 0.8, "n_topics": 3, "seed": 0, **params}
    settings = Settings(kernel, arguments, params["loss"], params["nu"], n_weight_steps)
    return SupervisedChain(
        settings,
        targets,
        corpus_of(X),
        X.shape[1],
        np.linspace(0.5, 0.9, params["n_topics"]),
        0.5,
        np.random.SeedSequence(params["seed"]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_weight_steps", [0, 1, 2])
def test_weights_are_drawn_from_their_gaussian(n_weight_steps):
    targets = np.random.default_rng(1).choice([-1.0, 1.0], (12, 2))
    chain = new_chain(X, targets, n_weight_steps)
    zbar = np.zeros((12, 3))
    np.add.at(zbar, (np.repeat(np.arange(12), chain.lengths), chain.state.z), 1)
    zbar /= np.maximum(chain.lengths, 1)[:, np.newaxis]
    np.testing.assert_allclose(chain.shares().toarray(), zbar)
    b, a = chain.curvature, chain.slope
    precision = [0.8 * np.eye(3) + (zbar.T * b[:, t]) @ zbar for t in range(2)]
    mean = [np.linalg.solve(precision[t], zbar.T @ a[:, t]) for t in range(2)]
    roots = [np.linalg.cholesky(p) for p in precision]
    # Started from exact draws, whose distribution must not change.
    rng, draws = np.random.default_rng(2), np.empty((2000, 2, 3))
    for draw in draws:
        for t in range(2):
            noise = np.linalg.solve(roots[t].T, rng.standard_normal(3))
            chain.weights[:, t] = mean[t] + noise
        chain._redraw_weights()
        draw[:] = chain.weights.T
        np.testing.assert_allclose(chain.scores, zbar @ chain.weights, atol=1e-9)
    for t in range(2):
        white = (draws[:, t] - mean[t]) @ roots[t]
        for column in (*white.T, (white[:, 0] + white[:, 1]) / np.sqrt(2)):
            assert stats.kstest(column, stats.norm.cdf).pvalue > RIGHT
        # The same draws are far from a Gaussian without the prior.
        off = (draws[:, t] - 1.3 * mean[t]) @ roots[t]
        assert min(stats.kstest(c, stats.norm.cdf).pvalue for c in off.T) < WRONG


def test_one_pass_over_the_weights_moves_to_their_mean():
    # Without noise and with one topic the pass is the closed form.
    chain = new_chain(X, np.ones((12, 1)), 1, n_topics=1)
    full = chain.lengths > 0
    precision = 0.8 + chain.curvature[full].sum()
    draws = []
    for _ in range(2000):
        chain._redraw_weights()
        draws.append(chain.weights[0, 0])
    white = (draws - chain.slope[full].sum() / precision) * np.sqrt(precision)
    assert stats.kstest(white, stats.norm.cdf).pvalue > RIGHT


# --- all together ----------------------------------------------------------------


def joint_draws(rng, n, n_words, alpha, beta, nu, loss, lengths, targets):
    """Yield words, topics, weights and scores from prior times loss, by rejection."""
    n_topics, doc = alpha.size, np.repeat(np.arange(lengths.size), lengths)
    while n > 0:
        size = (1000, n_topics)
        phi = rng.dirichlet(np.full(n_words, beta), size)
        weights = rng.normal(0, nu**-0.5, (*size, targets.shape[1]))
        theta = rng.dirichlet(alpha, (1000, lengths.size))
        z = pick(rng, theta[:, doc])
        words = pick(rng, phi[np.arange(1000)[:, np.newaxis], z])
        zbar = np.array(
            [
                [(z[:, doc == d] == k).mean(1) for k in range(n_topics)]
                for d in range(lengths.size)
            ]
        ).transpose(2, 0, 1)
        scores = zbar @ weights
        losses = 2 * loss.C * loss(targets, scores).sum((1, 2))
        for i in np.flatnonzero(rng.random(1000) < np.exp(-losses))[:n]:
            yield words[i], z[i], weights[i], scores[i]
            n -= 1


def pick(rng, p):
    """Draw an index for each row of probabilities, the last axis."""
    return (p.cumsum(-1) < rng.random(p.shape[:-1])[..., np.newaxis]).sum(-1)


def statistics(words, z, weights, scores):
    """Return numbers that each part of the sampler has a hand in."""
    same = z[:, np.newaxis] == z
    return [
        (weights**2).mean(),
        scores[0, 0],
        scores[-1, 0],
        (scores**2).mean(),
        same[words[:, np.newaxis] == words].mean(),
        same.mean(),
        weights[z[0], 0],
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "arguments", "n_weight_steps"),
    [(medlda_gibbs, (), 0), (medlda_light, (3,), 1)],
    ids=["gibbs", "light"],
)
@pytest.mark.parametrize(
    ("loss", "targets"),
    [
        (Hinge(0.7), [[1.0], [-1.0], [1.0]]),
        (EpsilonInsensitive(0.6, 0.2), [[0.8], [-0.5], [0.1]]),
    ],
    ids=["hinge", "epsilon"],
)
def test_joint_distribution(kernel, arguments, n_weight_steps, loss, targets):
    """Geweke, "Getting it right" (2004): words, topics, weights are left as they are.

    Words are data, so a sweep from a joint draw must give a draw of the same joint
    distribution. The two samples are independent of each other.
    """
    assert min(joint_pvalues(kernel, arguments, n_weight_steps, loss, targets)) > RIGHT


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
@pytest.mark.parametrize("n_weight_steps", [0, 1])
def test_joint_distribution_of_a_wrong_sampler(n_weight_steps, loss):
    targets = [[1.0], [-1.0], [1.0]]
    found = joint_pvalues(medlda_gibbs, (), n_weight_steps, loss, targets)
    assert min(found) < WRONG


def joint_pvalues(kernel, arguments, n_weight_steps, loss, targets):
    targets, lengths = np.array(targets), np.array([3, 2, 4])
    start = (3, np.array([0.5, 0.9]), 0.5, 0.6, loss, lengths, targets)
    n, rng = 1500, np.random.default_rng(4)
    before = [statistics(*sample) for sample in joint_draws(rng, n, *start)]
    after = []
    for i, sample in enumerate(joint_draws(rng, n, *start)):
        chain, words = placed(kernel, arguments, n_weight_steps, start, *sample, i)
        chain.sweep()
        after.append(statistics(words, chain.state.z, chain.weights, chain.scores))
    return [
        stats.ks_2samp(one, other, method="asymp").pvalue
        for one, other in zip(np.array(before).T, np.array(after).T, strict=True)
    ]


def placed(kernel, arguments, n_weight_steps, start, words, z, weights, scores, seed):
    """Return a chain in this state, and the words in its order."""
    n_words, alpha, beta, nu, loss, lengths, targets = start
    doc = np.repeat(np.arange(lengths.size), lengths)
    order = np.lexsort((words, doc))
    z, words = z[order], words[order]
    counts = np.zeros((lengths.size, n_words), int)
    np.add.at(counts, (doc, words), 1)
    settings = Settings(kernel, arguments, loss, nu, n_weight_steps)
    sequence = np.random.SeedSequence(seed)
    chain = SupervisedChain(
        settings, targets, corpus_of(counts), n_words, alpha, beta, sequence
    )
    state = chain.state
    state.z[:] = z
    state.word_topic[:] = 0
    np.add.at(state.word_topic, (words, z), 1)
    state.topic[:] = state.word_topic.sum(axis=0)
    if kernel is medlda_light:
        chain.state = kernel.with_order(chain.corpus, DenseState(*state[:3]))
    chain.weights[:], chain.scores = weights, scores
    chain._augment()
    return chain, words
