"""The number of topics decides between registers and lists of counts."""

import numpy as np
import pytest

from sklda import DMRLDA, ECGSLDA, CollapsedGibbsLDA
from sklda._data.corpus import check_corpus
from sklda._gibbs.kernels import single_site_lists, single_site_registers
from sklda._sampling.problem import Problem, word_prior
from sklda._sampling.random_streams import random_topics
from sklda._sampling.threads import Threads
from sklda.datasets import make_lda_corpus
from tests.helpers.enumeration import tables_of
from tests.helpers.mutants import streams

X = make_lda_corpus(60, 200, 3, document_length=150, random_state=0)[0]


def problem_of(X, n_topics, beta=0.01):
    corpus = check_corpus(CollapsedGibbsLDA(), X, reset=True)
    return Problem(corpus, X.shape[1], np.full(n_topics, 0.01), word_prior(beta))


def made(problem, cls=CollapsedGibbsLDA, **params):
    model = cls(n_components=problem.n_topics, **params)
    return model._make_sampler(problem, Threads())


@pytest.mark.parametrize(
    ("n_topics", "single"),
    [
        (1, single_site_registers),
        (56, single_site_registers),
        (57, single_site_lists),
        (200, single_site_lists),
    ],
)
def test_the_number_of_topics_decides(n_topics, single):
    problem = problem_of(X, n_topics)
    of_words = problem_of(X, n_topics, np.full((n_topics, X.shape[1]), 0.01))
    assert made(problem) is made(of_words) is single
    assert made(problem, DMRLDA) is single
    assert made(problem, ECGSLDA, strategy="standard") is single
    shards = made(problem, n_shards=3)
    assert (shards.sampler, shards.n_shards) == (single, 3)


def test_lists_of_many_topics_need_far_less_memory_than_rows():
    problem = problem_of(X, 20_000)
    sampler = made(problem)
    z = random_topics(problem.corpus.token_ptr[-1], 20_000, streams(0).kernel)
    state = tables_of(sampler.from_topics(problem, z))
    assert state.packed.nbytes < 4 * X.shape[1] * 20_000 / 4
