"""Covariates of documents, standardised."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from sklda._core.warn import warn_user
from sklda._dmr.weights import CovariateRows

_CONSTANT = 1e-12  # standard deviation, relative to the largest magnitude


class Scaling(NamedTuple):
    """How covariates are standardised: names, means and standard deviations.

    A constant covariate has the standard deviation 1.
    """

    names: tuple[str, ...]
    mean: np.ndarray  # (n_covariates,)
    scale: np.ndarray  # (n_covariates,)
    named: bool = True  # by the user

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
        return coef, weights[..., 0] - (coef * self.mean).sum(axis=-1)


def _warn_of_constant(names, is_constant, standard) -> None:
    n_others = int((~is_constant).sum())
    constant = [name for name, one in zip(names, is_constant, strict=True) if one]
    if constant:
        warn_user(
            f"covariates {constant} are constant: the documents do not determine their "
            "weights, which follow the prior."
        )
    elif n_others > 0 and np.linalg.matrix_rank(standard) < n_others:
        warn_user(
            f"covariates are collinear: {n_others} columns, of which only "
            f"{np.linalg.matrix_rank(standard)} are independent. The prior determines "
            "how they share an effect; predictions are not affected."
        )
