"""Draws of the hierarchical Dirichlet process: concentrations, weights and tables."""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from sklda._data import corpus
from sklda._engine.hierarchical_prior import count_tables
from sklda._engine.kernels.hierarchical import (
    HIGHEST,
    LOWEST,
    draw_concentration,
    draw_dirichlet,
)
from sklda._sampling.threads import Threads
from tests.helpers.enumeration import RIGHT, chi_square_pvalue, mean_and_error
from tests.helpers.hierarchical import N_BINS, stirling
from tests.helpers.mutants import streams

# --- concentrations --------------------------------------------------------------

NOTHING = ([0.0], [1.0], [0.0])
# Shape, rate, and the terms: powers, factors, counts. The shape has the tables already.
CASES = {
    "the prior": (1.0, 1.0, NOTHING),
    "a large prior": (1e8, 1e7, NOTHING),
    "a0": (1 + 310.0, 1.0, ([-40.0, -3.0], [1.0, 1.0], [60.0, 200.0])),
    "a0, one token in each document": (1 + 500.0, 1.0, ([-500.0], [1.0], [1.0])),
    "gamma": (1.0, 0.1, ([-1.0, 6.0, 2.0], [1.0, 0.01, 0.01], [90.0, 5.0, 30.0])),
    "gamma, K = 1": (1.0, 0.1, ([-1.0, 1.0], [1.0, 1.0], [50.0, 50.0])),
    "beta": (
        2.0,
        20.0,
        (
            [300.0, 90.0, 20.0, -1.0, -1.0],
            [1.0, 1.0, 1.0, 500, 500],
            [1, 2, 8, 320, 320],
        ),
    ),
    # Nearly flat over the whole range, and against either end of it.
    "flat": (1e-10, 1e-10, NOTHING),
    "no lower end": (1e-10, 1.0, ([-2.0, 2.0], [1.0, 1.0], [3.0, 3.0])),
    "below the range": (1.0, 1e10, ([-1.0], [1.0], [40.0])),
    "above the range": (3.0, 1e-10, NOTHING),
}


def log_density(y, shape, rate, terms):
    """Return the log density of y = log x; rising factorials are products."""
    x = np.exp(y)
    total = shape * y - rate * x
    for power, factor, count in zip(*terms, strict=True):
        total += power * sum(np.log(factor * x + i) for i in range(int(count)))
    return total


def law_of(shape, rate, terms):
    """Return a grid of log x with all that matters, and the distribution function."""
    low, high = np.log(LOWEST), np.log(HIGHEST)
    for _ in range(3):  # each grid has the part of the one before that has weight
        y = np.linspace(low, high, 5001)
        values = log_density(y, shape, rate, terms)
        inside, step = y[values > values.max() - 40], y[1] - y[0]
        low, high = max(inside[0] - step, y[0]), min(inside[-1] + step, y[-1])
    density = np.exp(values - values.max())
    below = np.append(0, np.cumsum((density[1:] + density[:-1]) / 2))
    return y, below / below[-1]


@pytest.mark.parametrize("name", CASES)
def test_concentration_has_the_density_of_quadrature(name):
    shape, rate, terms = CASES[name]
    arrays = tuple(np.array(term, float) for term in terms)
    y, below = law_of(shape, rate, terms)
    noise, rng = np.random.default_rng(1), streams(2).kernel
    exact = np.exp(np.interp(noise.random(4000), below, y))
    found = np.array([draw_concentration(x, shape, rate, arrays, rng) for x in exact])
    assert (np.log(found) >= np.log(LOWEST) - 1e-12).all()
    assert (np.log(found) <= np.log(HIGHEST) + 1e-12).all()
    assert (found != exact).all()
    uniforms = np.interp(np.log(found), y, below)
    assert stats.kstest(uniforms, "uniform").pvalue > RIGHT
    # Two draws of one chain: the density in between is also the one it should be.
    jumps = np.histogram2d(np.interp(np.log(exact), y, below), uniforms, bins=3)[0]
    assert abs(jumps - jumps.T).max() < 6 * np.sqrt(jumps.max())  # reversible


@pytest.mark.parametrize("first", [LOWEST, 1.0, HIGHEST])
@pytest.mark.parametrize("name", CASES)
def test_concentration_from_anywhere_comes_to_its_density(name, first):
    shape, rate, terms = CASES[name]
    arrays = tuple(np.array(term, float) for term in terms)
    y, below = law_of(shape, rate, terms)
    rng, x = streams(3).kernel, first
    for _ in range(200):
        x = draw_concentration(x, shape, rate, arrays, rng)
    found = []
    for _ in range(3000):
        x = draw_concentration(x, shape, rate, arrays, rng)
        found.append(np.interp(np.log(x), y, below))
    mean, error = mean_and_error(found, 30)
    assert abs(mean - 0.5) < 5 * error  # one false alarm in 40,000


