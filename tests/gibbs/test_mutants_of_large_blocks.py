"""Faults in the draw of blocks of any size, by tables, which enumeration must find."""

import pytest

from tests.helpers.blocks import TABLES, assert_right, is_found
from tests.helpers.mutants import Edit

TILTED = Edit("set_weights", "N > PLAIN", "True")
# Fault: problem, edits.
BLOCK = {
    "the block stays in n_dk": (
        "two words",
        Edit("resample_large", "doc_topic - T", "doc_topic"),
    ),
    "the block stays in n_wk": (
        "peaked documents",
        Edit("resample_large", "words.counts[J] - T", "words.counts[J]"),
    ),
    "the block stays in n_k": (
        "documents",
        Edit("resample_large", "topic - T", "topic"),
    ),
    "alpha is missing": (
        "four",
        Edit("resample_large", "X + priors.doc_topic", "X + 1e-6"),
    ),
    "V is missing": (
        "four",
        Edit("resample_large", "priors.topic_word_sum", "words.beta"),
    ),
    "beta is missing": ("four", Edit("resample_large", "words.beta", "1e-6")),
    "what is left is not counted": (
        "split",
        Edit("resample_large", "(-1, 1)", "(1,)"),
    ),
    "what is entered is not counted": (
        "split",
        Edit("resample_large", "(-1, 1)", "(-1,)"),
    ),
    "1 / (c + 1) is 1 / (c + 2)": (
        "four",
        Edit("set_weights", "(C + 1) * T", "(C + 2) * T"),
    ),
    "n_k does not grow with the block": (
        "flat",
        Edit("set_weights", "(B + C) / (S + C)", "(B + C) / S"),
    ),
    "n_wk does not grow with the block": (
        "four",
        Edit("set_weights", "(B + C) / (S + C)", "B / (S + C)"),
    ),
    "tokens are not shuffled": (
        "flat",
        Edit("resample_large", "shuffle(*Z)", "pass"),
    ),
    "no token stays where it is": (
        "flat",
        Edit("shuffle", "U * (I + 1)", "U * I"),
    ),
}
LIST = {
    "the word's tokens are not counted": (
        "documents",
        Edit("resample_large", "words.counts[J] - T", "1 - T"),
    ),
    "n_wk is not changed": ("split", Edit("add_to_topic", "counts[J] += N", "pass")),
    "n_dk is not changed": ("split", Edit("add_to_topic", "doc_topic[K] += N", "pass")),
    "n_k is not changed": ("documents", Edit("add_to_topic", "topic[K] += N", "pass")),
    "an entered topic has no name": (
        "split",
        Edit("add_to_topic", "topics[J] = K", "pass"),
    ),
}
NESTED = {
    "left and right are exchanged": (
        "four",
        Edit("simulations._split", "L[C - I] * R[I]", "L[I] * R[C - I]"),
    ),
    "all tokens never go right": (
        "flat",
        Edit("simulations._merge", "range(C + 1)", "range(max(C, 1))"),
    ),
    "no token on the left is sure": (
        "flat",
        Edit("simulations._merge", "L[I, J] * R", "(L[I, J] if I else 1) * R"),
        TILTED,
    ),
    "a node is split for all tokens": (
        "flat",
        Edit("draw_nested", "U * T[C, J]", "U * T[n, J]"),
    ),
    "the right child is the neighbour": (
        "five topics",
        Edit("draw_nested", "(B, L, J + 2 * M)", "(B, L, J + M + 1)"),
    ),
}
BACKWARD = {
    "empty topics are not weighed": (
        "five topics",
        Edit("simulations._backward", "E[I + 1] * P[0, I]", "E[I + 1]"),
        TILTED,
    ),
    "the search stops one below": (
        "five topics",
        Edit("simulations._backward", "L = middle", "L = max(middle - 1, first)"),
    ),
    "the search stops one above": (
        "five topics",
        Edit("simulations._backward", "F = M + 1", "F = min(M + 2, last)"),
    ),
    "the search looks one below": (
        "four",
        Edit(
            "simulations._backward", "T[N, M + 1] * E[M + 1] > R", "T[N, M] * E[M] > R"
        ),
    ),
    "what is empty stays in the draw of a count": (
        "five topics",
        Edit("simulations._backward", "R / E[L + 1] - X", "R - X"),
        TILTED,
    ),
    "the topics before stay in the draw of a count": (
        "four",
        Edit("simulations._backward", "X - T[N, L] * P[0, L]", "X"),
    ),
    "a count and what is left are exchanged": (
        "flat",
        Edit("simulations._backward", "P[C, L] * T[N - C, L]", "P[N - C, L] * T[C, L]"),
    ),
    "the last topic may have no token": (
        "four",
        Edit("simulations._backward", "C = 1", "C = 0", 1, 2),
    ),
    "all tokens on one topic are not in the table": (
        "four",
        Edit("simulations._forward", "range(C + 1)", "range(max(C, 1))"),
    ),
    "no token on a topic is sure": (
        "five topics",
        Edit("simulations._forward", "P[I, L] * T", "(P[I, L] if I else 1) * T"),
        TILTED,
    ),
    "lanes have each other's tokens": (
        "four",
        Edit("draw_backward", "in_lane[L]", "in_lane[LANES - 1 - L]"),
    ),
    "lanes have the first one's table": (
        "four",
        Edit("draw_backward", "T[:, L::LANES]", "T[:, ::LANES]", 1, 2),
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
