"""Faults in the draw of blocks of any size, by tables, which enumeration must find."""

import pytest

from tests.helpers.blocks import TABLES, assert_right, is_found
from tests.helpers.mutants import Edit

TILTED = Edit("set_weights", "N <= PLAIN", "N < 0")
# Fault: problem, edits.
BLOCK = {
    "the block stays in n_dk": (
        "two words",
        Edit("large.resample", "doc_topic[K] - T", "doc_topic[K]"),
    ),
    "the block stays in n_wk": (
        "peaked documents",
        Edit("large.resample", "words.counts[J] - T", "words.counts[J]"),
    ),
    "the block stays in n_k": (
        "documents",
        Edit("large.resample", "topic[K] - T", "topic[K]"),
    ),
    "alpha is missing": (
        "four",
        Edit("large.resample", "X + np.float64(priors.doc_topic[K])", "X + 1e-6"),
    ),
    "V is missing": (
        "four",
        Edit("large.resample", "entry(*Z)", "words.beta"),
    ),
    "beta is missing": ("four", Edit("large.resample", "words.beta", "1e-6")),
    "what is left is not counted": (
        "split",
        Edit("large.resample", "(-1, 1)", "(1,)"),
    ),
    "what is entered is not counted": (
        "split",
        Edit("large.resample", "(-1, 1)", "(-1,)"),
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
}
LIST = {
    "the word's tokens are not counted": (
        "documents",
        Edit("large.resample", "words.counts[J] - T", "1 - T"),
    ),
    "n_wk is not changed": ("split", Edit("large.count", "counts[J] += N", "pass")),
    "n_dk is not changed": ("split", Edit("large.count", "doc_topic[K] += N", "pass")),
    "n_k is not changed": ("documents", Edit("large.count", "topic[K] += N", "pass")),
    "an entered topic has no name": (
        "split",
        Edit("large.count", "topics[J] = K", "pass"),
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
GROUPS = {
    "block": (True, BLOCK),
    "list": (True, LIST),
    "nested": (True, NESTED),
    "backward": (False, BACKWARD),
}
MUTANTS = {
    f"{name}, {fault}": (nested, *mutant)
    for name, (nested, group) in GROUPS.items()
    for fault, mutant in group.items()
}


RIGHT_ONES = sorted({(nested, problem) for nested, problem, *_ in MUTANTS.values()})


def lanes_of(nested, fault=""):
    """Return one lane, the longest search, where lanes are not what is tested."""
    return 2 if nested or "lanes" in fault else 1


@pytest.mark.slow
@pytest.mark.parametrize(("nested", "problem"), RIGHT_ONES)
def test_interpreted_kernels_pass(nested, problem):
    assert_right(problem, nested, TABLES, lanes_of(nested))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("nested", "problem"), [(True, "flat"), (False, "five topics")]
)
def test_tilted_weights_are_exact(nested, problem):
    assert_right(problem, nested, (*TABLES, TILTED), lanes_of(nested))


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    nested, problem, *edits = MUTANTS[fault]
    assert is_found(problem, nested, (*TABLES, *edits), lanes_of(nested, fault))
