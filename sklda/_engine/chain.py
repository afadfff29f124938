"""Pickles and copies in which arrays go on sharing memory.

The state of a sampler may hold views of its own arrays, and sweeps write to either. A
plain pickle would make each view an array of its own. Modules are stored by name.

The log joint of words and topics of LDA, with theta and phi integrated out.

No fit depends on these values, so that SciPy may round them differently by processor.

One Markov chain: sweep, learn the priors, record the trace, average samples.

It knows no sampler, only the protocol of `sklda._sampling.sampler`.
"""

import pickle
from collections import deque
from collections.abc import Iterable
from copy import copy
from importlib import import_module
from io import BytesIO
from types import ModuleType
from typing import Any, Self

import numpy as np
from scipy.special import gammaln

from sklda._data.corpus import Corpus, document_chunks, document_lengths
from sklda._data.notices import check_memory
from sklda._engine.averages import Averages, DocumentSums, Draw, TopicSums, draw_of
from sklda._engine.hierarchical_prior import GammaPriors, HierarchicalPrior
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
    copy_of,
)
from sklda._sampling.schedule import NO_ANNEALING, Annealing
from sklda._sampling.threads import Threads

# From 5 on, NumPy's arrays come back as views of other objects' memory.
_PROTOCOL = 4


def dumps(value: Any) -> bytes:
    """Return the pickle of a value."""
    stored = BytesIO()
    _Pickler(stored, _PROTOCOL).dump(value)
    return stored.getvalue()


def loads(stored: bytes) -> Any:
    """Return the value of a pickle."""
    return pickle.loads(stored)


def copied(value: Any, shared: Iterable[np.ndarray]) -> Any:
    """Return a deep copy of a value, which has the arrays `shared` themselves."""
    stored = BytesIO()
    copier = _Copier(stored, shared)
    copier.dump(value)
    stored.seek(0)
    return _Loader(stored, copier.arrays).load()


class _Pickler(pickle.Pickler):
    def reducer_override(self, value):
        if isinstance(value, ModuleType):
            return import_module, (value.__name__,)
        owner = getattr(value, "base", None)
        if type(value) is not np.ndarray or type(owner) is not np.ndarray:
            return NotImplemented
        if not owner.flags.c_contiguous:
            return NotImplemented
        offset = value.ctypes.data - owner.ctypes.data
        return np.ndarray, (value.shape, value.dtype, owner, offset, value.strides)


class _Copier(_Pickler):
    """Stores only the keys of arrays that own memory: no array is copied twice."""

    def __init__(self, file: BytesIO, shared: Iterable[np.ndarray]) -> None:
        super().__init__(file, _PROTOCOL)
        # Arrays and their copies. To hold an array keeps its id from being used again.
        self.arrays = {id(array): (array, array) for array in shared}

    def persistent_id(self, value):
        key, owns_memory = id(value), type(value) is np.ndarray and value.base is None
        if owns_memory and not value.dtype.hasobject:
            self.arrays.setdefault(key, (value, value.copy("K")))
        return key if key in self.arrays else None


class _Loader(pickle.Unpickler):
    """Returns the copies of the arrays whose keys a `_Copier` stored."""

    def __init__(self, file: BytesIO, arrays: dict) -> None:
        super().__init__(file)
        self.arrays = arrays

    def persistent_load(self, key):  # no attribute: Python 3.13.0 refuses to set one
        return self.arrays[key][1]


def log_doc_likelihood(problem: Problem[Corpus], z: np.ndarray) -> float:
    """Return log p(z | alpha), theta integrated out, with all constants."""
    total, first = 0.0, 0
    for chunk in document_chunks(problem.corpus):
        pairs = doc_topic_counts.doc_topic_cells(chunk, z, problem.n_lanes)
        lengths = document_lengths(chunk)
        if problem.prior_row is None:
            total += doc_likelihood(problem.doc_topic_prior, (*pairs, 1), (lengths, 1))
        else:
            alpha = problem.alpha_of(first, first + lengths.size)
            total += _doc_likelihood_by_rows(alpha, *pairs, lengths)
        first += lengths.size
    return total


def _doc_likelihood_by_rows(alpha, topics, tokens, lengths) -> float:
    """Return the same for a row of alpha for each document."""
    ends, sums = np.cumsum(lengths), alpha.sum(axis=1)
    alphas = alpha[np.searchsorted(ends, np.cumsum(tokens) - tokens, "right"), topics]
    length_terms = gammaln(sums) - gammaln(lengths + sums)
    pair_terms = gammaln(tokens + alphas) - gammaln(alphas)
    return length_terms.sum() + pair_terms.sum()


