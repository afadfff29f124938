"""Data augmentation: the same bits whatever the number of threads, and its kernel."""

import _thread
import itertools
import threading

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda._core.problem import LANES, MAX_TOPICS, Corpus, Problem, padded
from sklda._core.threads import Threads
from sklda._gibbs import uncollapsed_sampler
from sklda._gibbs.kernels import uncollapsed
from sklda._tables.rows import add_tokens_of_words
from sklda.datasets import make_lda_corpus
from tests.base.test_fitted import log_joint, recount
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import random_corpus, words_of
from tests.helpers.enumeration import RIGHT, chi_square_pvalue
from tests.helpers.interrupts import wait_for_threads
from tests.helpers.mutants import streams

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0]


def fit(X=X, **params):
    params = {"n_components": 4, "max_iter": 10, "random_state": 0, **params}
    return UncollapsedGibbsLDA(**params).fit(X)


@pytest.fixture
def many_slices(monkeypatch):
    """Cut small corpora into many slices, and slices into many blocks."""
    monkeypatch.setattr(uncollapsed_sampler, "_WORDS", 4)
    monkeypatch.setattr(uncollapsed_sampler, "_TOKENS", 50)
    monkeypatch.setattr(uncollapsed_sampler, "_GAMMAS", 8)


# --- threads ---------------------------------------------------------------------


@pytest.mark.usefixtures("many_slices")
@pytest.mark.parametrize("n_topics", [1, 4, 21])
def test_the_fit_does_not_depend_on_the_number_of_threads(n_topics):
    params = {"n_components": n_topics, "learn_priors": "asymmetric", "max_iter": 25}
    model = fit(**params)
    for n_jobs in (1, 2, 3, -1):
        assert_same_fit(fit(**params, n_jobs=n_jobs), model)
    assert n_topics == 1 or model.topic_assignments_.any()


def test_the_fit_of_a_larger_corpus_does_not_depend_on_it_either():
    # With the sizes of slices that users have: 5 of words, 13 of documents.
    X = make_lda_corpus(500, 600, 4, random_state=0)[0]
    model = fit(X)
    for n_jobs in (2, 3):
        assert_same_fit(fit(X, n_jobs=n_jobs), model)


@pytest.mark.parametrize("n_docs", [1, 2, 30, 3000])
def test_slices(n_docs):
    corpus = random_corpus(0, n_docs, n_words=300)
    problem = Problem(corpus, 300, np.full(3, 0.3), 0.2)
    z = np.zeros(corpus.token_ptr[-1], np.uint16)
    tokens = corpus.token_ptr[corpus.doc_ptr]
    states = [
        uncollapsed_sampler.Uncollapsed(Threads(n_jobs)).from_topics(problem, z)
        for n_jobs in (1, 2, 5)
    ]
    for state, n_jobs in zip(states, (1, 2, 5), strict=True):
        for slices, size in (
            (state.word_slices, 300),
            (state.doc_slices, n_docs),
            (state.count_ranges, 300),
        ):
            edges = [first for first, _ in slices] + [slices[-1][1]]
            assert [last for _, last in slices] == edges[1:]
            assert (edges[0], edges[-1]) == (0, size)
            assert all(np.diff(edges) > 0)
        assert len(state.word_slices) == 3
        assert state.doc_slices == states[0].doc_slices
        assert len(state.count_ranges) == (n_jobs if tokens[-1] else 1)
    # About equal: as near as whole documents come to it.
    longest = np.diff(tokens).max()
    of_slices = [tokens[last] - tokens[first] for first, last in states[0].doc_slices]
    wanted = min(1 + tokens[-1] // 4096, 64)
    assert len(of_slices) == min(wanted, n_docs)
    assert max(of_slices) - min(of_slices) <= 2 * longest


def test_one_document_of_many_tokens_is_one_slice():
    X = np.array([[30_000, 20_000, 1]])
    model = fit(X, n_jobs=2, max_iter=3)
    assert model.topic_assignments_.size == X.sum()
    assert_same_fit(fit(X, n_jobs=1, max_iter=3), model)


def test_one_job_needs_no_threads(monkeypatch):
    monkeypatch.setattr(_thread, "start_new_thread", None)
    fit()
    fit(n_jobs=1)


@pytest.mark.usefixtures("many_slices")
@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_error_in_a_slice_ends_the_fit_and_its_threads(monkeypatch, n_jobs, error):
    calls = []

    def interrupted(*args):
        calls.append(threading.get_ident())
        if len(calls) == 50:
            raise error
        return resample_topics(*args)

    resample_topics = uncollapsed.resample_topics
    before = _thread._count()
    model = UncollapsedGibbsLDA(4, n_jobs=n_jobs, random_state=0)
    with monkeypatch.context() as patch:
        patch.setattr(uncollapsed, "resample_topics", interrupted)
        with pytest.raises(error):
            model.fit(X)
    wait_for_threads(before)
    assert n_jobs > 1 or set(calls) == {threading.get_ident()}
    assert len(set(calls)) <= n_jobs
    assert not [name for name in vars(model) if name.endswith("_")]
    assert_same_fit(model.set_params(max_iter=3).fit(X), fit(max_iter=3, n_jobs=3))


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
    assert model.topic_assignments_.dtype == np.uint16


def test_priors_are_learned():
    params = {"max_iter": 21, "burn_in": 20}
    assert fit(**params).doc_topic_prior_.tolist() == [0.25] * 4
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
@pytest.mark.usefixtures("many_slices")
def test_small_corpora(X, n_jobs):
    for n_topics in (1, 3, 17):
        model = fit(X, n_components=n_topics, n_jobs=n_jobs, evaluate_every=1)
        words = model.components_.sum(axis=0) - n_topics * model.topic_word_prior_
        np.testing.assert_allclose(words, X.sum(axis=0), atol=1e-12)
        np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
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
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
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
        for cls in (CollapsedGibbsLDA, UncollapsedGibbsLDA)
    ]
    # In nats per token. Chains of one sampler differ by 0.01 from seed to seed, and
    # the log joint rises by 0.6 from its first sweep.
    assert abs(np.mean(ends[0]) - np.mean(ends[1])) / X.sum() < 0.02


# --- parameters ------------------------------------------------------------------


def test_parameters_are_those_of_the_collapsed_sampler_but_its_own():
    other = CollapsedGibbsLDA().get_params()
    mine = UncollapsedGibbsLDA().get_params()
    assert mine == {name: other[name] for name in mine}
    own = {"n_shards", "blocking", "max_block_size", "sampler"}
    assert set(other) - set(mine) == own


# --- the kernel ------------------------------------------------------------------


def test_rows_are_scaled():
    gammas = np.array([[1e-300, 2.0, 1e-40], [0, 0, 0], [3e10, 1e-250, 1]])
    factor = np.array([1.0, 0.25, 4.0])
    rows = np.zeros((3, LANES), np.float32)
    rows[:, 3:] = 7
    uncollapsed.scale(gammas, factor, rows)
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


@pytest.mark.parametrize("cuts", [[0, 40], [0, 1, 20, 39, 40], [0, 40, 40]])
def test_words_are_counted(cuts):
    corpus = random_corpus(1, n_docs=30, n_words=40)
    z = np.random.default_rng(0).integers(5, size=corpus.token_ptr[-1])
    table = np.zeros((40, LANES), np.int32)
    for first, last in itertools.pairwise(cuts):
        add_tokens_of_words(corpus, z.astype(np.uint16), first, last, table)
    expected = np.zeros_like(table)
    np.add.at(expected, (words_of(corpus), z), 1)
    np.testing.assert_array_equal(table, expected)


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
