"""Covariates of documents that a user passes, as numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sklda._base.columns import as_column, columns_of
from sklda._base.fitted_topics import check_matrix


class Covariates(NamedTuple):
    """Covariates of documents."""

    numbers: np.ndarray  # (n_documents, n_covariates) float64
    names: list[str]
    is_named: bool  # by the user; else they are x0, x1, ...
    references: dict[str, str]  # the level without a column, by categorical covariate


def numbers_of_covariates(
    covariates: Any, n_documents: int | None, *, categories: bool = False
) -> Covariates:
    """Return covariates as numbers, a row for each document.

    If `n_documents` is None, any number of rows will do. With `categories`, a column of
    categories becomes a column of 0 and 1 for each level but the first.

    Raises
    ------
    ValueError
        If covariates are not finite numbers (or categories), or if their number of
        rows is wrong.
    """
    if covariates is None and not categories:
        return Covariates(np.zeros((n_documents or 1, 0)), [], False, {})
    columns, column_names = columns_of(covariates, "covariates")
    names: list[str] = []
    numbers: list[np.ndarray] = []
    references: dict[str, str] = {}
    for name, values in zip(column_names or _unnamed(columns), columns, strict=True):
        where = f"covariates[{name!r}]"
        column = as_column(values, where)
        if column.are_dates:
            raise ValueError(
                f"{where} contains dates, which are not numbers: pass days or years "
                "as numbers, such as (dates - dates.min()).dt.days."
            )
        if column.levels is None:
            names.append(name)
            numbers.append(column.values)
            continue
        if not categories:
            raise ValueError(
                f"{where} must be numbers, got {column.levels[0]!r}. If they are "
                "categories, use OneHotEncoder or ColumnTransformer of scikit-learn "
                "to convert them to numbers."
            )
        references[name], *other_levels = column.levels
        for i, level in enumerate(
            other_levels or column.levels, start=len(other_levels) > 0
        ):
            names.append(f"{name}[{level}]")  # a single level is refused as constant
            numbers.append(column.values == i)
    matrix = np.column_stack(numbers or [np.empty((1, 0))]).astype(np.float64)
    check_matrix(matrix, "covariates")
    if n_documents is not None and len(matrix) != n_documents:
        raise ValueError(
            f"covariates have {len(matrix)} rows for {n_documents} documents: pass a "
            "row for each document, in the same order."
        )
    matrix = np.ascontiguousarray(matrix)  # so that sums have the same bits
    return Covariates(matrix, names, column_names is not None, references)


def _unnamed(columns: list[Any]) -> list[str]:
    return [f"x{j}" for j in range(len(columns))]


def numbers_as_in_fit(
    fitted: Any, covariates: Any, n_documents: int | None
) -> np.ndarray:
    """Return covariates as numbers; raise ValueError if fit had other columns.

    Names are compared only if the covariates of fit and these have names.
    """
    columns = numbers_of_covariates(covariates, n_documents)
    names = fitted.covariate_names_.tolist()
    both_named = columns.is_named and fitted._covariates_are_named
    if len(columns.names) != len(names) or (both_named and columns.names != names):
        raise ValueError(
            f"covariates have the columns {columns.names}, but fit had {names}: pass "
            "the same columns in the same order."
        )
    return columns.numbers
