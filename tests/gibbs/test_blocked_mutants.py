"""What the tests of the blocked samplers find: kernels with one planted fault each.

As in `test_exactness`, a mutant must fail at p < 1e-6 the test that the right kernel
passes, on a problem with few assignments, where a fault shows best.
"""

import pytest

from tests.gibbs.test_blocked_exactness import TABLES, plain
from tests.helpers.enumeration import (
    TinyProblem,
    assert_exact,
    is_wrong,
    sweep_exact_draws,
)
from tests.helpers.mutants import Edit

PROBLEMS = {
    "four": TinyProblem((((0, 4),),), 2, (0.5, 0.7, 0.9), 0.05),
    "one topic likely": TinyProblem((((0, 4),),), 1, (2.0, 1.0), 3.0),
    "flat": TinyProblem((((0, 4),),), 1, (2.0, 2.0, 2.0), 0.05),
    "three": TinyProblem((((0, 3),), ((0, 1), (1, 1))), 2, (0.3, 0.6), 0.3),
    "two words": TinyProblem((((0, 2), (1, 3)),), 2, (0.4, 0.8), 0.2),
    "single": TinyProblem((((0, 1), (1, 1), (2, 1)),), 3, (0.2, 0.5), 2.0),
    "words": TinyProblem((((0, 2), (1, 1), (2, 1)),), 3, (0.2, 0.2), 0.5),
    "documents": TinyProblem((((0, 2),), ((0, 2),)), 2, (0.3, 0.6, 0.9), 0.3),
    "large beta": TinyProblem((((0, 4),), ((1, 1),)), 3, (0.5, 1.0), 3.0),
    "split": TinyProblem((((0, 5),),), 2, (0.3, 0.6), 0.3),
    "five topics": TinyProblem((((0, 3),),), 1, (0.2, 0.8, 0.4, 1.0, 0.6), 0.5),
}
N_DRAWS = {"two words": 3000, "single": 12_000}


MOST = {"split": 2}  # tokens of a block


# --- blocks of up to four tokens -------------------------------------------------

