"""Faults in the draw of blocks of up to four tokens, which enumeration must find."""

import pytest

from tests.helpers.blocks import assert_right, is_found
from tests.helpers.mutants import Edit

# Fault: problem, edits.
CUMULANTS = {
    "b_2 is b_1": (
        "flat 4 alike",
        Edit("cumulants.steps", "B + I * S", "B + min(I, 1) * S"),
    ),
    "b_3 is b_2": (
        "4 likely",
        Edit("cumulants.steps", "B + I * S", "B + min(I, 2) * S"),
    ),
    "p_2 has the ratio of p_1": (
        "4 likely",
        Edit("ratios_of", "(A + I) / (S + I)", "(A + min(I, 1)) / (S + min(I, 1))"),
    ),
    "p_3 has the ratio of p_2": (
        "4 spread",
        Edit("ratios_of", "(A + I) / (S + I)", "(A + min(I, 2)) / (S + min(I, 2))"),
    ),
    "kappa_2 is p_0 p_1": (
        "three",
        Edit("_four_cumulants", "p0 * (p1 - p0)", "p0 * p1"),
    ),
    "kappa_3 lacks p_0": (
        "flat 4 alike",
        Edit("_four_cumulants", "p2 - p0 - twice", "p2 - twice"),
    ),
    "kappa_3 lacks a square": (
        "flat 4 alike",
        Edit("_four_cumulants", "X + square + square", "X + square"),
    ),
    "kappa_4 lacks two p_0": (
        "flat 4 alike",
        Edit("_four_cumulants", "p3 - twice - twice", "p3 - twice"),
    ),
    "kappa_4 lacks p_1": (
        "flat 4 alike",
        Edit("_four_cumulants", "(p0 + twice) * P", "twice * P"),
    ),
    "kappa_4 has one square for six": (
        "flat 4 alike",
        Edit("_four_cumulants", "six * X", "square * X"),
    ),
    "kappa_4 has p_1 once": (
        "flat 4 alike",
        Edit("_four_cumulants", "p1 + p1 - p0", "p1 - p0"),
    ),
    "kappa_3 does not count": (
        "3 alike",
        Edit("cumulants.combined", "sum(X)", "sum([*X][:2])"),
    ),
    "kappa_4 does not count": (
        "4 alike",
        Edit("cumulants.combined", "sum(X)", "sum([*X][:3])"),
    ),
}
NORMALISER = {
    "H_2 lacks K_2": (
        "flat 3 of 2 topics",
        Edit("normaliser", "k1 * k1 + k2", "k1 * k1"),
    ),
    "H_3 has a binomial of 1 for 2": (
        "flat 3 of 2 topics",
        Edit("normaliser", "A + 2 * B * C + D", "A + B * C + D"),
    ),
    "H_3 lacks K_3": ("three", Edit("normaliser", "X + k3", "X")),
    "H_4 has a binomial of 1 for 3, K_2": (
        "flat 4 alike",
        Edit("normaliser", "3 * A * B", "A * B", 0, 2),
    ),
    "H_4 has a binomial of 1 for 3, K_3": (
        "flat 4 alike",
        Edit("normaliser", "3 * A * B", "A * B", 1, 2),
    ),
    "H_4 lacks K_4": ("four", Edit("normaliser", "X + k4", "X")),
    "the last follows": (
        "flat 3 alike",
        Edit("normaliser", "(1.0, 0.0, 0.0, 0.0)", "(1.0, 1.0, 0.0, 0.0)"),
    ),
    "factors for 2 tokens are wrong": (
        "3 of 3 topics",
        Edit("normaliser", "(k1, 1.0, 0.0, 0.0)", "(k1, 0.5, 0.0, 0.0)"),
    ),
    "factors for 3 tokens are wrong": (
        "flat 3 of 2 topics",
        Edit("normaliser", "(A, 2 * B, 1.0, 0.0)", "(A, B, 1.0, 0.0)"),
    ),
    "factors for 4 tokens are wrong": (
        "flat 4 alike",
        Edit("normaliser", "(A, 3 * B, 3 * C, 1.0)", "(A, B, C, 1.0)"),
    ),
}
STEP = {
    "the block stays in n_dk": (
        "flat pair, same",
        Edit("small.step", "given.doc_topic[K] + I", "given.doc_topic[K]"),
    ),
    "the block stays in n_wk": (
        "flat pair, same",
        Edit("small.step", "n_wk + I", "n_wk"),
    ),
    "the block stays in n_k": (
        "documents",
        Edit("small.step", "given.topic[K] + I", "given.topic[K]"),
    ),
    "alpha is missing": (
        "peaked documents",
        Edit("small.step", "X + given.alpha[K]", "X"),
    ),
    "beta is missing": ("documents", Edit("small.step", "X + numbers[0]", "X")),
    "V beta is missing": ("documents", Edit("small.step", "X + entry(*Z)", "X")),
}
STAY = {
    "tokens with one topic are taken for one": (
        "three",
        Edit("_multiplicity", "N += other > I", "pass"),
    ),
    "tokens with one topic are taken out each": (
        "flat 3 alike",
        Edit("_multiplicity", "return 0", "return n"),
    ),
    **{
        f"p_{i} is p_{other}": (
            problem,
            Edit("small._resample", f"step(K, N, {of}, G)", f"step(K, N, {by}, G)"),
        )
        for i, other, problem, of, by in (
            (0, 1, "three", "-m", "1 - m"),
            (1, 0, "3 likely", "1 - m", "-m"),
            (2, 1, "3 likely", "2 - m", "1 - m"),
            (3, 2, "4 spread", "3 - m", "2 - m"),
        )
    },
    **{
        f"K_{i + 1} keeps the block": (
            problem,
            Edit(
                "small._resample",
                "moved(L, *Z)",
                f"(*moved(L, *Z)[:{i}], L[{i}], *moved(L, *Z)[{i + 1}:])",
            ),
        )
        for i, problem in enumerate(["three", "three", "three", "4 alike"])
    },
    "sums grow by the block": (
        "flat 3 alike",
        Edit("small._resample", "moved(L, A, B)", "moved(L, B, A)"),
    ),
    "the block is taken out of another topic": (
        "flat 3 of 2 topics",
        Edit("small._resample", "at(K, place)", "at(K, 0)"),
    ),
    "staying weighs the first of a topic": (
        "flat 3 alike",
        Edit("small._resample", "range(m)", "range(1)"),
    ),
    "no block stays": ("three", Edit("small._resample", "U * N[0] < stay", "False")),
    "a block may stay twice": (
        "three",
        Edit("small._resample", "_redraw(B, stay, *Z)", "_redraw(B, 0.0, *Z)"),
    ),
}
REDRAW = {
    "the block is not taken out": (
        "flat 3 of 2 topics",
        Edit("_redraw", "sums = change(P, -1, *Z)", "pass"),
    ),
    "sums keep the block": (
        "flat 3 of 2 topics",
        Edit("_redraw", "sums = change(P, -1, *Z)", "change(P, -1, *Z)"),
    ),
    "tokens are not put back": (
        "three",
        Edit("_redraw", "sums = change(P, 1, *Z)", "pass"),
    ),
    "sums lack what is put back": (
        "flat 3 of 2 topics",
        Edit("_redraw", "sums = change(P, 1, *Z)", "change(P, 1, *Z)"),
    ),
    "all are drawn before as many": (
        "3 alike",
        Edit("_redraw", "block.size - I", "block.size"),
    ),
    "staying is not left out of all": (
        "flat 3 alike",
        Edit("_redraw", "U * (E - stay)", "U * E"),
    ),
    "staying is not left out of the present topic": (
        "three",
        Edit("_redraw", "r -= X - stay", "r -= X"),
    ),
    "what may not stay is not that of the tokens left": (
        "flat 3 alike",
        Edit("_redraw", "stay /= P", "pass"),
    ),
    "what has moved may not stay": (
        "flat 4 alike",
        Edit("_redraw", "stay = 0.0", "pass"),
    ),
    "the present topic is drawn after all": (
        "flat 3 alike",
        Edit("_redraw", "draw_first(R, F, place, *Z)", "draw_first(R, F, -1, *Z)"),
    ),
    "a topic is not entered": (
        "flat 3 alike",
        Edit("_redraw", "block[i] = X", "pass"),
    ),
}
GIVEN = {
    "n_dk is not counted": (
        "split",
        Edit("change_document", "given.doc_topic[I] += N", "pass"),
    ),
    "n_k is not counted": (
        "documents",
        Edit("change_document", "given.topic[I] += N", "pass"),
    ),
    **{
        f"ratio {i} is not updated": (
            problem,
            Edit(
                "change_document",
                "put(R, K, V)",
                f"put(R, K, (*V[:{i}], R[{i}][K], *V[{i + 1}:]))",
            ),
        )
        for i, problem in enumerate(["3 wide", "3 wide", "3 wide", "4 spread"])
    },
    "a document has the ratios of the one before": (
        "documents",
        Edit("_set_ratios", "put(*Z)", "pass"),
    ),
    "a document has the counts of the one before": (
        "documents",
        Edit("enter_blocks", "count_document(*Z)", "pass"),
    ),
}
# What rounding has spoilt is not taken for what is left.
RANGE = {
    "what is left of a block is taken as it is": (
        "3, tiny alpha",
        Edit("small._resample", "L < LEAST_LEFT * S", "False"),
    ),
    "sums are not added up anew": (
        "3, tiny alpha",
        Edit("_redraw", "S < LEAST_LEFT * B", "False"),
    ),
}
GROUPS = {
    "cumulants": CUMULANTS,
    "normaliser": NORMALISER,
    "step": STEP,
    "stay": STAY,
    "redraw": REDRAW,
    "given": GIVEN,
    "range": RANGE,
}
MUTANTS = {
    f"{name}, {fault}": mutant
    for name, group in GROUPS.items()
    for fault, mutant in group.items()
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
@pytest.mark.parametrize("problem", ["three", "4 alike", "split in threes"])
@pytest.mark.parametrize("kernel", ["rows", "lists"])
def test_blocks_that_are_always_redrawn(kernel, problem):
    redrawn = Edit("small._resample", "L < LEAST_LEFT * S", "True")
    assert_right(problem, kernel, edits=[redrawn])


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    problem, *edits = MUTANTS[fault]
    assert is_found(problem, "rows", True, edits)
