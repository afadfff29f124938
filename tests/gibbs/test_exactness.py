"""The samplers draw from the exact posterior: tiny corpora, all assignments listed.

The mutants show what the tests find: each is a kernel with one planted fault.
"""

import math

import numpy as np
import pytest

from sklda._chain.chain import Chain
from sklda._chain.log_joint import log_doc_likelihood, log_word_likelihood
from sklda._core.problem import Problem
from sklda._core.random_streams import random_topics
from sklda._gibbs.kernels import (
    single_site_lists,
    single_site_registers,
    single_site_rows,
)
from tests.helpers.corpora import corpus_of
from tests.helpers.enumeration import (
    RIGHT,
    WRONG,
    TinyProblem,
    assert_exact,
    assert_marginals,
    chi_square_pvalue,
    each_mutant,
    is_wrong,
    sweep_exact_draws,
)
from tests.helpers.mutants import Edit, PlainStreams, faults, interpreted, streams

SAMPLERS = {
    "rows": single_site_rows,
    "registers": single_site_registers,
    "lists": single_site_lists,
}
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
    chain = Chain(sampler, problem, streams(0))
    step = max(1, len(tiny.assignments) // 150)
    for number in range(0, len(tiny.assignments), step):
        z = tiny.assignments[number].copy()
        chain.z, chain.state = z, sampler.from_topics(problem, z)
        chain.evaluate()
        expected = tiny.log_joints[number]
        assert chain.log_joint[-1] == pytest.approx(expected, rel=1e-12)
        of_words = log_word_likelihood(problem, sampler.counts(problem, chain.state))
        assert of_words == pytest.approx(tiny.log_word_likelihood(z), rel=1e-12)
        of_docs = log_doc_likelihood(problem, z)
        assert of_docs + of_words == pytest.approx(expected, rel=1e-12)


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
        state = sampler.sweep(problem, sampler.from_topics(problem, z.copy()), rng)
        seen[state.z[0]] += 1
    expected = 1 / (np.array([2, 6, 20]) + 4 * prior)
    assert chi_square_pvalue(seen, expected / expected.sum()) > RIGHT


# --- mutants ---------------------------------------------------------------------

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

# Faults by the problem on which they show.
EVERYWHERE = faults("""
two cells
  the token stays in n_dk
    ratio_without: A[K] - N -> A[K] (1 of 2)
  the token stays in n_k
    ratio_without: A[K] - N -> A[K] (2 of 2)
documents
  alpha is missing
    ratio_without: np.float32(N) + A -> np.float32(N) (1 of 2)
words
  V is missing
    Problem.kernel_priors: np.float32(V) * B -> B
two documents
  a short document leaves its counts
    next_document: D[K] = 0 -> pass
    _tables.document: LANES_PER_TOKEN = N -> LANES_PER_TOKEN = 0
  a short document leaves its ratios
    next_document: S += _change_ratio(*Z) -> pass (1 of 2)
    _tables.document: LANES_PER_TOKEN = N -> LANES_PER_TOKEN = 0
  a short document does not count
    next_document: D[K] += 1 -> pass
    _tables.document: LANES_PER_TOKEN = N -> LANES_PER_TOKEN = 0
  a short document does not set its ratios
    next_document: S += _change_ratio(*Z) -> pass (2 of 2)
    _tables.document: LANES_PER_TOKEN = N -> LANES_PER_TOKEN = 0
alphas
  alpha is that of the first document
    next_document: part.first + d -> 0
  a short document leaves the ratios of another alpha
    next_document: changes or X -> X
    _tables.document: LANES_PER_TOKEN = N -> LANES_PER_TOKEN = 0
""")
ROWS = faults("""
words
  the new topic's ratio is not updated
    resample_dense: set_entry(ratio, new, R) -> pass
  the old topic's ratio is not updated
    resample_dense: set_entry(ratio, old, R) -> pass
cell
  the token stays in n_wk
    resample_dense: np.float32(R[K] - N) -> np.float32(R[K])
  the current topic is weighed with all tokens
    resample_dense: A * (np.float32(R[K] - N) + B) -> np.float64(weight[K])
  the old topic still attracts
    resample_dense: set_entry(W, O, np.float32(0)) -> pass
  padding attracts
    weigh_row: A * (to_float(R) + B) -> np.fmax(A * (to_float(R) + B), np.float32(0.01))
  the second register is not reached
    find_down_lane: X + ones -> X
  the lanes before it stay in the draw
    rows.pick: R - get_lane(*Z) -> R
  an entry of the wrong register is set
    set_entry: store(A, B, C) -> store(A, 0, C)
documents
  beta is missing
    weigh_row: A * (to_float(R) + B) -> A * to_float(R)
  the new topic's weight is not updated
    resample_dense: set_entry(weight, new, W) -> pass
cell, flat
  the old topic's weight is not updated
    resample_dense: set_entry(weight, old, stay) -> pass
  the sum is not updated
    resample_dense: A + B - W[K] -> sum_ - W[K]
""")
# The ratio of the next token, and that of one more: both are made before the draw.
REGISTERS = faults("""
alphas
  alpha is that of the first document
    sweep_tokens: first_doc + d -> 0
two cells
  the first token stays in n_dk
    sweep_tokens: n_doc = choose(taken, A, n_doc) -> pass (1 of 2)
  the first token stays in n_k
    sweep_tokens: n_all = choose(taken, A, n_all) -> pass (1 of 2)
  the next token stays in n_dk
    sweep_tokens: n_doc = choose(taken, A, n_doc) -> pass (2 of 2)
  the next token stays in n_k
    sweep_tokens: n_all = choose(taken, A, n_all) -> pass (2 of 2)
  a drawn topic does not grow in n_k
    sweep_tokens: n_all = choose(drawn, A, n_all) -> pass
words
  the first token of a cell stays in n_wk
    sweep_tokens: n_word = choose(taken, A, n_word) -> pass (1 of 2)
  V beta is missing
    sweep_tokens: n_all + A -> n_all (1 of 3)
  a drawn topic keeps its ratio
    sweep_tokens: choose(drawn, if_drawn, A) -> A
  a topic that is not drawn has one more
    sweep_tokens: choose(taken, changed, ratio) -> changed
cell
  the next token of a cell stays in n_wk
    sweep_tokens: n_word = choose(taken, A, n_word) -> pass (2 of 2)
  the two that make one are forgotten
    sweep_tokens: choose(taken, ratio, changed) -> changed
  a drawn topic does not grow in n_dk
    sweep_tokens: n_doc = choose(drawn, A, n_doc) -> pass
  a drawn topic does not grow in n_wk
    sweep_tokens: n_word = choose(drawn, A, n_word) -> pass
documents
  alpha is missing
    sweep_tokens: n_doc + A -> n_doc (1 of 3)
  beta is missing
    sweep_tokens: n_word + A -> n_word (1 of 2)
cell, 5 topics
  the last lane is drawn too often
    sweep_tokens: ends > r -> ends > ends
  the lane before counts in its column
    sweep_tokens: repeat_row(R - B, *Z) -> repeat_row(R, *Z)
  the first row is not drawn
    sweep_tokens: down > rest -> down > down
""")
LISTS = faults("""
cell
  the new topic's ratio is not updated
    update_ratio: ratio_without(K, *Z) -> document.ratio[K]
  the topic that fills a gap is lost
    fill_gap: A[J] = A[S] -> pass
alone
  the token stays in n_wk
    resample_listed: mass(J, N, L) -> mass(J, 0, L) (1 of 2)
  the current topic is weighed with all tokens
    resample_listed: R * mass(J, N, L) -> weight[J] (1 of 2)
two cells
  beta is missing
    resample_listed: old_weight + B * R -> old_weight
  the sum of the ratios keeps the old topic
    resample_listed: A - R[K] -> A (1 of 2)
  the new topic's weight is not updated
    resample_listed: W[J] = R[K] * X -> pass
documents
  any topic is drawn by the sum of the list
    resample_listed: uniform(rng) * S -> uniform(rng) * other_sum
  the list keeps the old topic
    weigh_list: choose(F, A, W) -> W
  the old topic's weight is not updated
    resample_listed: weight[slot] = old_weight -> pass
  the old topic still attracts
    pick_any: R[O] = 0 -> pass
words
  the old topic's ratio is not updated
    resample_listed: ratio[K] = R -> pass
  the sum of the ratios is not updated
    resample_listed: S += update_ratio(*Z) -> update_ratio(*Z)
cell, flat
  the sum of the list is not updated
    at_topic: sum_others(*Z) -> cell.other_sum
  the topic that fills a gap has no weight
    drop_topic: W[J] = W[S] -> pass
  an emptied slot keeps its weight
    drop_topic: W[S] = 0 -> pass
  the own weight is among the others
    load_others: choose(*Z) -> load(weight, begin, LANES)
cell, 5 topics
  the second register is not reached
    pick_listed: range(0, S, LANES) -> range(0, LANES, LANES)
  the registers before it stay in the draw
    pick_listed: running_sum(X) + B -> running_sum(X)
12 topics
  four registers before it stay in the draw
    pick_any: r -= S -> pass
two documents
  a short document does not change the sum
    next_document: S += _change_ratio(*Z) -> _change_ratio(*Z) (1 of 2)
    _tables.document: LANES_PER_TOKEN = N -> LANES_PER_TOKEN = 0
""")


def plain(name, *edits):
    """Return a kernel that Python runs, with registers of two lanes, after edits."""
    lanes = 4 if name == "registers" else 2
    return interpreted(f"sklda._gibbs.kernels.single_site_{name}", edits, lanes=lanes)


@pytest.mark.slow
@pytest.mark.parametrize("tiny", SMALL.values(), ids=SMALL)
@pytest.mark.filterwarnings("ignore:divide by zero")  # no token comes after the last
@pytest.mark.parametrize("name", ["rows", "lists", "registers"])
def test_interpreted_kernels_pass(name, tiny):
    # Few draws: interpreted and compiled chains are the same, see tests/core.
    assert_exact(plain(name).sampler(), tiny, 1000, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rows", "lists"])
def test_short_documents_change_their_own_topics_only(name):
    tiny = SMALL["two documents"]
    assert_exact(plain(name, ALL_SHORT).sampler(), tiny, 8000, seed=4)


@pytest.mark.slow
@each_mutant(
    {"rows": [EVERYWHERE, ROWS], "lists": [EVERYWHERE, LISTS], "registers": REGISTERS}
)
def test_mutants_fail(name, problem, edits):
    mutant = plain(name, *edits).sampler()
    assert is_wrong(mutant, SMALL[problem], 20_000, seed=5)


# A topic that a word has lost must leave the list. To leave it there with a count of
# 0 changes no draw for a while; then there is no room for another one.
LIST_MUTANTS = {
    "an empty topic is not dropped": Edit("resample_listed", "is_empty(*Z)", "False"),
    "the last topic is there twice": Edit("drop_topic", "fill_gap(*Z)", "size - 1"),
    "a dropped topic is still found": Edit("fill_gap", "T[S] = absent", "pass"),
    "the size is forgotten": Edit("resample_listed_cell", "S[W] = C.size", "pass"),
}


@pytest.mark.parametrize("edit", LIST_MUTANTS.values(), ids=LIST_MUTANTS)
def test_mutants_of_lists_are_noticed(edit):
    mutant = plain("lists", edit).sampler()
    _, sound = sweep_exact_draws(mutant, SMALL["documents"], 500, seed=6)
    assert not sound


START_MUTANTS = {
    "a topic is left out": Edit("_draw_topics", "U * K", "U * (K - 1)"),
    "the first is as likely as two": Edit(
        "_draw_topics", "np.int64(U * K)", "np.int64(max(U * (K + 1) - 1, 0))"
    ),
}


@pytest.mark.parametrize("edit", START_MUTANTS.values(), ids=START_MUTANTS)
def test_mutants_of_the_first_topics_fail(edit):
    module = interpreted("sklda._core.random_streams", [edit]).module
    rng, tiny = PlainStreams(7), SMALL["two cells"]
    assert pvalue_of_first_topics(module.random_topics, tiny, 4000, rng) < WRONG
