"""How a block of tokens is drawn: against brute force in exact rational arithmetic.

n_k of the block's n tokens fall on topic k with probability ~ prod_k q_k(n_k), where
q(n) = prod_i (a + i) (b + i) / ((i + 1) (s + i)) over i < n.
"""

import itertools
import math
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from scipy import stats

from sklda._core.problem import padded
from sklda._gibbs.kernels.blocked import backward, large, nested, small
from tests.helpers.enumeration import RIGHT, chi_square_pvalue
from tests.helpers.mutants import streams

SIMULATIONS = {"nested": nested, "backward": backward}


def weights(a, b, s, n):
    """Return q(0), ..., q(n) of a topic."""
    a, b, s = Fraction(float(a)), Fraction(float(b)), Fraction(float(s))
    q = [Fraction(1)]
    for i in range(n):
        q.append(q[-1] * (a + i) * (b + i) / ((i + 1) * (s + i)))
    return q


def convolved(p, q):
    return [sum(p[i] * q[c - i] for i in range(c + 1)) for c in range(len(p))]


def random_topics(seed, n_topics, scale=1.0):
    """Return a, b and s as floats; b is at most s, as n_wk + beta is."""
    rng = np.random.default_rng(seed)
    a = scale * rng.gamma(0.5, 2, n_topics) + 0.01
    b = scale * rng.gamma(0.3, 2, n_topics) + 0.01
    return a, b, b + scale * rng.gamma(1, 20, n_topics)


# --- sums over topics ------------------------------------------------------------


def brute_force(a, b, s, n):
    """Return h(n) and E[n_k] by listing every way to place n tokens."""
    q = [weights(*topic, n) for topic in zip(a, b, s, strict=True)]
    total, means = Fraction(0), [Fraction(0)] * len(q)
    for placed in itertools.combinations_with_replacement(range(len(q)), n):
        weight = math.prod(q[k][placed.count(k)] for k in set(placed))
        total += weight
        for k in placed:
            means[k] += weight
    return total, [mean / total for mean in means]


def by_sums(a, b, s, n, dtype):
    """Return the same from the logarithms of the topics' series."""
    logs = []
    for row in zip(a, b, s, strict=True):
        ratios = np.empty((4, 1), dtype)
        small.set_ratios.py_func(ratios, 0, dtype(row[0]), dtype(row[2]))
        t = [dtype((row[0] + j) / (row[2] + j)) for j in range(4)]
        np.testing.assert_allclose(ratios[:, 0], t, rtol=4 * np.finfo(dtype).eps)
        logs.append(small.log_coefficients.py_func(*t, dtype(row[1])))
    logs = np.array(logs, np.float64)
    sums = np.zeros(8)
    sums[:4] = logs[::2].sum(0)  # it does not matter how topics are divided
    sums[4:] = logs[1::2].sum(0)
    total, factors = small.expectation_factors.py_func(n, sums)
    assert total == pytest.approx(n * small.normalisers.py_func(sums)[n - 1])
    return total / n, logs @ factors / (total / n)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("n_topics", [1, 2, 3, 7, 20])
