"""Quantiles of mixtures, compared with bisection."""

import numpy as np
import pytest
import scipy
from scipy.special import betainc

from sklda._fitted.posterior_draws import mixture_interval, mixture_quantile


def bisect(a, b, p):
    low, high = np.zeros(a.shape[1]), np.ones(a.shape[1])
    for _ in range(60):
        middle = (low + high) / 2
        below = betainc(a, b, middle).mean(axis=0) < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high


@pytest.mark.parametrize("alpha", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("n", [1, 2, 25])
def test_quantiles(alpha, n):
    rng = np.random.default_rng(n)
    tokens = rng.integers(1, 300, 80)
    rate = rng.beta(0.2, 0.6, (n, 80)) * rng.integers(0, 2, 80)  # half are 0
    counts = rng.binomial(tokens, rate)
    a, b = counts + alpha, tokens - counts + 7 * alpha
    for p in (0.005, 0.025, 0.5, 0.9, 0.995):
        found = mixture_quantile(a, b, p)
        mass = betainc(a, b, found).mean(axis=0)
        expected = bisect(a, b, p)
        close = np.isclose(found, expected, rtol=1e-4, atol=1e-12)
        assert (close | (np.abs(mass - p) < 1e-6)).all()


@pytest.mark.parametrize("alpha", [1e-3, 0.01, 0.1])
def test_lower_ends_under_small_priors(alpha):
    # Of a word that some draws do not have, most mass lies next to 0: the ends are
    # numbers such as 1e-150, and 0 where they are too small to be represented.
    rng = np.random.default_rng(0)
    tokens = rng.integers(1000, 20_000, 200)
    a = rng.poisson(rng.gamma(0.3, 2, 200), (25, 200)) + alpha
    b = tokens + 5000 * alpha - a
    for p in (0.005, 0.025):
        found = mixture_quantile(a, b, p)
        is_positive = found > 0
        mass = betainc(a, b, found).mean(axis=0)
        np.testing.assert_allclose(mass[is_positive], p, rtol=1e-5)
        assert (betainc(a, b, 1e-300).mean(axis=0)[~is_positive] > p).all()
        assert is_positive.any()
        assert is_positive.all() or alpha == 1e-3


@pytest.mark.skipif(
    np.lib.NumpyVersion(scipy.__version__) < "1.12.0",
    reason="its quantile is the number below 1, where 1 is nearer",
)
def test_ends_between_two_numbers_are_rounded_outwards():
    # Mass next to 1, where no number lies between 1 and 1 - 1e-16.
    rng = np.random.default_rng(0)
    b = rng.integers(0, 3, (25, 100)) + 0.005
    a = 100 - b
    low, high = mixture_interval(a, b, 0.95)
    assert (betainc(a, b, low).mean(axis=0) < 0.025 * (1 + 1e-5)).all()
    assert (betainc(a, b, high).mean(axis=0) > 1 - 0.025 * (1 + 1e-5)).all()


def test_masses_at_the_ends():
    # Of one topic, or with priors next to 0, a proportion is 1 or 0.
    ends = mixture_interval(np.full((3, 1), 5.0), np.zeros((3, 1)), 0.9)
    np.testing.assert_allclose(ends, 1)
    ends = mixture_interval(np.full((3, 1), 1e-10), np.full((3, 1), 5.0), 0.9)
    np.testing.assert_allclose(ends, 0, atol=1e-12)
