"""One Markov chain: sweep, learn the priors, record the trace, keep samples.

A chain depends on samplers only through the protocol of `sklda._sampling.sampler`. The
parts of its log joint come first: the probabilities of words and topics of LDA, with
theta and phi integrated out. Fits do not depend on them, so SciPy may round them
differently by processor.
"""

import pickle
from collections import deque
from copy import deepcopy
from typing import Any, Self

import numpy as np
from scipy.special import gammaln

from sklda._data.corpus import Corpus, document_lengths
from sklda._data.notices import check_memory
from sklda._engine.hierarchical_prior import GammaPriors, HierarchicalPrior
from sklda._engine.kept_samples import Draw, KeptSums, add_document_sample, draw_of
from sklda._engine.kernels.start import random_first_topics
from sklda._engine.start import topics_of_new
from sklda._sampling import doc_topic_counts
from sklda._sampling.minka import (
    LearnedPriors,
    PriorUpdate,
    doc_topic_fixed_point,
    topic_word_fixed_point,
)
from sklda._sampling.problem import Counts, Problem
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.sampler import (
    SampledParameters,
    SampledPrior,
    Sampler,
    SweepInfo,
    acceptance_rate,
)
from sklda._sampling.schedule import NO_ANNEALING, Annealed, Annealing
from sklda._sampling.threads import Threads

_CHUNK_WORDS = 512  # whose counts are read at a time

# Topics, counts above 0, and the number of documents with each of these counts.
Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]


def doc_topic_pairs(problem: Problem[Corpus], z: np.ndarray) -> Pairs:
    """Return how many documents have each count on each topic."""
    histogram = doc_topic_counts.doc_topic_histogram(problem.corpus, z, problem.n_lanes)
    return doc_topic_counts.unpacked(histogram)


def log_doc_likelihood(
    problem: Problem[Corpus], z: np.ndarray, pairs: Pairs | None = None
) -> float:
    """Return log p(z | alpha), theta integrated out, with all constants.

    `pairs` are those of `doc_topic_pairs`, if they are known.
    """
    corpus = problem.corpus
    if problem.prior_row is None:
        pairs = doc_topic_pairs(problem, z) if pairs is None else pairs
        lengths = doc_topic_counts.length_histogram(corpus)
        return doc_likelihood(problem.doc_topic_prior, pairs, lengths)
    total, first = 0.0, 0
    chunks, lengths = [], document_lengths(corpus)
    add_document_sample(chunks, problem, z, None)
    for counts in chunks:
        size = counts.size
        alpha = problem.alpha_of(first, first + size.size)
        document = np.repeat(np.arange(size.size), size)
        total += _log_rising(alpha[document, counts.topic], counts.value).sum()
        length = lengths[first : first + size.size]
        total -= _log_rising(alpha.sum(axis=1), length).sum()
        first += size.size
    return total


def doc_likelihood(alpha: np.ndarray, pairs, lengths) -> float:
    """Return the same from the document-topic counts above 0 and the lengths.

    They are arrays in parallel, (topic, count, n_documents) and (length, n_documents).
    """
    topic, tokens, n_pairs = pairs
    length, n_docs = lengths
    total = (n_pairs * _log_rising(alpha[topic], tokens)).sum()
    return total - (n_docs * _log_rising(alpha.sum(), length)).sum()


def log_word_likelihood(problem: Problem[Corpus], counts: Counts) -> float:
    """Return log p(w | z, beta), phi integrated out, with all constants."""
    totals, beta = counts.topic[: problem.n_topics], problem.beta
    if not problem.has_word_prior:
        histogram = doc_topic_counts.word_topic_histogram(counts.word_topic)
        return word_likelihood(beta, histogram, totals, problem.n_words)
    total = -_log_rising(problem.beta_sum, totals).sum()
    for first in range(0, problem.n_words, _CHUNK_WORDS):
        table = counts.word_topic[first : first + _CHUNK_WORDS]
        word, topic = np.nonzero(table)
        total += _log_rising(beta[topic, first + word], table[word, topic]).sum()
    return total


def word_likelihood(beta: float, histogram, totals: np.ndarray, n_words: int) -> float:
    """Return the same from how often each word-topic count occurs."""
    tokens, n_pairs = histogram
    total = (n_pairs * _log_rising(beta, tokens)).sum()
    return total - _log_rising(n_words * beta, totals).sum()


def _log_rising(prior, n):
    """Return log(Gamma(prior + n) / Gamma(prior))."""
    return gammaln(prior + n) - gammaln(prior)


# Tokens at which the topics before and after a sweep are compared: the standard error
# of their share is .002 at most, and it takes less than .1 ms.
_MOST_COMPARED = 2**16
_ENTRY_BYTES = 4  # of a topic and its sum of tokens, or fewer


