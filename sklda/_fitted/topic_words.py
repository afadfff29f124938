"""Scores that rank the words of a topic, and distances between topics, from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy.special import entr
from scipy.stats import rankdata

from sklda._data.checks import check_limit
from sklda._data.sklearn_private import StrOptions
from sklda._fitted.fitted_topics import normalise, summable, top_indices
from sklda._sampling.parameters import POSITIVE_INTEGER, PROPORTION


def top_columns(
    components: np.ndarray, n_words: int, metric: str, weight: float | None = None
) -> np.ndarray:
    """Return the columns of the top words of each topic, (n_topics, n_words)."""
    check_limit(n_words, "n_words", components.shape[1], "words")
    topics = _scores_of_topics(components, metric, weight)
    return np.concatenate([top_indices(scores, n_words) for _, scores in topics])


def scores_of_probable_words(
    components: np.ndarray, n_words: int, metric: str, weight: float | None = None
) -> np.ndarray:
    """Return the scores of the most probable words of topics, (n_topics, n_words)."""
    check_limit(n_words, "n_words", components.shape[1], "words")
    topics = _scores_of_topics(components, metric, weight)
    return np.concatenate(
        [
            np.take_along_axis(scores, top_indices(topic_word, n_words), axis=1)
            for topic_word, scores in topics
        ]
    )


def _scores_of_topics(
    components: np.ndarray, metric: str, weight: float | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the distribution and the scores of each topic, both (1, n_words).

    `sklda.inspection.top_words` and `topic_exclusivity` define the metrics.
    """
    weight = _check_weight(weight, metric)
    components = summable(components)
    # The sum over topics that the metric needs of each word.
    total = np.zeros(components.shape[1])
    if metric in ("frex", "exclusivity"):
        for row in components:
            total += normalise(row)
    elif metric != "probability":
        total = normalise(components.sum(axis=0))
    for row in components:
        topic_word = normalise(row[np.newaxis])
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


_DEFAULT_N_WORDS = 10
DISTANCE_CONSTRAINTS: dict = {
    "distance": [StrOptions({"hellinger", "jensen-shannon", "top-words"})],
    "n_words": [None, *POSITIVE_INTEGER],
}


def check_distance(distance: str, n_words: int | None, n_words_of_corpus: int) -> int:
    """Return the number of top words to compare; ValueError if it has no effect."""
    if n_words is None:
        return min(_DEFAULT_N_WORDS, n_words_of_corpus)
    if distance != "top-words":
        raise ValueError(
            f"n_words has no effect for distance={distance!r}; leave it at None, got "
            f"{n_words!r}."
        )
    check_limit(n_words, "n_words", n_words_of_corpus, "words")
    return n_words


def topic_distances(
    topics: np.ndarray, others: np.ndarray, distance: str, n_words: int
) -> np.ndarray:
    """Return the distance of each topic to each of the others, (n_topics, n_others).

    Rows are distributions of words. `sklda.metrics.align_topics` defines the distances.
    """
    if distance == "hellinger":
        affinities = np.sqrt(topics) @ np.sqrt(others).T
        return _roots(1 - affinities)
    if distance == "jensen-shannon":
        return jensen_shannon_distances(topics, others)
    is_top = [np.zeros(rows.shape) for rows in (topics, others)]
    for member, rows in zip(is_top, (topics, others), strict=True):
        np.put_along_axis(member, top_indices(rows, n_words), 1.0, axis=1)
    return np.asarray(1 - is_top[0] @ is_top[1].T / n_words)


def jensen_shannon_distances(topics: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the square roots of the divergences in bits, of each topic and other.

    Half of the time is saved if the others are the topics themselves. SciPy's cdist
    takes several times as long.
    """
    is_symmetric = others is topics
    entropies, other_entropies = entr(topics).sum(axis=1), entr(others).sum(axis=1)
    divergences = np.zeros((len(topics), len(others)))
    for k, row in enumerate(topics):
        after = slice(k if is_symmetric else 0, None)
        of_mixtures = entr((row + others[after]) / 2).sum(axis=1)
        divergences[k, after] = (
            of_mixtures - (entropies[k] + other_entropies[after]) / 2
        )
    if is_symmetric:
        divergences = np.maximum(divergences, divergences.T)  # 0 below the diagonal
    return _roots(divergences / np.log(2))


def _roots(squares: np.ndarray) -> np.ndarray:
    """Return distances; a rounding error of 1e-16 would become a distance of 1e-8."""
    squares[squares < 1e-14] = 0
    return np.asarray(np.sqrt(squares.clip(max=1)))
