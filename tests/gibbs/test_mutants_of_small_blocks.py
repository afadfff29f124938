"""Faults in the draw of blocks of up to four tokens, each of which must be found."""

import pytest

from tests.gibbs.test_small_blocks import all_kept
from tests.helpers.blocks import assert_right, is_found
from tests.helpers.enumeration import each_mutant
from tests.helpers.mutants import Edit, faults

# Faults by the problem on which they show. Enumeration finds them.
MUTANTS = faults("""
flat pair, same
  kappa_2 is p_0 p_1
    small.cumulants: p0 * (p1 - p0) -> p0 * p1
  H_2 lacks K_2
    normaliser: k1 * k1 + k2 -> k1 * k1
  kappa_2 does not count in a pair
    normaliser: (K, 1.0, 0.0, 0.0) -> (K, 0.0, 0.0, 0.0)
  n_dk keeps the block in the test
    resample_small: document.doc_topic[K] - M -> document.doc_topic[K]
  p_1 is p_0 in the test
    resample_small: (A + 1) * (B + 1) / (S + 1) -> A * B / S
  n_dk does not grow
    set_ratios: (A + I) / (S + I) -> A / (S + I)
  the sums keep the block
    resample_small: left = moved(*Z) -> pass
  the block is one token
    resample_small: m += X -> pass
  no block stays as it is
    resample_small: U * E < S -> False
  one that does not stay may
    redraw: E - stay -> E (1 of 2)
  the first token stays as if all might
    redraw: X - stay -> X (2 of 2)
  one that moves may stay
    draw_other: choose(M, N, W) -> W
  the sums are not those after a move
    redraw: sums = change(*Z) -> change(*Z) (2 of 2)
  kappa_1 does not count
    draw_other: range(depth) -> range(1, depth)
flat 4 alike
  kappa_3 lacks p_0
    small.cumulants: p2 - p0 - twice -> p2 - twice
  kappa_3 lacks 2 p_0
    small.cumulants: p2 - p0 - twice -> p2 - p0
  kappa_3 lacks a square
    small.cumulants: X + square + square -> X + square
  kappa_4 lacks p_0
    small.cumulants: (p0 + twice) * P -> twice * P
  kappa_4 lacks 2 p_0
    small.cumulants: p3 - twice - twice -> p3 - twice
  kappa_4 lacks p_1
    small.cumulants: p1 + p1 - p0 -> p1 - p0
  kappa_4 has one square for six
    small.cumulants: six * X -> square * X
  H_4 has a binomial of 1 for 3
    normaliser: 3 * A * B -> A * B (1 of 2)
  H_4 has another binomial of 1 for 3
    normaliser: 3 * A * B -> A * B (2 of 2)
  p_3 is p_2 in the test
    resample_small: (A + 3) * (B + 3) / (S + 3) -> (A + 2) * (B + 2) / (S + 2)
flat 3 of 2 topics
  H_3 has a binomial of 1 for 2
    normaliser: A + 2 * B * C + D -> A + B * C + D
flat 4 of 2 topics
  the first token has the weight of the second
    redraw: stay /= P -> pass
  p_3 is that of b + 2
    kappa_of: b2 + unit -> b2
  p_4 is p_3 in the test
    resample_small: (A + 4) * (B + 4) / (S + 4) -> (A + 3) * (B + 3) / (S + 3)
three
  kappa_3 does not count
    normaliser: (A, B, 1.0, 0.0) -> (A, B, 0.0, 0.0)
pair, same
  beta counts twice in the test
    resample_small: np.float64(words.beta) -> 2 * np.float64(words.beta)
  one token has the weight of all
    resample_small: stay *= P -> stay = P
  p_0 is p_1 in the test
    resample_small: A * B / S -> (A + 1) * (B + 1) / (S + 1) (1 of 5)
  p_0 is that of b + 1
    kappa_of: ratio[0] * b -> ratio[0] * b1
  p_1 is that of b
    kappa_of: b + unit -> b
  n_wk keeps the block in the test
    resample_small: mass(J, M, W) -> mass(J, 0, W)
pairs
  beta is missing where no topic is listed
    set_base: np.float64(beta) -> 1e-6
  only listed topics count
    set_base: document.base[C] = X -> document.base[C] = 0.0
  listed topics do not count
    weigh_topics: sums = moved(*Z) -> pass
flat 3 alike
  p_2 is p_1 in the test
    resample_small: (A + 2) * (B + 2) / (S + 2) -> (A + 1) * (B + 1) / (S + 1)
four
  n_k does not grow
    set_ratios: (A + I) / (S + I) -> (A + I) / S
flat pair, different
  a block stays too often
    resample_small: U * E < S -> U * E < 1.5 * S
  the second token moves for sure
    redraw: stay, S = (0.0, E) -> S = E
pair beside
  other topics have a token
    draw_unlisted: np.float64(beta) -> 1 + np.float64(beta)
  other topics are those of the list
    draw_unlisted: weight[topic_of(*Z)] = 0 -> pass
  only listed topics are drawn
    draw_other: draw_unlisted(*Z) -> excluded
two words
  beta is missing where topics are listed
    weigh_topics: X + beta -> X
  V is missing in the test
    resample_small: entry(*Z) -> words.beta
  the sums are those of the word before
    lists._resample_several: word[C] != weighed -> weighed < 0
singles
  single tokens have the ratios of before
    lists._resample_singles: update_ratios(*Z) -> 5.0
pair, different
  alpha is half as large
    set_ratios: document.alpha[K] -> document.alpha[K] / 2
  V is half as large
    set_ratios: entry(*Z) -> entry(*Z) / 2
  beta is missing when a token is added
    small.change: mass(J, 0, W) + beta -> mass(J, 0, W) + 1e-6
  kappa_2 does not count
    draw_other: range(depth) -> range(1)
3 of 3 topics
  p_2 is that of b + 1
    kappa_of: b1 + unit -> b1
4 alike
  kappa_4 does not count
    normaliser: (A, B, C, 1.0) -> (A, B, C, 0.0)
  two terms count
    small.combined: depth == 2 -> True
4 spread
  n_k keeps the block in the test
    resample_small: document.topic[K] - M -> document.topic[K]
4 wide
  n_k loses the tokens on all topics in the test
    resample_small: document.topic[K] - M -> document.topic[K] - n
peaked pair
  alpha is that of another topic in the test
    resample_small: document.alpha[K] -> document.alpha[0]
""")
# Faults by the most tokens of a block. What is kept from block to block shows them.
KEPT = faults("""
2
  an empty topic stays
    drop_empty: is_empty(*Z) -> False
  an empty slot keeps cumulants
    drop_empty: document.kappa[C, J] = 0 -> pass
  the cumulants of the last topic are lost
    drop_empty: document.kappa[C, J] = document.kappa[C, X] -> pass
  the sums of all topics stay
    small.change: document.base[C] += X -> pass
  the cumulants stay
    small.change: document.kappa[C, J] = X -> pass
  n_wk is not counted
    small.change: words.pairs[J] += N -> pass
  n_dk is not counted
    small.change: document.doc_topic[K] += N -> pass
  n_k is not counted
    small.change: document.topic[K] += N -> pass
  ratios stay
    small.change: set_ratios(*Z) -> pass
  a new topic has no name
    draw_unlisted: pairs[J] = K -> pass
  a new topic is not listed
    draw_unlisted: size[0] += 1 -> pass
  a new topic has no cumulants
    draw_unlisted: weigh_topics(*Z) -> pass
3
  sums are those before the block
    resample_small: redraw(*Z) -> redraw(*Z) and sums
""")
# As if all weight but the block's were lost to rounding: the sums are made anew.
SPOILT = [
    Edit("resample_small", "left[0] < X", "True"),
    Edit("redraw", "sums[0] < X", "True"),
]


@pytest.mark.slow
@pytest.mark.parametrize("problem", MUTANTS)
def test_interpreted_kernels_pass(problem):
    assert_right(problem)


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["flat pair, same", "pairs", "flat 4 of 2 topics"])
def test_sums_made_anew_are_exact(problem):
    assert_right(problem, edits=SPOILT)


@pytest.mark.slow
@each_mutant({"small": MUTANTS})
def test_mutants_fail(name, problem, edits):
    assert is_found(problem, True, edits)


@each_mutant({"small": KEPT})
def test_mutants_keep_something_else(name, problem, edits):
    assert not all_kept(int(problem), edits)
