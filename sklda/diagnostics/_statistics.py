"""R-hat, effective sample sizes and Monte Carlo errors, by arviz-stats."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import f as f_distribution

from sklda._core.extras import import_extra

ARVIZ_STATS = "arviz_stats.base"

_TAILS = (0.05, 0.95)


def _compute(function: str, draws: np.ndarray, **options: Any) -> Any:
    """Call a function of arviz-stats on draws, (n_chains, n_draws, ...)."""
    # The array functions need no xarray.
    arviz = import_extra(ARVIZ_STATS, "diagnostics", "sklda.diagnostics").array_stats
    values = np.asarray(draws, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):  # where all draws are equal
        return getattr(arviz, function)(values, chain_axis=0, draw_axis=1, **options)


def r_hat(draws: np.ndarray) -> Any:
    """Return rank-normalised split R-hat; NaN where all draws are equal."""
    return _compute("rhat", draws)


def highest_r_hat(shape: tuple[int, ...], n_scalars: int, level: float) -> float:
    """Return a quantile of the highest R-hat of independently drawn scalars."""
    # The variances between and within halves of chains have a ratio with an F
    # distribution, and R-hat is the higher of two: of ranks, and of distances from the
    # median. For several scalars this is a bound. Of 20,000 simulated scalars, with 2
    # to 8 chains of 20 to 400 draws, 4.8 to 5.2 % exceeded the quantile of 0.95, and
    # 0.9 to 1.1 % that of 0.99.
    n_halves, length = 2 * shape[0], shape[1] // 2
    tail = (1 - level) / (2 * n_scalars)
    ratio = f_distribution.isf(tail, n_halves - 1, n_halves * (length - 1))
    return float(np.sqrt(1 + (ratio - 1) / length))


def r_hat_within(draws: np.ndarray) -> np.ndarray:
    """Return R-hat of the halves of each chain; 1 for a chain that does not move."""
    half = draws.shape[1] // 2
    halves = draws[:, -2 * half :].reshape(draws.shape[0], 2, half, *draws.shape[2:])
    r_hats = np.array([r_hat(chain) for chain in halves])
    return np.nan_to_num(r_hats, nan=1.0)


def ess(draws: np.ndarray) -> Any:
    """Return the effective sample size of the bulk."""
    return _compute("ess", draws, method="bulk")


def ess_within(draws: np.ndarray) -> float:
    """Return the median effective sample size of single chains; NaN counts as 0."""
    sizes = [np.nan_to_num(ess(chain[np.newaxis])) for chain in draws]
    return float(np.median(sizes))


def ess_tail(draws: np.ndarray) -> Any:
    """Return the effective sample size of the tails."""
    return _compute("ess", draws, method="tail", prob=_TAILS)


def mcse(draws: np.ndarray) -> Any:
    """Return the Monte Carlo standard error of the mean."""
    return _compute("mcse", draws, method="mean")


def spread(draws: np.ndarray) -> float:
    """Return the range of the means of the chains."""
    return float(np.ptp(draws.mean(axis=1)))