def test_sums_over_topics(n_topics, n):
    for seed in range(4 if n_topics < 20 else 1):
        topics = random_topics(seed, n_topics)
        expected, means = brute_force(*topics, n)
        total, shares = by_sums(*topics, n, np.float64)
        assert total == pytest.approx(float(expected), rel=1e-10)
        np.testing.assert_allclose(shares, [float(m) for m in means], rtol=1e-8)
        # Six or seven digits, less what cancels: a factor of 24 for four tokens, of
        # what is largest in the sum.
        total, shares = by_sums(*topics, n, np.float32)
        assert total == pytest.approx(float(expected), rel=5e-6)
        means = np.array([float(m) for m in means])
        np.testing.assert_allclose(shares, means, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("topic", [(3.0, 2.0, 40.0), (1e4, 1e-5, 2e-5), (0.1, 5, 5)])
def test_logarithm_of_a_topic(topic):
    # x Q' = Q x L' gives the coefficients of L = log Q one by one.
    q = weights(*topic, 4)
    logs = [Fraction(0)]
    for n in range(1, 5):
        of_others = sum(c * logs[c] * q[n - c] for c in range(1, n))
        logs.append(q[n] - of_others / n)
    t = [np.float64(topic[0] + j) / (topic[2] + j) for j in range(4)]
    found = small.log_coefficients.py_func(*t, np.float64(topic[1]))
    # Less what cancels: a term of l(4) is q(1) ** 4.
    rtol = 1e-6 if topic[0] > 1e3 else 1e-10
    np.testing.assert_allclose(found, [float(x) for x in logs[1:]], rtol=rtol)


@pytest.mark.parametrize("block", [[3], [3, 3], [3, 5], [5, 3, 3], [1, 2, 1, 2]])
def test_how_many_tokens_share_a_topic(block):
    block = np.array(block, np.uint16)
    found = [small.multiplicity.py_func(block, i) for i in range(block.size)]
    first = {k: i for i, k in reversed(list(enumerate(block.tolist())))}
    counts = [block.tolist().count(k) for k in block.tolist()]
    for i, k in enumerate(block.tolist()):
        assert found[i] == (counts[i] if first[k] == i else 0)


# --- tables ----------------------------------------------------------------------


def tables(a, b, s, n):
    """Return the probabilities that the kernel sets, the padding included."""
    a, b, s = (np.append(x, np.zeros(padded(x.size) - x.size)) for x in (a, b, s))
    s[s == 0] = 1
    pmf = np.full((n + 1, a.size), np.nan)
    large.set_weights(a, b, s, pmf)
    assert np.isfinite(pmf).all()
    assert (pmf >= 0).all()
    return pmf


@pytest.mark.parametrize("n", [1, 2, 5, 16, 17, 100, 101])
@pytest.mark.parametrize("scale", [1e-10, 1.0, 1e10])
@pytest.mark.parametrize("n_topics", [1, 2, 3, 20])
def test_weights_are_those_of_the_formula_but_for_a_tilt(n_topics, scale, n):
    a, b, s = random_topics(n, n_topics, scale)
    pmf = tables(a, b, s, n)
    tilts = []
    for k in range(n_topics):
        q = weights(a[k], b[k], s[k], n)
        log_q = np.array([math.log(x.numerator) - math.log(x.denominator) for x in q])
        with np.errstate(divide="ignore"):
            logs = np.log(pmf[:, k]) - log_q
        there = pmf[:, k] > 1e-290
        assert there.sum() >= 2
        counts = np.arange(n + 1)[there]
        tilts.append((logs[there][-1] - logs[there][0]) / (counts[-1] - counts[0]))
        line = logs[there][0] + tilts[-1] * (counts - counts[0])
        np.testing.assert_allclose(
            logs[there], line, atol=1e-9 * max(1, abs(logs[there]).max())
        )
    np.testing.assert_allclose(tilts, tilts[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(pmf[1:, n_topics:], 0)


# Two topics: a, b and s of each, and the tokens of the block.
LARGE = {
    "few before": ((0.1, 0.2, 0.3), (0.4, 0.1, 0.5), 3000),
    "many before": ((1e4, 1e4, 1e5), (7e3, 2e4, 1e5), 3000),
    "other cells": ((30.1, 900.2, 4000.5), (500.5, 40.2, 9000.5), 2000),
    "all on one": ((1e-10, 1e-10, 1e-9), (1e-10, 1e-10, 1e-9), 3000),
    "far apart": ((1e10, 1e-10, 1e-5), (1e-10, 1e10, 1e10), 1000),
    "large priors": ((1e10, 1e10, 2e10), (1e10, 1e10, 3e10), 5000),
    "plain": ((5.5, 2.5, 90.0), (0.5, 7.5, 40.0), 100),
    "not so large": ((1e4, 1e4, 1e5), (7e3, 2e4, 1e5), 600),
}


def log_conditional(first, second, n):
    """Return log p(n_1 = j), the logarithms added up in extended precision."""
    i = np.arange(n, dtype=np.longdouble)
    logs = []
    for a, b, s in (first, second):
        steps = np.log((a + i) / (i + 1)) + np.log((b + i) / (s + i))
        logs.append(np.append(0, np.cumsum(steps)))
    both = logs[0] + logs[1][::-1]
    both -= both.max()
    return both - np.log(np.exp(both).sum())


@pytest.mark.parametrize("case", LARGE.values(), ids=LARGE)
def test_conditional_of_a_large_block(case):
    first, second, n = case
    expected = log_conditional(*case)
    pmf = tables(*np.array([first, second]).T, n)
    with np.errstate(divide="ignore"):
        logs = np.log(pmf[:, 0]) + np.log(pmf[::-1, 1])
    seen = expected > math.log(1e-12)
    assert np.isfinite(logs[seen]).all()
    logs -= np.log(np.exp(logs).sum())
    np.testing.assert_allclose(logs[seen], expected[seen].astype(float), atol=1e-8)


def draw(name, pmf, n_draws, seed):
    rng, drawn = streams(seed).kernel, np.empty((n_draws, pmf.shape[1]), np.int64)
    for row in drawn:
        SIMULATIONS[name].draw_counts(pmf, rng, row)
    assert (drawn >= 0).all()
    np.testing.assert_array_equal(drawn.sum(1), pmf.shape[0] - 1)
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize("second", [1, 16])  # in another lane, and in the same
@pytest.mark.parametrize("name", SIMULATIONS)
def test_draws_of_a_large_block(name, second):
    # The probability of no token on a topic is about e^-300 here.
    case = LARGE["not so large"]
    pmf = np.zeros((case[2] + 1, 32))
    pmf[0] = 1
    pmf[:, [0, second]] = tables(*np.array(case[:2]).T, case[2])[:, :2]
    n_draws = 500
    seen = np.sort(draw(name, pmf, n_draws, seed=second)[:, 0])
    below = np.cumsum(np.exp(log_conditional(*case))).astype(float)
    # Counts are many: cut their range into ten parts of about the same probability.
    edges = np.searchsorted(below, np.arange(1, 10) / 10)
    observed = np.bincount(np.searchsorted(edges, seen, side="left"), minlength=10)
    expected = np.diff(below[edges], prepend=0, append=1) * n_draws
    assert stats.chisquare(observed, expected).pvalue > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("n", [400, 3000])
@pytest.mark.parametrize("n_topics", [3, 20])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_all_tokens_of_a_large_block_get_a_topic(name, n_topics, n):
    for scale in (1e-10, 1.0, 1e3, 1e10):
        pmf = tables(*random_topics(1, n_topics, scale), n)
        assert not draw(name, pmf, 3, seed=n)[:, n_topics:].any()


@pytest.mark.slow
@pytest.mark.parametrize(("n_topics", "n"), [(2, 6), (3, 5), (3, 2), (5, 3), (18, 2)])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_draws_of_a_small_block(name, n_topics, n):
    a, b, s = random_topics(n, n_topics)
    q = [weights(*topic, n) for topic in zip(a, b, s, strict=True)]
    total = reduce(convolved, q)[n]
    ways = [
        tuple(np.bincount(placed, minlength=n_topics).tolist())
        for placed in itertools.combinations_with_replacement(range(n_topics), n)
    ]
    probabilities = [
        float(math.prod(q[k][c] for k, c in enumerate(way)) / total) for way in ways
    ]
    assert sum(probabilities) == pytest.approx(1)
    drawn = draw(name, tables(a, b, s, n), 20_000, seed=5)[:, :n_topics]
    number = {way: i for i, way in enumerate(ways)}
    seen = np.bincount(
        [number[tuple(row)] for row in drawn.tolist()], minlength=len(ways)
    )
    assert chi_square_pvalue(np.append(seen, 0), np.array(probabilities)) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("tilt", [0.3, 1.0, 4.0])
def test_both_simulations_draw_alike(tilt):
    # Neither a tilt nor a factor for a topic changes the draw.
    n, n_topics = 40, 20
    pmf = tables(*random_topics(8, n_topics), n)
    tilted = pmf * tilt ** np.arange(n + 1)[:, np.newaxis] * np.linspace(0.5, 2, 32)
    one = draw("nested", pmf, 4000, seed=6)
    other = draw("backward", tilted, 4000, seed=7)
    for k in range(n_topics):
        both = np.array([np.bincount(x[:, k], minlength=n + 1) for x in (one, other)])
        # Rare counts are one class.
        rare = both.sum(0) < 20
        both = np.column_stack([both[:, ~rare], both[:, rare].sum(1)])
        both = both[:, both.sum(0) > 0]
        if both.shape[1] > 1:
            assert stats.chi2_contingency(both).pvalue > RIGHT / n_topics
