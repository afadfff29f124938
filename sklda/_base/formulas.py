"""Formulas of covariates, which formulaic computes."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial, update_wrapper
from typing import Any

import numpy as np

from sklda._core.extras import import_extra
from sklda._core.warn import warn_user

_HOW = (
    "Write names of columns, or functions of them such as C(party), bs(age, 4), "
    "center(age), np.log(age) and I(age > 65), joined by +, : or *."
)
_ROUNDING = 1e-9  # of the same number among other rows, relative to its column


def used_names(formula: str, names: list[str]) -> list[str]:
    """Return the variables in a formula: no functions, arguments, numbers or strings.

    "party.id" is a column of this name if there is one, or an attribute of "party".
    """
    text = re.sub(r"""Q\(\s*(['"])(.*?)\1\s*\)""", r"`\2`", formula)
    quoted = re.findall("`([^`]*)`", text)
    text = re.sub(r"""`[^`]*`|'[^']*'|"[^"]*\"""", " ", text)
    words = re.findall(r"(?<![\w.])([^\W\d][\w.]*)\s*(\(|=(?!=))?", text)
    bare = [
        word if word in names else word.split(".")[0]
        for word, after in words
        if not after or (after == "(" and "." in word and not word.startswith("np."))
    ]
    return quoted + bare


def spec_of(formula: str, frame: Any, names: list[str]) -> Any:
    """Return the ModelSpec of a formula, which has learned from a frame.

    `names` are those of all columns, for the message about a name that is unknown.

    Raises
    ------
    ValueError
        If the formula has a left side or no intercept, does not suit the columns, or
        computes numbers of a document that depend on the other documents.
    """
    formulaic = import_extra("formulaic", "formulas", "formula=")
    try:
        parsed = formulaic.Formula(formula)
    except Exception as error:
        raise ValueError(f"formula={formula!r} cannot be read. {_HOW}") from error
    if not isinstance(parsed, formulaic.SimpleFormula):
        raise ValueError(
            f"formula={formula!r} must have no left side and no '|': write the "
            "covariates only, as in formula='party + age'."
        )
    spec = formulaic.ModelSpec(formula=parsed, output="numpy", na_action="ignore")
    try:
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


def references_of(spec: Any, names: list[str]) -> dict[str, str]:
    """Return the level without a column of each term that compares with one level."""
    without = {
        str(term): [v for v in state.levels if f"{term}[T.{v}]" not in names]
        for term, state in spec.factor_contrasts.items()
    }
    return {term: str(left[0]) for term, left in without.items() if len(left) == 1}


def formula_matrix(spec: Any, frame: Any) -> np.ndarray:
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
    formulaic = import_extra("formulaic", "formulas", "formula=")
    try:
        try:
            return np.asarray(_computed(spec, frame))
        except formulaic.errors.FactorEvaluationError:
            matrix = np.asarray(_computed(spec, frame, clip=True))
    except formulaic.errors.DataMismatchWarning as error:
        raise _unseen_category(spec, frame) from error
    except Exception as error:
        advice = "It suited the covariates of the fit, but not these."
        raise _failure(str(spec.formula), error, advice) from error
    warn_user(
        f"covariates lie beyond the ends of a spline in formula={str(spec.formula)!r}, "
        "which are those of the fit: the value at the end is used. Choose yourself: "
        "bs(..., extrapolation='clip') does the same without a warning, 'extend' "
        "continues the curve, and 'raise' refuses such covariates."
    )
    return matrix


def _computed(spec: Any, frame: Any, *, clip: bool = False) -> Any:
    """Return the ModelMatrix of a frame; categories unknown to the fit are errors."""
    formulaic = import_extra("formulaic", "formulas", "formula=")
    functions = {}
    if clip:
        spline = formulaic.transforms.TRANSFORMS["bs"]
        clipped = partial(spline, extrapolation="clip")
        functions["bs"] = update_wrapper(clipped, spline)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", formulaic.errors.DataMismatchWarning)
        return spec.get_model_matrix(frame, context=functions)


def _failure(formula: str, error: Exception, advice: str) -> ValueError:
    cause = str(error.__cause__ or error).rstrip(".")
    if isinstance(error, Warning):
        cause = "levels= must have all categories"
    return ValueError(f"formula={formula!r} fails: {cause}. {advice}")


def _unseen_category(spec: Any, frame: Any) -> ValueError:
    """Return the error about the first row with a category that fit did not have."""

    def fails(row: int) -> bool:
        try:
            _computed(spec, frame.iloc[: row + 1], clip=True)
        except Warning:
            return True
        return False

    row = bisect_left(range(len(frame)), True, key=fails)
    (values,) = frame.iloc[[row]].to_dict("records")
    levels = {str(term): state.levels for term, state in spec.factor_contrasts.items()}
    return ValueError(
        f"covariates have a category in row {row}, {values}, that fit did not have: it "
        f"had {levels}."
    )


def _refuse_statistics(formula: str, spec: Any, frame: Any, matrix: np.ndarray) -> None:
    """Refuse a formula whose numbers for a document depend on the other documents."""
    rounding = _ROUNDING * np.abs(matrix).max(axis=0)
    for rows in _parts(frame):
        try:
            part = np.asarray(_computed(spec, frame.iloc[rows].reset_index(drop=True)))
            differ = ~(np.abs(part - matrix[rows]) <= rounding).all(axis=0)
        except Exception:  # such as a category that only these rows have
            differ = np.arange(matrix.shape[1]) > 0
        if differ.any():
            terms = [str(t) for t, j in spec.term_indices.items() if differ[j].any()]
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
