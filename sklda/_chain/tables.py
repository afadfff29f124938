"""Tables of Chinese restaurants, drawn given the topics of the tokens."""

import numpy as np

from sklda._chain.kernels.tables import add_tables
from sklda._core.corpus import kernel_ranges, ranges
from sklda._core.threads import Threads

_CALLER = Threads(1)  # alone


def count_tables(
    before: np.ndarray,
    z: np.ndarray,
    alpha: np.ndarray,
    key: np.uint64,
    *,
    row: np.ndarray | None = None,
    first_token: int = 0,
    threads: Threads = _CALLER,
) -> np.ndarray:
    """Draw the tables of each topic, int64, in the shape of alpha; cost O(tokens).

    Alpha is (n_topics,), or (n_rows, n_topics) with the row of each document. `before`
    is `tokens_before` of the documents. Neither ranges nor threads change the sums.
    """
    rows = alpha.reshape(-1, alpha.shape[-1])
    row = np.zeros(before.size - 1, np.int32) if row is None else row

    def count(first, last):
        tables, offsets = np.zeros(rows.shape, np.int64), before[first : last + 1]
        for begin, end in kernel_ranges(offsets, 1):
            chunk = offsets[begin : end + 1]
            chunk_row = row[first + begin : first + end]
            add_tables(chunk, z, first_token, chunk_row, rows, key, tables)
        return tables

    slices = list(ranges(before - before[0], threads.n)) or [(0, 0)]
    tables = sum(threads.map(count, *zip(*slices, strict=True)))
    return tables.reshape(alpha.shape)
