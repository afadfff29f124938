"""Estimates with intervals: pooled over draws by Rubin's rules, and in tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.stats import t as student_t
from sklearn.utils import check_random_state

from sklda._fitted.fitted_topics import keys_of_topics, numbers_of_topics
from sklda._fitted.posterior_draws import (
    FEWEST_DOCUMENTS,
    Bias,
    PosteriorDraws,
    check_draws,
    warn_of_bias,
    warn_unless_converged,
)
from sklda._sampling.parameters import validates
from sklda.inspection._display import table_by_keys, table_lines

FEWEST_DRAWS = 2  # that have a variance
_COLUMNS = ("difference", "low", "high", "probability")  # of contrasts
_ROUNDING = 1e-12  # of a proportion
_LOWEST = 0.05  # reliability; lower estimates of it are as large as their errors


# --- tables -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicContrasts:
    """Differences of topic proportions, first minus second.

    The method `contrast` of `TopicMeans`, `TopicEffects` and `PredictedProportions`
    returns them, and `TopicIntervalsDisplay` plots them.

    Attributes
    ----------
    first, second : str
        Names of the groups, terms or settings.
    topics : ndarray of shape (n_topics,)
        Numbers of the topics.
    topic_names : ndarray of shape (n_topics,) of str
        Their names, see `name_topics`; "topic 3" stands for no name.
    difference : ndarray of shape (n_topics,)
        Proportion in the first minus that in the second, averaged over the draws.
    low, high : ndarray of shape (n_topics,)
        Ends of the intervals.
    probability : ndarray of shape (n_topics,)
        Posterior probability that the difference is above 0.
    confidence_level : float
        Probability of each interval.
    """

    first: str
    second: str
    topics: np.ndarray
    topic_names: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    probability: np.ndarray
    confidence_level: float

    @validates(as_frame=["boolean"])
    def summary(self, *, as_frame: bool = False) -> Any:
        """Return a table with a row for each topic, the largest difference first.

        Parameters
        ----------
        as_frame : bool, default=False
            Whether to return a pandas DataFrame.

        Returns
        -------
        dict of int or str to dict of str to float, or DataFrame
            By number or name of the topic: difference, low, high and probability.

        Raises
        ------
        ValueError, ImportError
            If `as_frame` is not a bool, or True and pandas is not installed.
        """
        order = np.argsort(-np.abs(self.difference), kind="stable")
        keys = keys_of_topics(self.topic_names[order], self.topics[order])
        columns = {name: getattr(self, name)[order] for name in _COLUMNS}
        return table_by_keys({"topic": keys}, columns, as_frame)

    def __repr__(self) -> str:
        interval = f"{self.confidence_level:.0%} interval"
        rows = [["topic", "difference", interval, "P(> 0)"]]
        for topic, row in self.summary().items():
            mean, low, high, probability = row.values()
            interval = f"[{low:+.4f}, {high:+.4f}]"
            rows.append([str(topic), f"{mean:+.4f}", interval, f"{probability:.3f}"])
        title = f"Proportions of {self.first} minus those of {self.second}"
        return "\n".join([title, *table_lines(rows, ">")])


@dataclass(frozen=True, eq=False, kw_only=True)
class SeriesOfEstimates:
    """Base of the estimates with intervals for several groups, terms or settings.

    `_series` returns what they are, for an error message, and their names.
    `_difference` returns the columns of the contrast of two of them.
    """

    topic_names: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confidence_level: float

    def contrast(self, first: int | str, second: int | str) -> TopicContrasts:
        """Return the differences between two groups, terms or settings.

        Parameters
        ----------
        first, second : int or str
            Their names; 2010 is short for "2010". The reference of a categorical
            covariate, whose coefficient is 0, has a name too: "party[left]".

        Returns
        -------
        TopicContrasts
            The first minus the second.

        Raises
        ------
        ValueError
            If one of them does not exist, or both are the same.
        """
        kind, labels = self._series()
        i, j = (position_of(label, labels, kind) for label in (first, second))
        if i == j:
            raise ValueError(f"first and second are the same {kind}, {labels[i]!r}.")
        return TopicContrasts(
            first=labels[i],
            second=labels[j],
            topics=getattr(self, "topics", np.arange(self.topic_names.size)),
            topic_names=self.topic_names,
            confidence_level=self.confidence_level,
            **dict(zip(_COLUMNS, self._difference(i, j), strict=True)),
        )

    def _series(self) -> tuple[str, list[str]]:
        raise NotImplementedError

    def _difference(self, i: int, j: int) -> tuple[np.ndarray, ...]:
        raise NotImplementedError


def position_of(label: Any, labels: list[str], kind: str) -> int:
    """Return the position of a group, term or setting; a number is a name, too."""
    if labels.count(str(label)) == 1:
        return labels.index(str(label))
    raise ValueError(f"There is no {kind} {label!r}: pass one of {labels}.")


def means_with_intervals(
    mean: np.ndarray, low: np.ndarray, high: np.ndarray
) -> list[str]:
    """Return means and their intervals as texts, as far as they are numbers."""
    texts = []
    for estimate, a, b in zip(mean, low, high, strict=True):
        interval = "" if np.isnan(a) else f" [{a:.3f}, {b:.3f}]"
        texts.append("-" if np.isnan(estimate) else f"{estimate:.3f}{interval}")
    return texts


# --- pooling ----------------------------------------------------------------------


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

    def difference(
        self, i: int, j: int, scales: Sequence[float], level: float
    ) -> tuple[np.ndarray, ...]:
        """Return the columns of the contrast of series i and j, times their scales."""
        unit = max(scales) or 1.0  # squares in other units may be no numbers
        a, b = (scale / unit for scale in scales)
        variances = a**2 * self.within[i], b**2 * self.within[j]
        common = self.correlation[i, j] * np.sqrt(variances[0] * variances[1])
        within, df = sum(variances) - 2 * common, self.df
        if np.ndim(df) > 0:  # of independent series: Welch and Satterthwaite
            parts = zip(variances, (df[i], df[j]), strict=True)
            df = _ratio(within**2, sum(part**2 / n for part, n in parts), 1.0)
        estimates = a * self.estimates[:, i] - b * self.estimates[:, j]
        pooled = DrawnEstimates(estimates, within, df, np.eye(1)).pooled(level)
        probability = student_t.cdf(pooled.t, pooled.df)
        return pooled.mean * unit, pooled.low * unit, pooled.high * unit, probability


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
    random_state: int | RandomState | None,
) -> tuple[Pooled, DrawnEstimates]:
    """Pool the estimates of all draws; return them, too.

    Warn if the intervals may miss the true values.
    """
    m, estimates, variances = draws.n_draws, [], []
    rng = check_random_state(random_state)
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
    moved = None
    if estimator.are_means:
        alpha = draws.learned_alpha
        proportions = alpha[:, topics] / alpha.sum(axis=1, keepdims=True)
        moved = Bias.of_learned_alpha(proportions, variance)
    warn_unless_converged(draws, estimator.name, drift, moved)
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


def check_several(
    draws: Any, topics: ArrayLike | None
) -> tuple[PosteriorDraws, np.ndarray]:
    """Return draws, and the numbers of topics of which they are pooled.

    Raise TypeError or ValueError if the draws cannot be pooled, or have no such topics.
    """
    draws = check_draws(draws)
    numbers = numbers_of_topics(topics, draws.topic_names)
    if draws.n_topics < 2:
        raise ValueError("draws have only one topic, whose proportions are all 1.")
    if draws.n_draws < FEWEST_DRAWS:
        raise ValueError(
            f"draws has {draws.n_draws} draw, but the variance between draws needs at "
            f"least {FEWEST_DRAWS}, better 25: fit with a larger keep_draws."
        )
    return draws, numbers
