"""Estimates with intervals: tables, contrasts, pooling over draws, and predictions.

The first part makes text tables, which results print, and tables by keys, which
`summary` returns as a dict or a DataFrame. `SeriesOfEstimates` is the base of the
results with estimates for several groups, terms or settings. Its method `contrast`
returns `TopicContrasts`, the differences between two of them. Means of groups and
regressions are pooled over posterior draws: `pool` fits a `Linear` estimator to a
sample of the proportions from each draw, combines the results by Rubin's rules, and
warns if the intervals may be too narrow. Predictions of DMRLDA need no pooling, because
each kept sample has weights of covariates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.special import softmax
from scipy.stats import t as student_t
from sklearn.utils import check_random_state

from sklda._covariates.design import design_of
from sklda._data.notices import import_pandas
from sklda._fitted import posterior_draws
from sklda._fitted.fitted_topics import (
    keys_of_topics,
    names_of_topics,
    numbers_of_topics,
    snapshot,
)
from sklda._sampling.parameters import LEVEL, validates

_COLUMNS = ("difference", "low", "high", "probability")  # of contrasts
_ROUNDING = 1e-12  # of a proportion
_LOWEST = 0.05  # reliability; lower estimates of it are as large as their errors
_MOST_TOPICS = 2  # printed of a setting, those with the largest proportions


# --- tables -----------------------------------------------------------------------


def table_lines(rows: Sequence[Sequence[str]], sides: str = "<>") -> list[str]:
    """Return the lines of rows of cells, in columns as wide as their widest cell.

    `sides` has a side for each column, "<" or ">"; the last one applies to all others.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = sides.ljust(len(widths), sides[-1])
    return [
        "  ".join(
            f"{cell:{side}{width}}"
            for cell, side, width in zip(row, sides, widths, strict=False)
        ).rstrip()
        for row in rows
    ]


def table_by_keys(
    index: dict[str, list[Any]], columns: dict[str, np.ndarray], as_frame: bool
) -> Any:
    """Return a dict of rows, or a DataFrame.

    `index` contains the values of each axis of the columns; rows have a key for each
    combination of them.
    """
    axes = list(index.values())
    keys = product(*axes) if len(axes) > 1 else axes[0]
    cells = zip(*(column.ravel().tolist() for column in columns.values()), strict=True)
    rows = (dict(zip(columns, row, strict=True)) for row in cells)
    table = dict(zip(keys, rows, strict=True))
    if not as_frame:
        return table
    pandas = import_pandas()
    labels = pandas.Index(list(table)).set_names(list(index))
    return pandas.DataFrame(list(table.values()), index=labels)


def line_of_others(n_topics: int, n_shown: int) -> list[str]:
    """Return the line below a table of the first topics, if there are others."""
    n_more = n_topics - n_shown
    return [f"and {n_more} more topics: see summary()"] if n_more > 0 else []


