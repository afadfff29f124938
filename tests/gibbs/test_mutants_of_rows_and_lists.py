"""Faults in what blocks read from and write to rows and lists, each to be found."""

import pytest

from tests.helpers.blocks import PROBLEMS, TABLES, assert_right, is_found, plain
from tests.helpers.enumeration import sweep_exact_draws
from tests.helpers.mutants import Edit

# Fault: problem, edits.
ROW = {
    "n_wk is not counted": ("split", Edit("row.change", "words[K] += N", "pass")),
    "the document is not counted": (
        "split",
        Edit("row.change", "change_document(*Z)", "pass"),
    ),
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
    "kappa is not set": ("two words", Edit("row._weigh", "put(*Z)", "pass")),
    **{
        f"K_{i + 1} is zero": (
            problem,
            Edit(
                "row._weigh",
                "sums = moved(*Z)",
                f"sums = moved(*Z)\nsums = (*sums[:{i}], 0.0, *sums[{i + 1}:])",
            ),
        )
        for i, problem in enumerate(["three", "three", "3 of 3 topics", "four"])
    },
    "the first returns": (
        "flat pair, same",
        Edit("row.draw_first", "weight[but] = 0", "pass"),
    ),
    "the last returns": (
        "flat pair, same",
        Edit("row.draw_last", "weight[but] = 0", "pass"),
    ),
    "the own weight is lost": (
        "split",
        Edit("row.draw_last", "weight[but] = own", "pass"),
    ),
    "the weights stay those of the word before": (
        "two words",
        Edit("rows._resample_cells", "w != weighed", "weighed < 0"),
    ),
    "the sums stay those of before a pair": (
        "split",
        Edit(
            "rows._resample_cells",
            "sums = small.resample_pair(*Z)",
            "small.resample_pair(*Z)",
        ),
    ),
    "the sums stay those of before a block": (
        "split in threes",
        Edit("rows._resample_cells", "sums = small.resample(*Z)", "small.resample(*Z)"),
    ),
    "blocks have no ratios": (
        "two words",
        Edit("rows._sweep_blocks", "middle == begin", "True"),
    ),
    "single tokens have the ratios of a block": (
        "singles",
        Edit("rows._sweep_blocks", "given.ratio[0]", "given.ratio[1]"),
    ),
}
LIST = {
    "the place is another's": ("pairs", Edit("listed.place_of", "find(*Z)", "0")),
    "n_wk is another's": (
        "pairs",
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
    "kappa is not set": ("two words", Edit("listed._weigh", "put(*Z)", "pass")),
    "kappa has the first's tokens": (
        "pairs",
        Edit("listed._weigh", "counts[J]", "counts[0]"),
    ),
    **{
        f"K_{i + 1} has listed topics twice": (
            problem,
            Edit(
                "listed._weigh",
                "moved(S, U, V)",
                f"moved(S, (*U[:{i}], 0.0, *U[{i + 1}:]), V)",
            ),
        )
        for i, problem in enumerate(["pairs", "flat pair, same", "3 wide", "4 spread"])
    },
    "no listed topic counts": (
        "pairs",
        Edit("listed.weigh", "_weigh(N, *Z)", "given.zero"),
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
    **{
        f"K_{i + 1} of no tokens is not updated": (
            problem,
            Edit(
                "listed.change",
                "put(base, 0, S)",
                f"put(base, 0, (*S[:{i}], base[{i}][0], *S[{i + 1}:]))",
            ),
        )
        for i, problem in enumerate(
            ["two words", "two words", "two words", "two fours"]
        )
    },
    "the base is that of the document before": (
        "documents",
        Edit("lists._sweep_blocks", "set_base(*Z)", "pass"),
    ),
    "single tokens have a wrong sum of ratios": (
        "singles",
        Edit("lists._sweep_blocks", "words.base[0][0] / N", "2 * words.base[0][0] / N"),
    ),
    "single tokens have a scaled sum of ratios": (
        "singles",
        Edit("lists._sweep_blocks", "given.numbers[3]", "given.numbers[2]"),
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
    "the document is not counted": (
        "split",
        Edit("listed.change", "change_document(*Z)", "pass"),
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
    "kappa of a moved topic stays behind": (
        "split of 3",
        Edit("listed.drop_empty", "put(given.kappa, place, X)", "pass"),
    ),
    "kappa of a dropped topic stays": (
        "split of 3",
        Edit("listed.drop_empty", "put(given.kappa, size, given.zero)", "pass"),
    ),
    "the weights stay those of the word before": (
        "two words",
        Edit("lists._resample_cells", "w != weighed", "weighed < 0"),
    ),
    "the sums stay those of before a pair": (
        "split",
        Edit(
            "lists._resample_cells",
            "sums = small.resample_pair(*Z)",
            "small.resample_pair(*Z)",
        ),
    ),
    "the sums stay those of before a block": (
        "split in threes",
        Edit(
            "lists._resample_cells", "sums = small.resample(*Z)", "small.resample(*Z)"
        ),
    ),
}
DRAW = {
    **{
        f"the {one} {fault}": (problem, Edit(f"listed.draw_{one}", *edit))
        for one in ("first", "last")
        for fault, problem, edit in (
            ("is a listed topic", "pairs", ("r < total", "True")),
            ("is another topic", "pairs", ("r < total", "False")),
            ("has the list's part beside it", "pair beside", ("r - total", "r")),
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
    "the own weight is lost": (
        "split of 3",
        Edit("listed.draw_last", "weight[but] = own", "pass"),
    ),
    "the last follows": (
        "pair beside",
        Edit("cumulants.last_factors", "(A, *Z)", "(A, A, *zero[2:])"),
    ),
    "only some lanes count": (
        "flat pair, same",
        Edit("listed._total", "lane_sum.size - LANES", "lane_sum.size - 1"),
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
    "kappa of a new topic is not set": (
        "split of 3",
        Edit("listed._draw_unlisted", "put(given.kappa, place, X)", "pass"),
    ),
    "kappa behind a new topic is not set": (
        "five topics",
        Edit("listed._draw_unlisted", "put(given.kappa, j, given.zero)", "pass"),
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

# Faults that may leave the draws as they are, but not the lists.
LIST_MUTANTS = {
    "an empty topic is not dropped": [
        Edit("listed.drop_empty", "fill_gap(*Z)", "size")
    ],
    "no topic is dropped": [Edit("listed.drop_empty", "counts[P] > 0", "True")],
    "a topic with tokens is dropped": [
        Edit("listed.drop_empty", "counts[P] > 0", "False")
    ],
    "a place behind the end is dropped": [
        Edit("listed.drop_empty", "place >= sizes[0] or C", "C")
    ],
    "the size is forgotten": [Edit("listed.drop_empty", "sizes[0] = size", "pass")],
    "the first of two is dropped first": [
        Edit("resample_pair", "max(F, S)", "min(F, S)"),
        Edit("resample_pair", "min(F, S)", "max(F, S)", 1, 2),
    ],
    "one of two is not dropped": [
        Edit("resample_pair", "drop_empty(min(F, S), *Z)", "pass")
    ],
    "the first of a block is dropped first": [
        Edit("redraw", "X.argmax()", "X.argmin()")
    ],
    "a new topic has no name": [
        Edit("listed._draw_unlisted", "topics[place] = k", "pass")
    ],
    "a new topic is not counted": [
        Edit("listed._draw_unlisted", "sizes[0] += 1", "pass")
    ],
    "an empty topic is not dropped by a table": [
        *TABLES,
        Edit("listed.count", "fill_gap(*Z)", "size"),
    ],
    "the size is forgotten by a table": [
        *TABLES,
        Edit("listed.count", "sizes[0] = size", "pass"),
    ],
    "the size is forgotten after a single token": [
        Edit("lists._resample_singles", "S[W] = cell.size", "pass")
    ],
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


def sound_lists(edits):
    """Return whether lists are right, of whole cells and of pieces."""
    for most in (None, 2):
        mutant = plain("lists", True, most, *edits)
        for name in ("full lists", "split of 3"):
            try:
                _, sound = sweep_exact_draws(mutant, PROBLEMS[name], 500, seed=8)
            except IndexError:  # an interpreted kernel does not bear a wrong index
                sound = False
            if not sound:
                return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("edits", [(), TABLES], ids=["cumulants", "tables"])
def test_lists_stay_sound(edits):
    assert sound_lists(edits)


@pytest.mark.slow
@pytest.mark.parametrize("edits", LIST_MUTANTS.values(), ids=LIST_MUTANTS)
def test_mutants_of_lists_are_noticed(edits):
    assert not sound_lists(edits)
