"""Faults in the draw of blocks of up to four tokens, each of which must be found."""

import pytest

from tests.gibbs.test_small_blocks import all_kept
from tests.helpers.blocks import assert_right, is_found
from tests.helpers.mutants import Edit

# Fault: problem, edit. Enumeration finds them.
MUTANTS = {
    "kappa_2 of two is p_0 p_1": (
        "documents",
        Edit("small.kappa_without", "p0 * (p1 - p0)", "p0 * p1"),
    ),
    "kappa_3 lacks p_0": (
        "flat 4 alike",
        Edit("small.cumulants", "p2 - p0 - twice", "p2 - twice"),
    ),
    "kappa_3 lacks a square": (
        "flat 4 alike",
        Edit("small.cumulants", "X + square + square", "X + square"),
    ),
    "kappa_4 has one square for six": (
        "flat 4 alike",
        Edit("small.cumulants", "six * X", "square * X"),
    ),
    "H_2 lacks K_2": (
        "flat pair, same",
        Edit("normaliser", "k1 * k1 + k2", "k1 * k1"),
    ),
    "H_3 has a binomial of 1 for 2": (
        "flat 3 of 2 topics",
        Edit("normaliser", "A + 2 * B * C + D", "A + B * C + D"),
    ),
    "H_4 has a binomial of 1 for 3": (
        "flat 4 alike",
        Edit("normaliser", "3 * A * B", "A * B", 0, 2),
    ),
    "kappa_2 does not count in a pair": (
        "flat pair, same",
        Edit("normaliser", "(K, 1.0, 0.0, 0.0)", "(K, 0.0, 0.0, 0.0)"),
    ),
    "kappa_3 does not count": (
        "three",
        Edit("normaliser", "(A, B, 1.0, 0.0)", "(A, B, 0.0, 0.0)"),
    ),
    "n_dk keeps the block": (
        "flat pair, same",
        Edit("kappa_without", "given.doc_topic[K] - M", "given.doc_topic[K]"),
    ),
    "n_wk keeps the block": (
        "pair, same",
        Edit("kappa_without", "n_wk - m", "n_wk"),
    ),
    "n_k keeps the block": (
        "documents",
        Edit("kappa_without", "given.topic[K] - M", "given.topic[K]"),
    ),
    "alpha is missing": (
        "pairs",
        Edit("kappa_without", "X + np.float64(given.alpha[K])", "X"),
    ),
    "n_dk does not grow": (
        "flat pair, same",
        Edit("set_ratios", "(A + I) / (S + I)", "A / (S + I)"),
    ),
    "n_k does not grow": (
        "four",
        Edit("set_ratios", "(A + I) / (S + I)", "(A + I) / S"),
    ),
    "the sums keep the block": (
        "flat pair, same",
        Edit("small.without", "sums = moved(*Z)", "pass"),
    ),
    "the block is one token": (
        "flat pair, same",
        Edit("small.without", "n_alike(*Z)", "1"),
    ),
    "a topic is taken out twice": (
        "flat pair, same",
        Edit("small.without", "is_first and X", "True"),
    ),
    "the tokens after are taken for one": (
        "flat pair, same",
        Edit("n_alike", "n += X", "pass"),
    ),
    "a token that stays is not counted": (
        "flat pair, same",
        Edit("small.resample", "left = moved(*Z)", "pass"),
    ),
    "no token stays where it is": (
        "flat pair, same",
        Edit("small.resample", "U * E >= C", "True"),
    ),
    "a token stays too often": (
        "flat pair, different",
        Edit("small.resample", "U * E >= C", "U * E >= 1.5 * C"),
    ),
    "the tokens that stayed are drawn again": (
        "flat pair, different",
        Edit("small.resample", "redraw(B, I, True, *Z)", "redraw(B, 0, True, *Z)"),
    ),
    "one that moves may stay": (
        "flat pair, same",
        Edit("draw_other", "J != B", "True"),
    ),
    "the tokens after a move do not stay": (
        "flat pair, different",
        Edit("redraw", "moves = False", "moves = True"),
    ),
    "the sums are not those after a move": (
        "flat pair, same",
        Edit("redraw", "left = moved(*Z)", "pass"),
    ),
    "the second token moves alike": (
        "flat pair, same",
        Edit("redraw", "r - stay", "r"),
    ),
    "other topics have a token": (
        "pair beside",
        Edit("draw_unlisted", "kappa(K, 0, *Z)", "kappa(K, 1, *Z)"),
    ),
    "other topics are those of the list": (
        "pair beside",
        Edit("draw_unlisted", "weight[topics[J]] = 0", "pass"),
    ),
    "only listed topics are drawn": (
        "pair beside",
        Edit("draw_other", "draw_unlisted(*Z)", "but"),
    ),
    "only listed topics count": (
        "pairs",
        Edit("set_base", "given.base[C] = X", "given.base[C] = 0.0"),
    ),
    "listed topics do not count": (
        "pairs",
        Edit("sums_of", "sums = moved(*Z)", "pass"),
    ),
    "the sums are those of the word before": (
        "two words",
        Edit("lists._resample_small", "word[C] != weighed", "weighed < 0"),
    ),
    "single tokens have the ratios of before": (
        "singles",
        Edit("lists._resample_singles", "update_ratios(*Z)", "5.0"),
    ),
}
# Most tokens of the block, edit. What is kept from block to block shows them.
KEPT = {
    "an empty topic stays": (2, Edit("drop_empty", "counts[J] == 0", "False")),
    "topics are dropped from the first on": (
        4,
        Edit("drop_empty", "range(size[0] - 1, -1, -1)", "range(size[0])"),
    ),
    "the sums of all topics stay": (
        2,
        Edit("small.change", "sums = moved(*Z)", "pass"),
    ),
    "n_wk is not counted": (2, Edit("small.change", "words.counts[J] += N", "pass")),
    "n_dk is not counted": (2, Edit("small.change", "given.doc_topic[K] += N", "pass")),
    "n_k is not counted": (2, Edit("small.change", "given.topic[K] += N", "pass")),
    "ratios stay": (2, Edit("small.change", "set_ratios(*Z)", "pass")),
    "a new topic has no name": (2, Edit("draw_unlisted", "topics[S] = N", "pass")),
    "a new topic is not listed": (2, Edit("draw_unlisted", "size[0] += 1", "pass")),
    "sums are those before the block": (
        3,
        Edit("redraw", "return left", "return sums_of(words, given)[:1] * 4"),
    ),
}
# All weight but the block's is lost to rounding: the sums are made anew.
SPOILT = Edit("small.resample", "left[0] < X", "True")


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem", sorted({problem for problem, _ in MUTANTS.values()})
)
def test_interpreted_kernels_pass(problem):
    assert_right(problem)


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["flat pair, same", "pairs", "flat 4 of 2 topics"])
def test_sums_made_anew_are_exact(problem):
    assert_right(problem, edits=[SPOILT])


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    problem, edit = MUTANTS[fault]
    assert is_found(problem, True, [edit])


@pytest.mark.parametrize("fault", KEPT)
def test_mutants_keep_something_else(fault):
    most, edit = KEPT[fault]
    assert not all_kept(most, [edit])
