"""Partial collapsing: documents in pieces give the same bits; draws of phi."""

import numpy as np
import pytest
from scipy import stats

from sklda._core.corpus import ranges, slice_documents, tokens_before
from sklda._core.problem import Problem
from sklda._core.random_streams import random_topics
from sklda._core.threads import Threads
from sklda._core.word_prior import word_prior
from sklda._gibbs import partially_collapsed_sampler as sampler
from sklda._gibbs.kernels import gammas
from tests.helpers.corpora import random_corpus, words_of
from tests.helpers.enumeration import RIGHT
from tests.helpers.mutants import streams


def sweep_pieces(problem, pieces, counts, keys, alpha):
    """Sweep pieces of documents, each as if it were on a machine of its own.

    Pieces are the first document, the corpus and the topics; blocks come last first.
    """
    phi = np.zeros(counts.shape, np.float32)
    n_blocks = -(-problem.n_words // sampler.BLOCK)
    totals = np.zeros((n_blocks, problem.n_topics))
    extra = sampler.draw_extra(keys.phi, counts.sum(axis=0) == 0, problem)
    for block in reversed(range(n_blocks)):
        words = slice(block * sampler.BLOCK, (block + 1) * sampler.BLOCK)
        some = counts[words].copy()
        rows = np.zeros(some.shape, np.float32)
        totals[block] = sampler.draw_phi_block(
            keys.phi, block, some, extra, problem, rows
        )
        phi[words] = rows
    factor = sampler.factors(totals)
    counts[:] = 0
    for first, corpus, z in reversed(pieces):
        sampler.sweep_documents(corpus, z, first, phi, factor, alpha, keys.topics)
        np.add.at(counts, (words_of(corpus), z), 1)


@pytest.mark.parametrize("n_pieces", [1, 3, 10])
def test_documents_in_pieces_give_the_same_bits(n_pieces, monkeypatch):
    monkeypatch.setattr(sampler, "BLOCK", 4)
    corpus = random_corpus(3, n_docs=40, n_words=30)
    problem = Problem(corpus, 30, np.linspace(0.1, 0.9, 20), 0.2)
    z = random_topics(corpus.token_ptr[-1], 20, streams(1).kernel)
    pieces = []
    for first, last in ranges(tokens_before(corpus), n_pieces):
        piece = slice_documents(corpus, first, last)
        begin, end = piece.token_ptr[[0, -1]]
        own = piece._replace(token_ptr=piece.token_ptr - begin)
        pieces.append((first, own, z[begin:end].copy()))
    assert len(pieces) == n_pieces
    whole = sampler.PartiallyCollapsed(Threads())
    state, rng, other = whole.from_topics(problem, z), streams(2), streams(2)
    counts = state.word_topic.copy()
    for _ in range(5):
        before = z.copy()
        whole.sweep(problem, state, rng)
        keys = sampler.draw_keys(other)
        sweep_pieces(problem, pieces, counts, keys, problem.doc_topic_prior)
        np.testing.assert_array_equal(np.concatenate([p[-1] for p in pieces]), z)
        np.testing.assert_array_equal(counts, state.word_topic)
        assert (z != before).any()


# --- gammas ----------------------------------------------------------------------


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