# Fault: problem, edit.
SMALL = {
    "1/2 is missing in q(2)": (
        "two words",
        Edit("log_coefficients", "A * (B + _ONE) * _HALF", "A * (B + _ONE)"),
    ),
    "1/3 is 1/2 in q(3)": (
        "three",
        Edit("log_coefficients", "A * (B + _TWO) / _THREE", "A * (B + _TWO) / _TWO"),
    ),
    "1/4 is 1/2 in q(4)": (
        "large beta",
        Edit(
            "log_coefficients",
            "A * (B + _THREE) * _QUARTER",
            "A * (B + _THREE) * _HALF",
        ),
    ),
    "t_2 is that of a smaller total": (
        "two words",
        Edit("set_ratios", "(A + _TWO) / (S + _TWO)", "(A + _TWO) / (S + _ONE)"),
    ),
    "l(2) is q(2)": ("two words", Edit("log_coefficients", "Q - S * _HALF", "Q", 0, 2)),
    "a term of l(3) is wrong": (
        "one topic likely",
        Edit("log_coefficients", "Q - S / _THREE", "Q - S / _TWO"),
    ),
    "a term of l(4) is missing": (
        "one topic likely",
        Edit("log_coefficients", "S * (Q - S * _QUARTER)", "S * Q"),
    ),
    "h(3) is wrong": (
        "four",
        Edit("normalisers", "X + 2 * A * B + 3 * C", "X + A * B + 3 * C"),
    ),
    "factors for 2 tokens are wrong": (
        "two words",
        Edit("expectation_factors", "(H, 2.0, 0.0, 0.0)", "(H, 1.0, 0.0, 0.0)"),
    ),
    "factors for 3 tokens are wrong": (
        "four",
        Edit("expectation_factors", "(H, 2 * G, 3.0, 0.0)", "(H, G, 3.0, 0.0)"),
    ),
    "factors for 4 tokens are wrong": (
        "four",
        Edit("expectation_factors", "(H, 2 * G, 3 * F, 4.0)", "(H, G, F, 1.0)"),
    ),
    "n! is missing": (
        "three",
        Edit("margin_of_staying", "(1.0, 1.0, 2.0, 6.0)", "(1.0, 1.0, 1.0, 1.0)"),
    ),
    "V is missing": ("words", Edit("Problem.kernel_priors", "np.float32(V) * B", "B")),
    "alpha is not updated": (
        "four",
        Edit("update_topic", "np.float32(N) + A[K]", "np.float32(N)"),
    ),
    "beta is missing": (
        "four",
        Edit("small", "of_topic(ratio, K, beta)", "of_topic(ratio, K, 0)", None, 5),
    ),
    "the block is not taken out": (
        "two words",
        Edit("small.resample", "add(-N, *Z)", "add(0, *Z)"),
    ),
    "the block stays in n_dk when it is weighed": (
        "two words",
        Edit("margin_of_staying", "np.float64(A[K] - N)", "np.float64(A[K])", 0, 3),
    ),
    "the block stays in n_wk when it is weighed": (
        "two words",
        Edit("margin_of_staying", "np.float64(A[K] - N)", "np.float64(A[K])", 1, 3),
    ),
    "the block stays in n_k when it is weighed": (
        "documents",
        Edit("margin_of_staying", "np.float64(A[K] - N)", "np.float64(A[K])", 2, 3),
    ),
    "the block stays in the sums when it is weighed": (
        "three",
        Edit("margin_of_staying", "S[4] += X", "pass"),
    ),
    "tokens with one topic are taken for one": (
        "three",
        Edit("multiplicity", "N += other > I", "pass"),
    ),
    "the first mover may stay": (
        "documents",
        Edit("small.draw_slot", "L -= V[E]\nV[E] = 0", "pass"),
    ),
    "the first mover's part is not left out": (
        "documents",
        Edit("draw_topics", "U * (1 - S) * T", "U * T"),
    ),
    "where tokens start to move is drawn anew": (
        "large beta",
        Edit("draw_topics", "R /= S", "R = uniform(rng)"),
    ),
    "where tokens start to move is not rescaled": (
        "four",
        Edit("draw_topics", "R /= S", "pass"),
    ),
    "listed topics are there twice": (
        "two words",
        Edit("small.draw_slot", "V[topics[J]] = 0", "pass"),
    ),
    "the sums are not updated": ("four", Edit("small.add", "S[4] += X", "pass")),
    "the ratios are not updated": (
        "four",
        Edit("small.add", "update_topic(*Z)", "pass"),
    ),
    "the weights are not updated": (
        "two words",
        Edit("small.add", "W[0, J], W[1, J], W[2, J], W[3, J] = X", "pass"),
    ),
    "a sub-block's other tokens are not counted": (
        "split",
        Edit("small.enter_cell", "np.float32(C[J]) + B", "B + 0 * C[J]"),
        Edit("small.add", "np.float32(C[J]) + B", "B + 0 * C[J]"),
    ),
    "the weights stay those of the word before": (
        "two words",
        Edit("_sweep_document", "weighed != W", "weighed < 0", 1, 2),
    ),
    "the topic that a single token left is not updated": (
        "single",
        Edit("_resample_one", "small.update_topic(*Z)", "pass", 0, 2),
    ),
    "the topic that a single token found is not updated": (
        "single",
        Edit("_resample_one", "small.update_topic(*Z)", "pass", 1, 2),
    ),
    "a single token's topic attracts as before": (
        "three",
        Edit("_resample_one", "L -= W[J]", "pass"),
    ),
}


# --- larger blocks ---------------------------------------------------------------

