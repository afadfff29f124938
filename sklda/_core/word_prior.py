"""Beta as an array: a number for each word in each topic.

Let b_w be the least beta of word w over the topics, and beta_kw = b_w + e_kw. When a
chain begins, the excess e_kw is added to n_wk as pseudo-tokens that no sweep takes out.
So a kernel needs b_w alone. Lists hold e_kw beside n_wk. Rows hold n_wk + beta_kw in
float64, and their b_w is 0. Adding and removing tokens rounds such a sum only when it
passes a power of 2, so errors do not add up.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse


class Excess(NamedTuple):
    """The excess of each word where it is not 0."""

    word_ptr: np.ndarray  # (n_words + 1,) int64; entries of w: word_ptr[w]:...[w + 1]
    topic: np.ndarray  # (n_entries,) int32
    value: np.ndarray  # (n_entries,) float64


class WordPrior:
    """Beta of each word in each topic, with sums that are computed once."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values  # (n_topics, n_words) float64

    @cached_property
    def least(self) -> np.ndarray:
        """The least beta of each word, (n_words,)."""
        return self.values.min(axis=0)

    @cached_property
    def total(self) -> np.ndarray:
        """The sum of beta over the words, (n_topics,)."""
        return self.values.sum(axis=1)

    @cached_property
    def excess(self) -> Excess:
        """What beta has beyond the least of its word."""
        table = sparse.csr_array((self.values - self.least).T)
        arrays = table.indptr.astype(np.int64), table.indices.astype(np.int32)
        return Excess(*arrays, table.data)


def word_prior(beta: float | np.ndarray) -> float | WordPrior:
    """Return beta as a problem takes it: one number, or (n_topics, n_words)."""
    return beta if np.ndim(beta) == 0 else WordPrior(beta)


def words_at(prior: WordPrior, topics: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return for each topic the word at which the sum of its beta exceeds a share.

    For uniform shares, this draws words in proportion to beta.
    """
    words = np.empty(topics.size, np.int64)
    for i, k in enumerate(topics):
        before = np.cumsum(prior.values[k])
        words[i] = np.searchsorted(before, share[i] * before[-1], "right")
    return np.minimum(words, prior.values.shape[1] - 1)