class Chain(Annealed):
    """The state of a sampler, the trace of its log joint, and the kept samples."""

    _pairs: Any = None  # see `_counted_pairs`; None until the present sample is counted

    def __init__(
        self,
        sampler: Sampler,
        problem: Problem[Corpus],
        rng: RandomStreams,
        keep_draws: int = 0,
        z: np.ndarray | None = None,
        prior: SampledPrior | None = None,
        response: Any = None,
        annealing: Annealing = NO_ANNEALING,
    ) -> None:
        _check_memory(problem)
        self.sampler = sampler
        self.problem = problem  # with the priors as they are now
        self.rng = rng
        self.z = random_first_topics(problem, rng.kernel) if z is None else z
        self.state = sampler.from_topics(problem, self.z)  # changes z in place
        self.n_sweeps = 0
        self.info: list[SweepInfo] = []  # of each sweep
        self.moved: list[float] = []  # share of the tokens, in each sweep
        self.log_joint: list[float] = []
        self.log_joint_sweeps: list[int] = []
        self.sums = KeptSums()
        self.draws: deque[Draw] = deque(maxlen=keep_draws)  # evenly spaced
        self.draw_interval = 1  # kept samples from one draw to the next
        self.last_kept = 0  # the sweep of the last kept sample
        self.prior = prior  # if it is sampled, too
        self.response = response  # to labels: `SampledParameters` with `describe`
        self.annealing = annealing
        self.prior_updates: list[PriorUpdate] = []  # of priors that are learned

    def __deepcopy__(self, memo: dict) -> Self:
        # Sweeps change neither the corpus, which may be in files, nor these objects.
        shared = [*self.problem.corpus, self.sampler]
        if self.prior is not None:
            shared.append(self.prior.threads)
        memo.update((id(item), item) for item in shared)
        other = Chain.__new__(Chain)
        vars(other).update(deepcopy(vars(self), memo))
        return other

    def __reduce_ex__(self, protocol):
        # One pickle, because joblib's own would store an array twice that a state has
        # twice. The estimator makes the sampler again, which may be a module.
        return _restored, (
            pickle.dumps(vars(self) | dict.fromkeys(["sampler", "_pairs"])),
        )

    def __reduce__(self):  # for skops
        raise TypeError(
            "skops stores only data, not a Markov chain that the next fit continues. "
            "Set warm_start=False before the last fit, or use pickle or joblib."
        )

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus."""
        return self.z.size

    @property
    def mean_problem(self) -> Problem[Corpus]:
        """The problem with the means of the priors over the kept samples."""
        return self.problem if self.prior is None else self.prior.mean(self.problem)

    @property
    def counts(self) -> Counts:
        """The count tables of the present sample."""
        return self.sampler.counts(self.problem, self.state)

    @property
    def parameters(self) -> list[SampledParameters]:
        """What is sampled in addition to the topics of the tokens."""
        sampled = self.prior, self.response
        return [parameters for parameters in sampled if parameters is not None]

    def sweep(self) -> None:
        """Resample every token and all parameters once; priors wait for annealing."""
        self.n_sweeps, self._pairs = self.n_sweeps + 1, None
        problem = self.annealing.problem_of(self.problem, self.n_sweeps)
        compared = self.z[:: 1 + self.n_tokens // _MOST_COMPARED]
        before = compared.copy()
        self.sampler.sweep(problem, self.state, self.rng)
        n_moved = np.count_nonzero(compared != before)
        self.moved.append(n_moved / max(compared.size, 1))
        self.info.append(self.sampler.info(self.problem, self.state))
        for parameters in self.parameters:
            if parameters is self.prior and self.is_annealed:
                continue
            self.problem = parameters.resample(self)

    def sample_priors(self, priors: GammaPriors | None, threads: Threads) -> None:
        """Let each sweep sample the priors from now on; None: they remain as they are.

        If this changes what is sampled, the samples kept so far are dropped.
        """
        if self.prior is not None and not isinstance(self.prior, HierarchicalPrior):
            self.prior.threads = threads  # the model samples it
            return
        if (priors is None) != (self.prior is None):
            self.prior = None
            self.forget_samples()
        if priors is None:
            return
        if self.prior is None:
            lengths = doc_topic_counts.length_histogram(self.problem.corpus)
            self.prior = HierarchicalPrior(self.problem, lengths, self.rng)
        self.prior.priors, self.prior.threads = priors, threads

    def learn_priors(self, learned: LearnedPriors) -> None:
        """Fit these priors to the present assignments; beta only if it is one number.

        While the chain is annealed, they wait.
        """
        if self.is_annealed:
            return
        problem = self.problem
        if learned.alpha is not None:
            symmetric = learned.alpha == "symmetric"
            alpha = self._fitted_alpha(problem.doc_topic_prior, symmetric=symmetric)
            self.problem = problem._replace(doc_topic_prior=alpha)
        if learned.beta and not problem.has_word_prior:
            counts = self.counts
            beta = topic_word_fixed_point(
                problem.topic_word_prior,
                doc_topic_counts.word_topic_histogram(counts.word_topic),
                counts.topic[: problem.n_topics],
                problem.n_words,
            )
            self.problem = self.problem._replace(topic_word_prior=beta)
        alpha, beta = self.problem.doc_topic_prior, self.problem.beta
        self.prior_updates.append(PriorUpdate(self.n_sweeps, alpha, np.mean(beta)))

    def _fitted_alpha(self, alpha: np.ndarray, *, symmetric: bool) -> np.ndarray:
        """Return an alpha of all documents that explains the present topics better."""
        lengths = doc_topic_counts.length_histogram(self.problem.corpus)
        return doc_topic_fixed_point(
            alpha, self._counted_pairs(), lengths, symmetric=symmetric
        )

    def _counted_pairs(self) -> Pairs:
        """Return `doc_topic_pairs` of the present sample, which are counted once."""
        if self._pairs is None:
            self._pairs = doc_topic_pairs(self.problem, self.z)
        return self._pairs

    def shared_alpha(self, problem: Problem[Corpus]) -> np.ndarray:
        """Return alpha of documents of which only the words are known, (n_topics,).

        The problem is the present one or `mean_problem`. Where documents have rows of
        alpha, it is fitted to the present topics of all. It is not their mean, which a
        few documents with a large alpha would decide.
        """
        alpha = problem.doc_topic_prior
        if self.problem.prior_row is None:
            return alpha
        return self._fitted_alpha(np.median(alpha, axis=0), symmetric=False)

    def evaluate(self) -> None:
        """Enter log p(w, z | alpha, beta) into the trace."""
        self.log_joint.append(self.log_probability(self.counts))
        self.log_joint_sweeps.append(self.n_sweeps)

    def log_probability(self, counts: Counts) -> float:
        """Return log p(w, z | alpha, beta) of the present sample and its counts.

        Parameters that are sampled may add their log density.
        """
        pairs = self._counted_pairs() if self.problem.prior_row is None else None
        value = log_doc_likelihood(self.problem, self.z, pairs)
        value = float(value + log_word_likelihood(self.problem, counts))
        return value + sum(item.log_density() for item in self.parameters)

    def keep(self) -> None:
        """Add the present sample to the kept ones, unless it is there already.

        A sample under a larger beta is not one of the posterior.
        """
        if self.last_kept < self.n_sweeps and not self.is_annealed:
            counts = self.counts
            for parameters in self.parameters:
                parameters.keep(self.problem, self.n_sweeps)
            alpha_sum = None if self.prior is None else self.problem.alpha_sum
            self.sums.add(self.problem, self.z, counts, alpha_sum)
            # A fit that a callback ends early has one draw at least.
            is_due = self.sums.n_kept % self.draw_interval == 0 or not self.draws
            if is_due and self.draws.maxlen != 0:
                draw = draw_of(self.problem, self.z, counts, self.n_sweeps)
                self.draws.append(draw)
            self.last_kept = self.n_sweeps

    def extended(self, sampler: Sampler, corpus: Corpus, threads: Threads) -> Self:
        """Return the chain of a corpus that has more documents after the present ones.

        Their tokens get topics under those of the others. The trace and the kept
        samples begin anew.
        """
        problem = self.problem._replace(corpus=corpus)
        z = topics_of_new(problem, self.problem, self.counts, self.rng, threads)
        z[: self.z.size] = self.z
        prior = self.prior and self.prior.for_more_documents(problem)
        return type(self)(sampler, problem, self.rng, self.draws.maxlen, z, prior)

    def describe(self) -> str:
        """Return what a verbose fit prints of the present sample."""
        if self.response is not None:
            last = self.info[-1]
            rate = f", {acceptance_rate([last])[0]:.0%} accepted"
            return self.response.describe() + rate * (last.n_proposed > 0)
        return f"log joint per token {self.log_joint[-1] / max(self.n_tokens, 1):.4f}"

    def forget_samples(self, burn_in: int = 0) -> None:
        """Leave samples so far, and up to the sweep `burn_in`, out of the results."""
        self.sums = KeptSums()
        self.draws.clear()
        for parameters in self.parameters:
            parameters.forget(burn_in)

    def snapshot(self) -> Self:
        """Return a copy, as if stopped here, that further sweeps do not change."""
        self.sums.close()
        shared = [*self.sums.word_topic, *self.sums.doc_topic, *self.draws]
        if not self.is_annealed:  # otherwise `end` will sweep the copy
            shared.append(self.state)
        other = deepcopy(self, {id(item): item for item in shared})
        other.end()
        other.keep()
        return other


def _check_memory(problem: Problem[Corpus]) -> None:
    """Raise MemoryError if topics of tokens and sums do not fit into memory.

    With kept samples, a document or word has about as many topics as tokens, or fewer.
    """
    n_docs, n_words = problem.corpus.doc_ptr.size - 1, problem.n_words
    n_tokens, n_topics = int(problem.corpus.token_ptr[-1]), problem.n_topics
    n_entries = min(n_tokens, n_docs * n_topics) + min(n_tokens, n_words * n_topics)
    n_bytes = 2 * n_tokens + _ENTRY_BYTES * n_entries
    size = f"{n_tokens:,} tokens, {n_docs:,} documents and {n_words:,} words"
    way_out = "use fewer documents, words or topics"
    check_memory(n_bytes, f"fit to {size}", way_out, whole=True)


def _restored(stored: bytes) -> Chain:
    """Return the chain of `Chain.__reduce_ex__`."""
    chain = Chain.__new__(Chain)
    vars(chain).update(pickle.loads(stored))
    return chain
