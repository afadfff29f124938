"""The engine of collapsed variational Bayes: sweeps, learned priors, and the bound.

Teh, Newman & Welling, "A collapsed variational Bayesian inference algorithm for latent
Dirichlet allocation", NIPS 2006. Each cell has responsibilities, the probabilities of
its topics, and all tokens are independent. An `Approximation` has a kernel, a module of
`sklda._cvb.kernels` with

- ``sweep(corpus, responsibilities, shared, priors)``, which updates responsibilities,
  (n_cells, n_lanes) float32, and the moments that all documents share in place, and
  returns the sum of the absolute changes, each times the weight of its cell;
- ``N_MOMENTS``, how many moments of counts it takes: 1 for means, 2 for means and
  variances.

The bound, equation 12, and Minka's fixed point need more than these moments:

    E[log p(w, z | alpha, beta)] - E[log q(z)],

where E[log Gamma(alpha_k + n_dk)] is a sum over values of the random count n_dk. So an
approximation also computes the histograms of all counts, exactly or from moments.
"""

from collections.abc import Callable, Iterable, Iterator
from copy import copy, deepcopy
from itertools import chain
from types import ModuleType
from typing import Any, NamedTuple

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
from sklda._sampling.schedule import NO_ANNEALING, Annealed, Annealing
from sklda._sampling.threads import Threads

_CHUNK = 2**20  # responsibilities that are processed at a time
_LEAST = np.float32(1e-37)  # replaces 0 in logarithms


class CountHistogram(NamedTuple):
    """How many documents (or words) have each count of tokens on each topic.

    The arrays are parallel; a topic and a count may occur together repeatedly. Topic k
    of the g-th group of words (see `beta_of_groups`) has the number g K + k.
    """

    topic: np.ndarray
    n_tokens: np.ndarray  # the count, above 0
    frequency: np.ndarray  # expected number of documents (or words)

    def log_rising(self, prior: np.ndarray) -> float:
        """Return E[sum of log(Gamma(n + prior) / Gamma(prior))] over all counts."""
        prior = prior[self.topic]
        each = gammaln(self.n_tokens + prior) - gammaln(prior)
        return (self.frequency * each).sum()


class CountHistograms(NamedTuple):
    """The histograms of the three kinds of counts."""

    doc_topic: CountHistogram  # n_dk
    word_topic: CountHistogram  # n_wk
    topic: CountHistogram  # n_k


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
    """Estimate the distributions from mean, variance and P(n = 0) of each count."""
    corpus, n_lanes = problem.corpus, problem.n_lanes
    word_sums = np.zeros((3, problem.n_words, n_lanes), np.float32)

    def sums_of_documents():
        """Yield the sums of chunks of documents; also add those of words."""
        for first, last in _chunks(corpus, responsibilities):
            cells = slice(corpus.doc_ptr[first], corpus.doc_ptr[last])
            chunk, count = responsibilities[cells], corpus.count[cells]
            log_zero = np.maximum(1 - chunk, _LEAST)
            moments.take_logarithms(log_zero)
            n_cells = np.diff(corpus.doc_ptr[first : last + 1])
            document = np.repeat(np.arange(last - first, dtype=np.int32), n_cells)
            sums = np.zeros((3, last - first, n_lanes), np.float32)
            for index, rows in ((document, sums), (corpus.word[cells], word_sums)):
                moments.add_means(index, count, chunk, rows[0])
                moments.add_variances(index, count, chunk, rows[1])
                moments.add_means(index, count, log_zero, rows[2])
            yield sums

    n_topics = problem.n_topics
    doc_topic = _estimated(sums_of_documents(), n_topics)
    totals = word_sums.sum(axis=1, keepdims=True, dtype=np.float64)
    words = []
    for group in beta_of_groups(problem)[1]:
        is_all = group.size == problem.n_words
        sums = word_sums if is_all else np.take(word_sums, group, axis=1)
        words.append(_estimated([sums], n_topics))
    return CountHistograms(
        doc_topic, _join(words, n_topics), _estimated([totals], n_topics)
    )


def _estimated(chunks: Iterable[np.ndarray], n_topics: int) -> CountHistogram:
    """Return the histogram of counts of mean, variance, log P(n = 0).

    Each chunk is (3, n_rows, n_lanes). Small counts are estimated as in
    `moments.add_counts`. Large ones are one standard deviation above or below their
    mean, with equal probability: that is exact for parabolas, and log Gamma is nearly
    one there.
    """
    small, large = np.zeros((n_topics, moments.SIZE)), []
    for sums in chunks:
        moments.add_counts(*sums.astype(np.float32, copy=False), small)
        mean, variance = sums[:2, :, :n_topics]
        places = np.nonzero(mean > moments.LARGEST_MEAN)
        mean, deviation = mean[places], np.sqrt(np.maximum(variance[places], 0))
        half = np.full(mean.size, 0.5)
        for count in (mean - deviation, mean + deviation):
            large.append(CountHistogram(places[1], count.astype(np.float64), half))
    return _join([*large, _from_table(small)])


def _from_table(table: np.ndarray) -> CountHistogram:
    """Return the histogram of a table (n_topics, n + 1), without counts of 0."""
    topic, count = np.nonzero(table)
    topic, count = topic[count > 0], count[count > 0]
    return CountHistogram(topic, count.astype(np.float64), table[topic, count])


def _join(histograms: Iterable[CountHistogram], n_topics: int = 0) -> CountHistogram:
    """Concatenate histograms; topics of the i-th one are raised by i * n_topics."""
    topic, n_tokens, frequency = zip(*histograms, strict=True)
    topic = [topics + i * n_topics for i, topics in enumerate(topic)]
    return CountHistogram(*map(np.concatenate, (topic, n_tokens, frequency)))


