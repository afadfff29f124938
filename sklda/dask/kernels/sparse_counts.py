"""Word-topic counts without zeros, the form in which they travel between workers.

Word w has the entries from start[w] to before start[w + 1]: topics, uint16, and counts
above 0, int32. The topics of a word keep their order, because samplers over lists walk
down the list to draw.
"""

import numpy as np

from sklda._simd.compile import kernel


@kernel
def fill_lists(start, topic, count, state):
    """Write the counts into lists that are empty."""
    for w in range(start.size - 1):
        slot = state.start[w]
        for j in range(start[w], start[w + 1]):
            state.packed[slot] = topic[j] + (np.int64(count[j]) << state.bits)
            slot += 1
