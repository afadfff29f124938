"""What blocks of a word leave to the next one: sums and weights as if made anew.

A fault in them changes few draws, and little: enumeration would take too long.
"""

import numpy as np
import pytest

from sklda._core.random_streams import random_topics
from tests.helpers.blocks import TABLES
from tests.helpers.corpora import corpus_of, words_of
from tests.helpers.enumeration import faults
from tests.helpers.mutants import Edit, PlainStreams, streams
from tests.helpers.samplers import blocked

KERNELS = "sklda._gibbs.kernels.blocked"


def close(one, other, size=None):
    """Return whether arrays are the same but for the rounding of float32."""
    pairs = zip(one, other, strict=True)
    return all(np.allclose(a[:size], b[:size], rtol=1e-3, atol=1e-5) for a, b in pairs)


def look(sums, of_word, given, modules):
    """Return whether what is known of a word is the same when it is made anew."""
    listed, words = modules[f"{KERNELS}.listed"], modules[f"{KERNELS}.words"]
    size, same = None, []
    kept = [array.copy() for array in given.kappa]
    if isinstance(of_word, listed.Listed):
        size = modules["sklda._core.problem"].padded(int(of_word.size[0]))
        base = [array.copy() for array in of_word.base]
        listed.set_base(of_word, given)
        same.append(close(base, of_word.base))
    same.append(close([sums], [words.weigh(of_word, given)]))
    return all(same) and close(kept, given.kappa, size)


def all_kept(kernel, most, edits=(), n_topics=9, n_sweeps=15):
    """Return whether before and after each block all is as if made anew."""
    sampler, modules = blocked(kernel, True, most).plain(edits, lanes=2)
    small, seen = modules[f"{KERNELS}.small"], []

    def checked(draw):
        def draw_and_look(block, sums, of_word, given, rng):
            seen.append(look(sums, of_word, given, modules))
            sums = draw(block, sums, of_word, given, rng)
            seen.append(look(sums, of_word, given, modules))
            return sums

        return draw_and_look

    small.resample = checked(small.resample)
    # Words of many tokens, and words of four, all in one document.
    counts = np.hstack([np.random.default_rng(0).integers(0, 7, (6, 3)), 4 * np.eye(6)])
    corpus, alpha = corpus_of(counts.astype(np.int64)), np.linspace(1, 4, n_topics)
    problem = modules["sklda._core.problem"].Problem(corpus, 9, alpha, 1.0)
    z = random_topics(corpus.token_ptr[-1], n_topics, streams(1).kernel)
    state, rng = sampler.from_topics(problem, z), PlainStreams(2)
    for _ in range(n_sweeps):
        try:
            sampler.sweep(problem, state, rng)
        except IndexError:  # an interpreted kernel does not bear a wrong index
            return False
        if not all(seen) or faults(state, words_of(corpus), n_topics):
            return False
    return True


@pytest.mark.parametrize("n_topics", [1, 2, 5, 20])
@pytest.mark.parametrize("most", [2, 3, 4])
@pytest.mark.parametrize("kernel", ["rows", "lists"])
def test_sums_and_weights_are_kept(kernel, most, n_topics):
    assert all_kept(kernel, most, n_topics=n_topics)


def test_lists_are_kept_by_tables():
    assert all_kept("lists", None, TABLES)


