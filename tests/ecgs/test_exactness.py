"""Groups of tokens are drawn as the strategies of ECGSLDA say.

From one assignment all that a sweep can lead to is listed, in plain Python, with its
probability; sweeps of the kernels are held against it by chi-square. As in
`test_exactness`, a right kernel fails for one seed in a thousand, and mutants, each
with one planted fault, fail at p < 1e-6 or leave wrong tables.
"""

import numpy as np
import pytest

from sklda._ecgs.kernels import rows as grouped_dense
from sklda._ecgs.kernels import lists as grouped_sparse
from sklda._gibbs.kernels import single_site_rows as single_site_dense
from sklda._gibbs.kernels import single_site_lists as single_site_sparse
from tests.helpers.enumeration import (
    Problem,
    chi_square_pvalue,
    faults,
    in_groups,
    interpreted,
    kernel_priors,
    state_of,
    stream,
    sweep_exact_draws,
)
from tests.gibbs.test_exactness import PROBLEMS, RIGHT, WRONG
from tests.core.test_kernels import random_corpus

KERNELS = {"dense": grouped_dense, "sparse": grouped_sparse}
SINGLE = {"dense": single_site_dense, "sparse": single_site_sparse}

kernels = pytest.mark.parametrize("name", KERNELS)


# --- a group for each token is the exact chain -----------------------------------


@kernels
@pytest.mark.parametrize("n_topics", [1, 3, 20])
def test_one_draw_for_each_token_is_the_single_site_sampler(name, n_topics):
    corpus = random_corpus(3, n_docs=30, n_words=12)
    priors = kernel_priors(KERNELS[name], np.full(n_topics, 0.3), 0.2)
    chains = []
    for kernel in (in_groups(KERNELS[name], lambda n: n), SINGLE[name]):
        rng = stream(1)
        state = kernel.init(corpus, 12, priors, rng)
        for _ in range(10):
            kernel.sweep(corpus, state, priors, rng)
        chains.append((*state, rng))
    for array, same in zip(*chains, strict=True):
        np.testing.assert_array_equal(array, same)


@pytest.mark.slow
@kernels
@pytest.mark.parametrize("problem", ["2 topics", "3 topics", "17 topics"])
def test_one_draw_for_each_token_leaves_the_posterior_as_it_is(name, problem):
    kernel, problem = in_groups(KERNELS[name], lambda n: n), PROBLEMS[problem]
    seen, sound = sweep_exact_draws(kernel, problem, 10_000, seed=1)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


# --- all that one sweep can lead to ----------------------------------------------


