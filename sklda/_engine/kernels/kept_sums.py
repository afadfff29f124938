"""Sums of counts over samples, in tables and in rows without zeros."""

import numpy as np

from sklda._simd.arrays import entry, zeros
from sklda._simd.compile import kernel


@kernel
def add_document_counts(first, z, n_lanes, table):
    """Add n_dk to a table of sums.

    The tokens of document d are z[first[d]:first[d + 1]]. Neighbours often have the
    same topic, and adding one has to wait until the one before it is in memory: so two
    arrays take turns.
    """
    even, odd = zeros(n_lanes, np.int64), zeros(n_lanes, np.int64)
    for d in range(first.size - 1):
        last = first[d + 1] - 1
        for i in range(first[d], last, 2):
            even[z[i]] += 1
            odd[z[i + 1]] += 1
        if (last - first[d]) % 2 == 0:
            even[z[last]] += 1
        row = table[d]
        for k in range(row.size):
            row[k] += even[k] + odd[k]
            even[k] = odd[k] = 0


@kernel
def add_entries(first, topic, count, table):
    """Add the entries of each row, first[row] to before first[row + 1], to a table."""
    for row in range(first.size - 1):
        for j in range(first[row], first[row + 1]):
            table[row, topic[j]] += count[j]


@kernel
def add_samples(old, first, topic, count, scale, n_lanes, new):
    """Add counts of samples, times the scale of their row, to rows of sums.

    `old` and `new` have the start of each row, int64, topics, uint16, and sums; the
    arrays of `new` are long enough. Sample s has the entries from first[s, row] to
    before first[s, row + 1]; a topic may have several. `count` and `scale` are arrays,
    or one number for all entries or rows. Topics keep the order in which they come.
    """
    old_start, old_topic, old_sum = old
    start, new_topic, new_sum = new
    total = zeros(n_lanes, np.int64)
    end = 0
    for row in range(start.size - 1):
        left, factor = 0, entry(scale, row)
        for s in range(first.shape[0]):
            for j in range(first[s, row], first[s, row + 1]):
                n = np.int64(entry(count, j))
                total[topic[j]] += n
                left += n
        for j in range(old_start[row], old_start[row + 1]):
            k = old_topic[j]
            new_topic[end], new_sum[end] = k, old_sum[j] + total[k] * factor
            left -= total[k]
            total[k] = 0
            end += 1
        for s in range(first.shape[0] if left > 0 else 0):
            for j in range(first[s, row], first[s, row + 1]):
                k = topic[j]
                if total[k] > 0:  # the first of its entries
                    new_topic[end], new_sum[end] = k, total[k] * factor
                    total[k] = 0
                    end += 1
        start[row + 1] = end
