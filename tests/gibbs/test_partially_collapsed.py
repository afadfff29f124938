"""Partial collapsing: the same bits however the work is cut, and its kernels."""

import _thread

import numpy as np
import pytest
from scipy import stats

from sklda import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA
from sklda._core.corpus import ranges, slice_documents, tokens_before
from sklda._core.problem import Problem
from sklda._core.random_streams import random_topics
from sklda._core.threads import Threads
from sklda._core.word_prior import word_prior
from sklda._gibbs import partially_collapsed_sampler as sampler
from sklda._gibbs.kernels import gammas
from sklda.datasets import make_lda_corpus
from tests.base.test_fitted import log_joint, recount
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import random_corpus, words_of
from tests.helpers.enumeration import RIGHT
from tests.helpers.mutants import streams

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0]


def fit(X=X, **params):
    params = {"n_components": 4, "max_iter": 10, "random_state": 0, **params}
    return PartiallyCollapsedGibbsLDA(**params).fit(X)


@pytest.fixture
def many_blocks(monkeypatch):
    monkeypatch.setattr(sampler, "BLOCK", 4)


# --- however the work is cut -----------------------------------------------------


@pytest.mark.usefixtures("many_blocks")
@pytest.mark.parametrize("n_topics", [1, 4, 21])
def test_the_fit_does_not_depend_on_the_number_of_threads(n_topics):
    params = {"n_components": n_topics, "learn_priors": "asymmetric", "max_iter": 25}
    model = fit(**params)
    for n_jobs in (1, 2, 3, -1):
        assert_same_fit(fit(**params, n_jobs=n_jobs), model)
    assert n_topics == 1 or model.topic_assignments_.any()


def test_the_fit_of_a_larger_corpus_does_not_depend_on_it_either():
    X = make_lda_corpus(500, 600, 4, random_state=0)[0]  # three blocks of words
    model = fit(X)
    for n_jobs in (2, 3):
        assert_same_fit(fit(X, n_jobs=n_jobs), model)


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


@pytest.mark.usefixtures("many_blocks")
@pytest.mark.parametrize("n_pieces", [1, 3, 10])
def test_documents_in_pieces_give_the_same_bits(n_pieces):
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


def test_one_job_needs_no_threads(monkeypatch):
    monkeypatch.setattr(_thread, "start_new_thread", None)
    fit()
    fit(n_jobs=1)


# --- what is fitted --------------------------------------------------------------


@pytest.mark.parametrize("n_topics", [1, 4, 21])
def test_attributes_are_counts_of_the_last_sweep(n_topics):
    alpha = np.linspace(0.1, 0.9, n_topics)
    params = {"n_components": n_topics, "burn_in": 9}
    model = fit(doc_topic_prior=alpha, topic_word_prior=0.3, n_jobs=2, **params)
    topic_word, doc_topic = recount(model, X)
    np.testing.assert_allclose(model.components_, topic_word + 0.3)
    theta = (doc_topic + alpha) / (doc_topic + alpha).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.doc_topic_, theta)
    np.testing.assert_allclose(model.log_joint_[-1], log_joint(model, X), rtol=1e-10)


def test_priors_are_learned():
    params = {"max_iter": 21, "burn_in": 20}
    one = fit(learn_priors="symmetric", **params)
    each = fit(learn_priors="asymmetric", **params)
    assert len(set(one.doc_topic_prior_)) == 1
    assert len(set(each.doc_topic_prior_)) == 4
    assert 0.25 not in (one.doc_topic_prior_[0], one.topic_word_prior_)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    "X",
    [
        np.array([[3]]),
        np.array([[1, 0, 2]]),
        np.array([[0, 0], [1, 2], [0, 0]]),
        np.zeros((3, 2), int),
    ],
    ids=["1 word", "1 document", "empty documents", "no tokens"],
)
def test_small_corpora(X, n_jobs):
    for n_topics in (1, 3, 17):
        model = fit(X, n_components=n_topics, n_jobs=n_jobs, evaluate_every=1)
        words = model.components_.sum(axis=0) - n_topics * model.topic_word_prior_
        np.testing.assert_allclose(words, X.sum(axis=0), atol=1e-12)
        assert np.isfinite(model.log_joint_).all()


@pytest.mark.parametrize("beta", [1e-10, 0.1, 1e10])
@pytest.mark.parametrize("alpha", [1e-10, 0.1, 1e10, "all"])
def test_tiny_and_huge_priors(alpha, beta):
    if alpha == "all":
        alpha = np.logspace(-10, 10, 20)
    params = {"doc_topic_prior": alpha, "topic_word_prior": beta, "max_iter": 20}
    model = fit(n_components=20, thin=1, evaluate_every=1, **params)
    assert np.isfinite(model.log_joint_).all()
    words = np.asarray(X.sum(axis=0)).ravel() + 20 * beta
    np.testing.assert_allclose(model.components_.sum(axis=0), words)
    assert model.topic_assignments_.max() < 20
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.slow
def test_it_comes_where_the_collapsed_sampler_is():
    params = {"n_components": 5, "doc_topic_prior": 0.2, "topic_word_prior": 0.1}
    X = make_lda_corpus(300, 100, 5, document_length=50, random_state=1)[0]
    ends = [
        [
            cls(**params, max_iter=300, evaluate_every=1, random_state=seed)
            .fit(X)
            .log_joint_[150:]
            .mean()
            for seed in range(3)
        ]
        for cls in (CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA)
    ]
    # In nats per token. Chains of one sampler differ by 0.01 from seed to seed, and
    # the log joint rises by 0.6 from its first sweep.
    assert abs(np.mean(ends[0]) - np.mean(ends[1])) / X.sum() < 0.02


def test_parameters_are_those_of_the_collapsed_sampler_but_its_own():
    other = CollapsedGibbsLDA().get_params()
    mine = PartiallyCollapsedGibbsLDA().get_params()
    assert mine == {name: other[name] for name in mine}
    own = {"n_shards", "blocking", "max_block_size", "sampler"}
    assert set(other) - set(mine) == own


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
