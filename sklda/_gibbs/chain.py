"""One Markov chain: sweep, learn the priors, record the trace, average samples.

It knows no sampler: `kernel` is any module of `sklda._kernels` with the functions that
its docstring names.
"""

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from sklda._core.corpus import parts, some_documents
from sklda._core import doc_topic_counts as tally
from sklda._core.problem import Corpus, Priors, add_changes, pad_prior, padded
from sklda._core.random_streams import new_stream
from sklda._core.minka import learn_doc_topic, learn_topic_word
from sklda._core.threads import Threaded

LEARNING_INTERVAL = 10  # sweeps between two updates of the priors


class Schedule(NamedTuple):
    """What happens at which sweep; sweeps are counted from 1."""

    max_iter: int
    burn_in: int
    thin: int
    evaluate_every: int
    learn_priors: str | None

    def learns(self, sweep: int) -> bool:
        """Whether the priors are learned: in burn-in only, then they are frozen."""
        wanted = self.learn_priors is not None and sweep <= self.burn_in
        return wanted and sweep % LEARNING_INTERVAL == 0

    def evaluates(self, sweep: int) -> bool:
        """Whether the trace gets an entry."""
        return self.evaluate_every > 0 and sweep % self.evaluate_every == 0

    def keeps(self, sweep: int) -> bool:
        """Whether the sample is averaged: every `thin`-th, back from the last."""
        return sweep > self.burn_in and (self.max_iter - sweep) % self.thin == 0


class Shard(NamedTuple):
    """Some documents: how they are swept, on which state, with which stream."""

    corpus: Corpus
    sweep: Callable  # of state, priors, rng
    state: tuple
    rng: np.ndarray


