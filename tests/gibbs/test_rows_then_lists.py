"""Sampling that goes from rows of counts to lists of them."""

import numpy as np
import pytest

from sklda import ECGSLDA, CollapsedGibbsLDA
from sklda._core.corpus import check_corpus
from sklda._core.problem import Problem
from sklda._core.random_streams import random_topics
from sklda._core.threads import Threads
from sklda._gibbs import rows_then_lists
from sklda._gibbs.blocked_sampler import Blocked
from sklda._gibbs.kernels import (
    single_site_lists,
    single_site_registers,
    single_site_rows,
)
from sklda._gibbs.kernels.blocked import lists as blocked_lists
from sklda._gibbs.kernels.blocked import rows as blocked_rows
from sklda._gibbs.rows_then_lists import RowsThenLists, fastest
from sklda._gibbs.sharded import Sharded
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit
from tests.helpers.enumeration import tables_of
from tests.helpers.mutants import streams

MANY = 200
SAMPLERS = {
    "single-site": (single_site_rows, single_site_lists),
    "blocked": (Blocked(blocked_rows, True, 4), Blocked(blocked_lists, True, 4)),
}
each = pytest.mark.parametrize("both", SAMPLERS.values(), ids=SAMPLERS)
X = make_lda_corpus(60, 200, 3, document_length=150, random_state=0)[0]


def problem_of(X, n_topics):
    corpus = check_corpus(CollapsedGibbsLDA(), X, reset=True)
    return Problem(corpus, X.shape[1], np.full(n_topics, 0.01), 0.01)


def first_topics(problem, rng):
    n_tokens = problem.corpus.token_ptr[-1]
    return random_topics(n_tokens, problem.n_topics, rng.kernel)


@each
def test_it_changes_to_lists_once_and_stays_the_same_chain(both):
    # The sampler by hand: rows, and from the sweep of the change on, lists.
    problem, rng, other = problem_of(X, MANY), streams(0), streams(0)
    sampler = fastest(*both, problem, 1, Threads())
    assert sampler == RowsThenLists(*both)
    state = sampler.from_topics(problem, first_topics(problem, rng))
    by_hand, (kernel, then) = first_topics(problem, other), both
    plain = kernel.from_topics(problem, by_hand)
    in_rows = [state.in_rows]
    for _ in range(40):
        state = sampler.sweep(problem, state, rng)
        plain = kernel.sweep(problem, plain, other)
        np.testing.assert_array_equal(state.z, plain.z)
        if in_rows[-1] and not state.in_rows:
            kernel = then
            plain = kernel.from_topics(problem, by_hand)
        in_rows.append(state.in_rows)
    assert in_rows == sorted(in_rows, reverse=True)
    assert in_rows[0]
    assert not in_rows[-1]


@each
def test_shards_change_together(both):
    problem = problem_of(X, MANY)
    sampler = fastest(*both, problem, 3, Threads())
    assert isinstance(sampler.rows, Sharded)
    assert isinstance(sampler.lists, Sharded)
    assert sampler.lists.n_shards == 3
    assert (sampler.rows.sampler, sampler.lists.sampler) == both


@each
def test_a_table_far_larger_than_the_lists_is_never_made(both):
    problem = problem_of(X, 20_000)
    lists = fastest(*both, problem, 1, Threads())
    assert lists is both[1]
    state = tables_of(lists.from_topics(problem, first_topics(problem, streams(0))))
    assert state.list_topic.nbytes < 4 * X.shape[1] * 20_000 / 4


@each
@pytest.mark.parametrize("n_documents", [1, 60])
def test_few_topics_stay_in_rows(n_documents, both):
    problem = problem_of(X[:n_documents], 20)
    assert fastest(*both, problem, 1, Threads()) is both[0]


@pytest.mark.parametrize(
    ("are_wide", "n_topics", "rows"),
    [
        (True, 1, single_site_registers),
        (True, 32, single_site_registers),
        (True, 33, single_site_rows),
        (False, 32, single_site_rows),
    ],
)
def test_few_topics_are_in_wide_registers(are_wide, n_topics, rows, monkeypatch):
    monkeypatch.setattr(rows_then_lists, "are_wide", lambda: are_wide)
    problem = problem_of(X, n_topics)
    for model in (
        CollapsedGibbsLDA(n_topics),
        CollapsedGibbsLDA(n_topics, sampler="dense"),
        ECGSLDA(n_topics, strategy="standard"),
    ):
        assert model._make_sampler(problem, Threads()) is rows


def fit(**params):
    params = {"max_iter": 30, "random_state": 0, **params}
    return CollapsedGibbsLDA(MANY, topic_word_prior=0.01, **params).fit(X)


@pytest.mark.parametrize("blocking", [None, "nested"])
def test_threads_do_not_change_it(blocking):
    params = {"n_shards": 3, "blocking": blocking}
    assert_same_fit(fit(**params), fit(**params, n_jobs=2))


@pytest.mark.parametrize("blocking", [None, "nested"])
def test_all_samplers_explain_the_corpus_as_well(blocking):
    def end(sampler, seed):
        model = fit(sampler=sampler, blocking=blocking, random_state=seed)
        return model.log_joint_[-1]

    ways = ("auto", "dense", "sparse")
    ends = [np.mean([end(way, seed) for seed in range(3)]) for way in ways]
    assert np.ptp(ends) < 0.01 * abs(np.mean(ends))
