"""Columns that describe documents: numbers, categories or dates."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from sklda._base.fitted_topics import check_matrix
from sklda._core.checks import check_structure

# Names of types of missing values: pandas, which has two, may not be installed.
_MISSING = {"MaskedConstant", "NAType", "NaTType", "NoneType"}
_TO = r"\s*[-/.,\s]\s*"
_DAY = r"(0?[1-9]|[12]\d|3[01])([a-z]{2})?"
_NAME = (
    "(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?"
    "|oct(ober)?|nov(ember)?|dec(ember)?)"
)
_MONTH = f"(0?[1-9]|1[0-2]|q[1-4]|{_NAME})"
_YEAR = r"\d{4}"
_SHORT = r"('?\d{2}|\d{4})"
_ORDERS = (
    f"{_YEAR}{_TO}{_MONTH}({_TO}{_DAY})?",
    f"{_MONTH}{_TO}{_YEAR}",
    f"{_DAY}{_TO}{_MONTH}{_TO}{_SHORT}",
    f"{_MONTH}{_TO}{_DAY}{_TO}{_SHORT}",
    f"{_DAY}{_NAME}{_SHORT}",
)
_WEEKDAY = f"(mon|tue|wed|thu|fri|sat|sun)[a-z]*{_TO}"
_DATE = re.compile(
    rf"\s*({_WEEKDAY})?({'|'.join(_ORDERS)})([t\s]\s*\d{{1,2}}:.*)?\s*", re.IGNORECASE
)


class Column(NamedTuple):
    """A column with a value for each document.

    Values are finite numbers, dates (datetime64[D]) or, with levels, the number of the
    level of each document. Every level occurs.
    """

    values: np.ndarray  # (n_documents,)
    levels: list[str] | None  # of categories

    @property
    def are_dates(self) -> bool:
        """Whether the values are dates."""
        return self.values.dtype.kind == "M"


def columns_of(value: Any, name: str) -> tuple[list[Any], list[str] | None]:
    """Return the columns of a frame, a matrix or a single column, and their names.

    Only frames and series have names; the names of others are None.
    """
    check_structure(value, name)
    if issparse(value):  # as OneHotEncoder returns them
        value = value.toarray()
    if hasattr(value, "iloc") and value.ndim == 2:  # of pandas, which may repeat names
        columns = [value.iloc[:, j] for j in range(value.shape[1])]
        return columns, [str(label) for label in value.columns]
    if hasattr(value, "columns"):  # of polars and others
        columns = [value[label] for label in value.columns]
        return columns, list(map(str, value.columns))
    if len(getattr(value, "shape", ())) == 1:
        series_name = getattr(value, "name", None)
        return [value], None if series_name in (None, "") else [str(series_name)]
    is_list = isinstance(value, list | tuple)  # with strings among numbers
    matrix = np.array(value, dtype=object if is_list else None)
    if matrix.ndim == 1:
        matrix = matrix[:, np.newaxis]
    if matrix.ndim != 2 or matrix.size == 0:
        matrix = check_matrix(value, name)  # raises the error
    return list(matrix.T), None


def as_column(values: Any, where: str, *, may_miss_dates: bool = False) -> Column:
    """Return a column as numbers, categories or dates.

    Strings are categories in alphabetical order; a categorical dtype keeps its order.
    Raise ValueError if values are missing, infinite or of several kinds, or if
    they are durations or strings that look like dates. Some dates, but not all, may
    be missing with `may_miss_dates`; they are NaT.
    """
    levels = getattr(getattr(values, "dtype", None), "categories", None)
    if np.ndim(levels) == 1:  # of pandas, and Enum of polars
        return _categories(list(values), list(levels), where)
    if isinstance(values, list | tuple):
        array = np.fromiter(values, object, len(values))
    else:
        array = np.asarray(values)
    if array.size == 0:
        return Column(np.zeros(0), None)
    if array.dtype.kind == "S":
        try:
            array = np.char.decode(array, "utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{where} contains bytes that are not UTF-8, {error.object!r}: decode "
                "them, for example with np.char.decode(values, 'latin-1')."
            ) from error
    if array.dtype.kind not in "biufMmU":
        array = _array_of_objects(array.tolist(), where, may_miss_dates)
    if array.dtype.kind in "fMm":
        missing = np.isnan(array)
        if array.dtype.kind != "M" or not may_miss_dates or missing.all():
            _refuse_missing(missing, where)
    if array.dtype.kind == "m":
        raise ValueError(
            f"{where} contains durations: pass numbers, such as durations.dt.days."
        )
    if array.dtype.kind == "M":
        return Column(array.astype("datetime64[D]"), None)
    if array.dtype.kind not in "UO":
        if not np.isfinite(array).all():
            raise ValueError(f"{where} contains infinity.")
        return Column(array, None)
    found = sorted(set(array.tolist()))
    dates = [text for text in found if _DATE.fullmatch(text)]
    if 2 * len(dates) > len(found):
        raise ValueError(
            f"{where} contains strings that look like dates, such as {dates[0]!r}: "
            "convert them to dates, for example with pandas.to_datetime(..., "
            "dayfirst=True), or to the dtype category if they are only names."
        )
    return _categories(array.tolist(), found, where)


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
            f"all, the first in row {missing.argmax()}: impute them, for example with "
            "sklearn.impute.SimpleImputer, or leave these documents out."
        )


def _array_of_objects(values: list, where: str, may_miss_dates: bool) -> np.ndarray:
    """Return objects of one kind as an array of numbers, dates, durations or str."""
    missing = np.array([_is_missing(value) for value in values], bool)
    present = [
        value
        for value, is_missing in zip(values, missing, strict=True)
        if not is_missing
    ]
    if (
        present
        and all(map(_is_date, present))
        and (may_miss_dates or not missing.any())
    ):
        days = np.full(len(values), np.datetime64("NaT", "D"))
        days[~missing] = [_day(value) for value in present]
        return days
    _refuse_missing(missing, where)
    if all(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    if all(isinstance(value, bool | np.bool_) for value in values):
        return np.array(values, dtype=bool)
    if all(isinstance(value, Real | Decimal | np.bool_) for value in values):
        try:
            return np.array(values, dtype=np.float64)
        except OverflowError as error:
            raise ValueError(f"{where} has a number out of range: {error}.") from error
    if all(isinstance(v, datetime.timedelta | np.timedelta64) for v in values):
        return np.array(values, dtype="timedelta64[us]")
    raise ValueError(
        f"{where} must contain only numbers, only strings or only dates, one for each "
        f"document; got {_examples_of_two_kinds(values)}. Convert them to strings if "
        "they are names of categories."
    )


def _is_missing(value: Any) -> bool:
    if type(value).__name__ in _MISSING:
        return True
    kinds = float | np.floating | Decimal | np.datetime64 | np.timedelta64
    return isinstance(value, kinds) and bool(value != value)


def _is_date(value: Any) -> bool:
    return isinstance(value, np.datetime64) or hasattr(value, "day")


def _day(value: Any) -> np.datetime64:
    """Return the day of a date; its time and zone do not matter."""
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[D]")
    return np.datetime64(f"{value.year:04}-{value.month:02}-{value.day:02}")


def _examples_of_two_kinds(values: list) -> str:
    """Return examples of values of different types."""
    examples = {type(value): value for value in reversed(values)}
    return " and ".join(repr(value) for value in list(examples.values())[-2:][::-1])
