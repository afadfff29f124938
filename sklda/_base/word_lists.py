"""Topics that other programs return as lists of words, best first."""

from __future__ import annotations

from typing import Any

import numpy as np


def word_lists(model: Any, name: str = "model") -> list[list[str]] | None:
    """Return topics that are lists of words, or None if they are something else.

    A topic without words is an empty list or, in a table, has missing values for words.
    Raise ValueError if a topic repeats a word.
    """
    rows = model
    if hasattr(model, "__array__"):
        values = np.asarray(model)
        if np.issubdtype(values.dtype, np.number):
            return None  # without an object for each number
        rows = values.astype(object).tolist()
    if hasattr(model, "fit") or not isinstance(rows, list | tuple) or len(rows) == 0:
        return None
    if not all(isinstance(r, list | tuple) or np.ndim(r) == 1 for r in rows):
        return None
    lists = [[word for word in row if not _is_missing(word)] for row in rows]
    words = [word for words in lists for word in words]
    if not words or not all(isinstance(word, str) for word in words):
        return None
    for k, topic_words in enumerate(lists):
        repeated = [word for word in topic_words if topic_words.count(word) > 1]
        if repeated:
            raise ValueError(
                f"{name} lists the word {repeated[0]!r} of topic {k} several times; it "
                "must be a matrix of numeric weights, or lists of distinct words."
            )
    return lists


def _is_missing(word: Any) -> bool:
    return word is None or (isinstance(word, float) and np.isnan(word))


def words_of(lists: list[list[str]]) -> list[str]:
    """Return the distinct words of topics."""
    return list(dict.fromkeys(word for words in lists for word in words))


def rank_weights(lists: list[list[str]], names: list[str], n_words: int) -> np.ndarray:
    """Return weights that rank the words of each topic, (n_topics, len(names)).

    They are positive for the words of a topic, or all 0 for a topic without words.
    Raise ValueError if a topic has words without a name, or fewer than `n_words`.
    """
    column_of = {name: column for column, name in enumerate(names)}
    weights = np.zeros((len(lists), len(names)))
    for k, words in enumerate(lists):
        unknown = [word for word in words if word not in column_of]
        if unknown:
            raise ValueError(
                f"feature_names must contain all words of the topics, but it has no "
                f"{unknown[0]!r}, a word of topic {k}."
            )
        if 0 < len(words) < n_words:
            raise ValueError(
                f"n_words={n_words} exceeds the number of words of topic {k}, "
                f"{len(words)}."
            )
        weights[k, [column_of[word] for word in words]] = range(len(words), 0, -1)
    return weights
