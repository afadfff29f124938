"""Covariates of documents, as columns of numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sklda._base.fitted_topics import check_matrix
from sklda._core.checks import check_structure

_MISSING = ("NoneType", "NAType", "NaTType")  # types, because pandas may be missing


class Covariates(NamedTuple):
    """Covariates of documents."""

    numbers: np.ndarray  # (n_documents, n_covariates)
    names: list[str]
    references: dict[str, str]  # of each category, the value without a column


def check_covariates(covariates: Any, n_documents: int) -> Covariates:
    """Return the covariates as numbers.

    A column of names, or of pandas' dtype category, becomes a column of 0 and 1 for
    each of its values but the first, its reference.
    """
    check_structure(covariates, "covariates")
    references: dict[str, str] = {}
    columns = [
        column
        for name, values in _columns(covariates)
        for column in _as_numbers(name, values, references)
    ]
    names = [name for name, _ in columns]
    numbers = np.column_stack([values for _, values in columns] or [np.empty((1, 0))])
    matrix = check_matrix(numbers, "covariates", dtype=np.float64)
    if len(matrix) != n_documents:
        raise ValueError(
            f"covariates have {len(matrix)} rows, but the draws have {n_documents} "
            "documents: pass a row for each training document, in the same order."
        )
    if len({"intercept", *names}) <= len(names):
        raise ValueError(
            f"covariates must have different names, none of them 'intercept'; got "
            f"{names}."
        )
    return Covariates(matrix, names, references)


def _columns(covariates) -> list[tuple[str, Any]]:
    """Return the names of the covariates, and their values as they were passed."""
    if hasattr(covariates, "categories"):  # Categorical of pandas
        return [("x0", covariates)]
    if hasattr(covariates, "iloc"):  # of pandas
        frame = covariates
        if frame.ndim == 1:
            frame = frame.to_frame("x0" if frame.name is None else frame.name)
        return [(str(name), frame.iloc[:, j]) for j, name in enumerate(frame.columns)]
    of_lists = isinstance(covariates, list | tuple)  # with strings among numbers
    values = np.array(covariates, dtype=object if of_lists else None)
    if values.ndim == 1:
        values = values[:, np.newaxis]
    if values.ndim != 2 or values.size == 0:
        values = check_matrix(covariates, "covariates")  # raises the error
    names = getattr(covariates, "columns", None)  # of other data frames
    names = [f"x{j}" for j in range(values.shape[1])] if names is None else names
    return [(str(name), values[:, j]) for j, name in enumerate(names)]


def _as_numbers(
    name: str, column: Any, references: dict[str, str]
) -> list[tuple[str, np.ndarray]]:
    """Return the columns of numbers that stand for a column, with their names."""
    values = np.asarray(column)
    categories = getattr(getattr(column, "cat", column), "categories", None)
    if values.dtype.kind in "mM" or any(hasattr(one, "year") for one in values):
        raise _dates(name)
    missing = np.array([_is_missing(one) for one in values])
    if missing.any():
        raise ValueError(
            f"covariates[{name!r}] has missing values (NaN, NaT, None or NA), "
            f"{missing.sum()} in all, the first in row {missing.argmax()}: impute "
            "them, for example with sklearn.impute.SimpleImputer, or fit without "
            "these documents."
        )
    if categories is not None:
        return _dummies(name, values, list(categories), references)
    if values.dtype.kind in "biufc":
        return [(name, values)]
    try:
        return [(name, values.astype(np.float64))]
    except OverflowError as error:
        raise ValueError(f"covariates[{name!r}] are out of range: {error}.") from error
    except (TypeError, ValueError) as error:
        if not all(isinstance(one, str) for one in values):
            raise ValueError(
                f"covariates[{name!r}] must contain only numbers or only names of "
                "categories: pass a column of 0 and 1 for each of its values except "
                "one, such as from pandas.get_dummies(..., drop_first=True)."
            ) from error
    levels = sorted(set(values))
    try:
        np.array(levels, dtype="datetime64")
    except ValueError:
        return _dummies(name, values, levels, references)
    raise _dates(name)


def _is_missing(value: Any) -> bool:
    of_floats = isinstance(value, float | np.floating) and np.isnan(value)
    return bool(of_floats) or type(value).__name__ in _MISSING


def _dummies(
    name: str, values: np.ndarray, levels: list, references: dict[str, str]
) -> list[tuple[str, np.ndarray]]:
    """Return a column of 0 and 1 for each level but the first, the reference."""
    levels = [one for one in levels if (values == one).any()]
    references[name] = str(levels[0])
    others = levels[1:] or levels  # a single level is refused as constant
    return [(f"{name}[{one}]", np.asarray(values == one, float)) for one in others]


def _dates(name: str) -> ValueError:
    return ValueError(
        f"covariates[{name!r}] contains dates or durations, which are not numbers: "
        "pass years as floats, for example dates.dt.year + dates.dt.dayofyear / "
        "365.25."
    )
