"""Groups of tokens are drawn as the strategies of ECGSLDA say.

From one assignment all that a sweep can lead to is listed, in plain Python, with its
probability; sweeps of the kernels are held against it by chi-square. The thresholds are
those of `tests.helpers.enumeration`.
"""

import numpy as np
import pytest

from sklda._ecgs.kernels import lists
from sklda._gibbs.kernels import single_site_lists
from sklda._sampling.problem import Problem
from tests.gibbs.test_exactness import PROBLEMS
from tests.helpers import enumeration
from tests.helpers.corpora import random_corpus
from tests.helpers.mutants import PlainStreams, interpreted, streams

# --- a group for each token is the exact chain -----------------------------------


def one_by_one():
    """Return the kernel as a sampler that makes a draw for each token."""
    return enumeration.in_groups(lists, lambda n_tokens: n_tokens)


@pytest.mark.parametrize("n_topics", [1, 3, 20])
def test_one_draw_for_each_token_is_the_single_site_sampler(n_topics):
    corpus = random_corpus(3, n_docs=30, n_words=12)
    problem = Problem(corpus, 12, np.full(n_topics, 0.3), 0.2)
    first = np.random.default_rng(0).integers(n_topics, size=corpus.token_ptr[-1])
    chains = []
    for sampler in (one_by_one(), single_site_lists):
        rng = streams(1)
        state = sampler.from_topics(problem, first.astype(np.uint16))
        for _ in range(10):
            sampler.sweep(problem, state, rng)
        chains.append((*state, rng.kernel))
    for array, same in zip(*chains, strict=True):
        np.testing.assert_array_equal(array, same)


@pytest.mark.slow
@pytest.mark.parametrize("tiny", ["2 topics", "3 topics", "17 topics"])
def test_one_draw_for_each_token_leaves_the_posterior_as_it_is(tiny):
    enumeration.assert_exact(one_by_one(), PROBLEMS[tiny], 6000, seed=1)


# --- all that one sweep can lead to ----------------------------------------------


