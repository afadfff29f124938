"""Checks of parameters that functions share."""

import math
import numbers
import os
from collections.abc import Callable, Collection, Sequence
from copy import copy
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse


def check_integer(
    value: Any,
    name: str,
    minimum: int,
    maximum: int | None = None,
    counted: str = "",
) -> int:
    """Return `value` as int if it lies in a range.

    Parameters
    ----------
    value : object
        Value of the parameter.
    name : str
        Name of the parameter, for the message.
    minimum : int
        Smallest valid value.
    maximum : int, default=None
        Largest valid value. None sets no limit.
    counted : str, default=""
        What `maximum` is the number of, for the message; empty if it is of nothing.

    Returns
    -------
    int
        The value.

    Raises
    ------
    ValueError
        If `value` is not an integer (a bool is not one), or out of range.
    """
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_integer or int(value) < minimum:
        raise ValueError(f"{name} must be an integer >= {minimum}, got {value!r}.")
    if maximum is not None and int(value) > maximum:
        limit = f"the number of {counted}, {maximum}" if counted else f"{maximum:,}"
        raise ValueError(f"{name}={value} exceeds {limit}.")
    return int(value)


def check_number(
    value: Any, name: str, expected: str, is_valid: Callable[[float], bool]
) -> float:
    """Return `value` as float if it is a valid number.

    Parameters
    ----------
    value : object
        Value of the parameter.
    name : str
        Name of the parameter, for the message.
    expected : str
        What the number must be, for the message.
    is_valid : callable
        Says whether a number is valid; False of NaN.

    Returns
    -------
    float
        The value.

    Raises
    ------
    ValueError
        If `value` is not a number (a bool is not one), or not valid.
    """
    number = math.nan
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # an int
            number = math.inf
    if not is_valid(number):
        raise ValueError(f"{name} must be {expected}, got {value!r}.")
    return number


def check_flag(value: Any, name: str) -> bool:
    """Return `value` as bool; raise ValueError if it is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}.")
    return bool(value)


def check_numbers(value: Any, name: str, shape: tuple[int | str, ...]) -> np.ndarray:
    """Return numbers as an array.

    Parameters
    ----------
    value : object
        Value of the parameter.
    name : str
        Name of the parameter, for the message.
    shape : tuple of int and str
        Shape of the array; a str stands for any length.

    Returns
    -------
    ndarray
        The numbers.

    Raises
    ------
    ValueError
        If `value` does not hold finite numbers, or has another shape.
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
        raise ValueError(
            f"{name} must hold finite numbers, in an array of shape ({sizes}); got "
            f"{value!r}."
        )
    return array


def check_names(
    value: Any, name: str, content: str, way_out: str = "Pass a list."
) -> list[str]:
    """Return names as a list of str.

    Parameters
    ----------
    value : object
        Value of the parameter.
    name : str
        Name of the parameter, for the message.
    content : str
        What it must list, for the message.
    way_out : str, default="Pass a list."
        What to do, for the message.

    Returns
    -------
    list of str
        The names.

    Raises
    ------
    TypeError
        If `value` is not a list or another sequence or an array of one dimension; a
        set has no order, and the order of a dict need not be that of the names.
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


def check_choice(value: Any, name: str, choices: Collection[str]) -> None:
    """Raise ValueError if `value` is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        allowed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {allowed}; got {value!r}.")


def check_structure(matrix: Any, name: str) -> None:
    """Raise ValueError if entries are masked, or lie outside the shape of a matrix.

    Masks get lost in conversions. SciPy builds sparse matrices with indices outside
    their shape, and its conversions write where these point.
    """
    if isinstance(matrix, np.ma.MaskedArray) and np.ma.is_masked(matrix):
        raise ValueError(
            f"{name} has masked entries, and a value is needed for each: pass "
            f"{name}.filled(0) if they are zeros, or leave their rows out."
        )
    if not sparse.issparse(matrix):
        return
    try:
        if matrix.format in ("bsr", "csc", "csr"):
            copy(matrix).check_format(full_check=True)  # which changes what it checks
        elif matrix.format == "dia":
            _check_diagonals(matrix)
        elif matrix.ndim == 2:  # others are refused, before they are converted
            _check_indices(matrix)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is no valid sparse matrix: {error}.") from error


def _check_diagonals(matrix: Any) -> None:
    n_diagonals = np.unique(matrix.offsets).size
    if matrix.data.ndim != 2 or matrix.offsets.shape != (n_diagonals,):
        raise ValueError("two diagonals have one offset")
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
        raise ValueError("rows and data must hold equally long lists, one for each row")
    row = np.repeat(np.arange(len(sizes[0])), sizes[0])
    return (row, np.fromiter(chain.from_iterable(matrix.rows), np.int64)), len(row)


_INDICES = {"coo": _indices_of_coo, "dok": _indices_of_dok, "lil": _indices_of_lil}


def check_path(path: Any, name: str) -> None:
    """Raise TypeError if `path` is no path: `open` takes an int for an open file."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} must be a str or path-like, got {path!r}.")
