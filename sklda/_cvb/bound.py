"""The variational bound of collapsed variational Bayes, and the histograms it needs.

Teh, Newman & Welling, NIPS 2006, equation 12: with all tokens independent,

    E[log p(w, z | alpha, beta)] - E[log q(z)].

Its counts are random: E[log Gamma(alpha_k + n_dk)] is a sum over values of n_dk.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from sklda._core.corpus import ranges
from sklda._core.problem import Problem, WeightedCorpus
from sklda._cvb.kernels import count_distributions, exact, moments

_CHUNK = 2**20  # responsibilities that are processed at a time
_LEAST = np.float32(1e-37)  # replaces 0 in logarithms


class CountHistogram(NamedTuple):
    """Expected numbers of pairs (such as documents and topics) with each count.

    The arrays are parallel; a topic and a count may occur together repeatedly. Topic k
    of the g-th group of words (see `beta_of_groups`) has the number g K + k.
    """

    topic: np.ndarray
    n_tokens: np.ndarray  # the count, above 0
    n_pairs: np.ndarray

    def log_rising(self, prior: np.ndarray) -> float:
        """Return E[sum of log(Gamma(n + prior) / Gamma(prior))] over all pairs."""
        prior = prior[self.topic]
        each = gammaln(self.n_tokens + prior) - gammaln(prior)
        return (self.n_pairs * each).sum()


class CountHistograms(NamedTuple):
    """The histograms of the three kinds of counts."""

    doc_topic: CountHistogram  # n_dk
    word_topic: CountHistogram  # n_wk
    topic: CountHistogram  # n_k


def variational_bound(
    problem: Problem[WeightedCorpus],
    histograms: CountHistograms,
    lengths: np.ndarray,
) -> float:
    """Return equation 12 with all constants but the entropy, in nats."""
    alpha = problem.doc_topic_prior
    beta, _ = beta_of_groups(problem)
    return float(
        (gammaln(alpha.sum()) - gammaln(lengths + alpha.sum())).sum()
        + histograms.doc_topic.log_rising(alpha)
        + histograms.word_topic.log_rising(beta.ravel())
        - histograms.topic.log_rising(problem.beta_sum * np.ones(alpha.size))
    )


def beta_of_groups(
    problem: Problem[WeightedCorpus],
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the distinct rows of beta, (n_groups, n_topics), and the words of each."""
    words = np.arange(problem.n_words)
    if not problem.has_word_prior:
        return np.full((1, problem.n_topics), problem.beta), [words]
    beta, group = np.unique(problem.beta.T, axis=0, return_inverse=True)
    group = group.ravel()  # NumPy 2.0.0 returned a column
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=len(beta)))
    return beta, np.split(order, ends[:-1])


def entropy(corpus: WeightedCorpus, responsibilities: np.ndarray) -> float:
    """Return -E[log q(z)], in nats."""
    total = 0.0
    for first, last in _chunks(corpus, responsibilities):
        cells = slice(corpus.doc_ptr[first], corpus.doc_ptr[last])
        chunk = responsibilities[cells]
        each = (chunk * np.log(np.maximum(chunk, _LEAST), dtype=float)).sum(axis=1)
        total -= (each * corpus.count[cells]).sum()
    return total


def exact_histograms(
    problem: Problem[WeightedCorpus], responsibilities: np.ndarray
) -> CountHistograms:
    """Return the distributions of all counts; each cell must be one token."""
    corpus, n_words = problem.corpus, problem.n_words
    n_tokens = [
        np.diff(corpus.doc_ptr),
        np.bincount(corpus.word, minlength=n_words),
        np.array([corpus.word.size]),
    ]
    tables = [np.zeros((problem.n_topics, (n + 1).sum())) for n in n_tokens]
    exact.distributions(corpus, responsibilities, n_words, *tables)
    groups = (
        np.split(table, np.cumsum(n + 1)[:-1], axis=1)
        for table, n in zip(tables, n_tokens, strict=True)
    )
    docs, words, totals = (list(map(_from_table, tables)) for tables in groups)
    _, word_groups = beta_of_groups(problem)
    joined_groups = (_join([words[w] for w in group]) for group in word_groups)
    word_topic = _join(joined_groups, problem.n_topics)
    return CountHistograms(_join(docs), word_topic, _join(totals))


