"""Distances between the word distributions of topics, from 0 to 1."""

from __future__ import annotations

import numpy as np

from sklda._base.fitted_topics import top_indices
from sklda._base.parameters import POSITIVE_INTEGER
from sklda._base.sklearn_private import StrOptions
from sklda._core.checks import check_limit

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
        return np.asarray(np.sqrt((1 - affinities).clip(0)))  # rounding can exceed 1
    if distance == "jensen-shannon":
        return jensen_shannon_distances(topics, others)
    is_top = [np.zeros(rows.shape) for rows in (topics, others)]
    for member, rows in zip(is_top, (topics, others), strict=True):
        np.put_along_axis(member, top_indices(rows, n_words), 1.0, axis=1)
    return np.asarray(1 - is_top[0] @ is_top[1].T / n_words)


def jensen_shannon_distances(topics: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the square roots of the divergences in bits, of all pairs of rows."""
    entropies, other_entropies = _entropies(topics), _entropies(others)
    divergences = np.empty((len(topics), len(others)))
    for k, topic in enumerate(topics):
        mean_entropies = (entropies[k] + other_entropies) / 2
        divergences[k] = _entropies((topic + others) / 2) - mean_entropies
    # A rounding error of 1e-16 would become a distance of 1e-8.
    divergences[divergences < 1e-14] = 0
    return np.asarray(np.sqrt(divergences.clip(max=1)))


def _entropies(rows: np.ndarray) -> np.ndarray:
    """Return the entropy of each row in bits."""
    logarithms = np.log2(np.maximum(rows, np.finfo(float).tiny))
    return np.asarray(-np.einsum("kw,kw->k", rows, logarithms))
