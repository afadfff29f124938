"""The samplers draw from the exact posterior: tiny corpora, all assignments listed.

`tests/test_every_mutant.py` shows what the tests find.
"""

import math

import numpy as np
import pytest

from sklda._engine.chain import Chain, log_doc_likelihood, log_word_likelihood
from sklda._gibbs.kernels import single_site_lists, single_site_registers
from sklda._sampling.problem import Problem
from sklda._sampling.random_streams import random_topics
from tests.helpers import enumeration
from tests.helpers.corpora import corpus_of
from tests.helpers.enumeration import (
    RIGHT,
    TinyProblem,
    assert_exact,
    assert_marginals,
    chi_square_pvalue,
    verdict,
)
from tests.helpers.mutants import Edit, PlainStreams, interpreted, streams

SAMPLERS = {"registers": single_site_registers, "lists": single_site_lists}
samplers = pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)

BETAS = ((0.3, 2.5, 1e-6), (1.1, 0.05, 0.4), (0.3, 0.3, 7.0))
# Documents, words, alpha, beta. Documents share words, cells hold up to three tokens,
# some words never occur, and one document is empty. With more than 16 topics the tables
# take several registers.
PROBLEMS = {
    "1 topic": TinyProblem("aaab a", 3, (0.7,), 0.4),
    "2 topics": TinyProblem("aaab acc", 4, (0.3, 0.9), 0.4),
    "3 topics": TinyProblem("aab - abb", 3, (0.2, 0.6, 1.1), 0.3),
    "large beta": TinyProblem("aaa abb", 3, (1.5, 0.4, 2.5), 1.7),
    "extreme priors": TinyProblem("aab aa", 2, (900, 400, 700), 1e-6),
    "5 topics": TinyProblem("aa ab", 2, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2),
    "beta of each word and topic": TinyProblem("aab - abb", 3, (0.2, 0.6, 1.1), BETAS),
    "seeds": TinyProblem(
        "aab acc", 4, (0.3, 0.9), ((0.1, 5, 0.1, 0.1), (0.1, 0.1, 0.1, 0.1))
    ),
    "17 topics": TinyProblem("bb", 2, tuple(np.linspace(0.1, 1, 17)), 0.5),
    "18 topics": TinyProblem("aa a", 2, tuple(np.linspace(0.05, 0.9, 18)), 0.3),
    "33 topics": TinyProblem("a a", 1, tuple(np.linspace(1, 0.1, 33)), 0.2),
    "alpha of each document": TinyProblem(
        "aab - ab a", 3, ((2, 0.1), (9, 9), (0.2, 3), (2, 0.1)), 0.3
    ),
    "alpha of each document, 17 topics": TinyProblem(
        "b ab", 2, (tuple(np.linspace(0.1, 1, 17)), tuple(np.linspace(3, 0.2, 17))), 0.5
    ),
}


@pytest.fixture(params=PROBLEMS)
def tiny(request):
    return PROBLEMS[request.param]


# --- the closed form -------------------------------------------------------------


def test_closed_form_is_the_product_of_conditionals(tiny):
    # p(w, z) is the product over tokens of p(z_i, w_i | those before): an urn scheme.
    for z in tiny.assignments[::7].tolist():
        logs = []
        for i, (weights, k) in enumerate(tiny.urns(z)):
            before = [d for d, _ in tiny.tokens[:i]].count(tiny.tokens[i][0])
            alpha = tiny.alphas[tiny.tokens[i][0]]
            logs.append(math.log(weights[k] / (before + sum(alpha))))
        assert tiny.log_joint(z) == pytest.approx(sum(logs), rel=1e-12)


