"""Sums of tables whose numbers are nearly all 0, kept as the entries above 0.

A document has a few of the topics, and so has a word. The sums over the kept samples of
a chain have little more, so their entries take far less memory than a matrix does.
"""

from collections.abc import Iterable, Iterator
from copy import copy
from typing import NamedTuple, Self

import numpy as np
from scipy import sparse

from sklda._core.corpus import numbers_of_ranges, starts

_CHUNK_ENTRIES = 2**18  # of a matrix, with its zeros, at a time


class SparseRows(NamedTuple):
    """Rows of a matrix without its zeros, in the narrowest types that hold them."""

    size: np.ndarray  # (n_rows,), entries of each row
    topic: np.ndarray  # (n_entries,)
    value: np.ndarray  # (n_entries,), float64 unless all are whole numbers

    def matrix(self, n_topics: int) -> sparse.csr_array:
        """Return the rows as a matrix of float64, topics in the order of the rows."""
        cells = self.value.astype(np.float64), self.topic.astype(np.int32)
        shape = self.size.size, n_topics
        return sparse.csr_array((*cells, starts(self.size)), shape=shape)

    def take(self, rows: np.ndarray) -> Self:
        """Return some rows."""
        size, start = self.size[rows], starts(self.size)
        entries = numbers_of_ranges(start[rows], size.astype(np.int64))
        return type(self)(size, self.topic[entries], self.value[entries])

    def chunks(self, n_topics: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield ranges of rows, and these rows as arrays of float64, with zeros."""
        start = starts(self.size)
        for first, last in row_chunks(self.size.size, n_topics):
            entries = slice(start[first], start[last])
            row = np.repeat(np.arange(last - first), self.size[first:last])
            table = np.zeros((last - first, n_topics))
            table[row, self.topic[entries]] = self.value[entries]
            yield slice(first, last), table

    def dense(self, n_topics: int) -> np.ndarray:
        """Return all rows as an array of float64, (n_rows, n_topics)."""
        table = np.empty((self.size.size, n_topics))
        for rows, values in self.chunks(n_topics):
            table[rows] = values
        return table


def row_chunks(n_rows: int, n_topics: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of chunks of rows that take little memory."""
    step = max(1, _CHUNK_ENTRIES // n_topics)
    return ((first, min(first + step, n_rows)) for first in range(0, n_rows, step))


def packed(matrix: sparse.csr_array) -> SparseRows:
    """Return the entries of a matrix of float64 in the narrowest types."""
    value, n_topics = matrix.data, matrix.shape[1]
    whole = value.astype(np.int64)
    if np.array_equal(whole, value):
        value = narrow(whole, whole.max(initial=0))
    return SparseRows(
        narrow(np.diff(matrix.indptr), n_topics),
        narrow(matrix.indices, n_topics),
        value,
    )


def narrow(numbers: np.ndarray, most: int) -> np.ndarray:
    """Return whole numbers up to `most` in the type that takes least memory."""
    return numbers.astype(np.min_scalar_type(most))


class SparseSum:
    """A sum of matrices, in chunks of rows; none of its arrays changes."""

    def __init__(self, n_rows: int, n_topics: int) -> None:
        self.n_rows, self.n_topics = n_rows, n_topics
        self.chunks: list[SparseRows] = []

    def add(self, chunks: Iterable[sparse.csr_array]) -> None:
        """Add a matrix of float64, which comes in the same chunks of rows each time."""
        is_first = not self.chunks
        for i, chunk in enumerate(chunks):
            if is_first:
                self.chunks.append(packed(chunk))
            else:  # the sum before it is gone before the next chunk comes
                before = self.chunks[i].matrix(self.n_topics)
                self.chunks[i] = packed(before + chunk)

    def copy(self) -> Self:
        """Return a copy to which matrices can be added."""
        other = copy(self)
        other.chunks = self.chunks.copy()
        return other

    def rows(self) -> SparseRows:
        """Return all rows in one piece."""
        nothing = packed(sparse.csr_array((self.n_rows, self.n_topics)))
        columns = zip(*(self.chunks or [nothing]), strict=True)
        return SparseRows(*map(np.concatenate, columns))
