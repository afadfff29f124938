"""Faults in the draw of blocks of any size, by tables, which enumeration must find."""

import pytest

from tests.helpers.blocks import TABLES, assert_right, is_found
from tests.helpers.enumeration import each_mutant
from tests.helpers.mutants import Edit, faults

TILTED = Edit("set_weights", "N > PLAIN", "True")
# Faults by the problem on which they show.
BLOCK = faults("""
two words
  the block stays in n_dk
    resample_large: doc_topic - T -> doc_topic
peaked documents
  the block stays in n_wk
    resample_large: mass(J, T, W) -> mass(J, 0, W)
documents
  the block stays in n_k
    resample_large: topic - T -> topic
four
  alpha is missing
    resample_large: X + priors.doc_topic -> X + 1e-6
  V is missing
    resample_large: priors.topic_word_sum -> words.beta
  beta is missing
    resample_large: words.beta -> 1e-6
  1 / (c + 1) is 1 / (c + 2)
    set_weights: (C + 1) * T -> (C + 2) * T
  n_wk does not grow with the block
    set_weights: (B + C) / (S + C) -> B / (S + C)
split
  what is left is not counted
    resample_large: (-1, 1) -> (1,)
  what is entered is not counted
    resample_large: (-1, 1) -> (-1,)
flat
  n_k does not grow with the block
    set_weights: (B + C) / (S + C) -> (B + C) / S
  tokens are not shuffled
    resample_large: shuffle(*Z) -> pass
  no token stays where it is
    shuffle: U * (I + 1) -> U * I
""")
LIST = faults("""
documents
  the word's tokens are not counted
    resample_large: mass(J, T, W) -> 1 - T
  n_k is not changed
    add_to_topic: topic[K] += N -> pass
split
  n_wk is not changed
    add_to_topic: pairs[J] += N -> pass
  n_dk is not changed
    add_to_topic: doc_topic[K] += N -> pass
  an entered topic has no name
    add_to_topic: pairs[J] = K -> pass
""")
NESTED = faults("""
four
  left and right are exchanged
    simulations._split: L[C - I] * R[I] -> L[I] * R[C - I]
flat
  all tokens never go right
    simulations._merge: range(C + 1) -> range(max(C, 1))
  no token on the left is sure
    simulations._merge: L[I, J] * R -> (L[I, J] if I else 1) * R
    set_weights: N > PLAIN -> True
  a node is split for all tokens
    draw_nested: U * T[C, J] -> U * T[n, J]
pairs
  children are neighbours
    draw_nested: (B, J + M, J + 2 * M) -> (B, 2 * J, 2 * J + 1)
""")
BACKWARD = faults("""
five topics
  empty topics are not weighed
    simulations._backward: E[I + 1] * P[0, I] -> E[I + 1]
    set_weights: N > PLAIN -> True
  the search stops one below
    simulations._backward: L = middle -> L = max(middle - 1, first)
  the search stops one above
    simulations._backward: F = M + 1 -> F = min(M + 2, last)
  what is empty stays in the draw of a count
    simulations._backward: R / E[L + 1] - X -> R - X
    set_weights: N > PLAIN -> True
  no token on a topic is sure
    simulations._forward: P[I, L] * T -> (P[I, L] if I else 1) * T
    set_weights: N > PLAIN -> True
four
  the search looks one below
    simulations._backward: T[N, M + 1] * E[M + 1] > R -> T[N, M] * E[M] > R
  the topics before stay in the draw of a count
    simulations._backward: X - T[N, L] * P[0, L] -> X
  the last topic may have no token
    simulations._backward: C = 1 -> C = 0 (2 of 2)
  all tokens on one topic are not in the table
    simulations._forward: range(C + 1) -> range(max(C, 1))
flat
  a count and what is left are exchanged
    simulations._backward: P[C, L] * T[N - C, L] -> P[N - C, L] * T[C, L]
""")
LANES = faults("""
four
  lanes have each other's tokens
    draw_backward: lane_tokens[L] -> lane_tokens[LANES - 1 - L]
  lanes have the first one's table
    draw_backward: T[:, L::LANES] -> T[:, ::LANES] (2 of 2)
""")
TABLES_OF = {"block": BLOCK, "list": LIST, "nested": NESTED}
TABLES_OF |= {"backward": BACKWARD, "backward, lanes": LANES}
RIGHT_ONES = {(True, problem) for problem in (*BLOCK, *LIST, *NESTED)}
RIGHT_ONES |= {(False, problem) for problem in (*BACKWARD, *LANES)}


def lanes_of(nested):
    """Return one lane, the longest search, where lanes are not what is tested."""
    return 2 if nested else 1


@pytest.mark.slow
@pytest.mark.parametrize(("nested", "problem"), sorted(RIGHT_ONES))
def test_interpreted_kernels_pass(nested, problem):
    assert_right(problem, nested, TABLES, lanes_of(nested))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("nested", "problem"), [(True, "flat"), (False, "five topics")]
)
def test_tilted_weights_are_exact(nested, problem):
    assert_right(problem, nested, (*TABLES, TILTED), lanes_of(nested))


@pytest.mark.slow
@each_mutant(TABLES_OF)
def test_mutants_fail(name, problem, edits):
    nested, lanes = not name.startswith("backward"), 1 if name == "backward" else 2
    assert is_found(problem, nested, (*TABLES, *edits), lanes)
