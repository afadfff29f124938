"""Distances between the word distributions of topics, from 0 to 1."""

from __future__ import annotations

import numpy as np

from sklda._base.fitted_topics import top_indices
from sklda._base.parameters import POSITIVE_INTEGER
from sklda._base.sklearn_private import StrOptions
from sklda._core.checks import check_limit

_DEFAULT_N_WORDS = 10
_N_COLUMNS = 256  # of words at a time: a few hundred topics then stay in the cache
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
    """Return the square roots of the divergences in bits, of all pairs of rows.

    Half of the time is saved if the others are the topics themselves.
    """
    is_symmetric = others is topics
    divergences = np.zeros((len(topics), len(others)))
    for begin in range(0, topics.shape[1], _N_COLUMNS):
        columns = slice(begin, begin + _N_COLUMNS)
        rows, other_rows = topics[:, columns], np.ascontiguousarray(others[:, columns])
        entropies, other_entropies = _entropies(rows), _entropies(other_rows)
        # Reused, because new memory for each topic takes up to ten times as long.
        mixtures, space = np.empty((2, *other_rows.shape))
        for k, row in enumerate(rows):
            after = slice(k if is_symmetric else 0, None)
            np.add(row, other_rows[after], out=mixtures[after])
            mixtures[after] /= 2
            divergence = _entropies(mixtures[after], space[after])
            divergence -= (entropies[k] + other_entropies[after]) / 2
            divergences[k, after] += divergence
    if is_symmetric:
        divergences = np.maximum(divergences, divergences.T)  # 0 below the diagonal
    return _roots(divergences)


def _roots(squares: np.ndarray) -> np.ndarray:
    """Return distances; a rounding error of 1e-16 would become a distance of 1e-8."""
    squares[squares < 1e-14] = 0
    return np.asarray(np.sqrt(squares.clip(max=1)))


def _entropies(rows: np.ndarray, space: np.ndarray | None = None) -> np.ndarray:
    """Return the entropy of each row in bits; overwrite an array of the same shape."""
    logarithms = np.maximum(rows, np.finfo(float).tiny, out=space)
    np.log2(logarithms, out=logarithms)
    return np.asarray(-np.einsum("kw,kw->k", rows, logarithms))
