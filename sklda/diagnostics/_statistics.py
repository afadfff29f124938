"""R-hat, effective sample sizes and Monte Carlo errors, by arviz-stats; their table."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import f as f_distribution

from sklda._data.notices import import_extra
from sklda._sampling.parameters import learned_priors

ARVIZ_STATS = "arviz_stats.base"

_TAILS = (0.05, 0.95)
# Columns, with the formats of their numbers.
COLUMNS = {
    "mean": ".5g",
    "sd": ".2g",
    "r_hat": ".3f",
    "ess_bulk": ".0f",
    "ess_tail": ".0f",
    "mcse": ".2g",
    "ess_per_second": ".1f",
    "spread": ".2g",
}


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


def mcse(draws: np.ndarray) -> Any:
    """Return the Monte Carlo standard error of the mean."""
    return _compute("mcse", draws, method="mean")


def spread(draws: np.ndarray) -> float:
    """Return the range of the means of the chains."""
    return float(np.ptp(draws.mean(axis=1)))


def row_of_scalar(draws: np.ndarray, seconds: float | None) -> dict[str, float]:
    """Return the row of a scalar; without seconds, that of several optimisations."""
    row = {"mean": draws.mean(), "sd": draws.std(ddof=1), "spread": spread(draws)}
    if seconds is not None:
        tail = _compute("ess", draws, method="tail", prob=_TAILS)
        row |= {"r_hat": r_hat(draws), "mcse": mcse(draws), "ess_tail": tail}
        row["ess_bulk"] = ess(draws)
        row["ess_per_second"] = row["ess_bulk"] / seconds
    return _row(row)


def _row(values: dict[str, float]) -> dict[str, float]:
    return {name: float(values.get(name, np.nan)) for name in COLUMNS}


def rows_of_pairs(together: np.ndarray) -> dict[str, dict[str, float]]:
    """Return the rows of the median and the worst of the pairs that vary."""
    r_hats = r_hat(together)
    # R-hat ignores the middle one of an odd number of draws. A pair that varies only
    # there has no R-hat.
    known = ~np.isnan(r_hats)
    if not known.any():
        return {}
    r_hats, sizes = r_hats[known], ess(together[..., known])
    median = {"r_hat": np.median(r_hats), "ess_bulk": np.median(sizes)}
    worst = {"r_hat": r_hats.max(), "ess_bulk": sizes.min()}
    return {"pairs, median": _row(median), "pairs, worst": _row(worst)}


def rows_of_fits(estimators: list[Any]) -> dict[str, dict[str, float]]:
    """Return rows of learned priors and acceptance rates, a value for each chain."""
    values = {}
    if learns_priors(estimators[0]):
        values["sum of alpha"] = [fit.doc_topic_prior_.sum() for fit in estimators]
        values["beta"] = [np.mean(fit.topic_word_prior_) for fit in estimators]
    if getattr(estimators[0], "sampler", None) == "light":
        values["acceptance rate"] = [fit.acceptance_rate_.mean() for fit in estimators]
    return {
        name: _row({"mean": np.mean(v), "sd": np.std(v, ddof=1), "spread": np.ptp(v)})
        for name, v in values.items()
    }


def learns_priors(estimator: Any) -> bool:
    """Return whether each fit learns its own priors and then holds them fixed."""
    return learned_priors(estimator._parameters) is not None


def texts(row: dict[str, float]) -> list[str]:
    """Return the cells of a row as text."""
    return [_text(row[name], form) for name, form in COLUMNS.items()]


def _text(value: float, form: str) -> str:
    if np.isnan(value):
        return ""
    # R-hat is unbounded if each chain stays at a different value.
    return "> 1e6" if value > 1e6 else format(value, form)
