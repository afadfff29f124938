"""The variational bound of collapsed variational Bayes, and what it is made of.

Teh, Newman & Welling, NIPS 2006, equation 12: with all tokens independent,

    E[log p(w, z | alpha, beta)] - E[log q(z)],

in which counts are random, and enter as log Gamma(alpha_k + n_dk), for example.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from sklda._core.corpus import parts
from sklda._core.problem import Weights
from sklda._cvb.kernels import count_distributions as spread
from sklda._cvb.kernels import exact as cvb_exact
from sklda._cvb.kernels import moments

_BLOCK = 2**20  # responsibilities that are looked at together
_LEAST = np.float32(1e-37)  # takes the place of 0 in logarithms


class Spread(NamedTuple):
    """How many pairs (document-topic, for example) have a count, by expectation."""

    topic: np.ndarray
    count: np.ndarray  # above 0
    n_pairs: np.ndarray

    def log_rising(self, prior) -> float:
        """Return E[sum of log(Gamma(n + prior) / Gamma(prior))] over all pairs."""
        prior = prior[self.topic]
        return self.n_pairs @ (gammaln(self.count + prior) - gammaln(prior))


class Spreads(NamedTuple):
    """Those of n_dk, n_wk and n_k."""

    docs: Spread
    words: Spread
    totals: Spread


def bound(spreads: Spreads, entropy, lengths, alpha, beta, n_words) -> float:
    """Return the bound of equation 12, with all constants, in nats."""
    every = np.ones(alpha.size)
    return float(
        (gammaln(alpha.sum()) - gammaln(lengths + alpha.sum())).sum()
        + spreads.docs.log_rising(alpha)
        + spreads.words.log_rising(beta * every)
        - spreads.totals.log_rising(n_words * beta * every)
        + entropy
    )


def entropy(weights: Weights, gamma) -> float:
    """Return -E[log q(z)]."""
    total = 0.0
    for first, last in _blocks(weights, gamma):
        cells = slice(weights.doc_ptr[first], weights.doc_ptr[last])
        part = gamma[cells]
        part = (part * np.log(np.maximum(part, _LEAST))).sum(axis=1)
        total -= part @ weights.count[cells].astype(np.float64)
    return total


def exact_spreads(weights: Weights, gamma, n_words, n_topics) -> Spreads:
    """Return the distributions of all counts; every cell is one token."""
    found = cvb_exact.distributions(
        weights.doc_ptr, weights.word, gamma, n_words, n_topics
    )
    return Spreads(*(_join(map(_of_table, tables)) for tables in found))


def spreads(weights: Weights, gamma, n_words, n_topics) -> Spreads:
    """Return them from mean, variance and P(n = 0), as `spread` tells.

    A count whose mean is not small is taken to be one standard deviation above or
    below it: functions that are as good as parabolas there see no difference.
    """
    docs, words, totals = (_Collector(n_topics) for _ in range(3))
    n_lanes = gamma.shape[1]
    of_words = np.zeros((3, n_words, n_lanes), np.float32)
    for first, last in _blocks(weights, gamma):
        cells = slice(weights.doc_ptr[first], weights.doc_ptr[last])
        part, count = gamma[cells], weights.count[cells]
        log_zero = np.log(np.maximum(1 - part, _LEAST))
        n_cells = np.diff(weights.doc_ptr[first : last + 1])
        document = np.repeat(np.arange(last - first, dtype=np.int32), n_cells)
        of_docs = np.zeros((3, last - first, n_lanes), np.float32)
        for index, sums in ((document, of_docs), (weights.word[cells], of_words)):
            moments.add_means(index, count, part, sums[0])
            moments.add_variances(index, count, part, sums[1])
            moments.add_means(index, count, log_zero, sums[2])
        docs.add(of_docs)
    words.add(of_words)
    totals.add(of_words.sum(axis=1, keepdims=True, dtype=np.float64))
    return Spreads(docs.join(), words.join(), totals.join())


class _Collector:
    def __init__(self, n_topics):
        self.tables = np.zeros((n_topics, spread.SIZE))
        self.large = []

    def add(self, sums):
        """Take in means, variances and log P(n = 0), each (n_rows, n_lanes)."""
        spread.add_counts(*sums.astype(np.float32, copy=False), self.tables)
        mean, variance = sums[:2, :, : len(self.tables)]
        pairs = np.nonzero(mean > spread.LARGEST_MEAN)
        mean, deviation = mean[pairs], np.sqrt(np.maximum(variance[pairs], 0))
        half = np.full(mean.size, 0.5)
        for count in (mean - deviation, mean + deviation):
            self.large.append(Spread(pairs[1], count.astype(np.float64), half))

    def join(self):
        return _join([*self.large, _of_table(self.tables)])


def _of_table(table) -> Spread:
    """Turn (n_topics, n + 1) into a Spread; n = 0 has no part in any sum."""
    topic, count = np.nonzero(table)
    topic, count = topic[count > 0], count[count > 0]
    return Spread(topic, count.astype(np.float64), table[topic, count])


def _join(parts) -> Spread:
    return Spread(*map(np.concatenate, zip(*parts, strict=True)))


def _blocks(weights, gamma):
    """Cut documents into parts of about `_BLOCK` responsibilities."""
    return parts(weights.doc_ptr, 1 + gamma.size // _BLOCK)
