"""Word-topic counts of samplers that move all tokens at once: made anew each sweep."""

import numpy as np

from sklda._core.corpus import ranges, word_cells
from sklda._core.problem import Corpus, Problem
from sklda._core.threads import Threads
from sklda._tables import rows


def count_tokens(problem: Problem[Corpus], z: np.ndarray) -> rows.RowCounts:
    """Return the counts of the tokens alone, without beta where that is an array."""
    word_topic = np.zeros((problem.n_words, problem.n_lanes), np.int32)
    state = rows.RowCounts(z, word_topic, np.zeros(problem.n_lanes, np.int32))
    rows.add_tokens(problem.corpus, state)
    return state


def count_ranges(problem: Problem[Corpus], threads: Threads) -> list[tuple[int, int]]:
    """Return a range of words for each thread, of about equal numbers of cells."""
    cells_before = np.concatenate([[0], np.cumsum(word_cells(problem))])
    return list(ranges(cells_before, threads.n))


def recount(problem: Problem[Corpus], state, threads: Threads) -> None:
    """Set the counts of a state that has `count_ranges` to those of its topics."""

    def count_words(first, last):
        table = state.word_topic[first:last]
        table[:] = 0
        rows.add_tokens_of_words(problem.corpus, state.z, first, last, state.word_topic)
        return table.sum(axis=0)

    words = zip(*state.count_ranges, strict=True)
    state.topic[:] = sum(threads.map(count_words, *words))
