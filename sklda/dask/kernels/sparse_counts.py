"""Word-topic counts without zeros, the form in which they travel between workers.

Word w has the entries from start[w] to before start[w + 1]: topics, uint16, and counts
above 0, int32. The topics of a word keep their order, because samplers over lists walk
down the list to draw.
"""

import numpy as np

from sklda._simd.compile import kernel
from sklda._tables.lists import tokens_of, topic_of


@kernel
def fill_lists(start, topic, count, state):
    """Write the counts into lists that are empty."""
    for w in range(start.size - 1):
        slot = state.start[w]
        for j in range(start[w], start[w + 1]):
            state.packed[slot] = topic[j] + (np.int64(count[j]) << state.bits)
            slot += 1


@kernel
def fill_from_lists(state, start, topic, count):
    """Write the entries of the lists into the counts, which have just the room."""
    end = 0
    for w in range(state.size.size):
        first = state.start[w]
        for number in state.packed[first : first + state.size[w]]:
            topic[end] = topic_of(number, state.bits)
            count[end] = tokens_of(number, state.bits)
            end += 1
        start[w + 1] = end


@kernel
def add_pieces(topic, count, first, total, out_start, out_topic, out_count):
    """Add up the counts of pieces: those of piece i begin at entry first[i, w].

    `topic` and `count` have the entries of all of them, and first[i, n_words] is where
    they end. A word's topics keep the order of the pieces. `total`, int64, has a zero
    for every topic. Return whether the counts fit 32 bits.
    """
    fits = True
    end = 0
    for w in range(out_start.size - 1):
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
        out_start[w + 1] = end
    return fits