def doc_likelihood(alpha: np.ndarray, pairs, lengths) -> float:
    """Return the same from the document-topic counts above 0 and the lengths.

    They are arrays in parallel, (topic, count, n_documents) and (length, n_documents).
    """
    topics, tokens, n_pairs = pairs
    length, n_docs = lengths
    length_terms = gammaln(alpha.sum()) - gammaln(length + alpha.sum())
    pair_terms = gammaln(tokens + alpha[topics]) - gammaln(alpha)[topics]
    return (n_docs * length_terms).sum() + (n_pairs * pair_terms).sum()


def log_word_likelihood(problem: Problem[Corpus], counts: Counts) -> float:
    """Return log p(w | z, beta), phi integrated out, with all constants."""
    totals = counts.topic[: problem.n_topics]
    if problem.has_word_prior:
        word_terms = _log_rising_by_words(counts.word_topic, problem.beta)
        return _log_topics(problem.beta_sum, totals) + word_terms
    pairs = doc_topic_counts.word_topic_histogram(counts.word_topic)
    return word_likelihood(problem.topic_word_prior, pairs, totals, problem.n_words)


def word_likelihood(beta: float, pairs, totals: np.ndarray, n_words: int) -> float:
    """Return the same from how often each word-topic count occurs: counts, n_pairs."""
    occurring, n_pairs = pairs
    each = gammaln(occurring + beta) - gammaln(beta)
    return _log_topics(n_words * beta, totals) + (n_pairs * each).sum()


def _log_topics(beta_sum, totals) -> float:
    """Return the sum of log(Gamma(beta_sum) / Gamma(n + beta_sum)) over all topics."""
    constant = totals.size * np.mean(gammaln(beta_sum))
    return constant - gammaln(totals + beta_sum).sum()


def _log_rising_by_words(word_topic, beta, rows=512) -> float:
    """Return the sum of log(Gamma(n + beta) / Gamma(beta)), beta of topic and word."""
    total = 0.0
    for first in range(0, word_topic.shape[0], rows):
        counts = word_topic[first : first + rows]
        cells = np.nonzero(counts)
        betas = beta[cells[1], first + cells[0]]
        total += (gammaln(counts[cells] + betas) - gammaln(betas)).sum()
    return total


# Tokens at which the topics before and after a sweep are compared: the standard error
# of their share is .002 at most, and it takes less than .1 ms.
_MOST_COMPARED = 2**16
_ENTRY_BYTES = 4  # of a topic and its sum of tokens, or fewer


