"""Arrays and rows of a matrix in few characters."""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

import numpy as np

from sklda._base.fitted_topics import top_indices

FULL = 255  # the integer that stands for a part of 1

_UNSIGNED = (np.uint8, np.uint16, np.uint32)


class SparseRows(NamedTuple):
    """The entries of a matrix that are kept, row after row, columns in order."""

    sizes: np.ndarray  # (n_rows,) number of entries
    columns: np.ndarray  # (n_entries,)
    parts: np.ndarray  # (n_entries,) uint8, multiples of 1 / FULL


def pack(values: np.ndarray) -> dict[str, str]:
    """Return an array as base64 of little-endian numbers, and their type.

    Non-negative whole numbers below 2 ** 32 take the smallest type that holds them, all
    others float32.
    """
    values = np.asarray(values)
    kind: Any = np.float32
    if values.size == 0:
        kind = np.uint8
    elif values.min() >= 0 and values.max() < 2**32 and not (values % 1).any():
        kind = next(kind for kind in _UNSIGNED if values.max() <= np.iinfo(kind).max)
    data = values.astype(np.dtype(kind).newbyteorder("<")).tobytes()
    return {
        "type": np.dtype(kind).name,
        "base64": base64.b64encode(data).decode("ascii"),
    }


def quantise(parts: np.ndarray) -> np.ndarray:
    """Return proportions as multiples of 1 / FULL."""
    quantised: np.ndarray = np.rint(FULL * parts.clip(0, 1)).astype(np.uint8)
    return quantised


def sparse_rows(
    parts: np.ndarray, minimum: float, n_largest: int, needed: np.ndarray
) -> SparseRows:
    """Keep the largest entries of each row, and those that are needed.

    Parameters
    ----------
    parts : ndarray of shape (n_rows, n_columns)
        Proportions.
    minimum : float
        Entries below it are left out.
    n_largest : int
        Number of entries that are kept of each row, at most.
    needed : ndarray of shape (n_rows, n_columns) of bool
        Entries that are kept in any case.

    Returns
    -------
    SparseRows
        What is kept.
    """
    largest = np.zeros(parts.shape, dtype=bool)
    columns = top_indices(parts, min(n_largest, parts.shape[1]))
    np.put_along_axis(largest, columns, True, axis=1)
    kept = (largest & (parts >= minimum)) | needed
    rows, columns = np.nonzero(kept)
    return SparseRows(kept.sum(axis=1), columns, quantise(parts[rows, columns]))
