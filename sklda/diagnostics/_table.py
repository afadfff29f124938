"""Rows of the table of diagnostics."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklda._base.parameters import learned_priors
from sklda.diagnostics import _statistics as statistics

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


def row_of_scalar(draws: np.ndarray, seconds: float | None) -> dict[str, float]:
    """Return the row of a scalar; without seconds, that of several optimisations."""
    row = {"mean": draws.mean(), "sd": draws.std(ddof=1)}
    row["spread"] = statistics.spread(draws)
    if seconds is not None:
        row["r_hat"], row["mcse"] = statistics.r_hat(draws), statistics.mcse(draws)
        row["ess_bulk"] = statistics.ess(draws)
        row["ess_tail"] = statistics.ess_tail(draws)
        row["ess_per_second"] = row["ess_bulk"] / seconds
    return _row(row)


def _row(values: dict[str, float]) -> dict[str, float]:
    return {name: float(values.get(name, np.nan)) for name in COLUMNS}


def rows_of_pairs(together: np.ndarray) -> dict[str, dict[str, float]]:
    """Return the rows of the median and the worst of the pairs that vary."""
    varying = together[..., together.any(axis=(0, 1)) & ~together.all(axis=(0, 1))]
    if varying.size == 0:
        return {}
    r_hat, ess = statistics.r_hat(varying), statistics.ess(varying)
    # R-hat ignores the middle one of an odd number of draws. A pair that varies only
    # there has no R-hat.
    known = ~np.isnan(r_hat)
    if not known.any():
        return {}
    r_hat, ess = r_hat[known], ess[known]
    return {
        "pairs, median": _row({"r_hat": np.median(r_hat), "ess_bulk": np.median(ess)}),
        "pairs, worst": _row({"r_hat": r_hat.max(), "ess_bulk": ess.min()}),
    }


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
