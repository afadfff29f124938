"""Faults in the draw of two tokens, each of which enumeration must find."""

import pytest

from tests.helpers.blocks import assert_right, is_found
from tests.helpers.mutants import Edit

STEP = "step(K, N, -1, G)"  # of the second of one topic; of the first, of the second

# Fault: problem, edits.
ONE_TOPIC = {
    "p_0 is that without one": (
        "flat pair, same",
        Edit("_moves", "step(K, N, -2, G)", STEP),
    ),
    "p_1 is p_0": (
        "flat pair, same",
        Edit("_moves", STEP, "step(K, N, -2, G)", 0, 3),
    ),
    "p_1 is that of both": (
        "flat pair, same",
        Edit("_moves", STEP, "step(K, N, 0, G)", 0, 3),
    ),
    "K_1 keeps the block": (
        "flat pair, same",
        Edit("_moves", "S + (p0 - q1)", "S", 0, 2),
    ),
    "K_2 keeps the block": (
        "flat pair, same",
        Edit("_moves", "p0 * (p1 - p0) - q2", "0.0"),
    ),
    "K_2 loses the topic": (
        "flat pair, same",
        Edit("_moves", "p0 * (p1 - p0) - q2", "-q2"),
    ),
    "kappa_2 is p_0 p_1": (
        "flat pair, same",
        Edit("_moves", "p0 * (p1 - p0) - q2", "p0 * p1 - q2"),
    ),
    "both stay by p_0 p_0": ("flat pair, same", Edit("_moves", "p0 * p1", "p0 * p0")),
    "the first stays, and the second may": (
        "flat pair, same",
        Edit("_moves", "p0 * (k1 - p0)", "p0 * k1"),
    ),
    "the second never stays alone": (
        "flat pair, same",
        Edit("_moves", "second_stays = first_stays", "second_stays = 0.0"),
    ),
    "where to holds the own topic": (
        "flat pair, same",
        Edit("_moves", "(A, B, p0)", "(A, B, 0.0)"),
    ),
}
TWO_TOPICS = {
    "the first is not taken out": (
        "flat pair, different",
        Edit("_moves", STEP, "step(K, N, 0, G)", 1, 3),
    ),
    "the second is not taken out": (
        "flat pair, different",
        Edit("_moves", STEP, "step(K, N, 0, G)", 2, 3),
    ),
    "K_1 keeps the first": (
        "flat pair, different",
        Edit("_moves", "S + (p0 - q1)", "S", 1, 2),
    ),
    "K_1 keeps the second": (
        "flat pair, different",
        Edit("_moves", "S + (o0 - o1)", "S"),
    ),
    "K_2 keeps the first": (
        "pair, different",
        Edit("_moves", "p0 * (q1 - p0) - q2", "0.0"),
    ),
    "K_2 loses the first's topic": (
        "pair, different",
        Edit("_moves", "p0 * (q1 - p0) - q2", "-q2"),
    ),
    "K_2 keeps the second": (
        "pair, different",
        Edit("_moves", "o0 * (o1 - o0) - o2", "0.0"),
    ),
    "K_2 loses the second's topic": (
        "pair, different",
        Edit("_moves", "o0 * (o1 - o0) - o2", "-o2"),
    ),
    "both stay by p_0 and p_1": (
        "flat pair, different",
        Edit("_moves", "p0 * o0", "p0 * o1"),
    ),
    "the second follows with p_0": (
        "flat pair, different",
        Edit("_moves", "p0 * (k1 + q1 - p0)", "p0 * k1"),
    ),
    "the first follows with p_0": (
        "flat pair, different",
        Edit("_moves", "o0 * (k1 + o1 - o0)", "o0 * k1"),
    ),
    "the first's topic counts twice": (
        "flat pair, different",
        Edit("_moves", "p0 * (k1 + q1 - p0)", "p0 * (k1 + q1)"),
    ),
    "the second's topic counts twice": (
        "flat pair, different",
        Edit("_moves", "o0 * (k1 + o1 - o0)", "o0 * (k1 + o1)"),
    ),
    "the first stays, and the second may": (
        "flat pair, different",
        Edit("_moves", "first_stays = X - stay", "first_stays = X"),
    ),
    "the second stays, and the first may": (
        "flat pair, different",
        Edit("_moves", "second_stays = X - stay", "second_stays = X"),
    ),
    "which of them stays is exchanged": (
        "pair, different",
        Edit(
            "_moves",
            "first_stays = X\nsecond_stays = Y",
            "first_stays = Y\nsecond_stays = X",
        ),
    ),
}
DECISION = {
    "H_2 lacks K_2": ("flat pair, same", Edit("_moves", "k1 * k1 + k2", "k1 * k1")),
    "no pair stays": (
        "pairs",
        Edit("_moves", "uniform(G) * H - stay", "uniform(G) * H"),
    ),
    "no first stays alone": ("pairs", Edit("_moves", "r -= first_stays", "pass")),
    "no second stays alone": ("pairs", Edit("_moves", "r -= second_stays", "pass")),
    "the first moves in place of the second": (
        "flat pair, different",
        Edit("_moves", "1, 2, 0.0, 0.0", "0, 1, 0.0, 0.0"),
    ),
    "the second moves in place of the first": (
        "flat pair, different",
        Edit("_moves", "0, 1, 0.0, 0.0", "1, 2, 0.0, 0.0"),
    ),
    "only one of both moves": (
        "flat pair, same",
        Edit("_moves", "0, 2, r, O", "0, 1, r, O"),
    ),
    "the second may stay when both move": (
        "flat pair, different",
        Edit("_moves", "k1 - o0", "k1"),
    ),
    "the second is taken for the first": (
        "pair, different",
        Edit("_moves", "k1 - o0", "k1 - p0"),
    ),
    "the second has the place of the first": (
        "flat pair, different",
        Edit("_moves", "places[1] = place", "pass"),
    ),
}
MOVE = {
    "the block is not taken out": (
        "pair, different",
        Edit("resample_pair", "sums = change(places[I], -1, *Z)", "pass"),
    ),
    "sums keep what is taken out": (
        "flat pair, same",
        Edit(
            "resample_pair",
            "sums = change(places[I], -1, *Z)",
            "change(places[I], -1, *Z)",
        ),
    ),
    "only one token is taken out": (
        "flat pair, different",
        Edit("resample_pair", "range(B, E)", "range(B, B + 1)"),
    ),
    "the first is not entered": (
        "flat pair, same",
        Edit("resample_pair", "sums = change(new, 1, *Z)", "pass", 0, 2),
    ),
    "sums lack the first": (
        "flat pair, same",
        Edit("resample_pair", "sums = change(new, *Z)", "change(new, *Z)", 0, 2),
    ),
    "the first may stay": (
        "flat pair, same",
        Edit("resample_pair", "draw_first(R, F, but, *Z)", "draw_first(R, F, -1, *Z)"),
    ),
    "the second may stay": (
        "flat pair, same",
        Edit("resample_pair", "draw_last(R, but_second, *Z)", "draw_last(R, -1, *Z)"),
    ),
    "each may stay, and not go where the other was": (
        "flat pair, different",
        Edit("resample_pair", "B, S = first, second", "B, S = second, first"),
    ),
    "the first, alone, may stay": (
        "flat pair, different",
        Edit("resample_pair", "places[end - 1]", "places[1]"),
    ),
    "the first joins a second that stays": (
        "flat pair, different",
        Edit(
            "resample_pair",
            "of_two, kappa[1][P] = kappa[1][P], 0",
            "of_two = kappa[1][P]",
        ),
    ),
    "the first weighs without the second": (
        "flat pair, same",
        Edit("resample_pair", "first_factors(others, *Z)", "first_factors(1.0, *Z)"),
    ),
    "the second never follows": (
        "pairs",
        Edit("cumulants.first_factors", "(O, 1.0, *Z)", "(O, 0.0, *Z)"),
    ),
    "the second is drawn from all": (
        "flat pair, same",
        Edit("resample_pair", "sums[0] - kappa[0][but_second]", "sums[0]"),
    ),
    "the first does not move with the second": (
        "pair, different",
        Edit("resample_pair", "E - B == 2", "False"),
    ),
    "one that moves is drawn twice": (
        "flat pair, different",
        Edit("resample_pair", "E - B == 2", "True"),
    ),
    "the tokens change places": (
        "flat pair, different",
        Edit("resample_pair", "block[0] = X", "block[1] = X"),
        Edit(
            "resample_pair",
            "block[end - 1] = X",
            "block[0 if end - begin == 2 else begin] = X",
        ),
    ),
}
# Of no pair the sums tell what it weighs.
REDRAWN = Edit("_moves", "K < LEAST_LEFT * S", "True")
REDRAW = {
    "the sums are taken as they are": (
        "flat pair, same",
        Edit("resample_pair", "r < 0", "False"),
    ),
    "both topics are left for others": (
        "flat pair, same",
        Edit("resample_pair", "but = but_second = X", "pass"),
    ),
    "the first leaves its topic": (
        "flat pair, same",
        Edit("resample_pair", "but = but_second = X", "but_second = X"),
    ),
    "the second leaves its topic": (
        "flat pair, same",
        Edit("resample_pair", "but = but_second = X", "but = X"),
    ),
    "the first weighs without the second": (
        "flat pair, same",
        Edit("resample_pair", "others = sums[0]", "others = 1.0"),
    ),
    "H_2 lacks K_1": (
        "flat pair, same",
        Edit("resample_pair", "others * others + sums[1]", "sums[1]"),
    ),
    "H_2 lacks K_2": (
        "flat pair, same",
        Edit("resample_pair", "others * others + sums[1]", "others * others"),
    ),
    "only the first is drawn": (
        "flat pair, same",
        Edit("_moves", "0, 2, -1.0, 0.0", "0, 1, -1.0, 0.0"),
    ),
}
# What rounding has spoilt is not taken for what is left.
RANGE = {
    "what is left is taken as it is": (
        "pair, tiny alpha",
        Edit("_moves", "K < LEAST_LEFT * S", "False"),
    ),
    "sums are not added up anew": (
        "pair, tiny alpha",
        Edit("resample_pair", "sums = weigh(*Z)", "pass"),
    ),
}
CUMULANTS = {
    "b_1 is b_0": ("pair, same", Edit("cumulants.steps", "B + I * S", "B")),
    "kappa_2 is p_0 p_1": (
        "peaked pair",
        Edit("_two_cumulants", "p0 * (p1 - p0)", "p0 * p1"),
    ),
    "kappa_2 is zero": (
        "pair, same",
        Edit("_two_cumulants", "p0 * (p1 - p0)", "0 * p0"),
    ),
    "beta is missing": ("pairs", Edit("kappa_of", "N * S + B", "N * S")),
    "beta is not scaled": (
        "pairs",
        Edit("enter_blocks", "numbers[0] * numbers[1]", "numbers[0]"),
    ),
    "n_wk is not scaled": ("documents", Edit("kappa_of", "N * S + B", "N + B")),
    "alpha is missing": ("pairs", Edit("ratios_of", "N + given.alpha[K]", "N")),
    "V is missing": (
        "words",
        Edit("Problem.kernel_priors", "np.float32(V) * B", "B"),
    ),
    "n_dk does not grow": (
        "flat pair, same",
        Edit("ratios_of", "(A + I) / (S + I)", "A / (S + I)"),
    ),
    "n_k does not grow": (
        "documents",
        Edit("ratios_of", "(A + I) / (S + I)", "(A + I) / S"),
    ),
    "staying is not scaled": ("pairs", Edit("small.step", "X * numbers[1]", "X")),
}
GROUPS = {
    "one topic": ((), ONE_TOPIC),
    "two topics": ((), TWO_TOPICS),
    "decision": ((), DECISION),
    "move": ((), MOVE),
    "redraw": ((REDRAWN,), REDRAW),
    "range": ((), RANGE),
    "cumulants": ((), CUMULANTS),
}
MUTANTS = {
    f"{name}, {fault}": (problem, *base, *own)
    for name, (base, group) in GROUPS.items()
    for fault, (problem, *own) in group.items()
}


RIGHT_ONES = sorted(
    (kernel, problem)
    for kernel in ("rows", "lists")
    for problem in {problem for problem, *_ in MUTANTS.values()}
    # Lists add up all topics once per document: so tiny ones are lost.
    if kernel == "rows" or "tiny" not in problem
)


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "problem"), RIGHT_ONES)
def test_interpreted_kernels_pass(kernel, problem):
    assert_right(problem, kernel)


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["flat pair, same", "pairs"])
@pytest.mark.parametrize("kernel", ["rows", "lists"])
def test_pairs_that_are_always_redrawn(kernel, problem):
    assert_right(problem, kernel, edits=[REDRAWN])


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    problem, *edits = MUTANTS[fault]
    assert is_found(problem, "rows", True, edits)
