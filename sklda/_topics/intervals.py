"""Ends of intervals: of draws, and of mixtures of Beta distributions."""

import numpy as np
from scipy.special import betainc, betaincinv, betaln

from sklda._core.warn import warn_user

_ROUNDING = 1e-9  # of a number of draws
_TOLERANCE = 1e-6  # relative error of the probability in the tail
_NARROW = 1e-15  # relative distance of two floats
_MOST_STEPS = 100
_LOWEST = 1e-10  # in place of 0: Beta(a, 0) has all its mass at 1, but SciPy refuses it
_LEAST = 1e-300  # smaller quantiles become 0; those of SciPy end at 2e-308


def draws_interval(draws: np.ndarray, confidence_level: float) -> np.ndarray:
    """Return both ends of the equal-tailed intervals of draws, (n_draws, ...).

    With n independent draws, intervals have the stated probability; those from the
    default quantiles of NumPy would have (n - 1) / (n + 1) of it.
    """
    tail = (1 - confidence_level) / 2
    return np.quantile(draws, [tail, 1 - tail], axis=0, method="weibull")


def warn_of_few_draws(n_draws: int, confidence_level: float, way_out: str) -> None:
    """Warn if no draw can be expected beyond the ends of `draws_interval`."""
    fewest = int(np.ceil(2 / (1 - confidence_level) - 1 - _ROUNDING))
    if n_draws < fewest:
        warn_user(
            f"{n_draws} draws are too few for {confidence_level:.3g} intervals, which "
            f"need at least {fewest}: they end at the lowest and the highest draw, and "
            f"hold less than they say. {way_out}"
        )


def mixture_quantile(a: np.ndarray, b: np.ndarray, p: float) -> np.ndarray:
    """Return the p-quantiles of n mixtures; `a` and `b` are (n_components, n).

    Components are Beta(a, b) with equal weights. Quantiles below 1e-300 become 0; next
    to 1, where floats are coarse, they are rounded down for p < 0.5, else up.
    """
    # Newton's method between the quantiles of the components, for logarithms: with a
    # small `a` a quantile may be 1e-100, and p is about a power of it.
    a, b = a.clip(_LOWEST), b.clip(_LOWEST)
    component_quantiles = betaincinv(a, b, p).clip(_LEAST)
    low, high = component_quantiles.min(axis=0), component_quantiles.max(axis=0)
    quantile = np.sqrt(low) * np.sqrt(high)
    left = np.arange(quantile.size)
    for _ in range(_MOST_STEPS):
        narrow = high[left] <= low[left] * (1 + _NARROW)
        ends = left[narrow]
        quantile[ends] = low[ends] if p < 0.5 else high[ends]
        left = left[~narrow]
        if left.size == 0:
            break
        x, a_left, b_left = quantile[left], a[:, left], b[:, left]
        below = betainc(a_left, b_left, x).mean(axis=0)
        low[left] = np.where(below < p, x, low[left])
        high[left] = np.where(below < p, high[left], x)
        open_ = np.abs(below - p) > _TOLERANCE * min(p, 1 - p)
        middle = np.sqrt(low[left]) * np.sqrt(high[left])
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            logs = a_left * np.log(x) + (b_left - 1) * np.log1p(-x)
            slope = np.exp(logs - betaln(a_left, b_left)).mean(axis=0) / below
            better = x * np.exp(np.log(p / below) / slope)
        inside = (low[left] < better) & (better < high[left])
        quantile[left] = np.where(open_, np.where(inside, better, middle), x)
        left = left[open_]
    return np.where(quantile > _LEAST, quantile, 0.0)


def mixture_interval(
    a: np.ndarray, b: np.ndarray, confidence_level: float
) -> list[np.ndarray]:
    """Return both ends of the equal-tailed intervals of mixtures.

    `a` and `b` are (n_components, ...); the ends have the shape of the other axes.
    """
    tail, shape = (1 - confidence_level) / 2, a.shape[1:]
    a, b = (parameters.reshape(len(a), -1) for parameters in (a, b))
    ends = mixture_quantile(a, b, tail), mixture_quantile(a, b, 1 - tail)
    return [end.reshape(shape) for end in ends]
