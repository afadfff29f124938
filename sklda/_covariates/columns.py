"""Columns that describe documents: numbers, categories or dates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sklda._data.checks import array_or_none
from sklda._data.notices import import_extra

# As pandas names kinds of objects.
_DATES = {"date", "datetime", "datetime64", "period"}
_NUMBERS = {"boolean", "decimal", "floating", "integer", "mixed-integer-float"}


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
    Raise ValueError if values are missing, infinite, of several kinds or of another
    kind. Some dates, but not all, may be missing with `may_miss_dates`; they are NaT.
    """
    levels = getattr(getattr(values, "dtype", None), "categories", None)
    if np.ndim(levels) == 1:  # of pandas, and Enum of polars
        return _categories(list(values), list(levels), where)
    array, kinds = array_or_none(values), "biufMU"
    if isinstance(values, list | tuple) or array.dtype.kind == "O":
        # Of numbers and strings, NumPy makes strings.
        array, kinds = array_or_none(list(values)), "biufM"
    if array.ndim != 1 or array.dtype.kind not in kinds:
        array = _array_of_objects(np.fromiter(values, object, len(values)), where)
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


def _array_of_objects(values: np.ndarray, where: str) -> np.ndarray:
    """Return objects of one kind as an array of numbers, dates or str."""
    if all(isinstance(value, str) for value in values):
        return values
    pandas = import_extra("pandas", "pandas", f"{where}, which contains objects,")
    missing = pandas.isna(values)
    present = values[~missing]
    kind = pandas.api.types.infer_dtype(present)
    if kind in _DATES:  # whose time and zone do not matter
        array = np.full(len(values), np.datetime64("NaT", "D"))
        array[~missing] = [np.datetime64(f"{date:%Y-%m-%d}") for date in present]
        return array
    _refuse_missing(missing, where)
    if kind in _NUMBERS:
        try:
            return values.astype(bool if kind == "boolean" else np.float64)
        except OverflowError as error:
            raise ValueError(f"{where} has a number out of range.") from error
    examples = {type(value): repr(value) for value in reversed(values)}
    raise ValueError(
        f"{where} must contain only numbers, only strings or only dates, one for each "
        f"document; got {' and '.join([*examples.values()][:-3:-1])}. Convert them to "
        "strings if they are names of categories, durations to numbers of days."
    )
