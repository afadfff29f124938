"""Single-site sampling that goes from rows of counts to lists of them."""

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda._core.corpus import check_corpus
from sklda._core.problem import Problem
from sklda._core.random_streams import random_topics
from sklda._core.threads import Threads
from sklda._gibbs.kernels import single_site_lists, single_site_rows
from sklda._gibbs.rows_then_lists import RowsThenLists, single_site_sampler
from sklda._gibbs.sharded import Sharded
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit
from tests.helpers.mutants import streams

MANY = 200
X = make_lda_corpus(60, 200, 3, document_length=150, random_state=0)[0]


def problem_of(X, n_topics):
    corpus = check_corpus(CollapsedGibbsLDA(), X, reset=True)
    return Problem(corpus, X.shape[1], np.full(n_topics, 0.01), 0.01)


def first_topics(problem, rng):
    n_tokens = problem.corpus.token_ptr[-1]
    return random_topics(n_tokens, problem.n_topics, rng.kernel)


def test_it_changes_to_lists_once_and_stays_the_same_chain():
    # The sampler by hand: rows, and from the sweep of the change on, lists.
    problem, rng, other = problem_of(X, MANY), streams(0), streams(0)
    sampler = single_site_sampler(problem, 1, Threads())
    assert sampler == RowsThenLists(single_site_rows, single_site_lists)
    state = sampler.from_topics(problem, first_topics(problem, rng))
    by_hand, kernel = first_topics(problem, other), single_site_rows
    plain = kernel.from_topics(problem, by_hand)
    in_rows = [state.in_rows]
    for _ in range(40):
        state = sampler.sweep(problem, state, rng)
        plain = kernel.sweep(problem, plain, other)
        np.testing.assert_array_equal(state.z, plain.z)
        if in_rows[-1] and not state.in_rows:
            kernel = single_site_lists
            plain = kernel.from_topics(problem, by_hand)
        in_rows.append(state.in_rows)
    assert in_rows == sorted(in_rows, reverse=True)
    assert in_rows[0]
    assert not in_rows[-1]


def test_shards_change_together():
    problem = problem_of(X, MANY)
    sampler = single_site_sampler(problem, 3, Threads())
    assert isinstance(sampler.rows, Sharded)
    assert isinstance(sampler.lists, Sharded)
    assert sampler.lists.n_shards == 3


def test_a_table_far_larger_than_the_lists_is_never_made():
    problem = problem_of(X, 20_000)
    assert single_site_sampler(problem, 1, Threads()) is single_site_lists
    state = single_site_lists.from_topics(problem, first_topics(problem, streams(0)))
    assert state.list_topic.nbytes < 4 * X.shape[1] * 20_000 / 4


@pytest.mark.parametrize("n_documents", [1, 60])
def test_few_topics_stay_in_rows(n_documents):
    problem = problem_of(X[:n_documents], 20)
    assert single_site_sampler(problem, 1, Threads()) is single_site_rows


def fit(**params):
    params = {"max_iter": 30, "random_state": 0, **params}
    return CollapsedGibbsLDA(MANY, topic_word_prior=0.01, **params).fit(X)


def test_threads_do_not_change_it():
    assert_same_fit(fit(n_shards=3), fit(n_shards=3, n_jobs=2))


def test_all_samplers_explain_the_corpus_as_well():
    ends = [
        np.mean([fit(sampler=sampler, random_state=s).log_joint_[-1] for s in range(3)])
        for sampler in ("auto", "dense", "sparse")
    ]
    assert np.ptp(ends) < 0.01 * abs(np.mean(ends))


def test_sampler_is_of_the_single_site_chain():
    with pytest.raises(ValueError, match="set sampler='auto', or set blocking=None"):
        fit(sampler="dense", blocking="nested")
    assert fit(sampler="auto", blocking="nested", max_iter=2).n_iter_ == 2
