"""Intervals of draws, and warnings about draws whose intervals are unreliable."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from scipy.special import betainc, betaincinv, betaln
from scipy.stats import chi2, norm

from sklda._core.minka import describe_drift, learn_doc_topic
from sklda._core.warn import warn_user

_ROUNDING = 1e-9  # of a number of draws
_TOLERANCE = 1e-6  # relative error of the probability in the tail
_NARROW = 1e-15  # relative distance of two floats
_MOST_STEPS = 100
_LOWEST = 1e-10  # in place of 0: Beta(a, 0) has all its mass at 1, but SciPy refuses it
_SMALLEST = 1e-300  # smaller quantiles become 0; those of SciPy end at 2e-308

_LEVEL, _LEAST = 0.95, 0.93  # nominal coverage of intervals, and the lowest accepted
# Accepted sums of alpha as estimated from the draws, relative to the sum in use. Draws
# follow the latter: if it is half the true sum, estimates are 1.4 times as large, if it
# is a twentieth, 1.2 to 2.5 times.
_FITTING = 0.5, 1.2
_CLEAR = 3  # standard errors
FEWEST_DOCUMENTS = 50  # from which alpha and shrinkage can be estimated
_FEWEST_IN_THIRD = 6  # draws
_CHANCE = 1e-3  # probability that a bias is found where there is none


# --- intervals --------------------------------------------------------------------


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
    component_quantiles = betaincinv(a, b, p).clip(_SMALLEST)
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
    return np.where(quantile > _SMALLEST, quantile, 0.0)


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


# --- warnings ---------------------------------------------------------------------


class Bias(NamedTuple):
    """Squared amounts by which estimates may be off, in parallel arrays."""

    squared: np.ndarray
    by_chance: np.ndarray  # their expectation without a bias
    claimed: np.ndarray  # variance from which intervals are made
    variance: np.ndarray  # of the estimates, apart from the bias

    @classmethod
    def of_drift(cls, estimates: np.ndarray, variance: np.ndarray) -> Self:
        """Return half the changes from the first third of the draws to the last."""
        third = len(estimates) // 3
        if third < _FEWEST_IN_THIRD:
            estimates, third = np.zeros((2, *variance.shape)), 1
        change = estimates[-third:].mean(axis=0) - estimates[:third].mean(axis=0)
        # From differences of successive draws, to which a drift hardly adds.
        by_chance = (np.diff(estimates, axis=0) ** 2).mean(axis=0) / third
        return cls(*map(np.ravel, (change**2 / 4, by_chance / 4, variance, variance)))

    @classmethod
    def of_betas(cls, a: np.ndarray, total: np.ndarray) -> Self:
        """Return the drift of the means of Beta(a, total - a), (n_draws, ...)."""
        mean = a / total
        within = (mean * (1 - mean) / (total + 1)).mean(axis=0)
        return cls.of_drift(mean, within + mean.var(axis=0))

    @classmethod
    def of_wander(cls, course: np.ndarray, variance: np.ndarray) -> Self:
        """Return by how much estimates, (..., n_topics), wandered with alpha.

        `course` contains their values after each update, (n_updates, n_topics). All
        draws are made under the last alpha, although others fit as well.
        """
        last = course[len(course) // 2 :]
        if len(last) < 2:
            last = np.zeros((2, variance.shape[-1]))
        # Each update follows the topics of a single sweep. Only changes that last from
        # one update to the next move estimates.
        by_chance = (np.diff(last, axis=0) ** 2).mean(axis=0) / 2
        amounts = last.var(axis=0, ddof=1), by_chance, variance, variance
        return cls(*map(np.ravel, np.broadcast_arrays(*amounts)))

    def coverage(self) -> float:
        """Return the mean coverage of 95 % intervals; 0.95 if biases may be chance."""
        known = (self.by_chance > 0) & (self.claimed > 0)  # and not NaN
        squared, by_chance, claimed, variance = (values[known] for values in self)
        if (squared / by_chance).sum() <= chi2.isf(_CHANCE, max(squared.size, 1)):
            return _LEVEL
        bias = np.sqrt((squared - by_chance).clip(0))
        half, error = norm.isf((1 - _LEVEL) / 2) * np.sqrt(claimed), np.sqrt(variance)
        held = norm.cdf((half - bias) / error) - norm.cdf((-half - bias) / error)
        return float(held.mean())


def warn_of_bias(bias: Bias, cause: str, way_out: str) -> None:
    """Warn if intervals hold less than they should."""
    coverage = bias.coverage()
    if coverage < _LEAST:
        warn_user(
            f"{cause}: {_LEVEL:.0%} intervals may hold the true values in only "
            f"{coverage:.0%} of cases, or fewer. {way_out}"
        )


def warn_unless_converged(
    draws: Any, estimates: str, drift: Bias, wander: Bias | None = None
) -> None:
    """Warn if alpha or estimates were still moving, or alpha is far from the draws."""
    message = _moving(draws.learned_alpha) or _unfitting(draws)
    if message:
        warn_user(
            f"{message} The {estimates} may be far off, and intervals may miss the "
            "true values."
        )
        return
    warn_of_drift(estimates, drift)
    if wander is not None:
        warn_of_bias(
            wander,
            f"Alpha wandered before it was held fixed, and the {estimates} with it",
            "Fit with learn_priors='hierarchical', which samples alpha, and several "
            "times the max_iter.",
        )


def warn_of_drift(estimates: str, drift: Bias) -> None:
    """Warn if estimates drift from the first third of the draws to the last."""
    warn_of_bias(
        drift,
        f"The {estimates} drift from the first third of the draws to the last",
        "Fit with several times the max_iter.",
    )


def _moving(learned_alpha: np.ndarray) -> str:
    """Return a warning if a learned alpha was still changing, or an empty text."""
    if not (change := describe_drift(learned_alpha.sum(axis=1))):
        return ""
    return (
        "Alpha was learned, but had not arrived at the end of the burn-in: its sum "
        f"{change}. Fit with several times the burn_in and max_iter."
    )


def _unfitting(draws: Any) -> str:
    """Return a warning if alpha is far from Minka's estimate given the topics."""
    alpha = draws.doc_topic_prior
    if draws.n_documents < FEWEST_DOCUMENTS or alpha.ndim > 1:  # sampled, too
        return ""
    counts = sparse.vstack([draws.doc_topic_counts(i) for i in range(draws.n_draws)])
    better = learn_doc_topic(
        alpha,
        counts.indices,
        counts.data,
        counts.sum(axis=1),
        symmetric=bool((alpha == alpha[0]).all()),
    )
    # The error of the logarithm, from the Fisher information of theta.
    error = np.sqrt(2 / (draws.n_documents * max(draws.n_topics - 1, 1)))
    chance, ratio = np.exp(_CLEAR * error), better.sum() / alpha.sum()
    if min(_FITTING[0], 1 / chance) < ratio < max(_FITTING[1], chance):
        return ""
    direction = "more" if ratio > 1 else "less"
    return (
        f"The alpha of these draws sums to {alpha.sum():.3g}, but their topics suggest "
        f"{better.sum():.3g} or {direction}. Fit with learn_priors='asymmetric' or "
        "'symmetric' or, if alpha was learned, with a longer burn_in."
    )
