"""Checks of parameters that functions share."""

import math
import numbers
import os
from collections.abc import Callable, Collection, Sequence
from copy import copy
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
    """Raise ValueError if a compressed sparse matrix has indices outside its shape.

    SciPy builds such a matrix, and its conversions write where the indices point.
    """
    if sparse.issparse(matrix) and matrix.format in ("bsr", "csc", "csr"):
        try:
            copy(matrix).check_format(full_check=True)  # which changes what it checks
        except ValueError as error:
            raise ValueError(f"{name} is no valid sparse matrix: {error}.") from error


def check_path(path: Any, name: str) -> None:
    """Raise TypeError if `path` is no path: `open` takes an int for an open file."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} must be a str or path-like, got {path!r}.")
