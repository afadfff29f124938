"""Word-topic counts without zeros, the form in which they travel between workers.

The topics of a word keep their order, because samplers over lists walk down the list to
draw.
"""

from typing import NamedTuple

import numpy as np

from sklda._simd.compile import kernel
from sklda._tables.lists import SPARE
from sklda._tables.pairs import tokens_of, topic_of


class SparseCounts(NamedTuple):
    """The topics that each word has, from entry start[w] to before start[w + 1]."""

    start: np.ndarray  # (n_words + 1,) int64
    topic: np.ndarray  # (n_entries,) uint16
    count: np.ndarray  # (n_entries,) int32, above 0


@kernel
def fill_rows(counts, first, rows):
    """Write the counts of the words `first` and after into rows of zeros."""
    start, topic, count = counts
    for i in range(rows.shape[0]):
        for j in range(start[first + i], start[first + i + 1]):
            rows[i, topic[j]] = count[j]


@kernel
def fill_from_rows(rows, counts):
    """Write the entries of the rows above 0 into `counts`, which has just the room."""
    start, topic, count = counts
    end = 0
    for w in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            if rows[w, k] > 0:
                topic[end], count[end] = k, rows[w, k]
                end += 1
        start[w + 1] = end


@kernel
def measure_lists(counts, tokens, n_topics, size, room):
    """Write the size of each list and its room; return the most tokens of a word.

    A word gets at most as many new topics as it has `tokens` in the documents.
    """
    most = 0
    for w in range(size.size):
        word_counts = counts.count[counts.start[w] : counts.start[w + 1]]
        size[w] = word_counts.size
        room[w] = min(word_counts.size + np.int64(tokens[w]) + SPARE, n_topics)
        n = 0
        for count in word_counts:
            n += count
        most = max(most, n)
    return most


@kernel
def fill_lists(counts, state):
    """Write the counts into lists that are empty."""
    start, topic, count = counts
    for w in range(start.size - 1):
        slot = state.start[w]
        for j in range(start[w], start[w + 1]):
            state.pairs[slot] = topic[j] + (np.int64(count[j]) << state.bits)
            slot += 1


@kernel
def fill_from_lists(state, counts):
    """Write the entries of the lists into `counts`, which has just the room."""
    start, topic, count = counts
    end = 0
    for w in range(state.size.size):
        first = state.start[w]
        for pair in state.pairs[first : first + state.size[w]]:
            topic[end] = topic_of(pair, state.bits)
            count[end] = tokens_of(pair, state.bits)
            end += 1
        start[w + 1] = end


@kernel
def add_pieces(pieces, first, total, out):
    """Add up the counts of pieces: those of piece i begin at entry first[i, w].

    `pieces` has the entries of all of them, and first[i, n_words] is where they end. A
    word's topics keep the order of the pieces. `total`, int64, has a zero for every
    topic. Return whether the counts fit 32 bits.
    """
    _, topic, count = pieces
    start, out_topic, out_count = out
    fits = True
    end = 0
    for w in range(start.size - 1):
        for i in range(first.shape[0]):
            for j in range(first[i, w], first[i, w + 1]):
                total[topic[j]] += count[j]
        for i in range(first.shape[0]):
            for j in range(first[i, w], first[i, w + 1]):
                k = topic[j]
                if total[k] > 0:  # the first of its pieces
                    out_topic[end], out_count[end] = k, total[k]
                    fits = fits and total[k] < 2**31
                    total[k] = 0
                    end += 1
        start[w + 1] = end
    return fits
