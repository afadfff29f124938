"""Counts of samplers whose tokens move all at once: made anew after each sweep."""

import numpy as np

from sklda._core.corpus import ranges, word_cells
from sklda._core.problem import Corpus, Problem
from sklda._core.threads import Threads
from sklda._gibbs.kernels.uncollapsed import count
from sklda._tables import rows


def count_tokens(problem: Problem[Corpus], z: np.ndarray) -> rows.State:
    """Return the counts of the tokens alone, without beta where that is an array."""
    word_topic = np.zeros((problem.n_words, problem.n_lanes), np.int32)
    state = rows.State(z, word_topic, np.zeros(problem.n_lanes, np.int32))
    rows.add_tokens(problem.corpus, state)
    return state


def count_ranges(problem: Problem[Corpus], threads: Threads) -> list[tuple[int, int]]:
    """Return ranges of words, of about equal cells, one for each thread.

    Counts are the same however words are divided.
    """
    cells_before = np.concatenate([[0], np.cumsum(word_cells(problem))])
    return list(ranges(cells_before, threads.n))


def recount(problem: Problem[Corpus], state, threads: Threads) -> None:
    """Count the tokens of a state anew, in place; it has `count_ranges`."""

    def count_words(first, last):
        table = state.word_topic[first:last]
        table[:] = 0
        count(problem.corpus, state.z, first, last, state.word_topic)
        return table.sum(axis=0)

    words = zip(*state.count_ranges, strict=True)
    state.topic[:] = sum(threads.map(count_words, *words))
