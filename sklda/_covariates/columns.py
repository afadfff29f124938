"""Columns that describe documents: numbers, categories or dates."""

from __future__ import annotations

from decimal import Decimal
from numbers import Number, Real
from typing import Any, NamedTuple

import numpy as np

# Names of types of missing values: pandas, which has two, may not be installed.
_MISSING = {"MaskedConstant", "NAType", "NaTType", "NoneType"}
_KINDS = (  # of the objects of a column, and the dtypes of their arrays
    (str, object),
    (bool | np.bool_, bool),
    (Real | Decimal | np.bool_, np.float64),
)


class Column(NamedTuple):
    """A column with a value for each document.

    Values are finite numbers, dates (datetime64[D]) or, with levels, the number of the
    level of each document. Every level occurs.
    """

    values: np.ndarray  # (n_documents,)
    levels: list[str] | None  # of categories


def as_column(values: Any, where: str, *, may_miss_dates: bool = False) -> Column:
    """Return a column as numbers, categories or dates.

    Strings are categories in alphabetical order; a categorical dtype keeps its order.
    Raise ValueError if values are missing, infinite or of several kinds, or if
    they are durations. Some dates, but not all, may be missing with `may_miss_dates`;
    they are NaT.
    """
    levels = getattr(getattr(values, "dtype", None), "categories", None)
    if np.ndim(levels) == 1:  # of pandas, and Enum of polars
        return _categories(list(values), list(levels), where)
    if isinstance(values, list | tuple):
        values = np.fromiter(values, object, len(values))
    array = np.asarray(values)
    if array.dtype.kind not in "biufMmU":
        array = _array_of_objects(array.tolist(), where)
    if array.dtype.kind == "m":
        raise ValueError(
            f"{where} contains durations: pass numbers, such as durations.dt.days."
        )
    if array.dtype.kind in "fM":
        missing = np.isnan(array)
        if array.dtype.kind != "M" or not may_miss_dates or missing.all():
            _refuse_missing(missing, where)
    if array.dtype.kind in "UO":
        return _categories(array.tolist(), sorted(set(array.tolist())), where)
    if array.dtype.kind == "M":
        array = array.astype("datetime64[D]")
    elif not np.isfinite(array).all():
        raise ValueError(f"{where} contains infinity.")
    return Column(array, None)


def _categories(values: list, levels: list, where: str) -> Column:
    level_numbers = {level: i for i, level in enumerate(levels)}
    numbers = np.array([level_numbers.get(value, -1) for value in values], np.int64)
    _refuse_missing(numbers < 0, where)
    used, members = np.unique(numbers, return_inverse=True)
    names = [str(levels[i]) for i in used]
    if len({*names}) < len(names):
        raise ValueError(f"{where} has two categories of the same name, in {names}.")
    return Column(members, names)


def _refuse_missing(missing: np.ndarray, where: str) -> None:
    if missing.any():
        raise ValueError(
            f"{where} has missing values (NaN, NaT, None or NA), {missing.sum()} in "
            f"all, the first in row {missing.argmax()}: impute them, or fit without "
            "these documents."
        )


def _array_of_objects(values: list, where: str) -> np.ndarray:
    """Return objects of one kind as an array of numbers, dates or str."""
    missing = np.array([_is_missing(value) for value in values], bool)
    present = [value for value in values if not _is_missing(value)]
    days = [_day(value) for value in present]
    if days and None not in days:
        array = np.full(len(values), np.datetime64("NaT", "D"))
        array[~missing] = days
        return array
    _refuse_missing(missing, where)
    for kind, dtype in _KINDS:
        if all(isinstance(value, kind) for value in values):
            try:
                return np.array(values, dtype)
            except OverflowError as error:
                raise ValueError(f"{where} has a number out of range.") from error
    examples = {type(value): repr(value) for value in reversed(values)}
    raise ValueError(
        f"{where} must contain only numbers, only strings or only dates, one for each "
        f"document; got {' and '.join([*examples.values()][:-3:-1])}. Convert them to "
        "strings if they are names of categories."
    )


def _is_missing(value: Any) -> bool:
    if type(value).__name__ in _MISSING:
        return True
    return isinstance(value, Number | np.generic) and bool(value != value)


def _day(value: Any) -> np.datetime64 | None:
    """Return the day of a date, whose time and zone do not matter, or None."""
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[D]")
    if not hasattr(value, "day"):
        return None
    return np.datetime64(f"{value.year:04}-{value.month:02}-{value.day:02}")
