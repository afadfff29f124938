"""Estimates of several draws, pooled by Rubin's rules."""

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student_t

FEWEST_DRAWS = 2  # that have a variance


class Pooled(NamedTuple):
    """Estimates that were pooled, each an array of the shape of one estimate."""

    mean: np.ndarray
    standard_error: np.ndarray
    df: np.ndarray
    low: np.ndarray
    high: np.ndarray


def pool(
    estimates: np.ndarray, variances: np.ndarray, df: int | np.ndarray, level: float
) -> Pooled:
    """Pool estimates of m draws, (m, ...), with the df of Barnard and Rubin.

    `df` are the degrees of freedom of one estimate. What is NaN stays so.
    """
    m = len(estimates)
    between = (1 + 1 / m) * estimates.var(axis=0, ddof=1)
    pooled = variances.mean(axis=0) + between
    ratio = between / pooled  # proportion of the variance that is between draws
    observed = (df + 1) / (df + 3) * df * (1 - ratio)
    df = 1 / (ratio**2 / (m - 1) + 1 / observed)
    mean, error = estimates.mean(axis=0), np.sqrt(pooled)
    half = student_t.isf((1 - level) / 2, df) * error
    return Pooled(mean, error, df, mean - half, mean + half)


def check_several(draws) -> None:
    """Raise ValueError if the draws are too few to pool, or there is one topic."""
    if draws.n_topics < 2:
        raise ValueError("draws have only one topic, whose proportions are all 1.")
    if draws.n_draws < FEWEST_DRAWS:
        raise ValueError(
            f"draws has {draws.n_draws} draw, but the variance between draws needs at "
            f"least {FEWEST_DRAWS}, better 25: fit with a larger keep_draws."
        )