def estimated_histograms(
    problem: Problem[WeightedCorpus], responsibilities: np.ndarray
) -> CountHistograms:
    """Estimate the distributions from mean, variance and P(n = 0) of each count.

    Small counts are estimated as in `count_distributions`. Large ones are one standard
    deviation above or below their mean, with equal probability: that is exact for
    parabolas, and log Gamma is nearly one there.
    """
    corpus, n_lanes = problem.corpus, problem.n_lanes
    docs, totals = (_HistogramBuilder(problem.n_topics) for _ in range(2))
    word_sums = np.zeros((3, problem.n_words, n_lanes), np.float32)
    for first, last in _chunks(corpus, responsibilities):
        cells = slice(corpus.doc_ptr[first], corpus.doc_ptr[last])
        chunk, count = responsibilities[cells], corpus.count[cells]
        log_zero = np.maximum(1 - chunk, _LEAST)
        count_distributions.take_logarithms(log_zero)
        n_cells = np.diff(corpus.doc_ptr[first : last + 1])
        document = np.repeat(np.arange(last - first, dtype=np.int32), n_cells)
        document_sums = np.zeros((3, last - first, n_lanes), np.float32)
        for index, sums in ((document, document_sums), (corpus.word[cells], word_sums)):
            moments.add_means(index, count, chunk, sums[0])
            moments.add_variances(index, count, chunk, sums[1])
            moments.add_means(index, count, log_zero, sums[2])
        docs.add(document_sums)
    totals.add(word_sums.sum(axis=1, keepdims=True, dtype=np.float64))
    words = []
    for group in beta_of_groups(problem)[1]:
        builder = _HistogramBuilder(problem.n_topics)
        is_all = group.size == problem.n_words
        builder.add(word_sums if is_all else np.take(word_sums, group, axis=1))
        words.append(builder.histogram())
    word_topic = _join(words, problem.n_topics)
    return CountHistograms(docs.histogram(), word_topic, totals.histogram())


class _HistogramBuilder:
    """Adds up the distributions of counts."""

    def __init__(self, n_topics: int) -> None:
        self.small = np.zeros((n_topics, count_distributions.SIZE))
        self.large: list[CountHistogram] = []

    def add(self, sums: np.ndarray) -> None:
        """Add counts: mean, variance and log P(n = 0), each (n_rows, n_lanes)."""
        mean, variance, log_zero = sums.astype(np.float32, copy=False)
        count_distributions.add_counts(mean, variance, log_zero, self.small)
        mean, variance = sums[:2, :, : len(self.small)]
        pairs = np.nonzero(mean > count_distributions.LARGEST_MEAN)
        mean, deviation = mean[pairs], np.sqrt(np.maximum(variance[pairs], 0))
        half = np.full(mean.size, 0.5)
        for count in (mean - deviation, mean + deviation):
            self.large.append(CountHistogram(pairs[1], count.astype(np.float64), half))

    def histogram(self) -> CountHistogram:
        """Return the sum."""
        return _join([*self.large, _from_table(self.small)])


def _from_table(table: np.ndarray) -> CountHistogram:
    """Return the histogram of a table (n_topics, n + 1), without counts of 0."""
    topic, count = np.nonzero(table)
    topic, count = topic[count > 0], count[count > 0]
    return CountHistogram(topic, count.astype(np.float64), table[topic, count])


def _join(histograms: Iterable[CountHistogram], n_topics: int = 0) -> CountHistogram:
    """Concatenate histograms; topics of the i-th one are raised by i * n_topics."""
    topic, *counts_and_pairs = zip(*histograms, strict=True)
    topic = [topics + i * n_topics for i, topics in enumerate(topic)]
    return CountHistogram(*map(np.concatenate, (topic, *counts_and_pairs)))


def _chunks(
    corpus: WeightedCorpus, responsibilities: np.ndarray
) -> Iterator[tuple[int, int]]:
    """Split the documents into ranges of about `_CHUNK` responsibilities."""
    return ranges(corpus.doc_ptr, 1 + responsibilities.size // _CHUNK)
