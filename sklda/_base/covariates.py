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
        columns, names, is_named = _named_columns(covariates)
        if formula is not None:
            columns, names = _mentioned(columns, names, is_named, formula)
        if len({*names}) < len(names):
            raise ValueError(f"covariates must have different names, got {names}.")
        read = list(map(as_column, columns, map(_where, names)))
        levels = dict(zip(names, (column.levels for column in read), strict=True))
        _put_first(levels, reference or {})
        design = cls([*levels.items()], is_named, [])
        if formula is not None:
            frame = design._frame(design._coded(read))
            design = design._replace(spec=_spec_of(formula, frame))
        names, numbers = design._numbers(read, n_documents)
        return design._replace(names=names), numbers

    @property
    def references(self) -> dict[str, str]:
        """The level without a column, by categorical covariate or term of a formula."""
        if self.spec is not None:
            return _references_of(self.spec, self.names)
        return {name: levels[0] for name, levels in self.columns if levels is not None}

    def numbers(self, covariates: Any, n_documents: int | None) -> np.ndarray:
        """Return the numbers of new documents; of any number of them for None.

        Raise ValueError if covariates do not have the columns and the categories of
        the fit. Names are compared only if both have names.
        """
        columns, names, is_named = _named_columns(covariates)
        expected = [name for name, _ in self.columns]
        if self.spec is not None and is_named:  # in any order, among others
            chosen = dict(zip(names, columns, strict=True))
            names = [name for name in expected if name in chosen]
            columns = [chosen[name] for name in names]
        differ = self.is_named and is_named and names != expected
        if len(columns) != len(expected) or differ:
            raise ValueError(
                f"covariates have the columns {names}, but fit had {expected}: pass "
                "the same columns in the same order."
            )
        read = list(map(as_column, columns, map(_where, expected)))
        return self._numbers(read, n_documents)[1]

    def _coded(self, read: list[Column]) -> list[np.ndarray]:
        """Return numbers, years, or the numbers of categories among their levels."""
        pairs = zip(read, self.columns, strict=True)
        return [
            _coded(column, levels, _where(name)) for column, (name, levels) in pairs
        ]

    def _numbers(
        self, read: list[Column], n_documents: int | None
    ) -> tuple[list[str], np.ndarray]:
        """Return names and columns of numbers."""
        coded = self._coded(read)
        if self.spec is not None:
            names = [*self.spec.column_names[1:]]
            matrix = _matrix(self.spec, self._frame(coded))[:, 1:]
        else:
            parts = (
                _indicators(name, levels, values)
                for (name, levels), values in zip(self.columns, coded, strict=True)
            )
            found = [pair for part in parts for pair in part]
            names = [name for name, _ in found]
            no_columns = [np.zeros((n_documents or 1, 0))]
            matrix = np.column_stack([values for _, values in found] or no_columns)
        if matrix.size > 0:
            check_matrix(matrix, "covariates")
        if n_documents is not None and len(matrix) != n_documents:
            raise ValueError(
                f"covariates have {len(matrix)} rows for {n_documents} documents: pass "
                "a row for each document, in the same order."
            )
        # In this order, sums have the same bits for all inputs.
        return names, np.ascontiguousarray(matrix, dtype=np.float64)

    def _frame(self, coded: list[np.ndarray]) -> Any:
        """Return the frame from which a formula computes its columns."""
        pandas = import_extra("pandas", "formulas", "formula=")
        categories = pandas.Categorical.from_codes
        return pandas.DataFrame(
            {
                name: values if levels is None else categories(values, levels)
                for (name, levels), values in zip(self.columns, coded, strict=True)
            }
        )


def design_of(fitted: Any) -> CovariateDesign:
    """Return the design of a fitted model, which stores it as a dict."""
    return CovariateDesign(**fitted._covariate_design)


# --- columns ----------------------------------------------------------------------


def _named_columns(covariates: Any) -> tuple[list[Any], list[str], bool]:
    """Return columns, their names, and whether the user gave the names."""
    if covariates is None:
        return [], [], False
    columns, names = columns_of(covariates, "covariates")
    if not columns:
        raise ValueError("covariates have no columns.")
    return columns, names or [f"x{j}" for j in range(len(columns))], names is not None


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


# --- formulas ---------------------------------------------------------------------


def _mentioned(
    columns: list[Any], names: list[str], is_named: bool, formula: str
) -> tuple[list[Any], list[str]]:
    """Return the columns whose names are in the formula; others may miss values."""
    if not is_named:
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


def _references_of(spec: Any, names: list[str]) -> dict[str, str]:
    """Return the level without a column of each term that compares with one level."""
    without = {
        str(term): [v for v in state.levels if f"{term}[T.{v}]" not in names]
        for term, state in spec.factor_contrasts.items()
    }
    return {term: str(left[0]) for term, left in without.items() if len(left) == 1}


def _matrix(spec: Any, frame: Any) -> np.ndarray:
    """Return the columns of a formula for the rows of a frame."""
    formulaic = import_extra("formulaic", "formulas", "formula=")
    try:
        return np.asarray(spec.get_model_matrix(frame, context={}))
    except (formulaic.errors.FormulaicError, ValueError) as error:
        raise ValueError(f"formula={str(spec.formula)!r} fails: {error}") from error