class Chain:
    """The state of a sampler, the trace of its log joint, and the averages."""

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
        self.averages = Averages(problem)
        self.draws: deque[Draw] = deque(maxlen=keep_draws)  # evenly spaced
        self.draw_interval = 1  # kept samples from one draw to the next
        self.last_kept = 0  # the sweep of the last sample in the averages
        self.prior = prior  # if it is sampled, too
        self.response = response  # to labels: `SampledParameters` with `describe`
        self.annealing = annealing
        self.prior_updates: list[PriorUpdate] = []  # of priors that are learned

    def __copy__(self) -> Self:
        return _make(type(self), vars(self))

    def __deepcopy__(self, memo: dict) -> Self:
        # No sweep writes to the corpus, which may be in files.
        attributes = copied(vars(self), shared=self.problem.corpus)
        return _make(type(self), attributes)

    def __reduce_ex__(self, protocol):  # for pickle
        return _restore, (dumps((type(self), vars(self))),)

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
    def is_annealed(self) -> bool:
        """Whether the last sweep was under a larger beta; priors wait for the end."""
        return self.annealing.includes(self.n_sweeps)

    @property
    def counts(self) -> Counts:
        """The count tables of the present sample."""
        return self.sampler.counts(self.problem, self.state)

    @property
    def parameters(self) -> list[SampledParameters]:
        """What is sampled beside the topics of the tokens."""
        sampled = self.prior, self.response
        return [parameters for parameters in sampled if parameters is not None]

    def sweep(self) -> None:
        """Resample every token and all parameters once; while annealed, no priors."""
        self.n_sweeps += 1
        problem = self.annealing.problem_of(self.problem, self.n_sweeps)
        compared = self.z[:: 1 + self.n_tokens // _MOST_COMPARED]
        before = compared.copy()
        self.state = self.sampler.sweep(problem, self.state, self.rng)
        n_moved = np.count_nonzero(compared != before)
        self.moved.append(n_moved / max(compared.size, 1))
        self.info.append(self.sampler.info(self.problem, self.state))
        for parameters in self.parameters:
            if parameters is self.prior and self.is_annealed:
                continue
            self.problem = parameters.resample(
                self.problem, self.state, lambda: self.counts, self.n_sweeps
            )

    def sample_priors(self, priors: GammaPriors | None, threads: Threads) -> None:
        """Let each sweep sample the priors from now on; None: they remain as they are.

        A change leaves all samples so far out of the averages.
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
        corpus, n_lanes = self.problem.corpus, self.problem.n_lanes
        pairs = doc_topic_counts.doc_topic_histogram(corpus, self.z, n_lanes)
        return doc_topic_fixed_point(
            alpha,
            doc_topic_counts.unpacked(pairs),
            doc_topic_counts.length_histogram(corpus),
            symmetric=symmetric,
        )

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
        value = log_doc_likelihood(self.problem, self.z)
        value = float(value + log_word_likelihood(self.problem, counts))
        return value + sum(item.log_density() for item in self.parameters)

    def keep(self) -> None:
        """Add the present sample to the averages, unless it is there already.

        An annealed one is no sample of the posterior.
        """
        if self.last_kept < self.n_sweeps and not self.is_annealed:
            counts = self.counts
            for parameters in self.parameters:
                parameters.keep(self.problem, self.n_sweeps)
            alpha_sum = None if self.prior is None else self.problem.alpha_sum
            self.averages.add(self.problem, self.z, counts, alpha_sum)
            # A fit that a callback ends early has one draw at least.
            is_due = self.averages.n_kept % self.draw_interval == 0 or not self.draws
            if is_due and self.draws.maxlen != 0:
                draw = draw_of(self.problem, self.z, counts, self.n_sweeps)
                self.draws.append(draw)
            self.last_kept = self.n_sweeps

    def end(self) -> None:
        """End a fit with a kept sample, and annealing with a sweep of the posterior."""
        if self.is_annealed:
            self.annealing = NO_ANNEALING
            self.sweep()
        self.keep()

    def extended(self, sampler: Sampler, corpus: Corpus, threads: Threads) -> Self:
        """Return the chain of a corpus to which documents may have been added.

        If there are any, their tokens get topics under those of the others, and the
        trace and the averages begin anew.
        """
        before = self.problem
        if corpus.doc_ptr.size == before.corpus.doc_ptr.size:
            self.sampler = sampler
            return self
        problem, counts = before._replace(corpus=corpus), self.counts
        z = topics_of_new(problem, before, counts, self.rng, threads)
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
        self.averages = Averages(self.problem)
        self.draws.clear()
        for parameters in self.parameters:
            parameters.forget(burn_in)

    def snapshot(self) -> Self:
        """Return a copy, as if stopped here, that further sweeps do not change."""
        other = copy(self)
        if self.is_annealed:  # `end` will sweep the copy
            swept = self.state, self.z, self.rng, self.info, self.moved
            other.state, other.z, other.rng, other.info, other.moved = copied(
                swept, shared=self.problem.corpus
            )
        else:
            other.z = self.z.copy()
        other.problem = self.problem.with_copied_priors()
        other.averages = self.averages.copy()
        other.prior = self.prior and copy_of(self.prior)
        other.response = self.response and copy_of(self.response)
        other.draws = self.draws.copy()
        other.prior_updates = self.prior_updates.copy()
        other.end()
        return other

    def sums(self) -> tuple[TopicSums, DocumentSums]:
        """Return the sums of the kept samples, of which estimates are made."""
        problem, averages = self.mean_problem, self.averages
        return averages.topic_sums(problem), averages.document_sums(problem, self.prior)


def _check_memory(problem: Problem[Corpus]) -> None:
    """Raise MemoryError if topics of tokens and averages do not fit into memory.

    With kept samples, a document or word has about as many topics as tokens, or fewer.
    """
    n_docs, n_words = problem.corpus.doc_ptr.size - 1, problem.n_words
    n_tokens, n_topics = int(problem.corpus.token_ptr[-1]), problem.n_topics
    n_entries = min(n_tokens, n_docs * n_topics) + min(n_tokens, n_words * n_topics)
    n_bytes = 2 * n_tokens + _ENTRY_BYTES * n_entries
    size = f"{n_tokens:,} tokens, {n_docs:,} documents and {n_words:,} words"
    way_out = "use fewer documents, words or topics"
    check_memory(n_bytes, f"fit to {size}", way_out, whole=True)


def _restore(stored: bytes) -> Chain:
    """Return the chain of `Chain.__reduce_ex__`."""
    return _make(*loads(stored))


def _make(kind, attributes):
    chain = kind.__new__(kind)
    vars(chain).update(attributes)
    return chain
