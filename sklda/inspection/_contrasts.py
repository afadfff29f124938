"""Differences of topic proportions between two groups, terms or settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student_t

from sklda._base.parameters import validates
from sklda._topics.text_table import table_by_keys, table_lines
from sklda._topics.topic_names import keys_of_topics
from sklda.inspection._pooling import DrawnEstimates

_COLUMNS = ("difference", "low", "high", "probability")


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

    def _by_size(self) -> np.ndarray:
        return np.argsort(-np.abs(self.difference), kind="stable")

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
        order = self._by_size()
        keys = keys_of_topics(self.topic_names[order], self.topics[order])
        columns = {name: getattr(self, name)[order] for name in _COLUMNS}
        return table_by_keys({"topic": keys}, columns, as_frame)

    def __repr__(self) -> str:
        rows = [
            ["topic", "difference", f"{self.confidence_level:.0%} interval", "P(> 0)"]
        ]
        keys = keys_of_topics(self.topic_names, self.topics)
        for i in self._by_size():
            interval = f"[{self.low[i]:+.4f}, {self.high[i]:+.4f}]"
            cells = f"{self.difference[i]:+.4f}", interval, f"{self.probability[i]:.3f}"
            rows.append([str(keys[i]), *cells])
        title = f"Proportions of {self.first} minus those of {self.second}"
        return "\n".join([title, *table_lines(rows, ">")])


def contrast_of(
    result: Any,
    drawn: DrawnEstimates,
    labels: list[str],
    pair: tuple[int, int],
    scales: np.ndarray,
) -> TopicContrasts:
    """Return the contrast of a pair of series of a result, times their scales."""
    i, j = pair
    unit = scales[[i, j]].max()  # squares in other units may be no numbers
    pooled = drawn.difference(i, j, scales / unit).pooled(result.confidence_level)
    return TopicContrasts(
        first=labels[i],
        second=labels[j],
        topics=result.topics,
        topic_names=result.topic_names,
        difference=pooled.mean * unit,
        low=pooled.low * unit,
        high=pooled.high * unit,
        probability=student_t.cdf(pooled.t, pooled.df),
        confidence_level=result.confidence_level,
    )


def pair_of(first: Any, second: Any, labels: list[str], kind: str) -> tuple[int, int]:
    """Return the positions of two different groups, terms or settings."""
    i, j = (position_of(label, labels, kind) for label in (first, second))
    if i == j:
        raise ValueError(f"first and second are the same {kind}, {labels[i]!r}.")
    return i, j


def position_of(label: Any, labels: list[str], kind: str) -> int:
    """Return the position of a group, term or setting; a number is a name, too."""
    if labels.count(str(label)) == 1:
        return labels.index(str(label))
    raise ValueError(f"There is no {kind} {label!r}: pass one of {labels}.")
