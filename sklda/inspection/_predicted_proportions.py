"""Expected topic proportions of documents with given covariates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.covariates import design_of
from sklda._base.fitted_topics import snapshot
from sklda._base.parameters import LEVEL, validates
from sklda._topics.intervals import (
    Bias,
    draws_interval,
    warn_of_drift,
    warn_of_few_draws,
)
from sklda._topics.text_table import table_lines
from sklda._topics.topic_names import names_of_topics
from sklda.inspection._contrasts import TopicContrasts, pair_of

_MOST_TOPICS = 2  # of a setting, those with the largest proportions


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictedProportions:
    """Expected topic proportions in several settings of the covariates.

    `predicted_proportions` returns them, and `PredictedProportionsDisplay` plots them.

    Attributes
    ----------
    settings : list of str
        Names of the settings, or row numbers if they have no names.
    topic_names : ndarray of shape (n_topics,) of str
        Names of the topics, see `name_topics`; "topic 3" stands for no name.
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
    topic_names: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    draws: np.ndarray
    confidence_level: float

    def __repr__(self) -> str:
        n_settings, n_topics = self.mean.shape
        title = (
            f"Expected proportions of {n_topics} topics in {n_settings} settings, "
            f"{self.confidence_level:.0%} intervals"
        )
        rows = []
        for i, name in enumerate(self.settings):
            top = np.argsort(-self.mean[i])[:_MOST_TOPICS]
            cells = [
                f"{self.topic_names[k]} {self.mean[i, k]:.3f} [{self.low[i, k]:.3f}, "
                f"{self.high[i, k]:.3f}]"
                for k in top
            ]
            rows.append([name, *cells])
        return "\n".join([title, *table_lines(rows)])

    def contrast(self, first: int | str, second: int | str) -> TopicContrasts:
        """Return the differences between two settings.

        Parameters
        ----------
        first, second : int or str
            Names of the settings; 2010 is short for "2010".

        Returns
        -------
        TopicContrasts
            The first setting minus the second.

        Raises
        ------
        ValueError
            If there is no such setting, or both are the same.
        """
        settings = self.settings
        i, j = pair_of(first, second, settings, "setting")
        difference = self.draws[:, i] - self.draws[:, j]
        low, high = _interval(difference, self.confidence_level, "differences")
        return TopicContrasts(
            first=settings[i],
            second=settings[j],
            topics=np.arange(difference.shape[1]),
            topic_names=self.topic_names,
            difference=difference.mean(axis=0),
            low=low,
            high=high,
            probability=(difference > 0).mean(axis=0),
            confidence_level=self.confidence_level,
        )


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
    if not isinstance(covariates, Mapping):
        matrix = design.numbers(covariates, None)
        names = [str(i) for i in range(len(matrix))]
        return names, np.array([*_proportions(fitted, matrix)])
    if not covariates:
        raise ValueError("covariates contain no settings.")
    matrices = [design.numbers(rows, None) for rows in covariates.values()]
    means = [
        [proportions.mean(axis=0) for proportions in _proportions(fitted, matrix)]
        for matrix in matrices
    ]
    return [str(name) for name in covariates], np.stack(means, axis=1)


def _proportions(fitted: Any, matrix: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the proportions under each kept sample, (n_rows, n_topics)."""
    pairs = zip(fitted.intercept_draws_, fitted.coef_draws_, strict=True)
    for intercept, coef in pairs:
        with np.errstate(over="ignore", invalid="ignore"):
            logs = matrix @ coef.T + intercept
        if not np.isfinite(logs).all():
            raise ValueError(
                "covariates are too far from those of fit: the weights times the "
                "covariates overflow. Check the units of the settings."
            )
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        yield weights / weights.sum(axis=1, keepdims=True)


def _interval(draws: np.ndarray, level: float, quantity: str) -> np.ndarray:
    """Return low and high; warn if the draws are too few, or drift."""
    warn_of_few_draws(len(draws), level, "Fit with a larger max_iter.")
    warn_of_drift(quantity, Bias.of_drift(draws, draws.var(axis=0)))
    return draws_interval(draws, level)