@samplers
def test_log_joint_is_the_closed_form(sampler, tiny):
    problem = tiny.problem()
    step = max(1, len(tiny.assignments) // 150)
    for number in range(0, len(tiny.assignments), step):
        z = tiny.assignments[number].copy()
        chain = Chain(sampler, problem, streams(0))
        chain.z, chain.state = z, sampler.from_topics(problem, z)
        chain.evaluate()
        expected = tiny.log_joints[number]
        assert chain.log_joint[-1] == pytest.approx(expected, rel=1e-12)
        words = log_word_likelihood(problem, sampler.counts(problem, chain.state))
        assert words == pytest.approx(tiny.log_word_likelihood(z), rel=1e-12)
        documents = log_doc_likelihood(problem, z)
        assert documents + words == pytest.approx(expected, rel=1e-12)


# --- the samplers ----------------------------------------------------------------


@pytest.mark.slow
@samplers
def test_a_sweep_leaves_the_posterior_as_it_is(sampler, tiny):
    assert_exact(sampler, tiny, 6000, seed=1)


@pytest.mark.slow
def test_all_first_topics_are_as_likely(tiny):
    assert pvalue_of_first_topics(random_topics, tiny, 10_000, streams(2)) > RIGHT


def pvalue_of_first_topics(random_topics, tiny, n_draws, rng):
    n_tokens, n_assignments = len(tiny.tokens), len(tiny.assignments)
    drawn = [
        tiny.number_of(random_topics(n_tokens, tiny.n_topics, rng.kernel))
        for _ in range(n_draws)
    ]
    seen = np.bincount(drawn, minlength=n_assignments + 1)
    return chi_square_pvalue(seen, np.full(n_assignments, 1 / n_assignments))


@pytest.mark.slow
@samplers
@pytest.mark.parametrize("name", ["3 topics", "large beta"])
def test_a_long_chain_has_the_marginals_of_the_posterior(sampler, name):
    assert_marginals(sampler, PROBLEMS[name], seed=3)


@pytest.mark.slow
@samplers
def test_a_topic_that_outweighs_all_others_leaves_no_rounding_error(sampler):
    # The first token alone has its word, and its document. With all tokens counted,
    # its topic weighs 1e8 times as much as all others; without it, they decide.
    prior, counts = 1e-4, np.diag([1, 6, 20, 2])
    problem = Problem(corpus_of(counts), 4, np.full(3, prior), prior)
    z = np.repeat(np.array([0, 1, 2, 0], np.uint16), counts.diagonal())
    rng, seen = streams(4), np.zeros(4, np.int64)  # the last is for no topic
    for _ in range(3000):
        state = sampler.from_topics(problem, z.copy())
        sampler.sweep(problem, state, rng)
        seen[state.z[0]] += 1
    expected = 1 / (np.array([2, 6, 20]) + 4 * prior)
    assert chi_square_pvalue(seen, expected / expected.sum()) > RIGHT


# --- kernels that Python runs, with faults ---------------------------------------

# Problems on which planted faults show best. They have few assignments, so that a
# fault is not spread thin over many classes, and the interpreted kernels that run
# them have two lanes, so that three topics fill two registers.
SMALL = {
    "cell": TinyProblem("aaaa", 2, (0.5, 0.7, 0.9), 0.05),
    "cell, flat": TinyProblem("aaa", 1, (2.0, 2.0, 2.0), 0.05),
    "cell, 5 topics": TinyProblem("aaaa", 1, (2.0,) * 5, 0.05),
    "words": TinyProblem("abc", 3, (0.2, 0.2), 0.5),
    "two cells": TinyProblem("aab", 2, (0.4, 0.4), 0.1),
    "documents": TinyProblem("aaa a", 2, (0.3, 0.6, 0.9), 0.3),
    "alone": TinyProblem("aaa b", 2, (0.8, 0.8), 0.5),
    "two documents": TinyProblem("aab ab", 2, (0.2, 0.4), 0.3),
    "12 topics": TinyProblem("aa", 1, tuple(np.linspace(0.1, 1.2, 12)), 0.3),
    "alphas": TinyProblem("aab ab", 2, ((0.2, 2.0), (3.0, 0.3)), 0.3),
}

# Without this edit no document here is short: sums are computed anew for each.
ALL_SHORT = Edit("_tables.document", "LANES_PER_TOKEN = N", "LANES_PER_TOKEN = 0")


def plain(name, *edits):
    """Return a sampler that Python runs, with registers of two lanes, after edits."""
    lanes = 4 if name == "registers" else 2
    name = f"sklda._gibbs.kernels.single_site_{name}"
    return interpreted(name, edits, lanes=lanes).sampler()


def passes(name, problem, edits):
    """Return the verdict on a kernel after edits."""
    tiny, (kernel, _, tables) = SMALL[problem], name.partition(", ")
    if name == "first topics":
        module = interpreted("sklda._sampling.random_streams", edits).module
        rng = PlainStreams(7)
        return verdict(pvalue_of_first_topics(module.random_topics, tiny, 4000, rng))
    sampler = plain(kernel, *edits)
    return enumeration.passes(sampler, tiny, edits, or_unsound=bool(tables))


@pytest.mark.slow
def test_short_documents_change_their_own_topics_only():
    tiny = SMALL["two documents"]
    assert_exact(plain("lists", ALL_SHORT), tiny, 8000, seed=4)
