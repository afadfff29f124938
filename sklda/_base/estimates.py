"""Estimates of topics and documents, made from the sums of the kept samples.

With n_wk and n_dk summed over S kept samples, and alpha and beta the same in all,

    components_kw = n_wk / S + beta,    theta_dk = (n_dk / S + alpha_k) / (N_d + A),

where N_d is the length of document d and A the sum of alpha. If alpha is sampled, the
sums are those of n_dk / (N_d + A), and theta adds the mean of alpha_k / (N_d + A).
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Self, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from sklda._core.sparse_sums import SparseRows

# Adds the mean of alpha / (length + sum of alpha) over the kept samples to theta, in
# place, given theta, what is kept of the prior, and the lengths of the documents.
AddPriors = Callable[[np.ndarray, Any, np.ndarray], None]


class TopicSums(NamedTuple):
    """The word-topic counts of one chain, summed over its kept samples."""

    counts: SparseRows  # of n_words rows
    n_kept: int
    n_topics: int
    beta: float | np.ndarray
    totals: np.ndarray  # (n_topics,), of `components` over the words

    @classmethod
    def of(
        cls, counts: SparseRows, n_kept: int, n_topics: int, beta: float | np.ndarray
    ) -> Self:
        """Return the sums with their totals."""
        sums = cls(counts, n_kept, n_topics, beta, np.zeros(n_topics))
        totals = sums.totals
        for words, table in counts.chunks(n_topics):
            rows = sums._with_beta(table, words)
            rows[0] += totals
            totals = rows.sum(axis=0)
        return sums._replace(totals=totals)

    @property
    def n_words(self) -> int:
        """Return V."""
        return self.counts.size.size

    def components(self) -> np.ndarray:
        """Return the mean counts plus beta, (n_topics, n_words)."""
        table = self.counts.dense(self.n_topics)
        return self._with_beta(table, slice(None)).T

    def phi(self, words: np.ndarray) -> np.ndarray:
        """Return the probabilities of some words in the topics, (n, n_topics).

        Memory: the result, and little more.
        """
        table = self.counts.take(words).dense(self.n_topics)
        phi = self._with_beta(table, words)
        phi /= self.totals
        return phi

    def _with_beta(self, table: np.ndarray, words: np.ndarray | slice) -> np.ndarray:
        """Turn the sums of some words, in place, into mean counts plus beta."""
        table /= self.n_kept
        table += np.transpose(self.beta)[words] if np.ndim(self.beta) else self.beta
        return table

    def means(self) -> sparse.csr_array:
        """Return the mean counts, (n_topics, n_words)."""
        return (self.counts.matrix(self.n_topics) / self.n_kept).T.tocsr()


class DocumentSums(NamedTuple):
    """The document-topic counts of one chain, summed over its kept samples."""

    counts: SparseRows  # n_dk; or n_dk / (N_d + A), if alpha is sampled
    n_kept: int
    n_topics: int
    lengths: np.ndarray  # (n_docs,), tokens
    alpha: np.ndarray | None  # (n_topics,), unless it is sampled
    kept_priors: Any  # of sampled alpha: what tells it in each sample

    def theta(self, add_priors: AddPriors) -> np.ndarray:
        """Return the mean topic proportions, (n_docs, n_topics)."""
        theta = self.counts.dense(self.n_topics)
        theta /= self.n_kept
        if self.alpha is None:
            add_priors(theta, self.kept_priors, self.lengths)
            return theta
        theta += self.alpha
        theta /= (self.lengths + self.alpha.sum())[:, np.newaxis]
        return theta

    def shares(self) -> sparse.csr_array:
        """Return theta without the share of alpha, (n_docs, n_topics)."""
        shares = self.counts.matrix(self.n_topics) / self.n_kept
        if self.alpha is not None:
            mass = self.lengths + self.alpha.sum()
            shares.data /= np.repeat(mass, self.counts.size)
        shares.sort_indices()
        return shares


SumsT = TypeVar("SumsT", TopicSums, DocumentSums)


def stored_sums(sums: TopicSums | DocumentSums) -> tuple:
    """Return plain tuples, which can be stored without any type of this package."""
    return tuple(sums.counts), *sums[1:]


def restored_sums(kind: type[SumsT], values: tuple) -> SumsT:
    """Return the sums of `stored_sums`."""
    return kind(SparseRows(*values[0]), *values[1:])


class MadeWhenRead:
    """An array attribute of a fitted estimator that is made when it is first read.

    `source` is the attribute from which it is made, without which there is none. The
    array is kept beside the estimator, so that a loop can read it often, and pickles
    leave it out. It is read-only, because methods use the source. What is assigned
    takes its place, as in a model of an earlier version.
    """

    def __init__(self, source: str, make: Callable[[Any], np.ndarray]) -> None:
        self.source, self.make = source, make
        # The source and the array of each estimator that was read.
        self._made: WeakKeyDictionary = WeakKeyDictionary()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is None:
            return self
        known = vars(estimator)
        if self.name in known:
            return known[self.name]
        if self.source not in known:
            raise AttributeError(
                f"{type(estimator).__name__!r} object has no attribute {self.name!r}"
            )
        source = known[self.source]
        made = self._made.get(estimator)
        if made is None or made[0] is not source:  # it is of an earlier fit
            array = self.make(estimator)
            array.flags.writeable = False
            made = self._made[estimator] = source, array
        return made[1]

    def __set__(self, estimator: Any, value: Any) -> None:
        self.forget(estimator)
        vars(estimator)[self.name] = value

    def __delete__(self, estimator: Any) -> None:
        if not {self.name, self.source} & vars(estimator).keys():
            raise AttributeError(self.name)
        self.forget(estimator)
        vars(estimator).pop(self.source, None)

    def forget(self, estimator: Any) -> None:
        """Drop what was made or assigned, but not the source."""
        self._made.pop(estimator, None)
        vars(estimator).pop(self.name, None)


def concatenated(arrays: list[np.ndarray], axis: int) -> np.ndarray:
    """Return arrays one after the other; a single one as it is."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis=axis)
