"""Covariates of documents that a user passes, as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from sklda._base.columns import Column, as_column, columns_of
from sklda._base.formulas import formula_matrix, references_of, spec_of, used_names
from sklda._core.extras import import_extra
from sklda._core.warn import warn_user

FORMULA_CONSTRAINTS: dict = {"formula": [str, None], "reference": [dict, None]}
_MANY = 20  # categories: with more, they are probably numbers or dates


class CovariateDesign(NamedTuple):
    """How covariates become numbers: in the same way for new documents as in a fit.

    Categories become a column of 0 and 1 for each level but the first, the reference,
    and dates become years. A formula computes its columns from these.
    """

    columns: list[tuple[str, list[str] | None]]  # names and, of categories, the levels
    is_named: bool  # by the user; else they are x0, x1, ...
    names: list[str]  # of the columns of numbers
    spec: Any = None  # the ModelSpec of formulaic, with its knots and levels

    @classmethod
    def of(
        cls,
        covariates: Any,
        n_documents: int,
        formula: str | None = None,
        reference: Mapping[str, str] | None = None,
    ) -> tuple[Self, np.ndarray]:
        """Return the design of covariates, and their numbers, a row for each document.

        Raises
        ------
        ValueError
            If covariates are not finite numbers, dates or categories, if their number
            of rows is wrong, or if the formula or a reference does not fit them.
        ImportError
            If there is a formula, and formulaic is not installed.
        """
        columns, is_named = _named_columns(covariates)
        n_rows = _n_rows(columns, n_documents)
        if formula is not None and not is_named:
            raise ValueError(
                "formula needs covariates whose columns have names: pass a DataFrame."
            )
        names = [*columns]
        if formula is not None:  # columns that it does not use may miss values
            used = used_names(formula, names)
            columns = {name: columns[name] for name in names if name in used}
        read = [as_column(values, _where(name)) for name, values in columns.items()]
        levels = {name: c.levels for name, c in zip(columns, read, strict=True)}
        _put_first(levels, reference or {})
        _warn_of_many(levels, n_rows)
        design = cls([*levels.items()], is_named, [])
        if formula is not None:
            frame = design._frame(read, n_rows)
            design = design._replace(spec=spec_of(formula, frame, names))
        names, numbers = design._numbers(read, n_rows)
        return design._replace(names=names), numbers

    @property
    def references(self) -> dict[str, str]:
        """The level without a column, by categorical covariate or term of a formula."""
        if self.spec is not None:
            return references_of(self.spec, self.names)
        return {name: levels[0] for name, levels in self.columns if levels is not None}

    def numbers(self, covariates: Any, n_documents: int | None) -> np.ndarray:
        """Return the numbers of new documents; of any number of them for None.

        Raise ValueError if covariates do not have the columns and the categories of
        the fit. Names are compared only if both have names.
        """
        columns, is_named = _named_columns(covariates)
        n_rows = _n_rows(columns, n_documents)
        expected = [name for name, _ in self.columns]
        if self.spec is not None and is_named:  # in any order, among others
            columns = {name: columns[name] for name in expected if name in columns}
        differ = self.is_named and is_named and [*columns] != expected
        if len(columns) != len(expected) or differ:
            raise ValueError(
                f"covariates have the columns {[*columns]}, but fit had {expected}: "
                "pass the same columns in the same order."
            )
        read = list(map(as_column, columns.values(), map(_where, expected)))
        return self._numbers(read, n_rows)[1]

    def _coded(self, read: list[Column]) -> dict[str, np.ndarray]:
        """Return numbers, years, or the numbers of categories among their levels."""
        return {
            name: _coded(column, levels, _where(name))
            for column, (name, levels) in zip(read, self.columns, strict=True)
        }

    def _numbers(self, read: list[Column], n_rows: int) -> tuple[list[str], np.ndarray]:
        """Return names and columns of numbers."""
        if self.spec is not None:
            names = [*self.spec.column_names[1:]]
            matrix = formula_matrix(self.spec, self._frame(read, n_rows))[:, 1:]
        else:
            coded = self._coded(read)
            found = [
                pair
                for name, levels in self.columns
                for pair in _indicators(name, levels, coded[name])
            ]
            names = [name for name, _ in found]
            no_columns = [np.zeros((n_rows, 0))]
            matrix = np.column_stack([values for _, values in found] or no_columns)
        # In this order, sums have the same bits for all inputs.
        with np.errstate(over="ignore"):
            matrix = np.ascontiguousarray(matrix, dtype=np.float64)
        for row, j in np.argwhere(~np.isfinite(matrix))[:1]:
            raise ValueError(
                f"covariates: {names[j]!r} must be a finite number in each row, but is "
                f"{matrix[row, j]} in row {row}."
            )
        return names, matrix

    def _frame(self, read: list[Column], n_rows: int) -> Any:
        """Return the frame from which a formula computes its columns."""
        pandas = import_extra("pandas", "formulas", "formula=")
        columns = self._coded(read)
        for name, levels in self.columns:
            if levels is not None:
                columns[name] = pandas.Categorical.from_codes(columns[name], levels)
        return pandas.DataFrame(columns, index=range(n_rows))


def design_of(fitted: Any) -> CovariateDesign:
    """Return the design of a fitted model, which stores it as a dict."""
    return CovariateDesign(**fitted._covariate_design)


# --- columns ----------------------------------------------------------------------


def _named_columns(covariates: Any) -> tuple[dict[str, Any], bool]:
    """Return columns by name, and whether the user gave the names."""
    if covariates is None:
        return {}, False
    columns, names = columns_of(covariates, "covariates")
    if not columns:
        raise ValueError("covariates have no columns.")
    if len({*(names or [])}) < len(names or []):
        raise ValueError(f"covariates must have different names, got {names}.")
    default = [f"x{j}" for j in range(len(columns))]
    return dict(zip(names or default, columns, strict=True)), names is not None


def _n_rows(columns: dict[str, Any], n_documents: int | None) -> int:
    """Return the number of rows; ValueError if it is not that of the documents."""
    n_rows = len(next(iter(columns.values()))) if columns else n_documents or 1
    if n_documents not in (None, n_rows):
        raise ValueError(
            f"covariates have {n_rows} rows for {n_documents} documents: pass a row "
            "for each document, in the same order."
        )
    return n_rows


def _warn_of_many(levels: Mapping[str, list[str] | None], n_rows: int) -> None:
    """Warn of numbers or dates that are read as categories, since they are strings."""
    for name, found in levels.items():
        n = len(found or [])
        if n > _MANY or 2 < n == n_rows:
            warn_user(
                f"{_where(name)} has {n} categories for {n_rows} documents, and each "
                "becomes a column: convert strings to numbers (pandas.to_numeric) or "
                "dates (pandas.to_datetime), or merge rare categories."
            )


def _where(name: str) -> str:
    return f"covariates[{name!r}]"


def _put_first(
    levels: dict[str, list[str] | None], reference: Mapping[str, str]
) -> None:
    """Make the reference of each covariate its first level, in place."""
    for name, level in reference.items():
        found = levels.get(name)
        if found is None or level not in found:
            known = {key: value for key, value in levels.items() if value is not None}
            raise ValueError(
                f"reference must have categories of the covariates, which are {known}; "
                f"got {level!r} for {name!r}."
            )
        levels[name] = sorted(found, key=lambda value: value != level)


def _coded(column: Column, levels: list[str] | None, where: str) -> np.ndarray:
    """Return numbers, dates as years, or the numbers of categories in `levels`."""
    if levels is None and column.levels is None:
        return _years(column.values) if column.are_dates else column.values
    if levels is None:
        raise ValueError(
            f"{where} must be numbers, as in fit, not {column.levels[0]!r}."
        )
    if column.levels is None:
        raise ValueError(f"{where} must be categories, as in fit: strings of {levels}.")
    unknown = [i for i, level in enumerate(column.levels) if level not in levels]
    if unknown:
        row = np.isin(column.values, unknown).argmax()
        level = column.levels[column.values[row]]
        raise ValueError(
            f"{where} has the category {level!r} in row {row}, but fit had {levels}."
        )
    return np.array([levels.index(level) for level in column.levels])[column.values]


def _indicators(
    name: str, levels: list[str] | None, values: np.ndarray
) -> list[tuple[str, np.ndarray]]:
    """Return names and columns of numbers of a covariate."""
    if levels is None:
        return [(name, values)]
    others = list(enumerate(levels))[1:] or [(0, levels[0])]  # refused as constant
    return [(f"{name}[{level}]", values == i) for i, level in others]


def _years(days: np.ndarray) -> np.ndarray:
    """Return dates as years: noon of 2 July 2023 is 2023.5."""
    year = days.astype("M8[Y]")
    end = (year + np.timedelta64(1, "Y")).astype("M8[D]")
    start = year.astype("M8[D]")
    return year.astype(np.int64) + 1970 + (days - start) / (end - start)
