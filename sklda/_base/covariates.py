"""Covariates that a user passes, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from sklda._base.fitted_topics import check_matrix
from sklda._core.checks import check_structure

_WAY_OUT = (
    "use OneHotEncoder or ColumnTransformer of scikit-learn to convert them to numbers"
)


def numbers_of_covariates(
    covariates: Any, n_documents: int | None
) -> tuple[np.ndarray, list[str]]:
    """Return covariates, (n_documents, n_covariates) float64, and their names.

    None is no covariates, and any number of documents.

    Raises
    ------
    ValueError
        If they are no finite numbers, or not a row for each document.
    """
    if covariates is None:
        return np.zeros((n_documents or 1, 0)), []
    check_structure(covariates, "covariates")
    try:
        np.ndim(covariates)
    except ValueError as error:
        raise ValueError(
            "covariates must have as many numbers for each document."
        ) from error
    _refuse_dates(covariates)
    if issparse(covariates):  # as OneHotEncoder returns them
        covariates = covariates.toarray()
    names = [str(name) for name in getattr(covariates, "columns", [])]
    if np.ndim(covariates) == 1:
        covariates = np.asarray(covariates)[:, np.newaxis]
    try:
        matrix = check_matrix(covariates, "covariates", dtype=np.float64)
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        example = str(error).rpartition(": ")[2]
        raise ValueError(
            f"{_texts(covariates)} must be numbers, got {example}. If they are "
            f"categories, {_WAY_OUT}."
        ) from error
    if n_documents is not None and len(matrix) != n_documents:
        raise ValueError(
            f"covariates have {len(matrix)} rows, but X has {n_documents} documents: "
            f"pass a row for each document, in the same order."
        )
    matrix = np.ascontiguousarray(matrix)  # sums are then the same bits
    return matrix, names or [f"x{j}" for j in range(matrix.shape[1])]


def _refuse_dates(covariates: Any) -> None:
    """Raise ValueError if there are dates; scikit-learn makes nanoseconds of them."""
    for name in getattr(covariates, "columns", [None]):
        column = covariates if name is None else covariates[name]
        if _kind(column) in ("M", "m"):
            where = "covariates" if name is None else f"covariates[{str(name)!r}]"
            raise ValueError(
                f"{where} contains dates or durations, which are not numbers: pass "
                "days as numbers, such as (dates - dates.min()).dt.days."
            )


def _kind(column: Any) -> str:
    """Return the kind of a dtype as NumPy has it."""
    dtype = getattr(column, "dtype", None)
    return str(getattr(dtype, "kind", None) or np.asarray(column).dtype.kind)


def _texts(covariates: Any) -> str:
    """Return which columns hold no numbers, in words."""
    names = getattr(covariates, "columns", [])
    texts = [str(name) for name in names if _kind(covariates[name]) in "OUST"]
    return f"covariates{texts}" if texts else "covariates"


def check_same(names: list[str], known: np.ndarray, covariates: Any) -> None:
    """Raise ValueError unless covariates have the columns that fit had.

    Names matter only where both have them.
    """
    expected = known.tolist()
    unnamed = [f"x{j}" for j in range(len(expected))]
    by_name = hasattr(covariates, "columns") and expected != unnamed
    if len(names) != len(expected) or (by_name and names != expected):
        raise ValueError(
            f"covariates have the columns {names}, but fit had {expected}: pass the "
            "same columns in the same order."
        )
