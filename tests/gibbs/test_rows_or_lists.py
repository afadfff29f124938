"""The choice between rows of counts and lists of them."""

import numpy as np
import pytest

from sklda import ECGSLDA, CollapsedGibbsLDA
from sklda._data.corpus import check_corpus
from sklda._gibbs.kernels import (
    single_site_lists,
    single_site_registers,
    single_site_rows,
)
from sklda._sampling.problem import Problem, word_prior
from sklda._sampling.random_streams import random_topics
from sklda._sampling.threads import Threads
from sklda.datasets import make_lda_corpus
from tests.helpers.enumeration import tables_of
from tests.helpers.mutants import streams

MANY = 200
X = make_lda_corpus(60, 200, 3, document_length=150, random_state=0)[0]


def problem_of(X, n_topics, beta=0.01):
    corpus = check_corpus(CollapsedGibbsLDA(), X, reset=True)
    return Problem(corpus, X.shape[1], np.full(n_topics, 0.01), word_prior(beta))


def made(problem, **params):
    model = CollapsedGibbsLDA(problem.n_topics, **params)
    return model._make_sampler(problem, Threads())


@pytest.mark.parametrize(
    ("n_topics", "auto", "dense"),
    [
        (1, single_site_registers, single_site_registers),
        (40, single_site_registers, single_site_registers),
        (41, single_site_rows, single_site_rows),
        (63, single_site_rows, single_site_rows),
        (64, single_site_lists, single_site_rows),
        (MANY, single_site_lists, single_site_rows),
    ],
)
def test_the_number_of_topics_decides(n_topics, auto, dense):
    problem = problem_of(X, n_topics)
    assert made(problem) is auto
    assert made(problem, sampler="dense") is dense
    shards = made(problem, n_shards=3)
    assert (shards.sampler, shards.n_shards) == (auto, 3)
    standard = ECGSLDA(n_topics, strategy="standard")
    assert standard._make_sampler(problem, Threads()) is auto


def test_an_array_that_fills_the_lists_is_in_rows():
    beta = np.full((MANY, X.shape[1]), 0.01)
    beta[: MANY // 4] = 0.5
    assert made(problem_of(X, MANY, beta)) == single_site_lists
    beta[: MANY // 2 + 8] = 0.5
    assert made(problem_of(X, MANY, beta)) == single_site_rows


def test_lists_of_many_topics_need_far_less_memory_than_rows():
    problem = problem_of(X, 20_000)
    sampler = made(problem)
    z = random_topics(problem.corpus.token_ptr[-1], 20_000, streams(0).kernel)
    state = tables_of(sampler.from_topics(problem, z))
    assert state.packed.nbytes < 4 * X.shape[1] * 20_000 / 4
