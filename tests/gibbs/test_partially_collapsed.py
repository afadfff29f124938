"""Draws of phi by partial collapsing."""

import numpy as np
import pytest
from scipy import stats

from sklda._core.problem import Problem
from sklda._core.word_prior import word_prior
from sklda._gibbs import partially_collapsed_sampler as sampler
from sklda._gibbs.kernels import gammas
from tests.helpers.enumeration import RIGHT


def draw_gammas(count, beta, n_topics, n_words=100, seed=7):
    """Return gammas of words that have one count on all topics."""
    counts = np.full((n_words, n_topics), count, np.int32)
    rows, total = np.full(counts.shape, -7, np.float32), np.ones(n_topics)
    extra = np.full(n_topics, -1)
    gammas.draw_rows(np.uint64(seed), 5, counts, extra, beta, rows, total)
    np.testing.assert_allclose(total, rows.sum(axis=0, dtype=float))
    return rows


@pytest.mark.parametrize("count", [0, 1, 2, 50, 10**6])
@pytest.mark.parametrize("beta", [1e-10, 1e-6, 0.001, 0.01, 0.1, 0.9, 1.0, 3.5, 1e10])
def test_gammas(count, beta):
    drawn = draw_gammas(count, beta, 200).ravel().astype(float)
    lowest = np.exp(gammas.LOG_LOWEST)
    assert (drawn[drawn > 0] >= 0.999 * lowest).all()
    exact = stats.gamma(count + beta)
    zeros = exact.cdf(lowest)
    assert stats.binomtest(int((drawn == 0).sum()), drawn.size, zeros).pvalue > RIGHT
    drawn = drawn[drawn > 0]
    if drawn.size > 100:
        ranks = (exact.cdf(drawn) - zeros) / (1 - zeros)
        # Of a huge shape, few float32 numbers are near the mean: many ranks are equal.
        ranks += np.random.default_rng(0).uniform(-0.5, 0.5, drawn.size) * (
            np.spacing(drawn.astype(np.float32)) * exact.pdf(drawn) / (1 - zeros)
        )
        assert stats.kstest(ranks, "uniform").pvalue > RIGHT


@pytest.mark.parametrize("beta", [0.01, 0.7])
def test_large_gammas_of_small_shapes(beta):
    # Beyond 1, where the second kind of proposals counts.
    drawn = draw_gammas(0, beta, 1000, n_words=2000).ravel().astype(float)
    exact, large = stats.gamma(beta), drawn[drawn > 1]
    assert stats.binomtest(large.size, drawn.size, exact.sf(1)).pvalue > RIGHT
    ranks = exact.sf(large) / exact.sf(1)
    assert stats.kstest(ranks, "uniform").pvalue > RIGHT


def test_gammas_of_words_do_not_depend_on_each_other():
    counts = np.random.default_rng(0).integers(0, 3, (6, 5)).astype(np.int32)
    extra, total = np.array([-1, 12, -1, 9, -1]), np.empty(5)
    whole, row = np.zeros((6, 5), np.float32), np.zeros((1, 5), np.float32)
    gammas.draw_rows(np.uint64(1), 8, counts, extra, 0.3, whole, total)
    for i in range(6):
        some = counts[i : i + 1]
        gammas.draw_rows(np.uint64(1), 8 + i, some, extra, 0.3, row, total)
        np.testing.assert_array_equal(row[0], whole[i])
    assert np.unique(whole).size == 30


def test_words_of_topics_without_tokens_are_uniform():
    problem = Problem(None, 7, np.ones(10_000), 0.1)
    is_empty = np.tile([True, False], 5000)
    extra = sampler.draw_extra(np.uint64(3), is_empty, problem)
    assert (extra[1::2] == -1).all()
    assert stats.chisquare(np.bincount(extra[::2], minlength=7)).pvalue > RIGHT


def test_words_of_topics_without_tokens_follow_an_array_of_beta():
    beta = np.array([0.1, 3, 1e-10, 0.9, 2])
    prior = word_prior(np.tile(beta, (10_000, 1)))
    problem = Problem(None, beta.size, np.ones(10_000), prior)
    extra = sampler.draw_extra(np.uint64(3), np.ones(10_000, bool), problem)
    found = np.bincount(extra, minlength=beta.size)
    assert found[2] == 0
    kept = beta > 1e-5
    expected = beta[kept] / beta.sum() * 10_000
    assert stats.chisquare(found[kept], expected, sum_check=False).pvalue > RIGHT


def test_gammas_of_an_array_of_beta():
    beta = np.logspace(-3, 2, 6).repeat(200).reshape(1, -1).repeat(100, axis=0)
    counts = np.random.default_rng(0).integers(0, 3, beta.shape).astype(np.int32)
    rows, total = np.zeros(beta.shape, np.float32), np.ones(1200)
    extra = np.full(1200, -1)
    extra[::2] = 7
    gammas.draw_rows_of_each(np.uint64(5), 5, counts, extra, beta, rows, total)
    np.testing.assert_allclose(total, rows.sum(axis=0, dtype=float))
    counts[2, ::2] += 1
    for shape in np.unique(counts + beta):
        drawn = rows[counts + beta == shape].astype(float)
        zeros = stats.gamma(shape).cdf(np.exp(gammas.LOG_LOWEST))
        drawn = drawn[drawn > 0]
        ranks = (stats.gamma(shape).cdf(drawn) - zeros) / (1 - zeros)
        assert stats.kstest(ranks, "uniform").pvalue > RIGHT / 10
