"""Quantiles of mixtures of Beta distributions."""

import numpy as np
from scipy.special import betainc, betaincinv, betaln

_TOLERANCE = 1e-6  # of the probability in the tail, relative
_NARROW = 1e-15  # of the quantile, relative: as far apart as numbers are
_MOST_STEPS = 100
_LOWEST = 1e-10  # Beta(a, 0) has all its mass at 1, but SciPy knows no such parameter
_LEAST = 1e-300  # quantiles below are 0; those of SciPy end at 2e-308


def mixture_quantile(a: np.ndarray, b: np.ndarray, p: float) -> np.ndarray:
    """Return the quantile of mixtures with equal weights of Beta(a[i], b[i]).

    By Newton's method within the quantiles of the components, for the logarithms of the
    quantile and of the probability: with a small `a` the quantile may be 1e-100, and
    the probability is about a power of it.

    Parameters
    ----------
    a, b : ndarray of shape (n_components, n)
        Parameters of the components of n mixtures.
    p : float
        Probability below the quantile, between 0 and 1.

    Returns
    -------
    ndarray of shape (n,)
        The quantiles; 0 where they are below 1e-300. Where numbers are too coarse, next
        to 1, the next one outwards: below for p < 0.5, above otherwise.
    """
    a, b = a.clip(_LOWEST), b.clip(_LOWEST)
    of_components = betaincinv(a, b, p).clip(_LEAST)
    low, high = of_components.min(axis=0), of_components.max(axis=0)
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
        better = _newton(a_left, b_left, x, below, p)
        inside = (low[left] < better) & (better < high[left])
        quantile[left] = np.where(open_, np.where(inside, better, middle), x)
        left = left[open_]
    return np.where(quantile > _LEAST, quantile, 0.0)


def _newton(a, b, x, below, p):
    """Return the next quantile, from x with the probability `below`."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        logs = a * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b)
        slope = np.exp(logs).mean(axis=0) / below
        return x * np.exp(np.log(p / below) / slope)


def mixture_interval(
    a: np.ndarray, b: np.ndarray, confidence_level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of the equal-tailed intervals of such mixtures."""
    tail = (1 - confidence_level) / 2
    return mixture_quantile(a, b, tail), mixture_quantile(a, b, 1 - tail)
