"""The variational bound of collapsed variational Bayes, and the histograms it needs.

Teh, Newman & Welling, NIPS 2006, equation 12: with all tokens independent,

    E[log p(w, z | alpha, beta)] - E[log q(z)].

Its counts are random: E[log Gamma(alpha_k + n_dk)] is a sum over values of n_dk.

The engine of collapsed variational Bayes: sweeps, the bound, and learned priors.

It depends on an approximation only through `Kernel` and `Approximation`.
"""

from collections.abc import Callable, Iterable, Iterator
from copy import copy, deepcopy
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import gammaln

from sklda._cvb.kernels import exact, moments, zero_order
from sklda._cvb.kernels.moments import Moments
from sklda._data.corpus import WeightedCorpus, kernel_ranges, ranges, some_documents
from sklda._sampling.minka import (
    LearnedPriors,
    PriorUpdate,
    doc_topic_fixed_point,
    prior_trace,
    topic_word_fixed_point,
)
from sklda._sampling.problem import Priors, Problem
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.schedule import NO_ANNEALING, Annealing
from sklda._sampling.threads import Threads

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
        moments.take_logarithms(log_zero)
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
        self.small = np.zeros((n_topics, moments.SIZE))
        self.large: list[CountHistogram] = []

    def add(self, sums: np.ndarray) -> None:
        """Add counts: mean, variance and log P(n = 0), each (n_rows, n_lanes)."""
        mean, variance, log_zero = sums.astype(np.float32, copy=False)
        moments.add_counts(mean, variance, log_zero, self.small)
        mean, variance = sums[:2, :, : len(self.small)]
        pairs = np.nonzero(mean > moments.LARGEST_MEAN)
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


START_SWEEPS = 10  # zero-order sweeps with which other approximations should start
_RECOUNT_INTERVAL = 20  # sweeps after which rounding errors are removed from the tables

# Means of all counts, and variances where the kernel uses them.
Tables = tuple[Moments, ...]


class Kernel(Protocol):
    """A module of `sklda._cvb.kernels` that updates responsibilities."""

    N_TABLES: int  # 1: means; 2: means and variances

    def sweep(
        self,
        corpus: WeightedCorpus,
        responsibilities: np.ndarray,
        tables: Tables,
        priors: Priors,
    ) -> float:
        """Update responsibilities, (n_cells, n_lanes) float32, and tables in place.

        Return the sum of the absolute changes, each times the weight of its cell.
        """


class Approximation(NamedTuple):
    """How the expectations of the method are computed."""

    kernel: Kernel
    n_start_sweeps: int  # zero-order sweeps before the first one of the kernel
    histograms: Callable[[Problem[WeightedCorpus], np.ndarray], CountHistograms]


