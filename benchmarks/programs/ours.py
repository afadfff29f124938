"""The estimators of sklda, a sweep at a time."""

import time
from functools import partial

import numpy as np

from benchmarks.internals import Chain
from benchmarks.programs import ALPHA, BETA, Program, last_of, normalised
from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA, UncollapsedGibbsLDA

THIN = 10  # sweeps between two kept samples, the default of the estimator


class Sklda(Program):
    """What `fit` of an estimator runs; estimates are those of the last sweep."""

    def __init__(self, chain: Chain):
        self.chain, self.threads = chain, chain.threads

    def sweep(self, n=1):
        for _ in range(n):
            self.chain.sweep()

    def estimates(self, last=None):
        theta, phi = self.chain.estimates()
        return last_of(theta, last), phi


def chain_of(estimator, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, **more) -> Chain:
    """Return the chain of an estimator; `threads` are shards and their threads."""
    if "threads" in more:
        more["n_shards"] = more["n_jobs"] = more.pop("threads")
    priors = {"doc_topic_prior": alpha, "topic_word_prior": beta}
    return Chain(estimator(n_topics, **priors, random_state=seed, **more), X)


def _program(estimator, X, n_topics, seed, **more) -> Sklda:
    return Sklda(chain_of(estimator, X, n_topics, seed, **more))


gibbs = partial(_program, CollapsedGibbsLDA)
augmentation = partial(_program, UncollapsedGibbsLDA)
ecgs = partial(_program, ECGSLDA)
zero_order = partial(_program, CVBLDA, approximation="zero-order")
gaussian = partial(_program, CVBLDA, approximation="gaussian")


class KeptMean(Sklda):
    """The chain of CollapsedGibbsLDA, and means over its samples.

    After sweep s, one of the checkpoints, estimates are those of a fit of s sweeps: the
    mean over every `thin`-th sample after s // 2. A sample is kept in the sweep;
    `times_keeping` says whether that is timed.
    """

    def __init__(
        self, X, n_topics, seed, *, checkpoints, thin=THIN, times_keeping=True, **more
    ):
        super().__init__(chain_of(CollapsedGibbsLDA, X, n_topics, seed, **more))
        self.thin, self.times_keeping = thin, times_keeping
        self.starts = {sweep // 2 for sweep in checkpoints}
        self.sums = {0: (0.0, 0.0, 0)}

    def sweep(self, n=1):
        self.seconds(n)

    def seconds(self, n):
        total = 0.0
        for _ in range(n):
            start = time.perf_counter()
            self.chain.sweep()
            swept = time.perf_counter()
            self._keep()
            total += (time.perf_counter() if self.times_keeping else swept) - start
        return total

    def _keep(self):
        sweep = self.chain.n_sweeps
        if sweep % self.thin == 0:
            self.chain.keep()
        if sweep in self.starts:
            word_topic, doc_topic, n_kept = self.chain.sums()
            # Sums of integers: float32 keeps them as they are.
            sums = (table.astype(np.float32) for table in (word_topic, doc_topic))
            self.sums[sweep] = *sums, n_kept

    def estimates(self, last=None):
        first = self.chain.n_sweeps // 2
        self.sums = {s: sums for s, sums in self.sums.items() if s >= first}
        now = self.chain.sums(present=True)
        word_topic, doc_topic, n_kept = (
            after - before for after, before in zip(now, self.sums[first], strict=True)
        )
        alpha, beta = self.chain.priors
        theta, phi = doc_topic / n_kept + alpha, word_topic.T / n_kept + beta
        return last_of(normalised(theta), last), normalised(phi)
