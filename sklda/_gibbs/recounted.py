"""The state of samplers that move all tokens at once and then count them."""

from typing import NamedTuple

import numpy as np

from sklda._core.corpus import ranges, starts, word_cells
from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.threads import Threads
from sklda._tables import rows

Slices = list[tuple[int, int]]  # first and end of each


class RecountedState(NamedTuple):
    """The topics of the tokens, their counts without beta, and slices of the work."""

    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) int32 or int64
    topic: np.ndarray  # (n_lanes,) of that type
    word_slices: Slices  # of words, or of chunks of words
    doc_slices: Slices
    count_ranges: Slices  # of words, of about equal cells, one for each thread


def new_state(
    problem: Problem[Corpus],
    z: np.ndarray,
    threads: Threads,
    word_slices: Slices,
    doc_slices: Slices,
) -> RecountedState:
    """Return the state in which the tokens have the topics z."""
    counts = rows.count_tokens(problem, z)
    count_ranges = list(ranges(starts(word_cells(problem)), threads.n))
    return RecountedState(*counts, word_slices, doc_slices, count_ranges)


def recount(problem: Problem[Corpus], state: RecountedState, threads: Threads) -> None:
    """Count the tokens again by topic; the ranges do not change the result."""

    def count_words(first, last):
        table = state.word_topic[first:last]
        table[:] = 0
        rows.add_tokens_of_words(problem.corpus, state.z, first, last, state.word_topic)
        return table.sum(axis=0)

    words = zip(*state.count_ranges, strict=True)
    state.topic[:] = sum(threads.map(count_words, *words))


def counts(problem: Problem[Corpus], state: RecountedState) -> Counts:
    """Return the count tables, which are those of the state."""
    return Counts(state.word_topic, state.topic)