class Engine:
    """The responsibilities of all cells, their tables, and the trace of the bound.

    The optimum depends on the start, so zero-order sweeps come before all others.
    """

    def __init__(
        self,
        approximation: Approximation,
        problem: Problem[WeightedCorpus],
        rng: RandomStreams,
        n_shards: int,
        threads: Threads,
        annealing: Annealing = NO_ANNEALING,
    ) -> None:
        self.approximation = approximation
        self.problem = problem  # with the priors as they are now
        self.threads, self.annealing = threads, annealing
        doc_ptr, word, count = problem.corpus
        n_docs = doc_ptr.size - 1
        self.shards = list(ranges(doc_ptr, n_shards))
        self.document = np.repeat(np.arange(n_docs, dtype=np.int32), np.diff(doc_ptr))
        self.lengths = np.bincount(self.document, count, minlength=n_docs)
        self.n_tokens = self.lengths.sum()  # the weight of all cells
        self.n_sweeps = 0
        self.prior_updates: list[PriorUpdate] = []  # of priors that are learned
        self.change = np.inf  # of responsibilities in the last sweep, mean per token
        self.bound: list[float] = []  # in nats per token
        self.bound_sweeps: list[int] = []
        self.responsibilities = np.zeros((word.size, problem.n_lanes), np.float32)
        zero_order.initialise(
            problem.corpus,
            self.responsibilities,
            _no_counts(problem),
            _kernel_priors(problem),
            rng.kernel,
        )
        has_start = approximation.n_start_sweeps > 0
        self._use(zero_order if has_start else approximation.kernel)

    def _use(self, kernel: Kernel) -> None:
        """Switch to a kernel: make its tables, and a replica of them for each shard."""
        self.kernel = kernel
        self.tables = self._count()
        n_replicas = len(self.shards) if len(self.shards) > 1 else 0
        self.replicas = [deepcopy(self.tables) for _ in range(n_replicas)]

    def _count(self) -> Tables:
        """Return the tables of the kernel, computed from the responsibilities."""
        adders = (moments.add_means, moments.add_variances)
        return tuple(self._sum(add) for add in adders[: self.kernel.N_TABLES])

    def _sum(self, add: Callable) -> Moments:
        """Return the sums of means or variances over all cells."""
        _, word, count = self.problem.corpus
        table = _no_counts(self.problem)
        add(word, count, self.responsibilities, table.word_topic)
        table.topic[:] = table.word_topic.sum(axis=0, dtype=np.float64)
        return table

    def sweep(self) -> None:
        """Update every cell once; while annealed, no change counts as small."""
        problem = self.annealing.problem_of(self.problem, self.n_sweeps + 1)
        self._priors = _kernel_priors(problem)
        if self.kernel is not self.approximation.kernel:
            for _ in range(self.approximation.n_start_sweeps):
                self._update_cells()
            self._use(self.approximation.kernel)
        self.change = self._per_token(self._update_cells())
        self.n_sweeps += 1
        if self.is_annealed:
            self.change = np.inf
        if self.n_sweeps % _RECOUNT_INTERVAL == 0:
            self.tables = self._count()

    def end(self) -> None:
        """End annealing with a sweep under the true beta."""
        if self.is_annealed:
            self.annealing = NO_ANNEALING
            self.sweep()

    @property
    def is_annealed(self) -> bool:
        """Whether the last sweep was under a larger beta; priors wait for the end."""
        return self.annealing.includes(self.n_sweeps)

    @property
    def has_new_priors(self) -> bool:
        """Whether the last sweep was the first after priors were learned."""
        updates = self.prior_updates
        return bool(updates) and updates[-1].sweep == self.n_sweeps - 1

    def _per_token(self, total: float) -> float:
        return total / max(self.n_tokens, np.finfo(float).tiny)

    def _update_cells(self) -> float:
        """Update every cell; return the sum of all changes, each times its weight."""
        if not self.replicas:
            return self._sweep_documents(self.problem.corpus, self.tables)
        changes = self.threads.map(self._update_shard, self.shards, self.replicas)
        for replica in self.replicas:
            for table, difference in _pairs(self.tables, replica):
                table += difference
        return sum(changes)

    def _update_shard(self, shard: tuple[int, int], replica: Tables) -> float:
        """Sweep the documents of a shard; write how tables change into the replica."""
        for replica_table, table in _pairs(replica, self.tables):
            np.copyto(replica_table, table)
        documents = some_documents(self.problem.corpus, *shard)
        change = self._sweep_documents(documents, replica)
        for replica_table, table in _pairs(replica, self.tables):
            replica_table -= table
        return change

    def _sweep_documents(self, corpus: WeightedCorpus, tables: Tables) -> float:
        """Update every cell of these documents; return the sum of all changes."""
        gamma, priors = self.responsibilities, self._priors
        return sum(
            self.kernel.sweep(some_documents(corpus, *documents), gamma, tables, priors)
            for documents in kernel_ranges(corpus.doc_ptr, self.problem.n_lanes)
        )

    def _histograms(self) -> CountHistograms:
        return self.approximation.histograms(self.problem, self.responsibilities)

    def learn_priors(self, learned: LearnedPriors) -> None:
        """Fit these priors, except an array of beta, to the present responsibilities.

        While the engine is annealed, they wait.
        """
        if self.is_annealed:
            return
        problem, histograms = self.problem, self._histograms()
        if learned.alpha is not None:
            alpha = doc_topic_fixed_point(
                problem.doc_topic_prior,
                histograms.doc_topic,
                np.unique(self.lengths, return_counts=True),
                symmetric=learned.alpha == "symmetric",
            )
            self.problem = problem._replace(doc_topic_prior=alpha)
        if learned.beta and not problem.has_word_prior:
            beta = topic_word_fixed_point(
                problem.topic_word_prior,
                histograms.word_topic[1:],
                self._sum(moments.add_means).topic[: problem.n_topics],
                problem.n_words,
            )
            self.problem = self.problem._replace(topic_word_prior=beta)
        alpha, beta = self.problem.doc_topic_prior, np.mean(self.problem.beta)
        self.prior_updates.append(PriorUpdate(self.n_sweeps, alpha, beta))

    def evaluate(self) -> float:
        """Enter the bound, in nats per token, into the trace; return it."""
        bound = variational_bound(self.problem, self._histograms(), self.lengths)
        bound += entropy(self.problem.corpus, self.responsibilities)
        self.bound.append(self._per_token(bound))
        self.bound_sweeps.append(self.n_sweeps)
        return self.bound[-1]

    def describe(self) -> str:
        """Return what a verbose fit prints of the present sweep."""
        return f"bound per token {self.bound[-1]:.4f}"

    def estimates(self) -> tuple[np.ndarray, np.ndarray]:
        """Return E[n_kw] + beta, (n_topics, n_words), and theta, (n_docs, n_topics)."""
        problem = self.problem
        counts = self._sum(moments.add_means).word_topic[:, : problem.n_topics]
        components = counts.T.astype(np.float64, order="C") + problem.beta
        doc_topic = np.zeros((self.lengths.size, problem.n_lanes), np.float32)
        moments.add_means(
            self.document, problem.corpus.count, self.responsibilities, doc_topic
        )
        theta = doc_topic[:, : problem.n_topics] + problem.doc_topic_prior
        return components, theta / theta.sum(axis=1, keepdims=True)

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes after the last sweep, or as if it ended here."""
        if self.is_annealed:
            other = copy(self)
            copied = deepcopy((self.responsibilities, self.tables, self.replicas))
            other.responsibilities, other.tables, other.replicas = copied
            other.end()
            return other.attributes()
        components, theta = self.estimates()
        return {
            "components_": components,
            "doc_topic_": theta,
            "doc_topic_prior_": self.problem.doc_topic_prior,
            "topic_word_prior_": self.problem.beta,
            "prior_trace_": prior_trace(self.prior_updates),
            "bound_": np.array(self.bound),
            "bound_iter_": np.array(self.bound_sweeps, dtype=np.int64),
            "n_iter_": self.n_sweeps,
            "n_samples_seen_": self.lengths.size,
        }


def _no_counts(problem: Problem[WeightedCorpus]) -> Moments:
    n_lanes = problem.n_lanes
    word_topic = np.zeros((problem.n_words, n_lanes), np.float32)
    return Moments(word_topic, np.zeros(n_lanes))


def _kernel_priors(problem: Problem[WeightedCorpus]) -> Priors:
    """Return the priors as kernels take them, an array of beta word by word."""
    if not problem.has_word_prior:
        return problem.kernel_priors()
    # In the padding any number will do but 0, by which kernels divide.
    beta = np.ones((problem.n_words, problem.n_lanes), np.float32)
    beta[:, : problem.n_topics] = problem.beta.T
    return problem.kernel_priors(beta)


def _pairs(a: Tables, b: Tables) -> zip:
    """Return each array of the tables `a` with its counterpart in `b`."""
    return zip(chain(*a), chain(*b), strict=True)
