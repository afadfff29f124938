"""Shards: no token left out, nothing shared, and ends of threads.

`tests/test_repeated_fits.py` fits with several numbers of threads and shards.
"""

import _thread
import threading
from copy import deepcopy
from importlib import import_module
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from sklda import CollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda._data.corpus import cells_of, document_lengths
from sklda._engine.sharded import Sharded, sharded
from sklda._gibbs.kernels import single_site_lists
from sklda._sampling.problem import Problem
from sklda._sampling.random_streams import random_topics
from sklda._sampling.threads import Threads
from sklda.datasets import make_lda_corpus
from tests.helpers import enumeration
from tests.helpers.comparison import assert_same_fit, fitted
from tests.helpers.corpora import random_corpus, tight_corpus, words_of
from tests.helpers.mutants import interpreted, streams
from tests.helpers.processes import wait_for_threads
from tests.helpers.samplers import SAMPLERS, SHARDABLE, OneTotal
from tests.helpers.selection import fast_and_slow

X = make_lda_corpus(40, 20, 4, document_length=40, random_state=0)[0]


# --- the state after a sweep -----------------------------------------------------

each = pytest.mark.parametrize("name", SHARDABLE)


def start(name, corpus, n_shards, n_topics=4, threads=None):
    """Return a sharded sampler, its problem and its first state."""
    sampler = Sharded(SAMPLERS[name].compiled(), n_shards, threads or Threads())
    problem = Problem(corpus, corpus.word.max() + 1, np.full(n_topics, 0.2), 0.1)
    z = random_topics(corpus.token_ptr[-1], n_topics, streams(1).kernel)
    return sampler, problem, sampler.from_topics(problem, z)


@pytest.mark.parametrize("n_shards", [2, 5, 100])
@pytest.mark.parametrize("n_topics", fast_and_slow([20], [1, 4]))
@each
def test_counts_are_those_of_the_topics_after_every_sweep(name, n_shards, n_topics):
    for corpus in (random_corpus(1, 25, 9, mean=2), tight_corpus()):
        sampler, problem, state = start(name, corpus, n_shards, n_topics)
        words, rng = words_of(corpus), streams(2)
        shards = [shard.state for phase in state.phases for shard in phase]
        assert len(shards) > 1
        for _ in range(8):
            sampler.sweep(problem, state, rng)
            assert enumeration.faults(state, words, n_topics) == []
            for shard in (*shards, *state.topics):
                topic = getattr(shard, "topic", shard)
                np.testing.assert_array_equal(topic, state.topic)
        assert n_topics == 1 or np.unique(state.z).size > 1


def alpha_leads(name, cls=Sharded):
    """Return whether tokens go where alpha of their own document is large."""
    corpus, rng = random_corpus(3, 30, 9, mean=6), np.random.default_rng(4)
    group = rng.integers(3, size=30).astype(np.int32)
    alpha = np.full((3, 3), 1e-6) + 1e6 * np.eye(3)
    problem = Problem(corpus, 9, alpha, 0.1, group)
    sampler = cls(SAMPLERS[name].compiled(), 4, Threads())
    z = random_topics(corpus.token_ptr[-1], 3, streams(1).kernel)
    state = sampler.from_topics(problem, z)
    for _ in range(2):
        sampler.sweep(problem, state, streams(2))
    return bool((state.z == np.repeat(group, document_lengths(corpus))).all())


OF_DOCUMENTS = ("registers", "lists", "shortcut", "dynamic")


@pytest.mark.parametrize("name", OF_DOCUMENTS)
def test_documents_of_shards_have_their_own_alpha(name):
    assert alpha_leads(name)


def test_totals_of_shards_are_lines_of_the_cache_apart():
    _, _, state = start("registers", random_corpus(1, 25, 9, mean=2), 3)
    for totals in (state.topics, deepcopy(state).topics):
        distances = np.diff(sorted(total.ctypes.data for total in totals))
        assert distances.min() >= state.topic.nbytes + 64


@pytest.mark.parametrize("n_shards", [2, 3, 7])
def test_shards_have_near_equal_tokens(n_shards):
    corpus = random_corpus(2, 60, 30)
    _, _, state = start("registers", corpus, n_shards)
    document_tokens, word_tokens = np.zeros(n_shards), np.zeros(n_shards)
    for phase, shares in enumerate(state.phases):
        for i, part, _ in shares:
            tokens = np.diff(corpus.token_ptr)[cells_of(part)].sum()
            document_tokens[i] += tokens
            word_tokens[(i + phase) % n_shards] += tokens
    for sums, axis in ((document_tokens, 1), (word_tokens, 0)):
        largest = dense(corpus).sum(axis).max()
        assert sums.sum() == corpus.token_ptr[-1]
        assert sums.max() - sums.min() <= 2 * largest