# Fault: kernel, tokens of a block, edit.
MUTANTS = {
    "kappa_2 is lost": (
        "rows",
        2,
        Edit("resample_pair", "kappa[1][P] = of_two", "pass"),
    ),
    "the second token is not entered": (
        "rows",
        2,
        Edit("resample_pair", "sums = change(new, *Z)", "pass", 1, 2),
    ),
    "sums lack the second token": (
        "rows",
        2,
        Edit("resample_pair", "sums = change(new, *Z)", "change(new, *Z)", 1, 2),
    ),
    "the own weight is lost, rows": (
        "rows",
        2,
        Edit("row.draw_last", "weight[but] = own", "pass"),
    ),
    "the own weight is lost, lists": (
        "lists",
        2,
        Edit("listed.draw_last", "weight[but] = own", "pass"),
    ),
    **{
        f"kappa_{i + 1} is not updated, {name}": (
            kernel,
            4,
            Edit(
                f"{name}.change",
                f"put({where}, {at}, after)",
                f"put({where}, {at}, (*after[:{i}], before[{i}], *after[{i + 1}:]))",
            ),
        )
        for name, kernel, where, at in (
            ("row", "rows", "given.kappa", "k"),
            ("listed", "lists", "kappa", "slot"),
        )
        for i in range(4)
    },
    **{
        f"K_{i + 1} is not updated, {name}": (
            kernel,
            4,
            Edit(
                f"{name}.change",
                "moved(sums, before, after)",
                f"(*moved(sums, before, after)[:{i}], sums[{i}],"
                f" *moved(sums, before, after)[{i + 1}:])",
            ),
        )
        for name, kernel in (("row", "rows"), ("listed", "lists"))
        for i in range(4)
    },
    **{
        f"K_{i + 1} of no tokens is not updated": (
            "lists",
            4,
            Edit(
                "listed.change",
                "put(base, 0, S)",
                f"put(base, 0, (*S[:{i}], base[{i}][0], *S[{i + 1}:]))",
            ),
        )
        for i in range(4)
    },
    "no topic is dropped with its weight": (
        "lists",
        2,
        Edit("listed.drop_empty", "put(given.kappa, place, X)", "pass"),
    ),
    "a topic is dropped, and its weight stays": (
        "lists",
        2,
        Edit("listed.drop_empty", "put(given.kappa, size, given.zero)", "pass"),
    ),
    "a new topic weighs nothing": (
        "lists",
        2,
        Edit("listed._draw_unlisted", "put(given.kappa, place, X)", "pass"),
    ),
    "what is behind a new topic weighs": (
        "lists",
        4,
        Edit("listed._draw_unlisted", "put(given.kappa, j, given.zero)", "pass"),
    ),
    "a new topic has a token": (
        "lists",
        4,
        Edit(
            "listed._draw_unlisted",
            "put(given.kappa, place, kappa_of(0, *Z))",
            "put(given.kappa, place, kappa_of(1, *Z))",
        ),
    ),
    **{
        f"the sums stay those of before a block, {kernel}, {most}": (
            kernel,
            most,
            Edit(
                f"{kernel}._resample_cells",
                "sums = small.resample(*Z)",
                "small.resample(*Z)",
            ),
        )
        for kernel in ("rows", "lists")
        for most in (2, 3)
    },
    **{
        f"the document is not counted, {name}": (
            kernel,
            2,
            Edit(f"{name}.change", "change_document(*Z)", "pass"),
        )
        for name, kernel in (("row", "rows"), ("listed", "lists"))
    },
    "an empty topic is not dropped": (
        "lists",
        2,
        Edit("listed.drop_empty", "counts[P] > 0", "True"),
    ),
    "an empty topic stays in its slot": (
        "lists",
        2,
        Edit("listed.drop_empty", "fill_gap(*Z)", "sizes[0] - 1"),
    ),
    "a topic with tokens is dropped": (
        "lists",
        2,
        Edit("listed.drop_empty", "counts[P] > 0", "False"),
    ),
    "a place behind the end is dropped": (
        "lists",
        2,
        Edit("listed.drop_empty", "place >= sizes[0] or C", "C"),
    ),
    "the size is forgotten": (
        "lists",
        2,
        Edit("listed.drop_empty", "sizes[0] = size", "pass"),
    ),
    "the first place of a pair is dropped first": (
        "lists",
        2,
        Edit("resample_pair", "max(F, S)", "-1"),
        Edit("resample_pair", "min(F, S)", "max(F, S)"),
        Edit("resample_pair", "-1", "min(first, second)", 1, 2),
    ),
    "one place of a pair is not dropped": (
        "lists",
        2,
        Edit("resample_pair", "drop_empty(min(F, S), *Z)", "pass"),
    ),
    "the first place of a block is dropped first": (
        "lists",
        4,
        Edit("_redraw", "X.argmax()", "X.argmin()"),
    ),
    "a new topic has no name": (
        "lists",
        2,
        Edit("listed._draw_unlisted", "topics[place] = k", "pass"),
    ),
    "a new topic is not counted": (
        "lists",
        2,
        Edit("listed._draw_unlisted", "sizes[0] += 1", "pass"),
    ),
    "a list has no room for topics that are left": (
        "lists",
        4,
        Edit("_core.lists", "SPARE = 4", "SPARE = 0"),
        Edit("blocked.cumulants", "SMALL = SPARE", "SMALL = 4"),
    ),
    "an empty topic is not dropped by a table": (
        "lists",
        None,
        *TABLES,
        Edit("listed.count", "fill_gap(*Z)", "size"),
    ),
    "the size is forgotten by a table": (
        "lists",
        None,
        *TABLES,
        Edit("listed.count", "sizes[0] = size", "pass"),
    ),
    "topics are entered by a table before others are left": (
        "lists",
        None,
        *TABLES,
        Edit("large.resample", "drawn[K] < taken[K]", "drawn[K] > taken[K]"),
        Edit("large.resample", "drawn[K] > taken[K]", "drawn[K] < taken[K]", 1, 2),
        Edit("_core.lists", "T + SPARE", "T"),
    ),
    "the size is forgotten after a single token": (
        "lists",
        2,
        Edit("lists._resample_singles", "S[W] = cell.size", "pass"),
    ),
}


@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_keep_something_else(fault):
    kernel, most, *edits = MUTANTS[fault]
    assert not all_kept(kernel, most, edits)