# Tables draw all blocks, as they do those of more than four tokens.
TILTED = Edit("set_weights", "N <= PLAIN", "N < 0")
BY_TABLES = {
    "the block stays in n_dk": (
        "two words",
        Edit("large.resample", "A[K] -= 1", "pass", 0, 3),
    ),
    "V is missing": (
        "four",
        Edit("large.resample", "np.float64(beta_sum)", "np.float64(beta)"),
    ),
    "beta is missing": ("four", Edit("large.resample", "B[K] = beta", "B[K] = 1e-6")),
    "the word's other tokens are not counted": (
        "documents",
        Edit("large.resample", "B[T[J]] += C[J]", "pass"),
    ),
    "a sub-block's other tokens are not counted": (
        "split",
        Edit("large.resample", "B[T[J]] += C[J]", "pass"),
    ),
    "1 / (c + 1) is 1 / (c + 2)": (
        "four",
        Edit("plain_weights", "(C + 1) * T", "(C + 2) * T"),
    ),
    "n_k does not grow with the block": (
        "flat",
        Edit("plain_weights", "(B + C) / (S + C)", "(B + C) / S"),
    ),
    "n_wk does not grow with the block": (
        "four",
        Edit("plain_weights", "(B + C) / (S + C)", "B / (S + C)"),
    ),
    "tokens are not shuffled": (
        "flat",
        Edit("large.resample", "shuffle(*Z)", "pass"),
    ),
    "no token stays where it is": (
        "flat",
        Edit("shuffle", "U * (I + 1)", "U * I"),
    ),
    "what all topics add is not updated": (
        "words",
        Edit("_sweep_document", "small.enter_document(*Z)", "pass", 1, 2),
    ),
}
NESTED = {
    "left and right are exchanged": (
        "four",
        Edit("nested._split", "L[C - I] * R[I]", "L[I] * R[C - I]"),
    ),
    "all tokens never go right": (
        "flat",
        Edit("nested._merge", "range(1, C + 1)", "range(1, C)"),
    ),
    "no token on the left is sure": (
        "flat",
        Edit("nested._merge", "L[0, J] * R[C, J]", "R[C, J]"),
        TILTED,
    ),
    "a node is split for all tokens": (
        "flat",
        Edit("nested.draw_counts", "U * T[C, E + J]", "U * T[n, E + J]"),
    ),
    "the right child is the neighbour": (
        "five topics",
        Edit("nested.draw_counts", "(S + J, S + J + N)", "(S + J, S + J + 1)"),
    ),
}
BACKWARD = {
    "empty topics are not weighed": (
        "five topics",
        Edit("backward._backward", "E[I + 1] * P[0, I]", "E[I + 1]"),
        TILTED,
    ),
    "the search stops one below": (
        "five topics",
        Edit("backward._backward", "L = middle", "L = max(middle - 1, first)"),
    ),
    "the search stops one above": (
        "five topics",
        Edit("backward._backward", "F = M + 1", "F = min(M + 2, last)"),
    ),
    "the search looks one below": (
        "four",
        Edit("backward._backward", "T[N, M + 1] * E[M + 1] > R", "T[N, M] * E[M] > R"),
    ),
    "what is empty stays in the draw of a count": (
        "five topics",
        Edit("backward._backward", "R / E[L + 1] - X", "R - X"),
        TILTED,
    ),
    "the topics before stay in the draw of a count": (
        "four",
        Edit("backward._backward", "X - T[N, L] * P[0, L]", "X"),
    ),
    "a count and what is left are exchanged": (
        "flat",
        Edit("backward._backward", "P[C, L] * T[N - C, L]", "P[N - C, L] * T[C, L]"),
    ),
    "the last topic may have no token": (
        "four",
        Edit("backward._backward", "C = 1", "C = 0", 1, 2),
    ),
    "all tokens on one topic are not in the table": (
        "four",
        Edit("backward._forward", "range(1, C + 1)", "range(1, C)"),
    ),
    "no token on a topic is sure": (
        "five topics",
        Edit("backward._forward", "P[0, L] * T[C, L]", "T[C, L]"),
        TILTED,
    ),
    "lanes have each other's tokens": (
        "four",
        Edit("backward.draw_counts", "in_lane[L]", "in_lane[LANES - 1 - L]"),
    ),
    "lanes have the first one's table": (
        "four",
        Edit("backward.draw_counts", "T[:, L::LANES]", "T[:, ::LANES]", 1, 2),
    ),
}

RIGHT_ONES = [
    *((True, (), problem) for problem in PROBLEMS),
    *((nested, (TABLES,), p) for p in PROBLEMS for nested in (True, False)),
    (True, (TABLES, TILTED), "flat"),
    (False, (TABLES, TILTED), "five topics"),
]
MUTANTS = {
    f"{name}, {fault}": (nested, edits, group[fault])
    for name, nested, edits, group in (
        ("small", True, (), SMALL),
        ("tables", True, (TABLES,), BY_TABLES),
        ("nested", True, (TABLES,), NESTED),
        ("backward", False, (TABLES,), BACKWARD),
    )
    for fault in group
}


def lanes_of(nested, fault=""):
    """Return one lane, the longest search, where lanes are not what is tested."""
    return 2 if nested or "lanes" in fault else 1


@pytest.mark.slow
@pytest.mark.parametrize(("nested", "edits", "problem"), RIGHT_ONES)
def test_interpreted_kernels_pass(nested, edits, problem):
    sampler = plain(nested, MOST.get(problem), *edits, lanes=lanes_of(nested))
    n_draws = N_DRAWS.get(problem, 1500)
    assert_exact(sampler, PROBLEMS[problem], n_draws, seed=6)


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    nested, edits, (problem, *own) = MUTANTS[fault]
    lanes = lanes_of(nested, fault)
    mutant = plain(nested, MOST.get(problem), *edits, *own, lanes=lanes)
    assert is_wrong(mutant, PROBLEMS[problem], N_DRAWS.get(problem, 1500), seed=7)


LIST_MUTANTS = {
    "an empty topic is not dropped": [
        Edit("draw_topics", "drop_empty(A, B, C, S, *Z)", "S"),
    ],
    "an empty topic is not dropped before a table": [
        TABLES,
        Edit("large.resample", "drop_empty(A, B, C, S, *Z)", "S"),
    ],
    "the size is forgotten": [Edit("_sweep_document", "S[W] = new_size", "pass")],
}


@pytest.mark.slow
@pytest.mark.parametrize("edits", LIST_MUTANTS.values(), ids=LIST_MUTANTS)
def test_mutants_of_lists_are_noticed(edits):
    mutant = plain(True, None, *edits)
    _, sound = sweep_exact_draws(mutant, PROBLEMS["documents"], 500, seed=8)
    assert not sound
