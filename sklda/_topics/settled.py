"""Warnings about draws whose means and intervals are unreliable."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.stats import chi2, norm

from sklda._core.minka import learn_doc_topic
from sklda._core.warn import warn_user

_LEVEL, _LEAST = 0.95, 0.93  # nominal coverage of intervals, and the lowest accepted
# Accepted sums of alpha as estimated from the draws, relative to the sum in use. Draws
# follow the latter: if it is half the true sum, estimates are 1.4 times as large, if it
# is a twentieth, 1.2 to 2.5 times.
_FITTING = 0.5, 1.2
# Means and effects tolerate larger ratios, up to this one, if they hardly depend on
# alpha. Their relative error is the gain times the logarithm of the ratio times the
# ambiguity of topics. The gain was fitted to the coverage of intervals of means in
# corpora with sums of 3 and 20, and a sum of 1 in use.
_BEARABLE, _GAIN = 3, 12
_CLEAR = 3  # standard errors
FEWEST_DOCUMENTS = 50  # from which alpha and shrinkage can be estimated
# Change of the logarithm of a learned alpha from the third quarter of its updates to
# the last.
_CHANGE = 0.08
_FEWEST_UPDATES = 8
_FEWEST_IN_THIRD = 6  # draws
_CHANCE = 1e-3  # probability that a bias is found where there is none


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
        if len(course) < _FEWEST_UPDATES:
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

    def times(self, factor: float) -> Self:
        """Return biases that are multiplied by a factor."""
        squared, by_chance = self.squared * factor**2, self.by_chance * factor**2
        return self._replace(squared=squared, by_chance=by_chance)


class Estimates(NamedTuple):
    """Name and possible biases of estimates, for warnings."""

    name: str
    drift: Bias
    wander: Bias | None = None
    distance: Bias | None = None  # from the estimates that alpha alone implies


def warn_of_bias(bias: Bias, cause: str, way_out: str) -> None:
    """Warn if intervals hold less than they should."""
    coverage = bias.coverage()
    if coverage < _LEAST:
        warn_user(
            f"{cause}: {_LEVEL:.0%} intervals may hold the true values in only "
            f"{coverage:.0%} of cases, or fewer. {way_out}"
        )


def warn_unless_settled(draws: Any, estimates: Estimates) -> None:
    """Warn if alpha or estimates were still moving, or alpha is far from the draws."""
    message = _moving(draws.learned_alpha) or _unfitting(draws, estimates.distance)
    if message:
        warn_user(
            f"{message} The {estimates.name} may be far off, and intervals may miss "
            "the true values."
        )
        return
    warn_of_drift(estimates.name, estimates.drift)
    if estimates.wander is not None:
        warn_of_bias(
            estimates.wander,
            "Alpha wandered before it was held fixed, and the "
            f"{estimates.name} with it",
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
    """Return a warning if a learned alpha had not settled, or an empty text."""
    if len(learned_alpha) < _FEWEST_UPDATES:
        return ""
    logs = np.log(learned_alpha.sum(axis=1)[len(learned_alpha) // 2 :])
    half = logs.size // 2
    change = logs[-half:].mean() - logs[:half].mean()
    error = np.sqrt((np.diff(logs) ** 2).mean() / half)
    if abs(change) < max(_CHANGE, _CLEAR * error):
        return ""
    first, last = np.exp(logs[[0, -1]])
    return (
        "Alpha was learned, but had not settled at the end of the burn-in: its sum "
        f"went from {first:.3g} half-way to {last:.3g}. Fit with several times the "
        "burn_in and max_iter."
    )


def _unfitting(draws: Any, distance: Bias | None) -> str:
    """Return a warning if alpha is far from Minka's estimate given the topics.

    An alpha that is too small hardly matters to estimates that follow from tokens with
    clear topics. `distance`, if there is one, shows whether they do.
    """
    alpha = draws.doc_topic_prior
    if draws.n_documents < FEWEST_DOCUMENTS or alpha.ndim > 1:  # sampled, too
        return ""
    counts = [draws.doc_topic_counts(i) for i in range(draws.n_draws)]
    better = learn_doc_topic(
        alpha,
        np.concatenate([matrix.indices for matrix in counts]),
        np.concatenate([matrix.data for matrix in counts]),
        np.tile(counts[0].sum(axis=1), draws.n_draws),
        symmetric=bool((alpha == alpha[0]).all()),
    )
    # The error of the logarithm, from the Fisher information of theta.
    error = np.sqrt(2 / (draws.n_documents * max(draws.n_topics - 1, 1)))
    chance = np.exp(_CLEAR * error)
    low, high = min(_FITTING[0], 1 / chance), max(_FITTING[1], chance)
    ratio = better.sum() / alpha.sum()
    if low < ratio < high:
        return ""
    if distance is not None and 1 < ratio < _BEARABLE:
        error = _GAIN * np.log(ratio) * _ambiguity(counts)
        if distance.times(error).coverage() >= _LEAST:
            return ""
    direction = "more" if better.sum() > alpha.sum() else "less"
    return (
        f"The alpha of these draws sums to {alpha.sum():.3g}, but their topics suggest "
        f"{better.sum():.3g} or {direction}. Fit with learn_priors='asymmetric' or "
        "'symmetric' or, if alpha was learned, with a longer burn_in."
    )


def _ambiguity(counts: list[Any]) -> float:
    """Return the proportion of the variance of documents that is between draws."""
    m, lengths = len(counts), np.maximum(counts[0].sum(axis=1), 1)[:, np.newaxis]
    shares = [matrix.multiply(1 / lengths).tocsr() for matrix in counts]
    mean = sum(shares[1:], shares[0]) / m
    within = sum(share.power(2).sum() for share in shares) / m - mean.power(2).sum()
    noise = m / (m - 1) * within
    signal = mean.power(2).sum() - len(lengths) * (mean.mean(axis=0) ** 2).sum()
    signal -= noise / m
    return noise / (noise + max(signal, 0)) if noise > 0 else 0.0
