"""Shards of documents: the same bits for any number of threads, nothing lost in merges.

`FITS` has all samplers; they are the same chain as before where there is one shard.
"""

import _thread
import threading

import numpy as np
import pytest
from scipy import sparse

from sklda import ECGSLDA, CollapsedGibbsLDA
from sklda._core.problem import Problem
from sklda._core.random_streams import random_topics
from sklda._core.threads import Threads
from sklda._gibbs import rows_or_lists
from sklda._gibbs.kernels import single_site_rows
from sklda._gibbs.rows_or_lists import collapsed_sampler
from sklda._gibbs.sharded import Sharded, sharded
from sklda.datasets import make_lda_corpus
from tests.base.test_fitted import log_joint, recount
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import random_corpus, tight_corpus, words_of
from tests.helpers.enumeration import faults, tables_of
from tests.helpers.interrupts import wait_for_threads
from tests.helpers.mutants import streams
from tests.helpers.samplers import REPLICABLE, SAMPLERS

X = make_lda_corpus(40, 20, 4, document_length=40, random_state=0)[0]

# Estimator, topics from which ECGSLDA has lists instead of rows, and parameters.
FITS = {
    "dense": (CollapsedGibbsLDA, 1, {"sampler": "dense"}),
    "sparse": (CollapsedGibbsLDA, 1, {"sampler": "sparse"}),
    "nested": (CollapsedGibbsLDA, 1, {"blocking": "nested", "sampler": "sparse"}),
    "backward": (
        CollapsedGibbsLDA,
        1,
        {"blocking": "backward", "max_block_size": None},
    ),
    "standard": (ECGSLDA, 999, {"strategy": "standard"}),
    "shortcut, dense": (ECGSLDA, 999, {"strategy": "shortcut"}),
    "shortcut, sparse": (ECGSLDA, 1, {"strategy": "shortcut"}),
    "dynamic, dense": (ECGSLDA, 999, {"strategy": "dynamic"}),
    "dynamic, sparse": (ECGSLDA, 1, {"strategy": "dynamic", "damping": 5}),
}


@pytest.fixture(params=FITS)
def fit(request, monkeypatch):
    """Return a function that fits with one of the samplers."""
    cls, many, own = FITS[request.param]
    monkeypatch.setattr(rows_or_lists, "MANY_TOPICS", many)

    def fit(X=X, **params):
        params = {"n_components": 4, "max_iter": 10, "random_state": 0, **params}
        return cls(**own, **params).fit(X)

    return fit


# --- threads and the number of shards --------------------------------------------


@pytest.mark.parametrize("n_topics", [4, 18])
def test_the_fit_does_not_depend_on_the_number_of_threads(fit, n_topics):
    params = {"n_components": n_topics, "n_shards": 5, "learn_priors": "asymmetric"}
    params |= {"max_iter": 25, "evaluate_every": 5, "thin": 3}
    model = fit(**params)
    for n_jobs in (1, 2, 3, -1):
        assert_same_fit(fit(**params, n_jobs=n_jobs), model)
    assert len(set(model.doc_topic_prior_)) > 2  # priors were learned


def test_one_shard_is_the_serial_chain(fit):
    model = fit()
    for n_jobs in (1, 2):
        assert_same_fit(fit(n_shards=1, n_jobs=n_jobs), model)
    # One document is one shard, whatever is asked for.
    one = sparse.csr_array(X[[3]])
    assert_same_fit(fit(one, n_shards=9, n_jobs=2), fit(one))


def test_the_fit_depends_on_the_number_of_shards(fit):
    fits = {n: fit(n_shards=n).topic_assignments_.tobytes() for n in (1, 2, 3, 7)}
    assert len(set(fits.values())) == 4


def test_more_shards_than_documents(fit):
    model = fit(n_shards=40)
    for n_shards in (41, 1000, 10**12):
        other = fit(n_shards=n_shards)
        assert other.topic_assignments_.shape == model.topic_assignments_.shape
        words = np.asarray(X.sum(axis=0)).ravel()
        np.testing.assert_array_equal(recount(other, X)[0].sum(0), words)
    assert_same_fit(fit(n_shards=10**12, n_jobs=2), other)


@pytest.mark.parametrize(
    "counts",
    [
        [[0, 0], [0, 0], [0, 0]],
        [[0, 0], [3, 1], [0, 0], [0, 2], [0, 0]],
        [[1, 1], [500, 300], [2, 0]],
        [[7, 2, 1]],
        [[1], [5], [0], [4]],
    ],
    ids=["no tokens", "empty", "one giant", "one document", "1 word"],
)
@pytest.mark.parametrize("n_topics", [1, 3])
def test_small_corpora(fit, counts, n_topics):
    counts, params = np.array(counts), {"n_components": n_topics, "max_iter": 4}
    for n_shards in (2, 3, 9):
        model = fit(counts, n_shards=n_shards, **params)
        assert_same_fit(fit(counts, n_shards=n_shards, n_jobs=2, **params), model)
        topic_word, _ = recount(model, sparse.csr_array(counts))
        np.testing.assert_array_equal(topic_word.sum(0), counts.sum(0))
        assert np.isfinite(model.log_joint_).all()


