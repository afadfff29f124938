"""Counts of the sliding windows of texts in which words occur."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

# Places of searched words that are counted at once, in some 100 MB: a place is in about
# as many stretches of windows as there are other places in its window.
_BLOCK_SIZE = 2**18

# A matrix, (n_rows, n_words) of int64, and the number of units, documents or windows. A
# row of the matrix stands for units with the same words; its entries are their number.
Occurrence: TypeAlias = tuple[sparse.csc_array, int]


def occurrences_in_windows(
    texts: Any, words: list[str], window: int
) -> Iterator[Occurrence]:
    """Yield the occurrences of distinct words in windows, for blocks of texts.

    A window moves by one token at a time; a text shorter than it is one window. A
    phrase, words with spaces between them, occurs in a window that contains all of its
    tokens side by side, or contains it as one token.
    """
    number_of = {word: i for i, word in enumerate(words)}
    lengths = sorted({1, *(len(word.split(" ")) for word in words)})  # in tokens
    places = [np.empty((3, 0), np.int64)]
    n_windows = n_places = 0
    for tokens in token_lists(texts):
        width = min(window, len(tokens))  # window may be too large for an array
        windows_here = max(len(tokens) - width + 1, 1)
        for length in lengths:
            if length > width:
                break
            numbers = map(number_of.get, n_grams(tokens, length), repeat(-1))
            word = np.fromiter(numbers, np.int64, len(tokens) - length + 1)
            position = np.flatnonzero(word >= 0)
            first = (position + length - width).clip(0) + n_windows
            last = position.clip(max=windows_here - 1) + n_windows
            places.append(np.array([word[position], first, last]))
            n_places += position.size
        n_windows += windows_here
        if n_places >= _BLOCK_SIZE:
            yield _occurrence_matrix(places, len(words)), n_windows
            places, n_windows, n_places = places[:1], 0, 0
    if n_windows > 0:
        yield _occurrence_matrix(places, len(words)), n_windows


def n_grams(tokens: list[str], length: int) -> Iterable[str]:
    """Return the phrases of `length` adjacent tokens."""
    if length == 1:
        return tokens
    return map(" ".join, zip(*(tokens[i:] for i in range(length)), strict=False))


def _occurrence_matrix(places: list[np.ndarray], n_words: int) -> sparse.csc_array:
    """Return which words occur in each stretch of windows with the same words.

    `places` have three rows: words, and the first and last windows that they are in.
    """
    word, first, last = np.concatenate(places, axis=1)
    order = np.lexsort((last, first, word))
    word, begin, end = word[order], first[order], last[order] + 1
    # Several places of a word in one window are one occurrence.
    repeated = word[1:] == word[:-1]
    begin[1:][repeated] = np.maximum(begin[1:], end[:-1])[repeated]
    inside = begin < end
    word, begin, end = word[inside], begin[inside], end[inside]
    bounds = np.unique(np.concatenate([begin, end]))
    first_row = np.searchsorted(bounds, begin)
    n_rows = np.searchsorted(bounds, end) - first_row
    starts = np.cumsum(n_rows) - n_rows
    rows = np.arange(n_rows.sum()) + np.repeat(first_row - starts, n_rows)
    per_word = np.bincount(word, n_rows, n_words).astype(np.int64)
    n_windows = np.diff(bounds)
    return sparse.csc_array(
        (n_windows[rows], rows, np.concatenate([[0], np.cumsum(per_word)])),
        shape=(max(n_windows.size, 1), n_words),
    )


def token_lists(texts: Any) -> Iterator[list[str]]:
    """Yield the tokens of each text; strings are split as CountVectorizer does."""
    split = CountVectorizer().build_analyzer()
    for number, text in enumerate(check_texts(texts)):
        if isinstance(text, str):
            yield split(text)
        elif isinstance(text, list | tuple | np.ndarray):
            yield _in_order([str(token) for token in text])
        else:
            raise TypeError(
                f"texts must contain strings or lists of tokens, but text {number} is "
                f"of type {type(text).__name__}."
            )


def _in_order(tokens: list[str]) -> list[str]:
    """Return the words of a text whose tokens are all n-grams that a vectorizer makes.

    A vectorizer lists the n-grams by their length. Other tokens are returned as they
    are.
    """
    lengths = [token.count(" ") + 1 for token in tokens]
    if len(lengths) < 2 or max(lengths) == 1:
        return tokens
    shortest = [t for t, n in zip(tokens, lengths, strict=True) if n == lengths[0]]
    words = shortest[0].split(" ")[:-1] + [t.rpartition(" ")[2] for t in shortest]
    phrases = (n_grams(words, n) for n in range(lengths[0], max(lengths) + 1))
    return words if tokens == list(chain.from_iterable(phrases)) else tokens


def check_texts(texts: Any) -> Iterable[Any]:
    """Return texts; raise TypeError if they are not a collection."""
    no_texts = isinstance(texts, str | bytes | Mapping)
    no_texts |= not hasattr(texts, "__iter__")
    if no_texts or getattr(texts, "ndim", 1) != 1:
        raise TypeError(
            "texts must be a list of strings or of lists of tokens, got "
            f"{type(texts).__name__}. Pass the texts to which the vectorizer was "
            "fitted."
        )
    return texts  # type: ignore[no-any-return]
