"""Blocks of any size, drawn by tables: against exact rational arithmetic.

n_k of the block's n tokens fall on topic k with probability ~ prod_k q_k(n_k); see
`tests.helpers.blocks`.
"""

import itertools
import math
from functools import reduce

import numpy as np
import pytest
from scipy import stats

from sklda._gibbs.kernels import blocked_large
from sklda._sampling.problem import padded
from tests.helpers.blocks import convolved, random_topics, weights
from tests.helpers.enumeration import RIGHT, chi_square_pvalue
from tests.helpers.from_python import from_python
from tests.helpers.mutants import streams

SIMULATIONS = {
    "nested": from_python(blocked_large.draw_nested),
    "backward": from_python(blocked_large.draw_backward),
}


def tables(a, b, s, n):
    """Return the probabilities that the kernel sets, the padding included."""
    a, b, s = (np.append(x, np.zeros(padded(x.size) - x.size)) for x in (a, b, s))
    s[s == 0] = 1
    pmf = np.full((n + 1, a.size), np.nan)
    from_python(blocked_large.set_weights)(a, b, s, pmf)
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
    rng, drawn = streams(seed).kernel, np.zeros((n_draws, pmf.shape[1]), np.int64)
    for row in drawn:
        SIMULATIONS[name](pmf, rng, row)
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
    n_draws = 200
    seen = np.sort(draw(name, pmf, n_draws, seed=second)[:, 0])
    below = np.cumsum(np.exp(log_conditional(*case))).astype(float)
    # Counts are many: cut their range into ten parts of about the same probability.
    edges = np.searchsorted(below, np.arange(1, 10) / 10)
    observed = np.bincount(np.searchsorted(edges, seen, side="left"), minlength=10)
    expected = np.diff(below[edges], prepend=0, append=1) * n_draws
    assert stats.chisquare(observed, expected).pvalue > RIGHT


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
    drawn = draw(name, tables(a, b, s, n), 10_000, seed=5)[:, :n_topics]
    number = {way: i for i, way in enumerate(ways)}
    seen = np.bincount(
        [number[tuple(row)] for row in drawn.tolist()], minlength=len(ways)
    )
    assert chi_square_pvalue(np.append(seen, 0), np.array(probabilities)) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("n", [400, 3000])
@pytest.mark.parametrize("n_topics", [3, 20])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_all_tokens_of_a_large_block_get_a_topic(name, n_topics, n):
    for scale in (1e-10, 1.0, 1e3, 1e10):
        pmf = tables(*random_topics(1, n_topics, scale), n)
        assert not draw(name, pmf, 1, seed=n)[:, n_topics:].any()


@pytest.mark.slow
@pytest.mark.parametrize("tilt", [0.3, 1.0, 4.0])
def test_both_simulations_draw_alike(tilt):
    # Neither a tilt nor a factor for a topic changes the draw.
    n, n_topics = 40, 20
    pmf = tables(*random_topics(8, n_topics), n)
    tilted = pmf * tilt ** np.arange(n + 1)[:, np.newaxis] * np.linspace(0.5, 2, 32)
    nested = draw("nested", pmf, 4000, seed=6)
    backward = draw("backward", tilted, 4000, seed=7)
    for k in range(n_topics):
        both = np.array(
            [np.bincount(x[:, k], minlength=n + 1) for x in (nested, backward)]
        )
        # Rare counts are one class.
        rare = both.sum(0) < 20
        both = np.column_stack([both[:, ~rare], both[:, rare].sum(1)])
        both = both[:, both.sum(0) > 0]
        if both.shape[1] > 1:
            assert stats.chi2_contingency(both).pvalue > RIGHT / n_topics
