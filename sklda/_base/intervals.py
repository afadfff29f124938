"""Quantiles of mixtures of Beta distributions."""

import numpy as np
from scipy.special import betainc, betaincinv, betaln

_TOLERANCE = 1e-7  # of the probability below a quantile
_NARROW = 1e-12  # of the quantile itself
_MOST_STEPS = 60
_LOWEST = 1e-10  # Beta(a, 0) has all its mass at 1, but SciPy knows no such parameter


def mixture_quantile(a: np.ndarray, b: np.ndarray, p: float) -> np.ndarray:
    """Return the quantile of mixtures with equal weights of Beta(a[i], b[i]).

    By Newton's method, within the quantiles of the components.

    Parameters
    ----------
    a, b : ndarray of shape (n_components, n)
        Parameters of the components of n mixtures.
    p : float
        Probability below the quantile, from 0 to 1.

    Returns
    -------
    ndarray of shape (n,)
        The quantiles.
    """
    a, b = a.clip(_LOWEST), b.clip(_LOWEST)
    of_components = betaincinv(a, b, p)
    low, high = of_components.min(axis=0), of_components.max(axis=0)
    quantile = of_components.mean(axis=0)
    left = np.flatnonzero(high - low > _NARROW)
    for _ in range(_MOST_STEPS):
        if left.size == 0:
            break
        x, a_left, b_left = quantile[left], a[:, left], b[:, left]
        excess = betainc(a_left, b_left, x).mean(axis=0) - p
        low[left] = np.where(excess < 0, x, low[left])
        high[left] = np.where(excess < 0, high[left], x)
        better = x - excess / _density(a_left, b_left, x)
        middle = (low[left] + high[left]) / 2
        inside = (low[left] < better) & (better < high[left])
        open_ = np.abs(excess) > _TOLERANCE
        quantile[left] = np.where(open_, np.where(inside, better, middle), x)
        left = left[open_ & (high[left] - low[left] > _NARROW)]
    return quantile


def _density(a, b, x):
    with np.errstate(divide="ignore", over="ignore"):
        logs = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b)
        return np.exp(logs).mean(axis=0)


def mixture_interval(
    a: np.ndarray, b: np.ndarray, confidence_level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of the equal-tailed intervals of such mixtures."""
    tail = (1 - confidence_level) / 2
    return mixture_quantile(a, b, tail), mixture_quantile(a, b, 1 - tail)
