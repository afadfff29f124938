"""Samplers that draw phi first: threads, slices, and their kernels."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone

from sklda import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda._data.corpus import Corpus
from sklda._gibbs import partially_collapsed as sampler
from sklda._gibbs.kernels import uncollapsed
from sklda._sampling import variates
from sklda._sampling.problem import LANES, MAX_TOPICS, Problem, padded, word_prior
from tests.helpers.comparison import assert_same_fit
from tests.helpers.enumeration import RIGHT, chi_square_pvalue
from tests.helpers.mutants import streams
from tests.helpers.small_fits import X

CLASSES = [PartiallyCollapsedGibbsLDA, UncollapsedGibbsLDA]
# Cut small corpora into many slices, and slices into many blocks.
CUTS = {
    "sklda._gibbs.partially_collapsed": {"CHUNK": 4},
    "sklda._gibbs.uncollapsed": {"_WORDS": 4, "_TOKENS": 50, "_GAMMAS": 8},
}


@pytest.mark.parametrize("n_topics", [1, 4, 21])
@pytest.mark.parametrize("cls", CLASSES)
def test_the_fit_does_not_depend_on_the_number_of_threads(cls, n_topics, monkeypatch):
    for module, sizes in CUTS.items():
        for name, size in sizes.items():
            monkeypatch.setattr(f"{module}.{name}", size)
    model = cls(n_topics, learn_priors="asymmetric", max_iter=25, random_state=0)
    model.fit(X)
    for n_jobs in (1, 2, 3, -1):
        assert_same_fit(clone(model).set_params(n_jobs=n_jobs).fit(X), model)
    assert n_topics == 1 or model.topic_assignments_.any()


@pytest.mark.parametrize("cls", CLASSES)
def test_parameters_are_those_of_the_collapsed_sampler(cls):
    others, mine = CollapsedGibbsLDA().get_params(), cls().get_params()
    assert mine == {name: others[name] for name in mine}


# --- the kernel ------------------------------------------------------------------


def test_rows_are_scaled():
    variates = np.array([[1e-300, 2.0, 1e-40], [0, 0, 0], [3e10, 1e-250, 1]])
    factor = np.array([1.0, 0.25, 4.0])
    rows = np.zeros((3, LANES), np.float32)
    rows[:, 3:] = 7
    uncollapsed.scale(variates, factor, rows)
    assert (rows[:, 3:] == 7).all()
    assert rows[0, :3].tolist() == [0, 2**50, 0]
    assert rows[1, :3].tolist() == [0, 0, 0]
    np.testing.assert_allclose(rows[2, :3], [2.0**50, 0, 2.0**50 * 4 / 3e10], 1e-6)


def test_no_product_is_too_small_or_too_large_for_float32():
    lowest, largest = np.float32([uncollapsed.LOWEST, uncollapsed.LARGEST])
    assert lowest * lowest >= np.finfo(np.float32).tiny
    assert np.isfinite(largest * largest * np.float32(MAX_TOPICS))
    # The weight of the present topic: among gammas up to 1e10 and counts up to 2**31
    # its own, of shape 1 or more, is less than 1e-9 once in 1e9 draws.
    assert lowest / largest < 1e-9 / 1e10 / 2**31


@pytest.mark.parametrize("n_topics", [1, 16, 40, 300])
def test_tokens_are_drawn_with_their_weights(n_topics):
    # 40,000 tokens of one cell, whatever their topic was.
    rng = np.random.default_rng(n_topics)
    theta, phi = np.zeros((2, 1, padded(n_topics)), np.float32)
    theta[:, :n_topics] = rng.gamma(0.5, size=n_topics)
    phi[:, :n_topics] = rng.gamma(0.5, size=n_topics)
    ptr, word = np.array([0, 1]), np.zeros(1, np.int32)
    weights = (theta * phi)[0].astype(float)
    for start in (0, n_topics // 2, n_topics - 1):
        z = np.full(40_000, start, np.uint16)
        corpus = Corpus(ptr, word, np.array([0, z.size]))
        uncollapsed.resample_topics(corpus, z, theta, phi, streams(start).kernel)
        seen = np.bincount(z, minlength=weights.size)
        assert seen[n_topics:].sum() == 0
        seen = np.append(seen, 0)
        assert chi_square_pvalue(seen, weights / weights.sum()) > RIGHT


def test_a_cell_without_weight_keeps_its_topics():
    theta, phi = np.zeros((2, 1, LANES), np.float32)
    z, ptr = np.array([2, 1, 0], np.uint16), np.array([0, 1])
    corpus = Corpus(ptr, np.zeros(1, np.int32), np.array([0, 3]))
    uncollapsed.resample_topics(corpus, z, theta, phi, streams(0).kernel)
    assert z.tolist() == [2, 1, 0]


# --- partial collapsing: the gammas ----------------------------------------------


def draw_gammas(count, beta, n_topics, n_words=100, seed=7):
    """Return gammas of words that have one count on all topics."""
    counts = np.full((n_words, n_topics), count, np.int32)
    rows, total = np.full(counts.shape, -7, np.float32), np.ones(n_topics)
    extra = np.full(n_topics, -1)
    variates.draw_rows(np.uint64(seed), 5, counts, extra, beta, rows, total)
    np.testing.assert_allclose(total, rows.sum(axis=0, dtype=float))
    return rows


@pytest.mark.parametrize("count", [0, 1, 2, 50, 10**6])
@pytest.mark.parametrize("beta", [1e-10, 1e-6, 0.001, 0.01, 0.1, 0.9, 1.0, 3.5, 1e10])
def test_gammas(count, beta):
    drawn = draw_gammas(count, beta, 200).ravel().astype(float)
    lowest = np.exp(variates.LOG_LOWEST)
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
    variates.draw_rows(np.uint64(1), 8, counts, extra, 0.3, whole, total)
    for i in range(6):
        counts_of_word = counts[i : i + 1]
        variates.draw_rows(np.uint64(1), 8 + i, counts_of_word, extra, 0.3, row, total)
        np.testing.assert_array_equal(row[0], whole[i])
    assert np.unique(whole).size == 30


@pytest.mark.parametrize("beta", [0.1, [0.1, 3, 1e-10, 0.9, 2]])
def test_words_of_topics_without_tokens_follow_beta(beta):
    is_empty = np.tile([True, False], 5000)
    weights = np.broadcast_to(beta, 5)
    prior = beta if np.isscalar(beta) else word_prior(np.tile(beta, (10_000, 1)))
    problem = Problem(None, 5, np.ones(10_000), prior)
    extra = sampler.draw_extra(np.uint64(3), is_empty, problem)
    assert (extra[1::2] == -1).all()
    found = np.bincount(extra[::2], minlength=6)
    assert chi_square_pvalue(found, weights / weights.sum()) > RIGHT


def test_gammas_of_an_array_of_beta():
    beta = np.logspace(-3, 2, 6).repeat(200).reshape(1, -1).repeat(100, axis=0)
    counts = np.random.default_rng(0).integers(0, 3, beta.shape).astype(np.int32)
    rows, extra = np.zeros(beta.shape, np.float32), np.full(1200, -1)
    extra[::2] = 7
    prior = word_prior(np.vstack([np.ones((5, 1200)), beta]).T)
    problem = Problem(None, 105, np.ones(1200), prior)
    total = sampler.draw_phi_chunk(np.uint64(5), 5, counts, extra, problem, rows)
    np.testing.assert_allclose(total, rows.sum(axis=0, dtype=float))
    counts[2, ::2] += 1
    for shape in np.unique(counts + beta):
        drawn = rows[counts + beta == shape].astype(float)
        zeros = stats.gamma(shape).cdf(np.exp(variates.LOG_LOWEST))
        drawn = drawn[drawn > 0]
        ranks = (stats.gamma(shape).cdf(drawn) - zeros) / (1 - zeros)
        assert stats.kstest(ranks, "uniform").pvalue > RIGHT / 10
