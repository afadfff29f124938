"""Covariates of documents: numbers that a user passes, checked and standardised."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from sklda._base.fitted_topics import check_matrix
from sklda._core.checks import check_structure
from sklda._core.warn import warn_user
from sklda._dmr.weights import CovariateRows

_CONSTANT = 1e-12  # standard deviation, relative to the largest magnitude
_WAY_OUT = "OneHotEncoder or ColumnTransformer of scikit-learn makes numbers of them"


class Scaling(NamedTuple):
    """How covariates are standardised: names, means and standard deviations.

    A constant covariate has the standard deviation 1.
    """

    names: tuple[str, ...]
    mean: np.ndarray  # (n_covariates,)
    scale: np.ndarray  # (n_covariates,)

    @classmethod
    def of(cls, covariates: np.ndarray, names: list[str]) -> Self:
        """Return that of covariates; warn of those that no document can tell apart."""
        most = np.abs(covariates).max(axis=0, initial=0.0)
        shares = covariates / np.where(most > 0, most, 1)  # whose squares are finite
        mean, scale = shares.mean(axis=0), shares.std(axis=0)
        is_constant = scale <= _CONSTANT
        standard = (shares - mean) / np.where(is_constant, 1, scale)
        _warn_of_constant(names, is_constant, standard)
        return cls(tuple(names), mean * most, np.where(is_constant, 1, scale * most))

    def rows_of(self, covariates: np.ndarray) -> CovariateRows:
        """Return the distinct rows, standardised, after an intercept."""
        rows, row = np.unique(covariates, axis=0, return_inverse=True)
        standard = (rows - self.mean) / self.scale
        x = np.column_stack([np.ones(len(rows)), standard])
        return CovariateRows(x, row.ravel().astype(np.int32))

    def to_units(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients and intercepts in the units of the covariates.

        Weights are (..., n_weights), those of standardised covariates.
        """
        coef = weights[..., 1:] / self.scale
        return coef, weights[..., 0] - coef @ self.mean


def _warn_of_constant(names, is_constant, standard) -> None:
    n_others = int((~is_constant).sum())
    constant = [name for name, one in zip(names, is_constant, strict=True) if one]
    if constant:
        warn_user(
            f"covariates {constant} are constant: the documents say nothing of their "
            f"weights, which follow their prior."
        )
    elif n_others > 0 and np.linalg.matrix_rank(standard) < n_others:
        warn_user(
            f"covariates are collinear: {n_others} columns, of which only "
            f"{np.linalg.matrix_rank(standard)} are independent. The prior decides how "
            f"they share an effect; predictions do not suffer."
        )


def numbers_of_covariates(
    covariates: Any, n_documents: int
) -> tuple[np.ndarray, list[str]]:
    """Return covariates, (n_documents, n_covariates) float64, and their names.

    None is no covariates.

    Raises
    ------
    ValueError
        If they are no finite numbers, or not a row for each document.
    """
    if covariates is None:
        return np.zeros((n_documents, 0)), []
    check_structure(covariates, "covariates")
    names = [str(name) for name in getattr(covariates, "columns", [])]
    if np.ndim(covariates) == 1:
        covariates = np.asarray(covariates)[:, np.newaxis]
    try:
        matrix = check_matrix(covariates, "covariates", dtype=np.float64)
    except ValueError as error:
        if "could not convert" in str(error):
            raise ValueError(
                f"covariates must be numbers ({error}). If they are categories, "
                f"{_WAY_OUT}."
            ) from error
        raise
    if len(matrix) != n_documents:
        raise ValueError(
            f"covariates have {len(matrix)} rows, but X has {n_documents} documents: "
            f"pass a row for each document, in the same order."
        )
    return matrix, names or [f"x{j}" for j in range(matrix.shape[1])]


def check_same(names: list[str], known: np.ndarray, covariates: Any) -> None:
    """Raise ValueError unless covariates have the columns that fit had.

    Names matter only where both have them.
    """
    expected = known.tolist()
    unnamed = [f"x{j}" for j in range(len(expected))]
    by_name = hasattr(covariates, "columns") and expected != unnamed
    if len(names) != len(expected) or (by_name and names != expected):
        raise ValueError(
            f"covariates have the columns {names}, but in fit they were {expected}: "
            f"pass the same columns in the same order."
        )
