"""Shards of documents: the same bits for any number of threads, nothing lost in merges.

`FITS` has all samplers; they are the same chain as before where there is one shard.
"""

import threading

import numpy as np
import pytest
from scipy import sparse
from sklda._ecgs.sampler import GroupedChain

from sklda import ECGSLDA, CollapsedGibbsLDA
from sklda._core import threads as _threads
from sklda._ecgs.estimator import estimator as _ecgs
from sklda._ecgs.kernels import lists as grouped_sparse
from sklda._ecgs.kernels import rows as grouped_dense
from sklda._gibbs.chain import Chain
from sklda._gibbs.kernels import single_site_lists as single_site_sparse
from sklda._gibbs.kernels import single_site_rows as single_site_dense
from sklda._gibbs.kernels.blocked import blocked_backward, blocked_nested
from sklda.datasets import make_lda_corpus
from tests.base.test_fitted import log_joint, recount
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import random_corpus, tight_corpus, words_of
from tests.helpers.enumeration import faults

X = make_lda_corpus(40, 20, 4, document_length=40, random_state=0)[0]

# Estimator, topics from which ECGSLDA has lists instead of rows, and parameters.
FITS = {
    "dense": (CollapsedGibbsLDA, 1, {"sampler": "dense"}),
    "sparse": (CollapsedGibbsLDA, 1, {"sampler": "sparse"}),
    "nested": (CollapsedGibbsLDA, 1, {"blocking": "nested"}),
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
    monkeypatch.setattr(_ecgs, "MANY_TOPICS", many)

    def fit(X=X, **params):
        params = {"n_components": 4, "max_iter": 10, "random_state": 0, **params}
        return cls(**own, **params).fit(X)

    return fit


# Kernel, damping (None is one draw for each cell; "" is no groups).
CHAINS = {
    "dense": (single_site_dense, ""),
    "sparse": (single_site_sparse, ""),
    "nested": (blocked_nested, ""),
    "backward": (blocked_backward, ""),
    "shortcut": (grouped_sparse, None),
    "dynamic": (grouped_dense, 1),
    "dynamic, sparse": (grouped_sparse, 1),
}


@pytest.fixture(params=CHAINS)
def start(request):
    """Return a function that starts a chain with one of the samplers."""
    kernel, damping = CHAINS[request.param]

    def start(corpus, n_words, n_shards, n_topics=4, n_jobs=None):
        alpha, seed = np.full(n_topics, 0.2), np.random.SeedSequence(1)
        rest = (corpus, n_words, alpha, 0.1, seed, n_shards, n_jobs)
        if damping == "":
            return Chain(kernel, *rest)
        return GroupedChain(kernel, damping, *rest)

    return start


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


def assert_copies_are_equal(chain):
    names = [name for name in chain.state._fields if name != "z"]
    for shard in chain.shards:
        assert shard.state.z is chain.state.z
        for name in names:
            array, same = getattr(shard.state, name), getattr(chain.state, name)
            np.testing.assert_array_equal(array, same, err_msg=name)


@pytest.mark.parametrize("n_shards", [2, 5, 100])
@pytest.mark.parametrize("n_topics", [1, 4, 20])
def test_counts_are_those_of_the_topics_after_every_sweep(start, n_shards, n_topics):
    for corpus, n_words in ((random_corpus(1, 25, 9, mean=2), 9), (tight_corpus(), 9)):
        chain, words = start(corpus, n_words, n_shards, n_topics), words_of(corpus)
        assert len(chain.shards) > 1
        for _ in range(8):
            chain.sweep()
            assert faults(chain.state, words, n_topics) == []
            assert_copies_are_equal(chain)
        assert n_topics == 1 or np.unique(chain.state.z).size > 1


def addresses(chain):
    states = [chain.state, *(shard.state for shard in chain.shards)]
    return [array.ctypes.data for state in states for array in state]


def test_memory_is_used_again(start):
    chain = start(random_corpus(1, 25, 9, mean=2), 9, 3, n_jobs=2)
    before = addresses(chain)
    copies = [shard.state.topic for shard in chain.shards]
    assert len(copies) == 3
    for i, one in enumerate(copies):  # a line of the cache is not shared
        assert not any(np.shares_memory(one, other) for other in copies[:i])
    with chain.threads():
        for _ in range(3):
            chain.sweep()
            assert addresses(chain) == before


@pytest.mark.parametrize("n_shards", [2, 3, 7])
def test_shards_have_near_equal_tokens_and_streams_of_their_own(start, n_shards):
    corpus = random_corpus(2, 60, 30)
    chain = start(corpus, 30, n_shards)
    lengths = np.diff(corpus.token_ptr[corpus.doc_ptr])
    swept = [getattr(s.sweep, "corpus", None) for s in chain.shards]
    swept = [s or shard.sweep.args[0] for s, shard in zip(swept, chain.shards)]  # noqa: B905
    tokens = [int(one.token_ptr[-1] - one.token_ptr[0]) for one in swept]
    assert sum(tokens) == lengths.sum()
    assert len(tokens) == n_shards
    assert max(tokens) - min(tokens) <= 2 * lengths.max()
    streams = {tuple(shard.rng.tolist()) for shard in chain.shards}
    streams |= {
        tuple(s.sweep.stream) for s in chain.shards if hasattr(s.sweep, "gamma")
    }
    assert len(streams) in (n_shards, 2 * n_shards)


# --- threads that are not wanted, and interrupts ---------------------------------


def test_one_job_needs_no_threads(fit, monkeypatch):
    def refuse(*args):
        raise AssertionError("threads for nothing")

    monkeypatch.setattr(_threads, "ThreadPoolExecutor", refuse)
    fit(n_shards=3)
    fit(n_shards=3, n_jobs=1)
    fit(n_jobs=3)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_error_in_a_shard_ends_the_fit_and_its_threads(monkeypatch, n_jobs, error):
    calls, sweep = [], single_site_dense.sweep

    def interrupted(*args):
        calls.append(threading.current_thread())
        if len(calls) == 10:
            raise error
        sweep(*args)

    before = set(threading.enumerate())
    params = {"n_shards": 4, "n_jobs": n_jobs, "max_iter": 5, "random_state": 0}
    model = CollapsedGibbsLDA(4, **params)
    with monkeypatch.context() as patch:
        patch.setattr(single_site_dense, "sweep", interrupted)
        with pytest.raises(error):
            model.fit(X)
    assert set(threading.enumerate()) <= before
    assert (threading.main_thread() in calls) == (n_jobs == 1)
    assert not [name for name in vars(model) if name.endswith("_")]
    assert_same_fit(model.fit(X), CollapsedGibbsLDA(4, **params).fit(X))
