"""Covariates of documents that a user passes, as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from sklda._base.columns import Column, as_column, columns_of
from sklda._base.fitted_topics import check_matrix
from sklda._core.extras import import_extra

FORMULA_CONSTRAINTS: dict = {"formula": [str, None], "reference": [dict, None]}


class CovariateDesign(NamedTuple):
    """How covariates become numbers: in the same way for new documents as in a fit.

    Categories become a column of 0 and 1 for each level but the first, the reference,
    and dates become years. A formula computes its columns from these.
    """

    columns: list[tuple[str, list[str] | None]]  # names and, of categories, the levels
    is_named: bool  # by the user; else they are x0, x1, ...
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
        columns, names = _named_columns(covariates)
        if formula is not None:
            columns, names = _mentioned(columns, names, formula)
        read = _read(columns, names or _numbered(columns))
        levels = {name: column.levels for name, column in read}
        _put_first(levels, reference or {})
        design = cls([*levels.items()], names is not None)
        if len(read) > len(levels):
            raise ValueError(f"covariates must have different names, got {names}.")
        if formula is not None:
            design = design._replace(spec=_spec_of(formula, design._frame(read)))
        return design, design._numbers(read, n_documents)

    @property
    def names(self) -> list[str]:
        """Names of the columns of numbers."""
        if self.spec is not None:
            return list(self.spec.column_names[1:])
        return [
            name if level is None else f"{name}[{level}]"
            for name, levels in self.columns
            for level in _with_columns(levels)
        ]

    @property
    def references(self) -> dict[str, str]:
        """The level without a column, by categorical covariate."""
        if self.spec is not None:
            return {}
        return {name: levels[0] for name, levels in self.columns if levels is not None}

    def numbers(self, covariates: Any, n_documents: int | None) -> np.ndarray:
        """Return the numbers of new documents; of any number of them for None.

        Raise ValueError if covariates do not have the columns and the categories of
        the fit. Names are compared only if both have names.
        """
        columns, names = _named_columns(covariates)
        expected = [name for name, _ in self.columns]
        if self.spec is not None and names is not None:
            chosen = dict(zip(names, columns, strict=True))
            columns = [chosen[name] for name in expected if name in chosen]
            names = [name for name in expected if name in chosen]
        differ = self.is_named and names is not None and names != expected
        if len(columns) != len(expected) or differ:
            raise ValueError(
                f"covariates have the columns {names or _numbered(columns)}, but fit "
                f"had {expected}: pass the same columns in the same order."
            )
        return self._numbers(_read(columns, expected), n_documents)

    def _numbers(
        self, read: list[tuple[str, Column]], n_documents: int | None
    ) -> np.ndarray:
        if self.spec is not None:
            matrix = _matrix(self.spec, self._frame(read))[:, 1:]
        else:
            columns: list[np.ndarray] = []
            for (name, column), (_, levels) in zip(read, self.columns, strict=True):
                values = _values(column, levels, _where(name))
                codes = range(len(levels or ()))[-len(_with_columns(levels)) :]
                columns += [values == i for i in codes] if levels else [values]
            matrix = np.column_stack(columns or [np.zeros((n_documents or 1, 0))])
        if matrix.size > 0:
            check_matrix(matrix, "covariates")
        if n_documents is not None and len(matrix) != n_documents:
            raise ValueError(
                f"covariates have {len(matrix)} rows for {n_documents} documents: pass "
                "a row for each document, in the same order."
            )
        # In this order, sums have the same bits for all inputs.
        return np.ascontiguousarray(matrix, dtype=np.float64)

    def _frame(self, read: list[tuple[str, Column]]) -> Any:
        """Return the frame from which a formula computes its columns."""
        pandas = import_extra("pandas", "formulas", "formula=")
        frame = {}
        for (name, column), (_, levels) in zip(read, self.columns, strict=True):
            values = _values(column, levels, _where(name))
            if levels is not None:
                values = pandas.Categorical.from_codes(values, levels)
            frame[name] = values
        return pandas.DataFrame(frame)


def design_of(fitted: Any) -> CovariateDesign:
    """Return the design of a fitted model, which stores it as a dict."""
    return CovariateDesign(**fitted._covariate_design)


# --- columns ----------------------------------------------------------------------


def _named_columns(covariates: Any) -> tuple[list[Any], list[str] | None]:
    if covariates is None:
        return [], None
    columns, names = columns_of(covariates, "covariates")
    if not columns:
        raise ValueError("covariates have no columns.")
    return columns, names


def _numbered(columns: list[Any]) -> list[str]:
    return [f"x{j}" for j in range(len(columns))]


def _where(name: str) -> str:
    return f"covariates[{name!r}]"


def _read(columns: list[Any], names: list[str]) -> list[tuple[str, Column]]:
    pairs = zip(names, columns, strict=True)
    return [(name, as_column(values, _where(name))) for name, values in pairs]


def _with_columns(levels: list[str] | None) -> list[Any]:
    """Return the levels that have a column; [None] for numbers."""
    if levels is None:
        return [None]
    return levels[1:] or levels  # a single level is refused as constant


def _put_first(
    levels: dict[str, list[str] | None], reference: Mapping[str, str]
) -> None:
    """Make the reference of each covariate its first level, in place."""
    for name, level in reference.items():
        found = levels.get(name)
        if found is None or str(level) not in found:
            known = {key: value for key, value in levels.items() if value is not None}
            raise ValueError(
                f"reference must have categories of the covariates, which are {known}; "
                f"got {level!r} for {name!r}."
            )
        levels[name] = sorted(found, key=lambda value: value != str(level))


def _values(column: Column, levels: list[str] | None, where: str) -> np.ndarray:
    """Return numbers, dates as years, or the numbers of categories in `levels`."""
    if levels is None and column.levels is None:
        return years(column.values) if column.are_dates else column.values
    if levels is None:
        raise ValueError(
            f"{where} must be numbers, as in fit, not {column.levels[0]!r}."
        )
    if column.levels is None:
        raise ValueError(f"{where} must be categories, as in fit: strings of {levels}.")
    numbers = {level: i for i, level in enumerate(levels)}
    codes = np.array([numbers.get(level, -1) for level in column.levels], np.int64)
    codes = codes[column.values]
    if (codes < 0).any():
        row = int((codes < 0).argmax())
        unknown = column.levels[column.values[row]]
        raise ValueError(
            f"{where} has the category {unknown!r} in row {row}, but fit had {levels}."
        )
    return codes


def years(days: np.ndarray) -> np.ndarray:
    """Return dates as years: noon of 2 July 2023 is 2023.5."""
    year = days.astype("M8[Y]")
    start, end = year.astype("M8[D]"), (year + 1).astype("M8[D]")
    return year.astype(np.int64) + 1970 + (days - start) / (end - start)


# --- formulas ---------------------------------------------------------------------


def _mentioned(
    columns: list[Any], names: list[str] | None, formula: str
) -> tuple[list[Any], list[str]]:
    """Return the columns whose names are in the formula; others may miss values."""
    if names is None:
        raise ValueError(
            "formula needs covariates whose columns have names: pass a DataFrame."
        )
    chosen = [
        (values, name)
        for values, name in zip(columns, names, strict=True)
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", formula)
    ]
    return [values for values, _ in chosen], [name for _, name in chosen]


def _spec_of(formula: str, frame: Any) -> Any:
    """Return the ModelSpec of a formula, which has learned from a frame."""
    formulaic = import_extra("formulaic", "formulas", "formula=")
    try:
        parsed = formulaic.Formula(formula)
        spec = formulaic.ModelSpec(formula=parsed, output="numpy", na_action="raise")
        spec = spec.get_model_matrix(frame, context={}).model_spec
    except (formulaic.errors.FormulaicError, ValueError) as error:
        raise ValueError(f"formula={formula!r} fails: {error}") from error
    if spec.column_names[:1] != ("Intercept",):
        raise ValueError(f"formula={formula!r} must have an intercept: remove 0 or -1.")
    return spec


def _matrix(spec: Any, frame: Any) -> np.ndarray:
    """Return the columns of a formula for the rows of a frame."""
    formulaic = import_extra("formulaic", "formulas", "formula=")
    try:
        return np.asarray(spec.get_model_matrix(frame, context={}))
    except (formulaic.errors.FormulaicError, ValueError) as error:
        raise ValueError(f"formula={str(spec.formula)!r} fails: {error}") from error
