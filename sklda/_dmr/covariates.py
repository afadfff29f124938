"""Covariates in the form that the sampler takes, and weights in the user's units."""

from __future__ import annotations

import numpy as np
from numpy.linalg import matrix_rank

from sklda._base.covariates import Scaling
from sklda._core.warn import warn_user
from sklda._dmr.weights import CovariateRows


def distinct_rows(covariates: np.ndarray, scaling: Scaling) -> CovariateRows:
    """Return the distinct rows of covariates, standardised, with an intercept."""
    rows, row = np.unique(covariates, axis=0, return_inverse=True)
    x = with_intercept(scaling.standardised(rows))
    return CovariateRows(x, row.ravel().astype(np.int32))


def with_intercept(covariates: np.ndarray) -> np.ndarray:
    """Return covariates with a first column of 1, the intercept."""
    return np.column_stack([np.ones(len(covariates)), covariates])


def to_units(weights: np.ndarray, scaling: Scaling) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients and intercepts in the units of the covariates.

    `weights`, (..., n_weights), are those of standardised covariates.
    """
    coef = weights[..., 1:] / scaling.scale
    return coef, weights[..., 0] - (coef * scaling.mean).sum(axis=-1)


def warn_of_undetermined(covariates: np.ndarray, scaling: Scaling) -> None:
    """Warn of covariates that no document can tell apart."""
    if scaling.constant:
        warn_user(
            f"covariates {scaling.constant} are constant: the documents do not "
            "determine their weights, which follow the prior."
        )
    elif covariates.shape[1] > 0:
        n, rank = covariates.shape[1], matrix_rank(scaling.standardised(covariates))
        if rank < n:
            warn_user(
                f"covariates are collinear: {n} columns, of which only {rank} are "
                "independent. The prior determines how they share an effect; "
                "predictions are not affected."
            )
