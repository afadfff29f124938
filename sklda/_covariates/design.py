"""Covariates of documents that a user passes, as numbers.

`as_column` reads a column: numbers, categories or dates. `CovariateDesign` turns
columns into numbers: `_named_columns` finds the columns, `_levels` orders categories,
and `_coded` numbers them. With a formula, formulaic computes the numbers from the
columns. `Scaling` standardises them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from functools import partial, update_wrapper
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse

from sklda._data.checks import array_or_none, check_structure
from sklda._data.notices import import_extra, warn_user

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
            f"all, the first in row {missing.argmax()}: impute them (a category may be "
            '"unknown"), or fit without these documents.'
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


FORMULA_CONSTRAINTS: dict = {"formula": [str, None], "reference": [dict, None]}
_MANY = 20  # categories: with more, they are probably numbers or dates
_CONSTANT = 1e-12  # standard deviation, relative to the largest magnitude
_LEAST, _MOST = 1e-50, 1e50  # standard deviations whose powers do not overflow
_ROUNDING = 1e-9  # of the same number among other rows, relative to its column
_HOW = (
    "Write names of columns, or functions of them such as C(party), bs(age, 4), "
    "center(age), np.log(age) and I(age ** 2), joined by +, : or *. The s(age) of stm "
    "is bs(age, 10). Strings are categories: convert dates by pandas.to_datetime, "
    "numbers by pandas.to_numeric."
)
_QUOTED = r"""`[^`]*`|'[^']*'|"[^"]*\""""  # names and texts in a formula


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
        columns, is_named, n_rows = _named_columns(covariates, n_documents)
        given = [*columns]
        if formula is not None:  # columns that it does not use may miss values
            if not is_named:
                raise ValueError(
                    "formula needs covariates whose columns have names: pass a "
                    "DataFrame, as in covariates=table."
                )
            used = _used_names(formula, given)
            columns = {name: columns[name] for name in given if name in used}
        read = _read(columns)
        levels = _levels(read, reference or {}, n_rows)
        design = cls([*levels.items()], is_named, [])
        if formula is not None:
            frame = design._frame(read, n_rows)
            design = design._replace(spec=_spec_of(formula, frame, given))
        names, numbers = design._numbers(read, n_rows)
        return design._replace(names=names), numbers

    @property
    def references(self) -> dict[str, str]:
        """The level without a column, by categorical covariate or term of a formula."""
        if self.spec is None:
            return {name: levels[0] for name, levels in self.columns if levels}
        without = {
            str(term): [v for v in state.levels if f"{term}[{v}]" not in self.names]
            for term, state in self.spec.factor_contrasts.items()
        }
        return {term: str(left[0]) for term, left in without.items() if len(left) == 1}

    def numbers(self, covariates: Any, n_documents: int | None) -> np.ndarray:
        """Return the numbers of new documents; of any number of them for None.

        Raise ValueError if covariates do not have the columns and the categories of
        the fit. Names are compared only if both have names.
        """
        columns, is_named, n_rows = _named_columns(covariates, n_documents)
        expected = [name for name, _ in self.columns]
        if self.spec is not None and is_named:  # in any order, among others
            columns = {name: columns[name] for name in expected if name in columns}
        both_named = self.is_named and is_named
        if len(columns) != len(expected) or (both_named and [*columns] != expected):
            raise ValueError(
                f"covariates have the columns {[*columns]}, but fit had {expected}: "
                "pass the same columns in the same order."
            )
        read = _read(dict(zip(expected, columns.values(), strict=True)))
        return self._numbers(read, n_rows)[1]

    def _numbers(
        self, read: dict[str, Column], n_rows: int
    ) -> tuple[list[str], np.ndarray]:
        """Return names and columns of numbers."""
        if self.spec is not None:
            matrix = _formula_matrix(self.spec, self._frame(read, n_rows))
            names = [name.replace("[T.", "[") for name in self.spec.column_names]
            found = [*zip(names, matrix.T, strict=True)][1:]
        else:
            found = []
            for name, levels in self.columns:
                values = _coded(read[name], levels, name)
                if levels is None:
                    found.append((name, values))
                    continue
                # The only level is refused as constant.
                others = [*enumerate(levels)][1:] or [(0, levels[0])]
                found += [(f"{name}[{level}]", values == i) for i, level in others]
        names = [name for name, _ in found]
        columns = [np.zeros((n_rows, 0)), *(values for _, values in found)]
        # In this order, sums have the same bits for all inputs.
        with np.errstate(over="ignore"):
            matrix = np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)
        for row, j in np.argwhere(~np.isfinite(matrix))[:1]:
            raise ValueError(
                f"covariates: {names[j]!r} must be a finite number in each row, but is "
                f"{matrix[row, j]} in row {row}."
            )
        return names, matrix

    def _frame(self, read: dict[str, Column], n_rows: int) -> Any:
        """Return the frame from which a formula computes its columns."""
        pandas = import_extra("pandas", "formulas", "formula=")
        columns = {}
        for name, levels in self.columns:
            values = columns[name] = _coded(read[name], levels, name)
            if levels is not None:
                columns[name] = pandas.Categorical.from_codes(values, levels)
        return pandas.DataFrame(columns, index=range(n_rows))


def design_of(fitted: Any) -> CovariateDesign:
    """Return the design of a fitted model, which stores it as a dict."""
    return CovariateDesign(**fitted._covariate_design)


def _named_columns(
    value: Any, n_documents: int | None
) -> tuple[dict[str, Any], bool, int]:
    """Return columns by name, whether the user gave the names, and how many rows.

    Only frames and series have names. Raise ValueError if two columns have the same
    one, or if the number of rows is not that of the documents.
    """
    if value is None:
        return {}, False, n_documents or 1
    check_structure(value, "covariates")
    if issparse(value):  # as OneHotEncoder returns them
        value = value.toarray()
    names: list[str] = []
    if hasattr(value, "columns"):
        names = list(map(str, value.columns))
        columns = [value[name] for name in value.columns]
    elif len(getattr(value, "shape", ())) == 1:
        columns, name = [value], getattr(value, "name", None)
        names = [] if name in (None, "") else [str(name)]
    else:
        is_list = isinstance(value, list | tuple)  # with strings among numbers
        matrix = np.array(value, dtype=object if is_list else None)
        if matrix.ndim not in (1, 2) or matrix.size == 0:
            raise ValueError(
                "covariates must be a data frame, a matrix or a column of numbers or "
                "strings, with a row for each document (pandas.DataFrame makes one of "
                f"a dict of columns); got an array of dim {matrix.ndim}: {value!r:.99}."
            )
        columns = list(matrix.T) if matrix.ndim == 2 else [matrix]
    if not columns:
        raise ValueError("covariates have no columns.")
    default = [f"x{j}" for j in range(len(columns))]
    named = dict(zip(names or default, columns, strict=True))
    if len(named) < len(columns):
        raise ValueError(f"covariates must have different names, got {names}.")
    n_rows = len(columns[0])
    if n_documents not in (None, n_rows):
        raise ValueError(
            f"covariates have {n_rows} rows for {n_documents} documents: pass a row "
            "for each document, in the same order."
        )
    return named, bool(names), n_rows


def check_same_order(X: Any, covariates: Any) -> None:
    """Raise ValueError if two frames of pandas label rows alike in another order."""
    labels, others = (list(getattr(f, "axes", [()])[0]) for f in (X, covariates))
    # Numbers from 0 are no labels: a frame made of an array has them.
    is_numbered = labels == [*range(len(labels))]
    if not is_numbered and labels != others and {*labels} == {*others}:
        raise ValueError(
            "covariates have the index of X in another order, but rows are matched by "
            "their position: pass covariates.loc[X.index], or "
            "covariates.set_axis(X.index) if row i of both is the same document."
        )


def _where(name: str) -> str:
    return f"covariates[{name!r}]"


def _read(columns: dict[str, Any]) -> dict[str, Column]:
    return {name: as_column(values, _where(name)) for name, values in columns.items()}


def _levels(
    read: dict[str, Column], reference: Mapping[str, str], n_rows: int
) -> dict[str, list[str] | None]:
    """Return the levels of each covariate, the reference first; None of numbers.

    Warn of numbers or dates that are read as categories, since they are strings.
    """
    levels = {name: column.levels for name, column in read.items()}
    for name, level in reference.items():
        found = levels.get(name)
        if found is None or level not in found:
            known = {key: value for key, value in levels.items() if value is not None}
            raise ValueError(
                f"reference must have categories of the covariates, which are {known}; "
                f"got {level!r} for {name!r}."
            )
        levels[name] = sorted(found, key=lambda value: value != level)
    for name, found in levels.items():
        n = len(found or [])
        if n > _MANY or 2 < n == n_rows:
            warn_user(
                f"{_where(name)} has {n} categories for {n_rows} documents, and each "
                "becomes a column: convert strings to numbers (pandas.to_numeric) or "
                "dates (pandas.to_datetime), or merge rare categories."
            )
    return levels


def _coded(column: Column, levels: list[str] | None, name: str) -> np.ndarray:
    """Return numbers, dates as years, or the numbers of categories in `levels`."""
    if levels and column.levels is None:
        raise ValueError(
            f"{_where(name)} must be categories, as in fit: strings of {levels}."
        )
    if column.levels and levels is None:
        raise ValueError(
            f"{_where(name)} must be numbers, as in fit, not {column.levels[0]!r}."
        )
    if levels is None:
        is_date = column.values.dtype.kind == "M"
        return _years(column.values) if is_date else column.values
    number = {level: i for i, level in enumerate(levels)}
    values = np.array([number.get(level, -1) for level in column.levels], int)
    values = values[column.values]
    for row in np.flatnonzero(values < 0)[:1]:
        raise ValueError(
            f"{_where(name)} has the category {column.levels[column.values[row]]!r} in "
            f"row {row}, but fit had {levels}."
        )
    return values


def _years(days: np.ndarray) -> np.ndarray:
    """Return dates as years: noon of 2 July 2023 is 2023.5."""
    year = days.astype("M8[Y]")
    start, end = (y.astype("M8[D]") for y in (year, year + np.timedelta64(1, "Y")))
    return year.astype(np.int64) + 1970 + (days - start) / (end - start)


class Scaling(NamedTuple):
    """How covariates are standardised: names, means and standard deviations.

    The scale of a constant covariate is its magnitude, or 1 if it is 0.
    """

    names: tuple[str, ...]
    mean: np.ndarray  # (n_covariates,)
    scale: np.ndarray  # (n_covariates,)
    is_constant: np.ndarray  # (n_covariates,)

    @classmethod
    def of(cls, covariates: np.ndarray, names: list[str]) -> Self:
        """Return the scaling of covariates, (n_documents, n_covariates).

        Raises
        ------
        ValueError
            If their numbers are too small or large for an effect per unit.
        """
        most = np.abs(covariates).max(axis=0, initial=0.0)
        most[most == 0] = 1
        with np.errstate(over="ignore"):  # NumPy 1 warns of the tiniest numbers
            shares = covariates / most  # their squares are finite
        mean, scale = shares.mean(axis=0), shares.std(axis=0)
        is_constant = scale <= _CONSTANT
        scale = np.where(is_constant, 1, scale) * most
        wrong = np.flatnonzero((scale < _LEAST) | (scale > _MOST))
        if wrong.size > 0:
            raise ValueError(
                f"covariates {[names[j] for j in wrong]} have standard deviations of "
                f"{scale[wrong].tolist()}, but these must be from {_LEAST:g} to "
                f"{_MOST:g}: choose other units, in which they are near 1."
            )
        return cls(tuple(names), mean * most, scale, is_constant)

    @property
    def constant(self) -> list[str]:
        """Names of constant covariates."""
        return [self.names[j] for j in np.flatnonzero(self.is_constant)]

    def standardised(self, covariates: np.ndarray) -> np.ndarray:
        """Subtract the means from covariates, and divide by the standard deviations."""
        return (covariates - self.mean) / self.scale


# --- formulas, which formulaic computes -------------------------------------------


def _used_names(formula: str, names: list[str]) -> list[str]:
    """Return the variables in a formula, without functions, arguments and literals.

    "party.id" is a column of this name if there is one, or an attribute of "party".
    """
    text = re.sub(r"""Q\(\s*(['"])(.*?)\1\s*\)""", r"`\2`", formula)
    quoted = re.findall("`([^`]*)`", text)
    text = re.sub(_QUOTED, " ", text)
    words = re.findall(r"(?<![\w.])([^\W\d][\w.]*)\s*(\(|=(?!=))?", text)
    bare = [
        word if word in names else word.split(".")[0]
        for word, after in words
        if not after or (after == "(" and "." in word and not word.startswith("np."))
    ]
    return quoted + bare


def _spec_of(formula: str, frame: Any, names: list[str]) -> Any:
    """Return the ModelSpec of a formula, which has learned from a frame.

    `names` are those of all columns, for the message about a name that is unknown.

    Raises
    ------
    ValueError
        If the formula has a left side or no intercept, does not suit the columns, or
        computes numbers of a document that depend on the other documents.
    """
    formulaic = import_extra("formulaic", "formulas", "formula=")
    options = {"output": "numpy", "na_action": "ignore"}
    try:
        parsed = formulaic.Formula(formula)
        if not isinstance(parsed, formulaic.SimpleFormula):
            raise ValueError("a formula of covariates has no left side and no '|'")
        factors = [factor for term in parsed for factor in term.factors]
        called = [str(f) for f in factors if f.eval_method.value == "python"]
        if "^" in re.sub(_QUOTED, "", " ".join(called)):
            raise ValueError("inside a function, a power is **, not ^")
        spec = formulaic.ModelSpec(formula=parsed, **options)
        found = _computed(spec, frame)
        matrix = np.asarray(found, dtype=np.float64)
    except Exception as error:
        advice = f"{_HOW} The columns are {names}."
        raise _failure(formula, error, advice) from error
    spec = found.model_spec
    if spec.column_names[:1] != ("Intercept",):
        raise ValueError(f"formula={formula!r} must have an intercept: remove 0 or -1.")
    if np.isfinite(matrix).all():  # others are refused later
        _refuse_statistics(formula, spec, frame, matrix)
    return spec


def _formula_matrix(spec: Any, frame: Any) -> np.ndarray:
    """Return the columns of a formula for new rows, as the fit would compute them.

    Raises
    ------
    ValueError
        If there are categories that the fit did not have, or the formula fails.

    Warns
    -----
    UserWarning
        If values lie beyond the ends of a spline, and the formula does not say what
        happens there.
    """
    for clip in (False, True):
        try:
            matrix = np.asarray(_computed(spec, frame, clip=clip))
            break
        except Exception as error:
            if clip:
                advice = "It suited the covariates of the fit, but not these."
                raise _failure(str(spec.formula), error, advice) from error
    if clip:
        warn_user(
            f"covariates lie beyond the ends of a spline in formula="
            f"{str(spec.formula)!r}, which are those of the fit: the value at the end "
            "is used. Choose yourself: bs(..., extrapolation='clip') does the same "
            "without a warning, 'extend' continues the curve, and 'raise' refuses "
            "such covariates."
        )
    return matrix


def _computed(spec: Any, frame: Any, *, clip: bool = False) -> Any:
    """Return the ModelMatrix of a frame; categories unknown to the fit are errors."""
    formulaic = import_extra("formulaic", "formulas", "formula=")
    spline = formulaic.transforms.TRANSFORMS["bs"]
    clipped = update_wrapper(partial(spline, extrapolation="clip"), spline)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", formulaic.errors.DataMismatchWarning)
        return spec.get_model_matrix(frame, context={"bs": clipped} if clip else {})


def _failure(formula: str, error: Exception, advice: str) -> ValueError:
    # The first sentence of formulaic names unknown categories.
    cause = re.split(r"\.\s", str(error.__cause__ or error))[0].rstrip(".")
    return ValueError(f"formula={formula!r} fails: {cause}. {advice}")


def _refuse_statistics(formula: str, spec: Any, frame: Any, matrix: np.ndarray) -> None:
    """Refuse a formula whose numbers for a document depend on the other documents."""
    rounding = _ROUNDING * np.abs(matrix).max(axis=0)
    for rows in _parts(frame):
        try:
            part = np.asarray(_computed(spec, frame.iloc[rows].reset_index(drop=True)))
            changed = ~(np.abs(part - matrix[rows]) <= rounding).all(axis=0)
        except Exception:  # such as a category that only these rows have
            changed = np.arange(matrix.shape[1]) > 0
        if changed.any():
            terms = [str(t) for t, j in spec.term_indices.items() if changed[j].any()]
            raise ValueError(
                f"formula={formula!r}: {', '.join(terms)} of a document depends on the "
                "other documents, so new documents would get other numbers. Write "
                "center(x), scale(x), poly(x, 2) or bs(x, 4), which keep what the fit "
                "found, or compute a column before the fit."
            )


def _parts(frame: Any) -> Iterator[np.ndarray]:
    """Yield rows of which means, ranges, counts and orders differ from those of all."""
    yield np.repeat(np.arange(0, len(frame), 2), 3)
    for name in frame:
        level, levels = frame[name].factorize(sort=True)
        is_low = 2 * level < len(levels)
        yield from filter(np.size, map(np.flatnonzero, (is_low, ~is_low)))