def _chunks(
    corpus: WeightedCorpus, responsibilities: np.ndarray
) -> Iterator[tuple[int, int]]:
    """Split the documents into ranges of about `_CHUNK` responsibilities."""
    return ranges(corpus.doc_ptr, 1 + responsibilities.size // _CHUNK)


START_SWEEPS = 10  # zero-order sweeps with which other approximations should start
_RECOUNT_INTERVAL = 20  # sweeps after which moments are summed anew, without errors

# Means of all counts, and variances where the kernel uses them.
SharedMoments = tuple[Moments, ...]


class Approximation(NamedTuple):
    """How the expectations of the method are computed."""

    kernel: ModuleType
    n_start_sweeps: int  # zero-order sweeps before the first one of the kernel
    histograms: Callable[[Problem[WeightedCorpus], np.ndarray], CountHistograms]


class Engine(Annealed):
    """The responsibilities of all cells, their moments, and the trace of the bound.

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
            _zero_moments(problem),
            _kernel_priors(problem),
            rng.kernel,
        )
        has_start = approximation.n_start_sweeps > 0
        self._use(zero_order if has_start else approximation.kernel)

    def _use(self, kernel: ModuleType) -> None:
        """Switch to a kernel: sum up its moments, and copy them for each shard."""
        self.kernel = kernel
        self.moments = self._count()
        n_replicas = len(self.shards) if len(self.shards) > 1 else 0
        self.replicas = [deepcopy(self.moments) for _ in range(n_replicas)]

    def _count(self) -> SharedMoments:
        """Return the moments of the kernel, computed from the responsibilities."""
        adders = (moments.add_means, moments.add_variances)
        return tuple(self._sum(add) for add in adders[: self.kernel.N_MOMENTS])

    def _sum(self, add: Callable) -> Moments:
        """Return the sums of means or variances over all cells."""
        _, word, count = self.problem.corpus
        sums = _zero_moments(self.problem)
        add(word, count, self.responsibilities, sums.word_topic)
        sums.topic[:] = sums.word_topic.sum(axis=0, dtype=np.float64)
        return sums

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
            self.moments = self._count()

    def _per_token(self, total: float) -> float:
        return total / max(self.n_tokens, np.finfo(float).tiny)

    def _update_cells(self) -> float:
        """Update every cell; return the sum of all changes, each times its weight."""
        if not self.replicas:
            return self._sweep_documents(self.problem.corpus, self.moments)
        changes = self.threads.map(self._update_shard, self.shards, self.replicas)
        for replica in self.replicas:
            for array, difference in _arrays(self.moments, replica):
                array += difference
        return sum(changes)

    def _update_shard(self, shard: tuple[int, int], replica: SharedMoments) -> float:
        """Sweep the documents of a shard; write how moments change into the replica."""
        for copied, array in _arrays(replica, self.moments):
            np.copyto(copied, array)
        documents = some_documents(self.problem.corpus, *shard)
        change = self._sweep_documents(documents, replica)
        for copied, array in _arrays(replica, self.moments):
            copied -= array
        return change

    def _sweep_documents(self, corpus: WeightedCorpus, shared: SharedMoments) -> float:
        """Update every cell of these documents; return the sum of all changes."""
        gamma, priors = self.responsibilities, self._priors
        return sum(
            self.kernel.sweep(some_documents(corpus, *documents), gamma, shared, priors)
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
        """Enter the bound, equation 12 in nats per token, into the trace; return it."""
        problem, histograms = self.problem, self._histograms()
        alpha, (beta, _) = problem.doc_topic_prior, beta_of_groups(problem)
        bound = float(
            (gammaln(alpha.sum()) - gammaln(self.lengths + alpha.sum())).sum()
            + histograms.doc_topic.log_rising(alpha)
            + histograms.word_topic.log_rising(beta.ravel())
            - histograms.topic.log_rising(problem.beta_sum * np.ones(alpha.size))
        )
        bound += entropy(problem.corpus, self.responsibilities)
        self.bound.append(self._per_token(bound))
        self.bound_sweeps.append(self.n_sweeps)
        return self.bound[-1]

    def describe(self) -> str:
        """Return what a verbose fit prints of the present sweep."""
        return f"bound per token {self.bound[-1]:.4f}"

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes after the last sweep, or as if it ended here."""
        if self.is_annealed:
            other = copy(self)
            copied = deepcopy((self.responsibilities, self.moments, self.replicas))
            other.responsibilities, other.moments, other.replicas = copied
            other.end()
            return other.attributes()
        problem, n_topics = self.problem, self.problem.n_topics
        counts = self._sum(moments.add_means).word_topic[:, :n_topics]
        doc_topic = np.zeros((self.lengths.size, problem.n_lanes), np.float32)
        moments.add_means(
            self.document, problem.corpus.count, self.responsibilities, doc_topic
        )
        theta = doc_topic[:, :n_topics] + problem.doc_topic_prior
        return {
            "components_": counts.T.astype(np.float64, order="C") + problem.beta,
            "doc_topic_": theta / theta.sum(axis=1, keepdims=True),
            "doc_topic_prior_": problem.doc_topic_prior,
            "topic_word_prior_": problem.beta,
            "prior_trace_": prior_trace(self.prior_updates),
            "bound_": np.array(self.bound),
            "bound_iter_": np.array(self.bound_sweeps, dtype=np.int64),
            "n_iter_": self.n_sweeps,
            "n_samples_seen_": self.lengths.size,
        }


def _zero_moments(problem: Problem[WeightedCorpus]) -> Moments:
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


def _arrays(a: SharedMoments, b: SharedMoments) -> zip:
    """Return each array of the moments `a` with its counterpart in `b`."""
    return zip(chain(*a), chain(*b), strict=True)