def test_shards_cost_little(fit):
    # In nats per token; chains differ by 0.02 and less from seed to seed, and rise by
    # 0.2 and more. Ten documents in a shard are few.
    ends = []
    for n_shards in (1, 2, 4):
        params = {"n_shards": n_shards, "doc_topic_prior": 0.2, "max_iter": 60}
        models = [fit(random_state=seed, **params) for seed in range(3)]
        ends.append(np.mean([m.log_joint_[-1] for m in models]) / X.sum())
        for model in models:
            assert model.log_joint_[-1] == pytest.approx(log_joint(model, X))
    assert ends[1:] == pytest.approx([ends[0]] * 2, rel=0.03)


# --- the state after a sweep -----------------------------------------------------

each = pytest.mark.parametrize("name", REPLICABLE)


def start(name, corpus, n_shards, n_topics=4, threads=None):
    """Return a sharded sampler, its problem and its first state."""
    sampler = Sharded(SAMPLERS[name].compiled(), n_shards, threads or Threads())
    problem = Problem(corpus, corpus.word.max() + 1, np.full(n_topics, 0.2), 0.1)
    z = random_topics(corpus.token_ptr[-1], n_topics, streams(1).kernel)
    return sampler, problem, sampler.from_topics(problem, z)


def assert_replicas_are_equal(state):
    whole = tables_of(state)
    for shard in state.shards:
        tables = tables_of(shard)
        assert tables.z is state.z
        for field in set(whole._fields) - {"z"}:
            array, same = getattr(tables, field), getattr(whole, field)
            np.testing.assert_array_equal(array, same, err_msg=field)


@pytest.mark.parametrize("n_shards", [2, 5, 100])
@pytest.mark.parametrize("n_topics", [1, 4, 20])
@each
def test_counts_are_those_of_the_topics_after_every_sweep(name, n_shards, n_topics):
    for corpus in (random_corpus(1, 25, 9, mean=2), tight_corpus()):
        sampler, problem, state = start(name, corpus, n_shards, n_topics)
        words, rng = words_of(corpus), streams(2)
        assert len(state.shards) > 1
        for _ in range(8):
            state = sampler.sweep(problem, state, rng)
            assert faults(state, words, n_topics) == []
            assert_replicas_are_equal(state)
        assert n_topics == 1 or np.unique(state.z).size > 1


def addresses(state):
    states = [tables_of(one) for one in (state, *state.shards)]
    return [array.ctypes.data for one in states for array in one]


@each
def test_memory_is_used_again(name):
    with Threads(2) as threads:
        corpus = random_corpus(1, 25, 9, mean=2)
        sampler, problem, state = start(name, corpus, 3, threads=threads)
        before, rng = addresses(state), streams(2)
        copies = [shard.topic for shard in state.shards]
        assert len(copies) == 3
        for i, one in enumerate(copies):  # a line of the cache is not shared
            assert not any(np.shares_memory(one, other) for other in copies[:i])
        for _ in range(3):
            state = sampler.sweep(problem, state, rng)
            assert addresses(state) == before


@pytest.mark.parametrize("n_shards", [2, 3, 7])
def test_shards_have_near_equal_tokens_and_streams_of_their_own(n_shards):
    corpus = random_corpus(2, 60, 30)
    sampler, problem, state = start("rows", corpus, n_shards)
    lengths = np.diff(corpus.token_ptr[corpus.doc_ptr])
    tokens = [int(one.token_ptr[-1] - one.token_ptr[0]) for one in state.corpora]
    assert sum(tokens) == lengths.sum()
    assert len(tokens) == n_shards
    assert max(tokens) - min(tokens) <= 2 * lengths.max()
    # By hand: each shard with its own child of the streams.
    rng, other = streams(2), streams(2)
    _, _, by_hand = start("rows", corpus, n_shards)
    pairs = zip(by_hand.shards, by_hand.corpora, strict=True)
    for i, (shard, documents) in enumerate(pairs):
        own = problem._replace(corpus=documents)
        single_site_rows.sweep(own, shard, other.child(i))
    state = sampler.sweep(problem, state, rng)
    np.testing.assert_array_equal(state.z, by_hand.z)


def test_one_shard_needs_no_sharding():
    problem = Problem(random_corpus(2), 9, np.full(3, 0.2), 0.1)
    one = problem._replace(corpus=random_corpus(2, n_docs=1))
    assert sharded(single_site_rows, problem, 1, Threads()) is single_site_rows
    assert sharded(single_site_rows, one, 5, Threads()) is single_site_rows
    assert sharded(single_site_rows, problem, 2, Threads()).n_shards == 2


# --- threads that are not wanted, and interrupts ---------------------------------


def test_one_job_needs_no_threads(fit, monkeypatch):
    monkeypatch.setattr(_thread, "start_new_thread", None)
    fit(n_shards=3)
    fit(n_shards=3, n_jobs=1)
    fit(n_jobs=3)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_error_in_a_shard_ends_the_fit_and_its_threads(monkeypatch, n_jobs, error):
    rows = collapsed_sampler(None, None, True, 4)
    calls, sweep = [], rows.sweep

    def interrupted(*args):
        calls.append(threading.get_ident())
        if len(calls) == 10:
            raise error
        return sweep(*args)

    before = _thread._count()
    params = {"n_shards": 4, "n_jobs": n_jobs, "max_iter": 5, "random_state": 0}
    model = CollapsedGibbsLDA(4, **params)
    with monkeypatch.context() as patch:
        patch.setattr(rows, "sweep", interrupted)
        with pytest.raises(error):
            model.fit(X)
    wait_for_threads(before)
    assert (threading.get_ident() in calls) == (n_jobs == 1)
    assert not [name for name in vars(model) if name.endswith("_")]
    assert_same_fit(model.fit(X), CollapsedGibbsLDA(4, **params).fit(X))