def dense(corpus):
    doc_ptr, word, token_ptr = corpus
    return sparse.csr_array((np.diff(token_ptr), word, doc_ptr)).toarray()


def is_sound(phases, corpus):
    """Return whether each cell is in one part, and a phase has all of a word in one."""
    visits = np.zeros(corpus.word.size, int)
    document = np.repeat(np.arange(corpus.doc_ptr.size - 1), np.diff(corpus.doc_ptr))
    for shares in phases:
        seen = [
            set(shard_of) & set(other)
            for (_, a, _), (_, b, _) in combinations(shares, 2)
            for shard_of, other in (
                (corpus.word[cells_of(a)], corpus.word[cells_of(b)]),
                (document[cells_of(a)], document[cells_of(b)]),
            )
        ]
        if any(seen):
            return False
        for _, part, _ in shares:
            visits[cells_of(part)] += 1
    return (visits == 1).all()


@pytest.mark.parametrize("n_shards", [2, 3, 5, 60])
@pytest.mark.parametrize("n_words", [1, 2, 9, 90])
def test_parts_of_a_phase_share_neither_words_nor_documents(n_words, n_shards):
    for corpus in (random_corpus(1, 25, n_words, mean=2), tight_corpus()):
        _, _, state = start("lists", corpus, n_shards)
        assert is_sound(state.phases, corpus)


def passes(name, problem, edits):
    """Return whether parts are as they should be, after edits of what makes them."""
    module = interpreted("sklda._engine.sharded", edits).module
    if problem == "alphas":
        return alpha_leads("registers", module.Sharded)
    corpus = random_corpus(1, 25, 9, mean=2)
    sampler = module.Sharded(single_site_lists, 3, Threads())
    problem = Problem(corpus, 9, np.full(4, 0.2), 0.1)
    state = sampler.from_topics(problem, np.zeros(corpus.token_ptr[-1], np.uint16))
    return bool(is_sound(state.phases, corpus))


TINY = {
    "two documents": enumeration.TinyProblem("aab abb", 2, (0.3, 0.8), 0.2),
    "three documents": enumeration.TinyProblem("ac bb abc", 3, (0.4, 0.4), 0.1),
}
EXACT = [name for name in SHARDABLE if not name.startswith(("shortcut", "dynamic"))]


@pytest.mark.slow
@pytest.mark.parametrize("tiny", TINY.values(), ids=TINY)
@pytest.mark.parametrize("name", EXACT)
def test_only_the_totals_are_approximate(name, tiny):
    sampler = Sharded(SAMPLERS[name].compiled(), len(tiny.docs), Threads())
    enumeration.assert_exact(OneTotal(sampler), tiny, 2_000, seed=2)


def test_the_totals_are_approximate():
    # It shows because there are so few tokens.
    sampler = Sharded(single_site_lists, 2, Threads())
    assert enumeration.is_wrong(sampler, TINY["two documents"], 4_000, seed=2)


def test_one_shard_is_the_sampler_itself():
    problem = Problem(random_corpus(2), 9, np.full(3, 0.2), 0.1)
    alone = problem._replace(corpus=random_corpus(2, n_docs=1))
    assert sharded(single_site_lists, problem, 1, Threads()) is single_site_lists
    assert sharded(single_site_lists, alone, 5, Threads()) is single_site_lists
    assert sharded(single_site_lists, problem, 2, Threads()).n_shards == 2
    many = problem._replace(corpus=random_corpus(2, n_docs=300))
    assert 100 < sharded(single_site_lists, many, 10**12, Threads()).n_shards <= 128


# --- interrupts ------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize(
    ("model", "kernel"),
    [
        (CollapsedGibbsLDA(n_shards=4), "single_site_registers.sweep"),
        (UncollapsedGibbsLDA(), "uncollapsed.resample_topics"),
    ],
    ids=["shards", "slices"],
)
def test_an_error_in_a_thread_ends_the_fit_and_all_threads(
    monkeypatch, model, kernel, error, n_jobs
):
    module, function = f"sklda._gibbs.kernels.{kernel}".rsplit(".", 1)
    original = getattr(import_module(module), function)
    monkeypatch.setattr("sklda._gibbs.uncollapsed._TOKENS", 50)
    calls = []

    def interrupted(*args):
        calls.append(threading.get_ident())
        if len(calls) == 10:
            raise error
        return original(*args)

    before = _thread._count()
    params = {"n_components": 4, "n_jobs": n_jobs, "max_iter": 5, "random_state": 0}
    model = clone(model).set_params(**params)
    with monkeypatch.context() as patch:
        patch.setattr(f"{module}.{function}", interrupted)
        with pytest.raises(error):
            model.fit(X)
    wait_for_threads(before)
    assert n_jobs > 1 or set(calls) == {threading.get_ident()}
    assert len(set(calls)) <= n_jobs
    assert not fitted(model)
    assert_same_fit(model.fit(X), clone(model).fit(X))