# --- weights ---------------------------------------------------------------------


def draw_many(parameters, n, seed=4):
    rng, found = streams(seed).kernel, np.empty((n, len(parameters)))
    for weights in found:
        draw_dirichlet(np.array(parameters, float), rng, weights)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-14)
    return found


@pytest.mark.parametrize(
    "parameters", [(0.3, 1.2, 5.0), (0.05, 0.02), (300.0, 1e4, 0.9), (2.0,)]
)
def test_weights_are_beta(parameters):
    found, total = draw_many(parameters, 5000), sum(parameters)
    for k, a in enumerate(parameters):
        if len(parameters) > 1:
            law = stats.beta(a, total - a)
            below = np.linspace(0, 1, N_BINS + 1)
            edges = np.unique(law.ppf(below[1:-1]))
            edges = edges[(edges > 1e-300) & (edges < 1 - 1e-12)]
            counts = np.histogram(found[:, k], [-1, *edges, 2])[0]
            expected = np.diff([0, *law.cdf(edges), 1])
            assert edges.size > 5
            assert chi_square_pvalue(np.append(counts, 0), expected) > RIGHT


@pytest.mark.parametrize("scale", [1e-6, 1e-13, 1e-300])
def test_the_largest_of_tiny_parameters_has_all(scale):
    # As the parameters go to 0, it is that of k in proportion to a_k.
    with np.errstate(all="raise"):
        found = draw_many(scale * np.array([1.0, 2.0, 3.0]), 6000)
    assert (found.max(axis=1) == 1).mean() > 0.999
    largest = np.bincount(found.argmax(axis=1), minlength=4)
    assert chi_square_pvalue(largest, np.array([1, 2, 3]) / 6) > RIGHT


def test_weights_of_extreme_parameters_are_finite():
    for parameters in ([1e10] * 3, [1e-13] * 1000, [1e-13, 1e10], [1e-13, 5e9, 1e-300]):
        found = draw_many(parameters, 50)
        assert np.isfinite(found).all()
    found = draw_many([1e10, 3e10], 200)
    np.testing.assert_allclose(found, [[0.25, 0.75]] * 200, rtol=1e-3)


# --- tables ----------------------------------------------------------------------

BEFORE = np.array([0, 5, 5, 9, 12])
Z = np.array([0, 0, 1, 0, 1, 1, 1, 1, 0, 2, 2, 2], np.uint16)  # mixed in documents
ALPHA = np.array([0.4, 2.5, 30.0])


def law_of_tables(k, alpha):
    """Return the probabilities of 0, 1, ... tables of a topic in all documents."""
    law = np.ones(1)
    for first, last in itertools.pairwise(BEFORE):
        n = int((Z[first:last] == k).sum())
        logs = np.log(np.maximum(stirling(n), 1e-300)) + np.arange(n + 1) * np.log(
            alpha
        )
        law = np.convolve(law, np.exp(logs - logsumexp(logs)))
    return law


@pytest.mark.parametrize("alpha", [ALPHA, np.array([1e-20, 1e-3, 1e10])])
def test_tables_have_their_distribution(alpha):
    keys = np.random.default_rng(5).integers(2**64, size=6000, dtype=np.uint64)
    found = np.array([count_tables(BEFORE, Z, alpha, key) for key in keys])
    for k in range(3):
        law = law_of_tables(k, alpha[k])
        seen = np.bincount(found[:, k], minlength=law.size + 1)
        assert chi_square_pvalue(seen, law) > RIGHT
    # Topics are independent given the counts, though they share a stream.
    if alpha is ALPHA:
        assert abs(np.corrcoef(found.T)[np.triu_indices(3, 1)]).max() < 0.07  # 5 errors


def large_case():
    rng = np.random.default_rng(6)
    lengths = rng.poisson(20, 300) * rng.choice([0, 1, 1], 300)
    before = np.append(0, lengths.cumsum())
    z = rng.integers(7, size=before[-1]).astype(np.uint16)
    return before, z, rng.gamma(0.5, size=7), np.uint64(rng.integers(2**62))


def test_neither_ranges_nor_threads_change_the_tables(monkeypatch):
    before, z, alpha, key = large_case()
    expected = count_tables(before, z, alpha, key)
    assert expected.dtype == np.int64
    for n in (2, 3, 500):
        with Threads(n) as threads:
            found = count_tables(before, z, alpha, key, threads=threads)
        np.testing.assert_array_equal(found, expected)
    monkeypatch.setattr(corpus, "MOST_STEPS", 1)
    with Threads(2) as threads:
        found = count_tables(before, z, alpha, key, threads=threads)
    np.testing.assert_array_equal(found, expected)
    other = count_tables(before, z, alpha, key + np.uint64(1))
    assert (other != expected).any()
