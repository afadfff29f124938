"""The estimators of sklda, a sweep at a time or fitted as users do."""

from functools import partial

import numpy as np

from benchmarks.internals import Sklda
from benchmarks.programs import last_of, normalised
from benchmarks.programs.fits import Fits
from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA

gibbs = partial(Sklda, CollapsedGibbsLDA)
ecgs = partial(Sklda, ECGSLDA)
zero_order = partial(Sklda, CVBLDA, approximation="zero-order")
gaussian = partial(Sklda, CVBLDA, approximation="gaussian")


class KeptMean(Sklda):
    """The chain of an estimator, and means over its samples.

    After sweep s, one of the checkpoints, estimates are the mean over every `thin`-th
    sample after s // 2. `seconds` keeps them, and may count that; `sweep` does not.
    """

    def __init__(
        self,
        *of,
        checkpoints,
        thin=10,
        times_keeping=True,
        estimator=CollapsedGibbsLDA,
        **parameters,
    ):
        super().__init__(estimator, *of, **parameters)
        self.thin, self.times_keeping = thin, times_keeping
        self.starts = {sweep // 2 for sweep in checkpoints}
        self.kept_until = {0: (0.0, 0.0, 0)}

    def seconds(self, n):
        total = 0.0
        for _ in range(n):
            start = self.clock()
            self.sweep()
            swept = self.clock()
            if self.n_sweeps % self.thin == 0:
                self.keep()
            if self.n_sweeps in self.starts:
                # Sums of integers: float32 keeps them as they are.
                *sums, n_kept = self.sums()
                sums = (table.astype(np.float32) for table in sums)
                self.kept_until[self.n_sweeps] = *sums, n_kept
            total += (self.clock() if self.times_keeping else swept) - start
        return total

    def estimates(self, last=None):
        first, kept = self.n_sweeps // 2, self.kept_until
        self.kept_until = {s: sums for s, sums in kept.items() if s >= first}
        pairs = zip(self.sums(present=True), kept[first], strict=True)
        word_topic, doc_topic, n_kept = (now - before for now, before in pairs)
        alpha, beta = self.priors
        theta, phi = doc_topic / n_kept + alpha, word_topic.T / n_kept + beta
        return last_of(normalised(theta), last), normalised(phi)


class Fit(Fits):
    """CollapsedGibbsLDA as users fit it: an annealed start, and means over samples."""

    def load(self, X, threads):
        self.X, self.threads_of_fit = X, threads

    def fit(self, first, **samples):
        n_topics, alpha_sum = self.given["num_topics"], self.given["alpha_sum"]
        n_jobs = self.threads_of_fit
        self.model = CollapsedGibbsLDA(
            n_topics,
            doc_topic_prior=alpha_sum / n_topics,
            topic_word_prior=self.given["beta"],
            max_iter=max(first, 1),
            evaluate_every=0,
            n_shards=n_jobs,
            n_jobs=n_jobs,
            random_state=self.given["seed"],
        ).fit(self.X)
        self.found = self.model.doc_topic_, self.model.topic_word_  # made when read

    def estimates(self, last=None):
        return last_of(self.found[0], last), self.found[1]
