"""Checks of arrays, matrices and lists of names."""

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

_MAX_SHOWN = 3  # names in a message


def check_limit(value: int, name: str, limit: int, counted: str) -> None:
    """Raise ValueError if a parameter asks for more things than there are."""
    if value > limit:
        raise ValueError(f"{name}={value} exceeds the number of {counted}, {limit}.")


def check_numbers(value: Any, name: str, shape: tuple[int | str, ...]) -> np.ndarray:
    """Return numbers as an array; a str in `shape` stands for any length.

    Raises ValueError if they are not finite numbers, or have another shape.
    """
    check_structure(value, name)
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.array(None)
    fits = array.ndim == len(shape) and all(
        isinstance(expected, str) or expected == length
        for expected, length in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        sizes = ", ".join(str(length) for length in shape)
        is_array = isinstance(value, np.ndarray) and not fits
        got = f"one of shape {array.shape}" if is_array else repr(value)
        raise ValueError(
            f"{name} must contain finite numbers, in an array of shape ({sizes}); got "
            f"{got}."
        )
    return array


def check_names(
    value: Any, name: str, content: str, way_out: str = "Pass a list."
) -> list[str]:
    """Return names as a list of str; the message says what `content` they must list.

    Raises TypeError if they are not a sequence or an array of one dimension: a set has
    no order, and a dict need not have the order of the names.
    """
    n_dimensions = getattr(value, "ndim", 1)
    ordered = isinstance(value, Sequence) or hasattr(value, "__array__")
    if not ordered or isinstance(value, str | bytes) or n_dimensions != 1:
        kind = type(value).__name__
        if n_dimensions != 1:
            kind = f"{n_dimensions}-dimensional {kind}"
        article = "an" if kind[0] in "aeiou" else "a"
        raise TypeError(f"{name} must list {content}, got {article} {kind}. {way_out}")
    return [str(item) for item in value]


def shown(names: Iterable[str]) -> str:
    """Return the first names, and how many others there are."""
    first = list(map(repr, names))
    more = len(first) - _MAX_SHOWN
    listed = ", ".join(first[:_MAX_SHOWN])
    return f"{listed} and {more} more" if more > 0 else listed


def differences(a: list[str], b: list[str], of_a: str, of_b: str) -> str:
    """Return in a sentence which words only one of two lists has."""
    only = {of_a: sorted({*a} - {*b}), of_b: sorted({*b} - {*a})}
    parts = [
        f"{shown(names)} only in {where}" for where, names in only.items() if names
    ]
    return " and ".join(parts) or "the same words in a different order"


def check_structure(matrix: Any, name: str) -> None:
    """Raise ValueError if entries are masked, or lie outside the shape of a matrix.

    Conversions lose masks. SciPy accepts sparse matrices with indices outside their
    shape, and its conversions then write outside of arrays.
    """
    if isinstance(matrix, np.ma.MaskedArray) and np.ma.is_masked(matrix):
        raise ValueError(
            f"{name} has masked entries, but every entry needs a value: pass "
            f"{name}.filled(0) if they are zeros, or remove their rows."
        )
    if not sparse.issparse(matrix):
        return
    try:
        if matrix.dtype.kind not in "biufcO":
            raise TypeError(f"its values are of type {matrix.dtype}, not numbers")
        if matrix.format in ("bsr", "csc", "csr"):
            copy(matrix).check_format(full_check=True)  # it changes what it checks
        elif matrix.format == "dia":
            _check_diagonals(matrix)
        elif matrix.ndim == 2:  # others are refused, before they are converted
            _check_indices(matrix)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is not a valid sparse matrix: {error}.") from error


def _check_diagonals(matrix: Any) -> None:
    n_diagonals = np.unique(matrix.offsets).size
    if matrix.data.ndim != 2 or matrix.offsets.shape != (n_diagonals,):
        raise ValueError("two diagonals have the same offset")
    if len(matrix.data) != n_diagonals:
        raise ValueError(f"{len(matrix.data)} diagonals have {n_diagonals} offsets")


def _check_indices(matrix: Any) -> None:
    indices, n_values = _INDICES[matrix.format](matrix)
    for index, size, axis in zip(indices, matrix.shape, ("row", "column"), strict=True):
        if len(index) != n_values:
            raise ValueError(f"{n_values} values have {len(index)} {axis} indices")
        if n_values > 0 and not (index.min() >= 0 and index.max() < size):  # or NaN
            extreme = index.max() if index.min() >= 0 else index.min()
            raise ValueError(f"{axis} index {extreme} is not from 0 to {size - 1}")


def _indices_of_coo(matrix: Any) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    return (matrix.row, matrix.col), len(matrix.data)


def _indices_of_dok(matrix: Any) -> tuple[np.ndarray, int]:
    pairs = np.fromiter(chain.from_iterable(matrix.keys()), np.int64)
    return pairs.reshape(matrix.nnz, 2).T, matrix.nnz


def _indices_of_lil(matrix: Any) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    sizes = [[len(items) for items in rows] for rows in (matrix.rows, matrix.data)]
    if sizes[0] != sizes[1] or len(sizes[0]) != matrix.shape[0]:
        raise ValueError("rows and data must be equally long lists, one for each row")
    row = np.repeat(np.arange(len(sizes[0])), sizes[0])
    return (row, np.fromiter(chain.from_iterable(matrix.rows), np.int64)), len(row)


_INDICES = {"coo": _indices_of_coo, "dok": _indices_of_dok, "lil": _indices_of_lil}
