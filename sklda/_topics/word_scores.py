"""Scores that rank the words of a topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import rankdata

from sklda._base.fitted_topics import normalise, summable, top_indices
from sklda._base.parameters import POSITIVE_INTEGER, PROPORTION
from sklda._base.sklearn_private import StrOptions
from sklda._core.checks import check_limit

_ENTRIES = 2**22  # of a block: 32 MB


def top_columns(
    components: np.ndarray, n_words: int, metric: str, weight: float | None = None
) -> np.ndarray:
    """Return the columns of the top words of each topic, (n_topics, n_words)."""
    check_limit(n_words, "n_words", components.shape[1], "words")
    blocks = _blocks_of_scores(components, metric, weight)
    return np.concatenate([top_indices(scores, n_words) for _, scores in blocks])


def scores_of_probable_words(
    components: np.ndarray, n_words: int, metric: str, weight: float | None = None
) -> np.ndarray:
    """Return the scores of the most probable words of topics, (n_topics, n_words)."""
    check_limit(n_words, "n_words", components.shape[1], "words")
    blocks = _blocks_of_scores(components, metric, weight)
    return np.concatenate(
        [
            np.take_along_axis(scores, top_indices(topic_word, n_words), axis=1)
            for topic_word, scores in blocks
        ]
    )


def _blocks_of_scores(
    components: np.ndarray, metric: str, weight: float | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the distributions of a few topics and their scores, then those of others.

    `sklda.inspection.top_words` and `topic_exclusivity` define the metrics.
    """
    weight = _check_weight(weight, metric)
    components = summable(components)
    n_rows = max(1, _ENTRIES // components.shape[1])
    blocks = [components[i : i + n_rows] for i in range(0, len(components), n_rows)]
    # The sum over topics that the metric needs of each word.
    total = np.zeros(components.shape[1])
    if metric in ("frex", "exclusivity"):
        for block in blocks:
            total += normalise(block).sum(axis=0)
    elif metric != "probability":
        total = normalise(components.sum(axis=0))
    for block in blocks:
        topic_word = normalise(block)
        yield topic_word, _SCORES[metric](topic_word, total, weight)


def _check_weight(weight: float | None, metric: str) -> float | None:
    """Return the weight or its default; ValueError if the metric has no weight."""
    default = _DEFAULT_WEIGHTS.get(metric)
    if weight is None:
        return default
    if default is None:
        raise ValueError(
            f"weight has no effect for metric={metric!r}; leave it at None, got "
            f"{weight!r}."
        )
    return weight


def _relevance(topic_word: np.ndarray, word: np.ndarray, weight: float) -> np.ndarray:
    # weight * log p(w | k) + (1 - weight) * log(lift), with one term log p(w | k): two
    # would multiply log 0 by 0 where the weight is 0 or 1.
    with np.errstate(divide="ignore"):
        scores: np.ndarray = np.log(topic_word)
    return scores - (1 - weight) * np.log(np.where(word > 0, word, 1))


def _frex(topic_word: np.ndarray, total: np.ndarray, weight: float) -> np.ndarray:
    exclusive = _quantiles(_ratio(topic_word, total))
    frequent = _quantiles(topic_word)
    return np.asarray(1 / (weight / exclusive + (1 - weight) / frequent))


def _ratio(topic_word: np.ndarray, word: np.ndarray, weight: None = None) -> np.ndarray:
    """Divide each column by the value of its word; 0 where that is 0."""
    quotient = np.zeros_like(topic_word)
    np.divide(topic_word, word, out=quotient, where=word > 0)
    return quotient


def _quantiles(values: np.ndarray) -> np.ndarray:
    """Return, for each entry, the proportion of its row that is not larger."""
    ranks = rankdata(values, method="max", axis=1)
    return np.asarray(ranks / values.shape[1])


_Score: TypeAlias = Callable[[np.ndarray, np.ndarray, Any], np.ndarray]
_SCORES: dict[str, _Score] = {
    "probability": lambda topic_word, word, weight: topic_word,
    "relevance": _relevance,
    "lift": _ratio,
    "frex": _frex,
    "exclusivity": _ratio,
}
_DEFAULT_WEIGHTS = {"relevance": 0.6, "frex": 0.5}
RANKING_CONSTRAINTS: dict = {
    "n_words": POSITIVE_INTEGER,
    "metric": [StrOptions({*_SCORES} - {"exclusivity"})],
    "weight": [None, *PROPORTION],
}
