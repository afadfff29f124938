"""Warnings of draws whose intervals miss the true values."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from sklda import CollapsedGibbsLDA
from sklda._fitted.posterior_draws import Bias
from sklda.inspection import estimate_effect, topic_means
from tests.helpers.draws import draws_of

GROUP = np.arange(60) % 2
RNG = np.random.default_rng(0)
THETA = RNG.dirichlet(np.full(3, 2.0), 60)
ALPHA = np.full(3, 2.0)
QUANTITIES = {
    "means": lambda draws: topic_means(draws, GROUP, random_state=0),
    "effects": lambda draws: estimate_effect(draws, GROUP, random_state=0),
    "proportions": lambda draws: draws.doc_topic_interval(),
}
each = pytest.mark.parametrize("what", QUANTITIES)


def settled(n_draws=24, n_tokens=200):
    """Return draws that have settled, of documents with known topics."""
    return np.tile(RNG.multinomial(n_tokens, THETA), (n_draws, 1, 1))


@each
def test_draws_that_have_settled_do_not_warn(what):
    QUANTITIES[what](draws_of(settled(), ALPHA))  # warnings are errors


@each
def test_draws_that_drift_warn(what):
    counts = settled()
    moved = np.minimum(counts[:, :, 0], np.arange(24)[:, np.newaxis])
    counts[:, :, 0] -= moved
    counts[:, :, 1] += moved
    with pytest.warns(UserWarning, match=f"The {what} drift .* times the max_iter\\."):
        QUANTITIES[what](draws_of(counts, ALPHA))


def test_drift_of_probabilities_of_words():
    X = RNG.poisson(1.0, (20, 12)) + 1
    params = {"learn_priors": None, "max_iter": 48, "thin": 1, "keep_draws": 24}
    draws = CollapsedGibbsLDA(2, random_state=0, **params).fit(X).draws_
    topics, counts = draws._word_topic[0]
    # In the second half, the topics change places.
    word_topic = [(topics, counts)] * 12 + [(1 - topics, counts)] * 12
    draws = replace(draws, _word_topic=word_topic)
    with pytest.warns(UserWarning, match="The probabilities of words drift"):
        draws.topic_word_interval([[0, 1], [0, 1]])


def test_coverage_under_a_known_drift():
    # From 0 to 2 standard errors: the mean is off by one.
    step = np.repeat([0.0, 1.0, 2.0], 8)[:, np.newaxis]
    estimates = step + RNG.normal(0, 1e-3, (24, 50))
    expected = norm.cdf(0.96) - norm.cdf(-2.96)
    found = Bias.of_drift(estimates, np.ones(50)).coverage()
    assert found == pytest.approx(expected, abs=0.01)


def test_independent_draws_seldom_seem_to_drift():
    # All of the variance is between draws. The rate is 0.001 for many estimates, and a
    # few times as large for eight; 8 of 500 would be rare even for 0.005.
    found = [
        Bias.of_drift(RNG.normal(size=(25, 8)), np.ones(8)).coverage()
        for _ in range(500)
    ]
    assert np.count_nonzero(np.array(found) < 0.93) < 8


@each
@pytest.mark.parametrize("way", [-1, 1])
def test_alpha_that_was_still_moving_warns(what, way):
    learned = np.exp(way * np.linspace(-1, 0, 20))[:, np.newaxis] * ALPHA
    draws = draws_of(settled(), ALPHA, learned)
    change = np.expm1(way * 5 / 19)
    numbers = re.escape(f"changed by {change:+.0%} ")
    with pytest.warns(UserWarning, match=f"{numbers}.* burn_in.* The {what} may be"):
        QUANTITIES[what](draws)


@each
def test_alpha_that_only_fluctuates_does_not_warn(what):
    learned = np.exp(RNG.normal(0, 0.1, (20, 1))) * ALPHA
    QUANTITIES[what](draws_of(settled(), ALPHA, learned))


def test_alpha_that_wanders_makes_means_uncertain():
    # Only means follow it: differences do not, and one document tells little of it.
    around = np.sin(np.arange(40) / 6)
    learned = ALPHA + 0.6 * np.column_stack([around, -around, 0 * around])
    draws = draws_of(settled(), ALPHA, learned)
    with pytest.warns(UserWarning, match="wandered .* the means .*'hierarchical'"):
        QUANTITIES["means"](draws)
    for what in ("effects", "proportions"):
        QUANTITIES[what](draws)
    # In a random order, it is the chance of single sweeps.
    QUANTITIES["means"](draws_of(settled(), ALPHA, RNG.permutation(learned)))


def test_coverage_under_an_alpha_that_wanders():
    # Half of a period, and a variance that is as large.
    course = np.cos(np.linspace(0, 2 * np.pi, 400))[:, np.newaxis]
    found = Bias.of_learned_alpha(course, np.full((5, 1), 0.5)).coverage()
    assert found == pytest.approx(norm.cdf(0.96) - norm.cdf(-2.96), abs=0.01)


@pytest.mark.parametrize("learn", [None, "symmetric", "asymmetric"])
def test_chains_record_the_alpha_that_they_learn(learn):
    X = RNG.poisson(1.0, (20, 12))
    params = {"max_iter": 90, "burn_in": 40, "keep_draws": 2, "random_state": 0}
    params["init"] = "random"
    lda = CollapsedGibbsLDA(3, learn_priors=learn, warm_start=True, **params).fit(X)
    recorded = lda.draws_.learned_alpha
    assert recorded.shape == (40 if learn else 0, 3)
    if learn:
        np.testing.assert_array_equal(recorded[-1], lda.doc_topic_prior_)
        assert lda.fit(X).draws_.learned_alpha.shape == (80, 3)
        assert recorded.shape == (40, 3)


def planted(rng, n_tokens):
    """Return counts of topics in two groups, as with a sum of alpha of 20."""
    means = np.array([[0.5, 0.3, 0.2], [0.2, 0.35, 0.45]])[np.arange(200) % 2]
    theta = np.array([rng.dirichlet(20 * mean) for mean in means])
    return rng.multinomial(n_tokens, theta)


@pytest.mark.parametrize("n_tokens", [10, 2000])
@pytest.mark.parametrize("estimate", [topic_means, estimate_effect])
def test_documents_too_short_for_how_little_they_differ_warn(estimate, n_tokens):
    # Of 10 tokens, two thirds of a difference are lost: intervals miss it.
    draws = draws_of(np.tile(planted(RNG, n_tokens), (10, 1, 1)), np.full(3, 4.0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimate(draws, np.arange(200) % 2, random_state=0)
    short = [w for w in caught if "documents are short" in str(w.message)]
    assert len(short) == (n_tokens == 10)
    if short:
        shrunk, held = map(int, re.findall(r"(\d+)%", str(short[0].message))[::2])
        assert 45 < shrunk < 75
        assert held < 60


@pytest.mark.slow
@pytest.mark.parametrize("concentration", [1, 20])
def test_long_chains_with_a_learned_alpha(concentration):
    # With 1, 95 % intervals held 0.95 of the means, and none of 90 corpora warned; with
    # 20, 0.78, and all of 89 warned: the alpha that is held fixed is one of many.
    rng = np.random.default_rng(0)
    phi, group = rng.dirichlet(np.full(40, 0.1), 4), np.arange(200) % 2
    means = np.array([[0.4, 0.3, 0.2, 0.1], [0.2, 0.3, 0.3, 0.2]])[group]
    theta = np.array([rng.dirichlet(concentration * mean) for mean in means])
    params = {"learn_priors": "asymmetric", "topic_word_prior": 0.1, "max_iter": 4000}
    params |= {"thin": 80, "keep_draws": 25, "random_state": 0}
    lda = CollapsedGibbsLDA(4, **params).fit(rng.multinomial(200, theta @ phi))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        topic_means(lda.draws_, group, random_state=0)
    wandered = [w for w in caught if "Alpha wandered" in str(w.message)]
    assert bool(wandered) == bool(caught) == (concentration == 20)