class Chain(Threaded):
    """The state of a chain, its trace, and the sum of the samples that it kept.

    The documents of one shard sweep on the state itself. Those of several sweep side by
    side, each on its own copy of the counts; then the changes of all copies are added
    (Newman et al., "Distributed algorithms for topic models", JMLR 2009). The threads
    that do it make no difference to the samples.
    """

    def __init__(
        self,
        kernel,
        corpus: Corpus,
        n_words,
        doc_topic_prior,
        beta,
        seed,
        n_shards=1,
        n_jobs=None,
    ):
        self.kernel = kernel
        self.corpus = corpus
        self.n_words = n_words
        self.n_topics = doc_topic_prior.size
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = beta
        self.lengths = np.diff(corpus.token_ptr[corpus.doc_ptr])
        self.rng = new_stream(seed)
        self.state = kernel.init(corpus, n_words, self._kernel_priors(), self.rng)
        self.n_sweeps = 0
        self.log_joint: list[float] = []
        self.log_joint_sweeps: list[int] = []
        self.n_kept = 0
        self.last_kept = 0  # its sweep
        self._word_topic_sum = np.zeros((n_words, self.n_topics))
        self._doc_topic_sum = np.zeros((self.lengths.size, self.n_topics))
        self._copies = None
        self.shards = self._cut(n_shards, seed)
        self._use_threads(n_jobs, len(self.shards))

    def _cut(self, n_shards, seed: np.random.SeedSequence) -> list[Shard]:
        """Divide the documents into shards of about equal tokens."""
        tokens_before = self.corpus.token_ptr[self.corpus.doc_ptr]
        cuts = list(parts(tokens_before, n_shards))
        if len(cuts) == 1:
            sweep = self._new_sweep(self.corpus, seed)
            return [Shard(self.corpus, sweep, *self._states(1), self.rng)]
        shards = []
        seeds = seed.spawn(len(cuts))
        for documents, own, state in zip(
            cuts, seeds, self._states(len(cuts)), strict=True
        ):
            corpus = some_documents(self.corpus, *documents)
            sweep = self._new_sweep(corpus, own)
            shards.append(Shard(corpus, sweep, state, new_stream(own)))
        return shards

    def _states(self, n_shards) -> list[tuple]:
        """Return the state that each shard sweeps on."""
        if n_shards == 1:
            return [self.state]
        self._copies = self.kernel.copies(self.state, n_shards)
        return [self.kernel.copy(self._copies, i) for i in range(n_shards)]

    def _new_sweep(self, corpus: Corpus, seed: np.random.SeedSequence) -> Callable:
        """Return what redraws the tokens of some documents."""
        return partial(self.kernel.sweep, corpus)

    def change_kernel(self, kernel) -> None:
        """Go on from the present topics with another sampler of the same posterior."""
        self.kernel = kernel
        self.state = kernel.seat(
            self.corpus, self.n_words, self._kernel_priors(), self.state.z
        )
        states = self._states(len(self.shards))
        self.shards = [
            shard._replace(sweep=partial(kernel.sweep, shard.corpus), state=state)
            for shard, state in zip(self.shards, states, strict=True)
        ]

    def _kernel_priors(self) -> Priors:
        alpha = pad_prior(self.doc_topic_prior)
        return Priors(alpha, np.float32(self.topic_word_prior))

    def sweep(self) -> None:
        """Redraw every token once."""
        self._redraw()
        self.n_sweeps += 1

    def _redraw(self) -> None:
        priors = self._kernel_priors()

        def redraw(shard):
            shard.sweep(shard.state, priors, shard.rng)

        list(self._map(redraw, self.shards))
        if self._copies is not None:
            self._merge()

    def _merge(self) -> None:
        """Add the changes of all copies to the state, and make them equal to it."""

        def merge(words):
            self.kernel.merge(self.state, self._copies, *words)

        add_changes(self.state.topic, [shard.state.topic for shard in self.shards])
        list(self._map(merge, parts(np.arange(self.n_words + 1), self.n_threads)))

    def learn_priors(self, *, symmetric: bool) -> None:
        """Fit both priors to the present assignments."""
        counts = self.kernel.read_counts(self.state)
        topics, tokens = self._doc_topic_cells()
        self.doc_topic_prior = learn_doc_topic(
            self.doc_topic_prior, topics, tokens, self.lengths, symmetric=symmetric
        )
        self.topic_word_prior = learn_topic_word(
            self.topic_word_prior,
            _histogram(counts.word_topic),
            counts.topic[: self.n_topics],
            self.n_words,
        )

    def _doc_topic_cells(self):
        return tally.doc_topic_cells(self.corpus, self.state.z, padded(self.n_topics))

    def evaluate(self) -> float:
        """Enter log p(w, z | alpha, beta) into the trace, and return it."""
        counts = self.kernel.read_counts(self.state)
        topics, tokens = self._doc_topic_cells()
        alpha, beta = self.doc_topic_prior, self.topic_word_prior
        value = (
            (gammaln(alpha.sum()) - gammaln(self.lengths + alpha.sum())).sum()
            + (gammaln(tokens + alpha[topics]) - gammaln(alpha)[topics]).sum()
            + log_word_likelihood(counts, beta, self.n_words, self.n_topics)
        )
        self.log_joint.append(float(value))
        self.log_joint_sweeps.append(self.n_sweeps)
        return self.log_joint[-1]

    def keep(self) -> None:
        """Add the present sample to the averages."""
        counts = self.kernel.read_counts(self.state)
        self._word_topic_sum += counts.word_topic[:, : self.n_topics]
        tally.add_doc_topic(self.corpus, self.state.z, self._doc_topic_sum)
        self.n_kept += 1
        self.last_kept = self.n_sweeps

    def glimpse(self) -> "Chain":
        """Return a copy, as if stopped here, while this chain goes on."""
        other = copy(self)
        other.state = self.state._replace(z=self.state.z.copy())
        other._word_topic_sum = self._word_topic_sum.copy()
        other._doc_topic_sum = self._doc_topic_sum.copy()
        other.keep_last()
        return other

    def keep_last(self) -> None:
        """Keep the present sample unless that has been done."""
        if self.last_kept < self.n_sweeps:
            self.keep()

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """End the chain and return the averages of the kept samples.

        These are the word-topic counts plus beta, (n_topics, n_words), and theta,
        (n_docs, n_topics). The sums become the averages: no second table is made.
        """
        components = self._word_topic_sum
        components /= self.n_kept
        components += self.topic_word_prior
        theta = self._doc_topic_sum
        theta /= self.n_kept
        theta += self.doc_topic_prior
        theta /= (self.lengths + self.doc_topic_prior.sum())[:, np.newaxis]
        return components.T, theta


def log_word_likelihood(counts, beta, n_words, n_topics) -> float:
    """Return log p(w | z, beta), phi integrated out, with all constants."""
    histogram = _histogram(counts.word_topic)
    occurring = np.flatnonzero(histogram)
    totals = counts.topic[:n_topics]
    return (
        n_topics * gammaln(n_words * beta)
        - gammaln(totals + n_words * beta).sum()
        + (histogram * 1.0)[occurring] @ (gammaln(occurring + beta) - gammaln(beta))
    )


def _histogram(word_topic, rows=512):
    """Count how many entries are 0, 1, 2, ...; a few rows at a time to save memory."""
    histogram = np.zeros(word_topic.max(initial=0) + 1, np.int64)
    for first in range(0, word_topic.shape[0], rows):
        part = np.bincount(word_topic[first : first + rows].ravel())
        histogram[: part.size] += part
    return histogram


def run(chain: Chain, schedule: Schedule, after_sweep) -> None:
    """Run the chain; ``after_sweep(chain)`` may return True to stop it early.

    A chain that is stopped early keeps its last sample, whatever the schedule says.
    """
    with chain.threads():
        for sweep in range(1, schedule.max_iter + 1):
            chain.sweep()
            if schedule.learns(sweep):
                chain.learn_priors(symmetric=schedule.learn_priors == "symmetric")
            if schedule.evaluates(sweep):
                chain.evaluate()
            if schedule.keeps(sweep):
                chain.keep()
            if after_sweep(chain):
                chain.keep_last()
                return
