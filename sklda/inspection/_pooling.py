"""Estimates of several draws, pooled by Rubin's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from scipy.stats import t as student_t

from sklda._topics.intervals import (
    FEWEST_DOCUMENTS,
    Bias,
    warn_of_bias,
    warn_unless_converged,
)
from sklda._topics.posterior_draws import PosteriorDraws

FEWEST_DRAWS = 2  # that have a variance
_ROUNDING = 1e-12  # of a proportion
_LOWEST = 0.05  # reliability; lower estimates of it are as large as their errors


class Pooled(NamedTuple):
    """Estimates that were pooled, each an array of the shape of one estimate."""

    mean: np.ndarray
    standard_error: np.ndarray
    df: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def t(self) -> np.ndarray:
        """Means divided by their standard errors."""
        return _ratio(self.mean, self.standard_error, 0.0)


class DrawnEstimates(NamedTuple):
    """Estimates of all draws, and their variances within draws."""

    estimates: np.ndarray  # (n_draws, ..., n_topics)
    within: np.ndarray  # (..., n_topics), mean over draws
    df: int | np.ndarray  # degrees of freedom of the variances within draws
    correlation: np.ndarray  # of the estimates within a draw, (n_series, n_series)

    def pooled(self, level: float) -> Pooled:
        """Pool the draws by Rubin's rules, with the df of Barnard and Rubin.

        NaN stays NaN.
        """
        m, df = len(self.estimates), self.df
        between = (1 + 1 / m) * np.var(self.estimates, axis=0, ddof=1)
        variance = self.within + between
        # The proportion of the variance that is between draws.
        ratio = _ratio(between, variance, 0.0)
        observed = (df + 1) / (df + 3) * df * np.maximum(1 - ratio, _ROUNDING)
        df = 1 / (ratio**2 / (m - 1) + 1 / observed)
        mean, error = np.mean(self.estimates, axis=0), np.sqrt(variance)
        half = student_t.isf((1 - level) / 2, df) * error
        return Pooled(mean, error, df, mean - half, mean + half)

    def difference(self, i: int, j: int, scales: np.ndarray) -> DrawnEstimates:
        """Return series i minus series j, after they are multiplied by their scales."""
        a, b = scales[i], scales[j]
        variances = a**2 * self.within[i], b**2 * self.within[j]
        common = self.correlation[i, j] * np.sqrt(variances[0] * variances[1])
        within, df = sum(variances) - 2 * common, self.df
        if np.ndim(df) > 0:  # of independent series: Welch and Satterthwaite
            parts = zip(variances, (df[i], df[j]), strict=True)
            df = _ratio(within**2, sum(part**2 / n for part, n in parts), 1.0)
        estimates = a * self.estimates[:, i] - b * self.estimates[:, j]
        return DrawnEstimates(estimates, within, df, np.eye(1))


class Linear(NamedTuple):
    """Estimates that are linear in the proportions of the documents."""

    name: str  # of the estimates, in warnings
    # Of (n_documents, n_topics) returns estimates, (..., n_topics), and variances.
    fit: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    df: int | np.ndarray  # degrees of freedom of the variances
    correlation: np.ndarray  # of the estimates, (n_series, n_series)
    are_means: bool = False  # which move with alpha; differences do not


def pool(
    draws: PosteriorDraws,
    topics: np.ndarray,
    estimator: Linear,
    level: float,
    rng: RandomState,
) -> tuple[Pooled, DrawnEstimates]:
    """Pool the estimates of all draws; return them, too.

    Warn if the intervals may miss the true values.
    """
    m, estimates, variances = draws.n_draws, [], []
    total, squares = np.zeros((2, draws.n_documents, topics.size))
    for i in range(m):
        theta = draws.sample_doc_topic(i, rng)[:, topics]
        total += theta
        squares += theta**2
        estimate, variance = estimator.fit(theta)
        estimates.append(estimate)
        variances.append(variance)
    within = np.mean(variances, axis=0)
    drawn = DrawnEstimates(
        np.array(estimates), within, estimator.df, estimator.correlation
    )
    pooled = drawn.pooled(level)
    variance = pooled.standard_error**2
    drift = Bias.of_drift(drawn.estimates, variance)
    wander = None
    if estimator.are_means:
        alpha = draws.learned_alpha
        course = alpha[:, topics] / alpha.sum(axis=1, keepdims=True)
        wander = Bias.of_wander(course, variance)
    warn_unless_converged(draws, estimator.name, drift, wander)
    # Documents with covariates differ in their prior means.
    if draws.n_documents >= FEWEST_DOCUMENTS and draws.doc_topic_prior.ndim < 3:
        _warn_of_shrinkage(total / m, squares / m, m, estimator, variance)
    return pooled, drawn


def _warn_of_shrinkage(mean, mean_square, m, estimator, variance) -> None:
    """Warn if documents are too short to tell their proportions from the prior mean.

    Their posterior means are shrunk towards it by their reliability, the proportion of
    the variance of the samples that is between documents.
    """
    noise = (mean_square - mean**2).mean(axis=0) * m / (m - 1)
    signal = mean.var(axis=0) - noise / m
    reliability = np.clip(_ratio(signal, signal + noise, 1.0), _LOWEST, 1)
    lost = 1 / reliability - 1
    bias, _ = estimator.fit((mean - mean.mean(axis=0)) * lost)
    true = reliability * variance  # of estimates that are shrunk
    warn_of_bias(
        Bias(bias**2, lost**2 * true, variance, true),
        "The documents are short for how little they differ, so their proportions are "
        f"shrunk by {1 - reliability.mean():.0%} towards the overall mean, and with "
        f"them the {estimator.name}",
        "Use longer documents, or DMRLDA, which knows the covariates, with "
        "predicted_proportions.",
    )


def _ratio(a: np.ndarray, b: np.ndarray, of_zeros: float) -> np.ndarray:
    """Return a / b, and `of_zeros` where both are 0, as of topics without tokens."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((a == 0) & (b == 0), of_zeros, a / b)


def check_several(draws: PosteriorDraws) -> None:
    """Raise ValueError if the draws are too few to pool, or there is one topic."""
    if draws.n_topics < 2:
        raise ValueError("draws have only one topic, whose proportions are all 1.")
    if draws.n_draws < FEWEST_DRAWS:
        raise ValueError(
            f"draws has {draws.n_draws} draw, but the variance between draws needs at "
            f"least {FEWEST_DRAWS}, better 25: fit with a larger keep_draws."
        )
