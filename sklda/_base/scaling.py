"""Covariates, standardised: the same numbers in all units."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

_CONSTANT = 1e-12  # standard deviation, relative to the largest magnitude
_LEAST, _MOST = 1e-303, 1e303  # standard deviations with a finite inverse


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
