"""R-hat, effective sample sizes and standard errors, by arviz-stats."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

_TAILS = (0.05, 0.95)


def import_arviz(name: str, caller: str) -> ModuleType:
    """Import a package of ArviZ, or raise an ImportError with the way out."""
    try:
        if name == "arviz_stats":
            import arviz_stats.base as found  # its array functions need no xarray
        else:
            import arviz_base as found
    except ImportError as error:
        package = name.replace("_", "-")
        raise ImportError(
            f'{caller} needs {package}: pip install "sklda[diagnostics]"'
        ) from error
    return found


def _compute(function: str, draws: np.ndarray, **options: Any) -> Any:
    """Call a function of arviz-stats on draws, (n_chains, n_draws, ...)."""
    arviz = import_arviz("arviz_stats", "sklda.diagnostics").array_stats
    values = np.asarray(draws, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):  # where all draws are equal
        return getattr(arviz, function)(values, chain_axis=0, draw_axis=1, **options)


def r_hat(draws: np.ndarray) -> Any:
    """Return rank-normalised split R-hat; NaN where all draws are equal."""
    return _compute("rhat", draws)


def r_hat_within(draws: np.ndarray) -> np.ndarray:
    """Return R-hat of each chain alone, the two halves of which count as chains.

    A chain that does not move has settled: 1.
    """
    half = draws.shape[1] // 2
    halves = draws[:, -2 * half :].reshape(draws.shape[0], 2, half, *draws.shape[2:])
    found = np.array([r_hat(of_chain) for of_chain in halves])
    return np.nan_to_num(found, nan=1.0)


def ess(draws: np.ndarray) -> Any:
    """Return the effective sample size of the bulk."""
    return _compute("ess", draws, method="bulk")


def ess_tail(draws: np.ndarray) -> Any:
    """Return the effective sample size of the tails."""
    return _compute("ess", draws, method="tail", prob=_TAILS)


def mcse(draws: np.ndarray) -> Any:
    """Return the Monte Carlo standard error of the mean."""
    return _compute("mcse", draws, method="mean")


def all_of(draws: np.ndarray) -> dict[str, float]:
    """Return all of these of a scalar, (n_chains, n_draws), by name."""
    found = {"r_hat": r_hat, "ess_bulk": ess, "ess_tail": ess_tail, "mcse": mcse}
    return {name: float(function(draws)) for name, function in found.items()}


def spread(draws: np.ndarray) -> float:
    """Return the range of the means of the chains."""
    return float(np.ptp(draws.mean(axis=1)))
