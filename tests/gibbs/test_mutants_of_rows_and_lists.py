"""Faults in what blocks read from and write to rows and lists, each to be found."""

import pytest

from tests.helpers.blocks import assert_right, is_found
from tests.helpers.mutants import Edit

# Fault: problem, edits.
ROW = {
    "n_wk is not counted": ("split", Edit("row.change", "words[K] += N", "pass")),
    "kappa is not updated": (
        "flat pair, same",
        Edit("row.change", "put(given.kappa, K, after)", "pass"),
    ),
    "kappa is that of the tokens before": (
        "flat pair, same",
        Edit("row.change", "kappa_of(words[K], *Z)", "kappa_of(words[K] - n, *Z)"),
    ),
    "sums are not updated": (
        "flat pair, same",
        Edit("row.change", "moved(sums, B, A)", "sums"),
    ),
    "sums grow by what was": (
        "flat pair, same",
        Edit("row.change", "moved(sums, B, A)", "moved(sums, A, B)"),
    ),
    "the first topic changes": (
        "split",
        Edit("row.change", "np.uintp(P)", "np.uintp(0)"),
    ),
    "kappa is not set": ("two words", Edit("row.weigh", "put(*Z)", "pass")),
    **{
        f"K_{i + 1} is zero": (
            problem,
            Edit(
                "row.weigh",
                "return sums_of(*Z)",
                f"sums = sums_of(*Z)\nreturn (*sums[:{i}], 0.0, *sums[{i + 1}:])",
            ),
        )
        for i, problem in enumerate(
            ["three", "flat 3 of 2 topics", "3 of 3 topics", "four"]
        )
    },
    "the first returns": (
        "flat pair, same",
        Edit("row.draw_first", "weight[but] = 0", "pass"),
    ),
    "the last returns": (
        "flat pair, same",
        Edit("row.draw_last", "weight[but] = 0", "pass"),
    ),
    "the weights stay those of the word before": (
        "two words",
        Edit("rows._resample_cells", "w != weighed", "weighed < 0"),
    ),
    "single tokens have the ratios of a block": (
        "singles",
        Edit("rows._sweep_blocks", "given.ratio[0]", "given.ratio[1]"),
    ),
}
LIST = {
    "the place is another's": ("documents", Edit("listed.place_of", "find(*Z)", "0")),
    "n_wk is another's": (
        "documents",
        Edit("listed.count_at", "words.counts[P]", "words.counts[0]"),
    ),
    "ratios are another's": (
        "pairs",
        Edit("listed._gather", "np.uint32(topics[J])", "np.uint32(topics[0])"),
    ),
    "ratios are those of places": (
        "pairs",
        Edit("listed._gather", "np.uint32(topics[J])", "J"),
    ),
    "kappa is not set": (
        "two words",
        Edit("listed.weigh", "put(*Z)", "pass", 1, 2),
    ),
    "kappa has the first's tokens": (
        "documents",
        Edit("listed.weigh", "counts[J]", "counts[0]"),
    ),
    **{
        f"K_{i + 1} has listed topics twice": (
            problem,
            Edit(
                "listed.weigh",
                "moved(S, U, V)",
                f"moved(S, (*U[:{i}], 0.0, *U[{i + 1}:]), V)",
            ),
        )
        for i, problem in enumerate(["pairs", "flat pair, same", "3 wide", "4 spread"])
    },
    "no listed topic counts": (
        "pairs",
        Edit("listed.weigh", "moved(S, U, V)", "S"),
    ),
    "only listed topics count": (
        "pairs",
        Edit("listed.weigh", "at(base, 0)", "given.zero"),
    ),
}
BASE = {
    **{
        f"K_{i + 1} of no tokens is zero": (
            problem,
            Edit(
                "listed.set_base",
                "put(words.base, 0, S)",
                f"put(words.base, 0, (*S[:{i}], 0.0, *S[{i + 1}:]))",
            ),
        )
        for i, problem in enumerate(["three", "three", "three", "4 alike"])
    },
    "the base is that of the document before": (
        "documents",
        Edit("lists._sweep_blocks", "set_base(*Z)", "pass"),
    ),
    "single tokens have a wrong sum of ratios": (
        "singles",
        Edit("lists._sweep_blocks", "words.base[0][0] / N", "2 * words.base[0][0] / N"),
    ),
    "single tokens have the sum of ratios of before": (
        "single",
        Edit("lists._resample_singles", "ratio_sum = cell.ratio_sum", "pass"),
    ),
}
CHANGE = {
    "n_wk is not counted": (
        "split",
        Edit("listed.change", "counts[S] += N", "pass"),
    ),
    "kappa is not updated": (
        "flat pair, same",
        Edit("listed.change", "put(kappa, S, after)", "pass"),
    ),
    "sums are not updated": (
        "flat pair, same",
        Edit("listed.change", "moved(sums, B, A)", "sums"),
    ),
    "the first place changes": (
        "split",
        Edit("listed.change", "np.uintp(place)", "np.uintp(0)"),
    ),
    "the place is taken for the topic": (
        "split of 3",
        Edit("listed.change", "np.uintp(topics[S])", "np.uintp(S)"),
    ),
    "the weights stay those of the word before": (
        "two words",
        Edit("lists._resample_cells", "w != weighed", "weighed < 0"),
    ),
}
DRAW = {
    **{
        f"the {one} {fault}": (problem, Edit(f"listed.draw_{one}", *edit))
        for one in ("first", "last")
        for fault, problem, edit in (
            ("is a listed topic", "pairs", ("r < listed", "True")),
            ("is another topic", "pairs", ("r < listed", "False")),
            ("has the list's part beside it", "pair beside", ("r - listed", "r")),
        )
    },
    "the first returns": (
        "flat pair, same",
        Edit("listed.draw_first", "weight[but] = 0", "pass"),
    ),
    "the last returns": (
        "flat pair, same",
        Edit("listed.draw_last", "own, weight[but] = A, 0", "own = A"),
    ),
    "listed topics are drawn as others": (
        "flat pair, same",
        Edit("listed._draw_unlisted", "weight[topics[J]] = 0", "pass"),
    ),
    "other topics have a token": (
        "pair beside",
        Edit(
            "listed._draw_unlisted",
            "kappa_of(0, at(R, i), F)",
            "kappa_of(1, at(R, i), F)",
        ),
    ),
}
GROUPS = {
    "row": ("rows", ROW),
    "list": ("lists", LIST),
    "base": ("lists", BASE),
    "change": ("lists", CHANGE),
    "draw": ("lists", DRAW),
}
MUTANTS = {
    f"{name}, {fault}": (kernel, *mutant)
    for name, (kernel, group) in GROUPS.items()
    for fault, mutant in group.items()
}

RIGHT_ONES = sorted({(kernel, problem) for kernel, problem, *_ in MUTANTS.values()})


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "problem"), RIGHT_ONES)
def test_interpreted_kernels_pass(kernel, problem):
    assert_right(problem, kernel)


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    kernel, problem, *edits = MUTANTS[fault]
    assert is_found(problem, kernel, True, edits)