def sizes(n_tokens, n_groups):
    """Return the sizes of groups: what is left, divided by the groups that are left."""
    found = []
    for left in range(n_groups, 0, -1):
        found.append(n_tokens // left)
        n_tokens -= found[-1]
    return found


def test_sizes_of_groups():
    assert sizes(5, 2) == [2, 3]
    assert sizes(5, 3) == [1, 2, 2]
    assert sizes(4, 1) == [4]
    assert sizes(3, 3) == [1, 1, 1]
    for n_tokens in range(1, 30):
        for n_groups in range(1, n_tokens + 1):
            found = sizes(n_tokens, n_groups)
            assert sum(found) == n_tokens
            assert len(found) == n_groups
            assert 1 <= min(found) <= max(found) <= min(found) + 1


def conditional(problem, z, group):
    """Return p(k | the topics of all tokens outside the group), of a single token."""
    d, w = problem.tokens[group[0]]
    n_dk, n_kw, n_k = problem.tables(z)
    weights = []
    for k in range(problem.n_topics):
        n = sum(z[i] == k for i in group)
        weights.append(
            (n_dk[d][k] - n + problem.alpha[k])
            * (n_kw[k][w] - n + problem.beta)
            / (n_k[k] - n + problem.n_words * problem.beta)
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


def sweep_from(kernel, problem, z, n_draws, times, seed):
    """Return how often each assignment comes out, and whether tables were right."""
    kernel = in_groups(kernel, lambda _: n_draws)
    priors = kernel_priors(kernel, problem.alpha, problem.beta)
    rng = getattr(kernel, "stream", stream)(seed)
    first, words = state_of(kernel, problem, z), [w for _, w in problem.tokens]
    seen, sound = np.zeros(problem.n_topics ** len(z) + 1, int), True
    for i in range(times):
        state = kernel.State(*(array.copy() for array in first))
        with np.errstate(all="ignore"):  # a fault may well divide by zero
            kernel.sweep(problem.corpus, state, priors, rng)
        seen[problem.number_of(state.z)] += 1
        if i % 16 == 0:
            sound = sound and not faults(state, words, problem.n_topics)
    return seen, sound


TWO = Problem((((0, 5), (1, 1)), ((0, 1),)), 3, (0.3, 0.9), 0.2)
THREE = Problem((((0, 4),), (), ((0, 1), (1, 2))), 3, (0.5, 0.7, 0.4), 0.3)
FLAT = Problem((((0, 3), (1, 3)),), 2, (2.0, 1.0, 3.0), 2.0)
MANY = Problem((((0, 3),), ((0, 1),)), 2, tuple(np.linspace(0.05, 0.9, 18)), 0.3)
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
    "18 topics": (MANY, (17, 17, 17, 3), (1, 1)),
    "18 topics, mixed": (MANY, (17, 2, 16, 17), (1, 1)),
    "18 topics, two draws": (MANY, (0, 16, 17, 5), (2, 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", SWEEPS)
@kernels
def test_a_sweep_leads_where_it_should(name, case):
    problem, z, n_draws = SWEEPS[case]
    expected = after_a_sweep(problem, z, n_draws)
    assert expected.sum() == pytest.approx(1)
    seen, sound = sweep_from(KERNELS[name], problem, z, n_draws, 8000, seed=2)
    assert sound
    assert chi_square_pvalue(seen, expected) > RIGHT


def test_one_draw_for_a_cell_is_the_conditional_without_it():
    problem, z = Problem((((0, 4),), ((0, 2),)), 2, (0.3, 0.9), 0.2), (0, 0, 1, 1, 0, 1)
    after = after_a_sweep(problem, z, (1, 1))
    ratio = [  # of the first cell, with n_dk = 0, n_kw = n_k = 1
        (0 + alpha) * (1 + 0.2) / (1 + 2 * 0.2) for alpha in (0.3, 0.9)
    ]
    on_first = after.reshape(2, -1)[0].sum()
    assert on_first == pytest.approx(ratio[0] / sum(ratio))


# --- mutants ---------------------------------------------------------------------

PLANT = {
    "the group stays in n_dk": ("doc_topic[old] - n, topic", "doc_topic[old], topic"),
    "one token of it is taken out of n_dk": (
        "doc_topic[old] - n, topic",
        "doc_topic[old] - 1, topic",
    ),
    "one token of it is taken out of n_k": (
        "topic[old] - n, alpha",
        "topic[old] - 1, alpha",
    ),
    "one token of it gets the topic": (
        "for i in range(first, first + n):\n        z[i]",
        "for i in range(first, first + 1):\n        z[i]",
    ),
    "the last group is too small": (
        "n = n_tokens // n_groups if n_groups > 1 else n_tokens",
        "n = n_tokens // n_groups - (n_groups == 1)",
    ),
    "groups are not near-equal": (
        "n = n_tokens // n_groups if n_groups > 1 else n_tokens",
        "n = 1 if n_groups > 1 else n_tokens",
    ),
    "tokens are not gathered": (
        "for i in range(first + 1, first + n):",
        "for i in range(0):",
    ),
    "n_groups stays": ("                n_groups -= 1\n", "                break\n"),
}
DENSE = {
    "one token of it is taken out of n_wk": ("(row[old] - n)", "(row[old] - 1)"),
    "one token is put back into n_dk": ("doc_topic[new] += n", "doc_topic[new] += 1"),
    "one token is put back into n_wk": ("row[new] += n", "row[new] += 1"),
    "one token is put back into n_k": (
        "\n    topic[new] += n",
        "\n    topic[new] += 1",
    ),
    "gather forgets n_dk": ("            doc_topic[old] -= 1\n", ""),
    "gather forgets n_k": ("            topic[old] -= 1\n", ""),
    "gather forgets n_dk of the first topic": ("doc_topic[k] += moved", "pass"),
    "what a gathered group left is not weighed anew": (
        "    return moved > 0",
        "    return False",
    ),
    "gather forgets n_wk": ("            row[old] -= 1\n", ""),
    "gather forgets n_wk of the first topic": ("row[k] += moved", "pass"),
    "ratios are not weighed anew": (
        "                    topic_ratios(",
        "                    (lambda *_: 0)(",
    ),
}
SPARSE = {
    "one token of it is taken out of n_wk": (
        "counts[old_j] - n)",
        "counts[old_j] - 1)",
    ),
    "one token is put back into n_dk": ("doc_topic[k] += n", "doc_topic[k] += 1"),
    "one token is put back into n_wk": ("counts[j] += n", "counts[j] += 1"),
    "one token is put back into n_k": ("\n    topic[k] += n", "\n    topic[k] += 1"),
    "gather forgets n_dk": ("            doc_topic[one] += change\n", ""),
    "gather forgets n_k": ("            topic[one] += change\n", ""),
    "gather forgets n_wk": ("            counts[place_] += change\n", ""),
    "gather forgets the first topic": (
        "((old, old_j, -1), (k, j, 1))",
        "((old, old_j, -1),)",
    ),
    "gather forgets the weights": (
        "weight[place_] = ratio[one] * np.float32(counts[place_])",
        "pass",
    ),
    "gather forgets the ratios": ("ratio[one] = topic_ratio(", "_ = topic_ratio("),
    "gather forgets the sum of the list": ("listed += weight[place_]", "pass"),
    "gather forgets the sum of the rest": ("rest += ratio[one]", "pass"),
    "gather leaves empty topics in the list": (
        "size, old_j, alpha.size)\n            j",
        "size, old_j, alpha.size) + 1\n            j",
    ),
    "gather forgets that the first topic has moved": (
        "            j = old_j if j == size else j\n",
        "",
    ),
    "the topic of the next group is not found": (
        "if z[first] != k:\n                    k = np.int64(z[first])",
        "if False:\n                    k = np.int64(z[first])",
    ),
    "the size is forgotten": (
        "n_groups -= 1\n            sizes[w] = size",
        "n_groups -= 1",
    ),
}
MUTANTS = [
    (name, fault, edit)
    for name, faults_ in (("dense", PLANT | DENSE), ("sparse", PLANT | SPARSE))
    for fault, edit in faults_.items()
]
# Small cases on which all faults show; two lanes, so three topics fill two registers.
CASES = [
    "two draws, mixed",
    "one draw",
    "flat",
    "flat, one and all",
    "a topic vanishes",
]


def passes(kernel):
    """Return whether a kernel leads where it should in all cases, False if clearly not.

    None would be neither; no seeded mutant may hang on its seed.
    """
    worst = 1.0
    for case in CASES:
        problem, z, n_draws = SWEEPS[case]
        try:
            seen, sound = sweep_from(kernel, problem, z, n_draws, 1500, seed=3)
        except IndexError:  # an interpreted kernel does not bear a wrong index
            return False
        p = chi_square_pvalue(seen, after_a_sweep(problem, z, n_draws))
        if not sound or p < WRONG:
            return False
        worst = min(worst, p)
    return True if worst > RIGHT else None


@pytest.mark.slow
@kernels
def test_interpreted_kernels_pass(name):
    assert passes(interpreted(f"grouped_{name}", lanes=2)) is True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "edit"),
    [(name, edit) for name, _, edit in MUTANTS],
    ids=[f"{name}-{fault}" for name, fault, _ in MUTANTS],
)
def test_mutants_fail(name, edit):
    kernel = interpreted(f"grouped_{name}", [(*edit, 1)], lanes=2)
    assert passes(kernel) is False