def sizes(n_tokens, n_groups):
    """Return the sizes of groups: what is left, divided by the groups that are left."""
    found = []
    for left in range(n_groups, 0, -1):
        found.append(n_tokens // left)
        n_tokens -= found[-1]
    return found


def conditional(problem, z, group):
    """Return p(k | the topics of all tokens outside the group), of a single token."""
    d, w = problem.tokens[group[0]]
    n_dk, n_kw, n_k = problem.tables(z)
    weights = []
    for k in range(problem.n_topics):
        n = sum(z[i] == k for i in group)
        weights.append(
            (n_dk[d][k] - n + problem.alphas[d][k])
            * (n_kw[k][w] - n + problem.betas[k][w])
            / (n_k[k] - n + sum(problem.betas[k]))
        )
    return [weight / sum(weights) for weight in weights]


def after_a_sweep(problem, z, n_draws):
    """Return the probabilities of all assignments after one sweep from z."""
    reached, first = {tuple(z): 1.0}, 0
    counts = [count for doc in problem.docs for _, count in doc]
    for n_tokens, n_groups in zip(counts, n_draws, strict=True):
        for n in sizes(n_tokens, n_groups):
            group, before, reached = range(first, first + n), reached, {}
            for z, p in before.items():
                for k, q in enumerate(conditional(problem, z, group)):
                    moved = (*z[:first], *[k] * n, *z[first + n :])
                    reached[moved] = reached.get(moved, 0) + p * q
            first += n
    probabilities = np.zeros(problem.n_topics ** len(problem.tokens))
    for z, p in reached.items():
        probabilities[problem.number_of(np.array(z))] = p
    return probabilities


def sweep_from(kernel, tiny, z, n_draws, times, seed, until=0.0):
    """Return the p-value of what comes out, and whether tables were right.

    Sweeps end early once the p-value is below `until`, as in `sweep_exact_draws`.
    """
    sampler = enumeration.in_groups(kernel, lambda _: n_draws)
    expected = after_a_sweep(tiny, z, n_draws)
    problem, rng = tiny.problem(kernel), enumeration.streams_of(kernel, seed)
    first = sampler.from_topics(problem, np.array(z, np.uint16))
    words = [w for _, w in tiny.tokens]
    seen, sound = np.zeros(tiny.n_topics ** len(z) + 1, int), True
    looks = {times >> i for i in range(1, 6)} if until > 0 else set()
    for i in range(times):
        if i in looks and enumeration.chi_square_pvalue(seen, expected) < until:
            break
        state = enumeration.copied(first)
        with np.errstate(all="ignore"):  # a fault may well divide by zero
            sampler.sweep(problem, state, rng)
        seen[tiny.number_of(state.z)] += 1
        if i % 16 == 0:
            sound = sound and not enumeration.faults(
                state, words, tiny.n_topics, np.array(tiny.betas)
            )
    return enumeration.chi_square_pvalue(seen, expected), sound


TWO = enumeration.TinyProblem("aaaaab a", 3, (0.3, 0.9), 0.2)
THREE = enumeration.TinyProblem("aaaa - abb", 3, (0.5, 0.7, 0.4), 0.3)
FLAT = enumeration.TinyProblem("aaabbb", 2, (2.0, 1.0, 3.0), 2.0)
MANY = enumeration.TinyProblem("aaa a", 2, tuple(np.linspace(0.05, 0.9, 18)), 0.3)
SEEDS = enumeration.TinyProblem("aaaab bb", 2, (0.3, 0.9), ((0.2, 3.0), (1.5, 0.2)))
OWN = enumeration.TinyProblem("aaaab bb", 2, ((0.3, 0.9), (4.0, 0.2)), 0.2)
# Problem, topics before the sweep, draws for each cell. The tokens of a group have one
# topic or several before it; cells of one draw, of one for each token, and between.
SWEEPS = {
    "one draw": (TWO, (0, 0, 0, 0, 0, 1, 0), (1, 1, 1)),
    "one draw, mixed": (TWO, (0, 1, 1, 0, 1, 1, 1), (1, 1, 1)),
    "two draws": (TWO, (1, 1, 1, 1, 1, 0, 0), (2, 1, 1)),
    "two draws, mixed": (TWO, (0, 1, 0, 1, 1, 0, 1), (2, 1, 1)),
    "three draws": (TWO, (0, 0, 1, 1, 0, 1, 1), (3, 1, 1)),
    "four draws": (TWO, (0, 0, 0, 1, 0, 1, 1), (4, 1, 1)),
    "cells of two": (THREE, (2, 2, 1, 0, 0, 1, 0), (2, 1, 1)),
    "a topic vanishes": (THREE, (0, 1, 2, 1, 0, 1, 0), (1, 1, 2)),
    "all draws beside one": (THREE, (0, 1, 2, 2, 2, 1, 1), (4, 1, 1)),
    "flat": (FLAT, (0, 1, 2, 2, 1, 1), (2, 2)),
    "flat, one and all": (FLAT, (0, 0, 0, 2, 1, 1), (1, 3)),
    "an array of beta, one draw": (SEEDS, (0, 1, 1, 0, 1, 0, 0), (1, 1, 1)),
    "an array of beta, two draws": (SEEDS, (1, 1, 0, 1, 0, 1, 0), (2, 1, 2)),
    "alpha of each document": (OWN, (0, 1, 1, 0, 1, 0, 0), (2, 1, 1)),
    "18 topics": (MANY, (17, 17, 17, 3), (1, 1)),
    "18 topics, mixed": (MANY, (17, 2, 16, 17), (1, 1)),
    "18 topics, two draws": (MANY, (0, 16, 17, 5), (2, 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", SWEEPS)
def test_a_sweep_leads_where_it_should(case):
    tiny, z, n_draws = SWEEPS[case]
    assert after_a_sweep(tiny, z, n_draws).sum() == pytest.approx(1)
    p, sound = sweep_from(lists, tiny, z, n_draws, 8000, seed=2)
    assert sound
    assert p > enumeration.RIGHT


def test_one_draw_for_a_cell_is_the_conditional_without_it():
    problem, z = (
        enumeration.TinyProblem("aaaa aa", 2, (0.3, 0.9), 0.2),
        (0, 0, 1, 1, 0, 1),
    )
    after = after_a_sweep(problem, z, (1, 1))
    ratio = [  # of the first cell, with n_dk = 0, n_kw = n_k = 1
        (0 + alpha) * (1 + 0.2) / (1 + 2 * 0.2) for alpha in (0.3, 0.9)
    ]
    on_first = after.reshape(2, -1)[0].sum()
    assert on_first == pytest.approx(ratio[0] / sum(ratio))


# --- kernels that Python runs, with faults ---------------------------------------

# Small cases on which all faults show; two lanes, so three topics fill two registers.
CASES = ["two draws, mixed", "one draw", "flat", "flat, one and all"]
CASES += ["a topic vanishes"]


def plain(*edits):
    """Return the kernel of groups that Python runs, after edits."""
    loaded = interpreted("sklda._ecgs.kernels.lists", edits, lanes=2)
    module = loaded.module
    module.Problem = loaded.modules["sklda._sampling.problem"].Problem
    module.streams = PlainStreams
    return module


def passes(name, problem, edits):
    """Return the verdict on the kernel after edits, in all cases."""
    worst, kernel = 1.0, plain(*edits)
    for case in CASES:
        try:
            p, sound = sweep_from(
                kernel, *SWEEPS[case], 1500, seed=3, until=enumeration.WRONG
            )
        except IndexError:  # an interpreted kernel does not bear a wrong index
            return False
        if not sound or p < enumeration.WRONG:
            return False
        worst = min(worst, p)
    return enumeration.verdict(worst)