# --- contrasts --------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicEstimates:
    """Base of the results that have estimates with intervals for topics."""

    topics: np.ndarray
    topic_names: np.ndarray
    low: np.ndarray
    high: np.ndarray
    confidence_level: float


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicContrasts(TopicEstimates):
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
        Their names, see `name_topics`, or "topic 3" for a topic without a name.
    difference : ndarray of shape (n_topics,)
        Proportion in the first minus that in the second, averaged over the draws.
    low, high : ndarray of shape (n_topics,)
        Ends of the intervals.
    probability : ndarray of shape (n_topics,)
        Posterior probability that the difference is above 0. For predictions, it is
        (n + 1) / (m + 2) if n of m draws are above 0, by Laplace's rule: draws that
        agree are no certainty.
    confidence_level : float
        Probability of each interval.
    """

    first: str
    second: str
    difference: np.ndarray
    probability: np.ndarray

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


class SeriesOfEstimates(TopicEstimates):
    """Base of the estimates with intervals for several groups, terms or settings.

    `_series` returns what they are, for an error message, and their names.
    `_difference` returns the columns of the contrast of two of them.
    """

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
            topics=self.topics,
            topic_names=self.topic_names,
            confidence_level=self.confidence_level,
            **dict(zip(_COLUMNS, self._difference(i, j), strict=True)),
        )


def position_of(label: Any, labels: list[str], kind: str) -> int:
    """Return the position of a group, term or setting; a number is a name, too."""
    if labels.count(str(label)) == 1:
        return labels.index(str(label))
    raise ValueError(f"There is no {kind} {label!r}: pass one of {labels}.")


def means_with_intervals(estimates: Any, row: int) -> list[str]:
    """Return a row of means with their intervals as texts; "-" for a mean of NaN."""
    texts, numbers = [], (estimates.mean, estimates.low, estimates.high)
    for estimate, a, b in zip(*(values[row] for values in numbers), strict=True):
        interval = "" if np.isnan(a) else f" [{a:.3f}, {b:.3f}]"
        texts.append("-" if np.isnan(estimate) else f"{estimate:.3f}{interval}")
    return texts


# --- pooling ----------------------------------------------------------------------


@dataclass(eq=False)
class Pooled:
    """Estimates of all draws, pooled by Rubin's rules with the df of Barnard and Rubin.

    Mean, standard error, df, t and the ends of the intervals have the shape of one
    estimate. NaN stays NaN.
    """

    draws: np.ndarray  # (n_draws, ..., n_topics)
    within: np.ndarray  # variances within draws, mean over draws, (..., n_topics)
    within_df: int | np.ndarray  # degrees of freedom of these variances
    correlation: np.ndarray  # of the estimates within a draw, (n_series, n_series)
    level: float

    def __post_init__(self) -> None:
        m, df = len(self.draws), self.within_df
        between = (1 + 1 / m) * np.var(self.draws, axis=0, ddof=1)
        variance = self.within + between
        # The proportion of the variance that is between draws.
        ratio = _ratio(between, variance, 0.0)
        observed = (df + 1) / (df + 3) * df * np.maximum(1 - ratio, _ROUNDING)
        self.df = 1 / (ratio**2 / (m - 1) + 1 / observed)
        self.mean, self.standard_error = self.draws.mean(axis=0), np.sqrt(variance)
        self.t = _ratio(self.mean, self.standard_error, 0.0)
        half = student_t.isf((1 - self.level) / 2, self.df) * self.standard_error
        self.low, self.high = self.mean - half, self.mean + half

    def difference(
        self, i: int, j: int, factors: tuple[float, float] = (1.0, 1.0)
    ) -> tuple[np.ndarray, ...]:
        """Return the columns of the contrast of series i and j, times two factors."""
        a, b = factors
        variances = a**2 * self.within[i], b**2 * self.within[j]
        common = self.correlation[i, j] * np.sqrt(variances[0] * variances[1])
        within, df = sum(variances) - 2 * common, self.within_df
        if np.ndim(df) > 0:  # of independent series: Welch and Satterthwaite
            parts = zip(variances, (df[i], df[j]), strict=True)
            df = _ratio(within**2, sum(part**2 / n for part, n in parts), 1.0)
        draws = a * self.draws[:, i] - b * self.draws[:, j]
        pooled = Pooled(draws, within, df, np.eye(1), self.level)
        probability = student_t.cdf(pooled.t, pooled.df)
        return pooled.mean, pooled.low, pooled.high, probability


class Linear(NamedTuple):
    """Estimates that are linear in the proportions of the documents."""

    name: str  # of the estimates, in warnings
    # Of (n_documents, n_topics) returns estimates, (..., n_topics), and variances.
    fit: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    df: int | np.ndarray  # degrees of freedom of the variances
    correlation: np.ndarray  # of the estimates, (n_series, n_series)
    are_means: bool = False  # which move with alpha; differences do not


def pool(
    draws: posterior_draws.PosteriorDraws,
    topics: np.ndarray,
    estimator: Linear,
    level: float,
    random_state: int | RandomState | None,
) -> Pooled:
    """Pool the estimates of all draws; warn if intervals may miss the true values."""
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
    drawn = np.array(estimates)
    pooled = Pooled(drawn, within, estimator.df, estimator.correlation, level)
    variance = pooled.standard_error**2
    drift = posterior_draws.Bias.of_drift(drawn, variance)
    moved = None
    if estimator.are_means:
        alpha = draws.learned_alpha
        proportions = alpha[:, topics] / alpha.sum(axis=1, keepdims=True)
        moved = posterior_draws.Bias.of_learned_alpha(proportions, variance)
    posterior_draws.warn_unless_converged(draws, estimator.name, drift, moved)
    # Documents with covariates differ in their prior means.
    if (
        draws.n_documents >= posterior_draws.FEWEST_DOCUMENTS
        and draws.doc_topic_prior.ndim < 3
    ):
        _warn_of_shrinkage(total / m, squares / m, m, estimator, variance)
    return pooled


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
    posterior_draws.warn_of_bias(
        posterior_draws.Bias(bias**2, lost**2 * true, variance, true),
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
) -> tuple[posterior_draws.PosteriorDraws, np.ndarray]:
    """Return draws, and the numbers of topics of which they are pooled.

    Raise TypeError or ValueError if the draws cannot be pooled, or have no such topics.
    """
    draws = posterior_draws.check_draws(draws)
    numbers = numbers_of_topics(topics, draws.topic_names)
    if draws.n_topics < 2:
        raise ValueError("draws have only one topic, whose proportions are all 1.")
    if draws.n_draws < 2:
        raise ValueError(
            "draws has 1 draw, but the variance between draws needs at least 2, better "
            "25: fit with a larger keep_draws."
        )
    return draws, numbers


# --- predictions ------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictedProportions(SeriesOfEstimates):
    """Expected topic proportions in several settings of the covariates.

    `predicted_proportions` returns them, and `PredictedProportionsDisplay` plots them.

    Attributes
    ----------
    settings : list of str
        Names of the settings, or row numbers if they have no names.
    topics : ndarray of shape (n_topics,)
        Numbers of the topics.
    topic_names : ndarray of shape (n_topics,) of str
        Their names, see `name_topics`, or "topic 3" for a topic without a name.
    mean : ndarray of shape (n_settings, n_topics)
        Posterior means.
    low, high : ndarray of shape (n_settings, n_topics)
        Ends of the intervals.
    draws : ndarray of shape (n_kept, n_settings, n_topics)
        The proportions under the weights of each kept sample.
    confidence_level : float
        Posterior probability of each interval.
    """

    settings: list[str]
    mean: np.ndarray
    draws: np.ndarray

    def _series(self) -> tuple[str, list[str]]:
        return "setting", self.settings

    def _difference(self, i: int, j: int) -> tuple[np.ndarray, ...]:
        difference = self.draws[:, i] - self.draws[:, j]
        low, high = _interval(difference, self.confidence_level, "differences")
        probability = ((difference > 0).sum(axis=0) + 1) / (len(difference) + 2)
        return difference.mean(axis=0), low, high, probability

    def __repr__(self) -> str:
        n_settings, n_topics = self.mean.shape
        title = (
            f"Expected proportions of {n_topics} topics in {n_settings} settings, "
            f"{self.confidence_level:.0%} intervals"
        )
        rows = []
        for i, name in enumerate(self.settings):
            cells = means_with_intervals(self, i)
            top = np.argsort(-self.mean[i])[:_MOST_TOPICS]
            rows.append([name, *(f"{self.topic_names[k]} {cells[k]}" for k in top)])
        return "\n".join([title, *table_lines(rows)])


@validates(confidence_level=LEVEL)
def predicted_proportions(
    model: Any,
    covariates: ArrayLike | Mapping[str, ArrayLike],
    *,
    confidence_level: float = 0.95,
) -> PredictedProportions:
    """Return expected topic proportions of documents with given covariates.

    A document with covariates c has the expected proportions alpha / sum(alpha), with
    alpha = exp(b + c . w). These are computed for the weights of each kept sample, so
    intervals include the uncertainty of topics and weights.

    Parameters
    ----------
    model : estimator
        A fitted DMRLDA.
    covariates : array-like or DataFrame of shape (n_settings, n_covariates), or dict
        Each row is a setting. In a dict, each name has the covariates of several
        documents, (n, n_covariates), over which proportions are averaged. For example,
        ``{"control": C0, "treated": C1}``, where C0 and C1 differ only in the
        treatment, averages over the other covariates of all documents.
    confidence_level : float, default=0.95
        Posterior probability of each interval, between 0 and 1.

    Returns
    -------
    PredictedProportions
        Means, intervals and draws; its method `contrast` compares two settings.

    Raises
    ------
    TypeError
        If the model has no weights for covariates.
    ValueError
        If the covariates are not finite numbers with as many columns as in fit, or so
        far from those of fit that alpha overflows.

    Warns
    -----
    UserWarning
        If there are too few kept samples for the intervals (fewer than 39 for 95 %), or
        the proportions drift over them, see `estimate_effect`. `contrast` warns, too.

    See Also
    --------
    estimate_effect : Regressions after a fit without covariates.

    Examples
    --------
    >>> from sklda import DMRLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.inspection import predicted_proportions
    >>> X, theta, _ = make_lda_corpus(50, 30, 3, random_state=0)
    >>> year = 2000 + 20 * theta[:, 0]
    >>> dmr = DMRLDA(3, max_iter=1000, random_state=0).fit(X, covariates=year)
    >>> predicted = predicted_proportions(dmr, [[2000], [2010], [2020]])
    >>> predicted.mean.shape, predicted.contrast(0, 2).low.shape
    ((3, 3), (3,))
    """
    if not hasattr(model, "coef_draws_"):
        raise TypeError(
            f"model must be a fitted DMRLDA, got {model!r}, which has no weights for "
            "covariates."
        )
    fitted = snapshot(model)
    settings, draws = _draws_of_settings(fitted, covariates)
    low, high = _interval(draws, confidence_level, "proportions")
    return PredictedProportions(
        settings=settings,
        topics=np.arange(draws.shape[-1]),
        topic_names=names_of_topics(fitted, draws.shape[-1]),
        mean=draws.mean(axis=0),
        low=low,
        high=high,
        draws=draws,
        confidence_level=confidence_level,
    )


def _draws_of_settings(fitted: Any, covariates: Any) -> tuple[list[str], np.ndarray]:
    """Return the names of the settings, and their proportions for each kept sample."""
    design = design_of(fitted)
    if not isinstance(covariates, Mapping):  # a setting for each row
        settings = dict(enumerate(design.numbers(covariates, None)[:, np.newaxis]))
    elif not covariates:
        raise ValueError("covariates contain no settings.")
    else:
        settings = {k: design.numbers(rows, None) for k, rows in covariates.items()}
    means = [
        [proportions.mean(axis=0) for proportions in _proportions(fitted, matrix)]
        for matrix in settings.values()
    ]
    return list(map(str, settings)), np.stack(means, axis=1)


def _proportions(fitted: Any, matrix: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the proportions under each kept sample, (n_rows, n_topics)."""
    weights = zip(fitted.intercept_draws_, fitted.coef_draws_, strict=True)
    for intercept, coef in weights:
        with np.errstate(over="ignore", invalid="ignore"):
            logs = matrix @ coef.T + intercept
        if not np.isfinite(logs).all():
            raise ValueError(
                "covariates are too far from those of fit: the weights times the "
                "covariates overflow. Check the units of the settings."
            )
        yield softmax(logs, axis=1)


def _interval(draws: np.ndarray, level: float, quantity: str) -> np.ndarray:
    """Return low and high; warn if the draws are too few, or drift."""
    posterior_draws.warn_of_few_draws(len(draws), level, "Fit with a larger max_iter.")
    posterior_draws.warn_of_drift(
        quantity, posterior_draws.Bias.of_drift(draws, draws.var(axis=0))
    )
    return posterior_draws.draws_interval(draws, level)
