"""sklda as a program of the comparison."""

import numpy as np

from benchmarks.common import present_sample
from benchmarks.compare.peers import ALPHA, BETA, Program, last_of, normalised
from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA

THIN = 10  # sweeps between two kept samples, the default of the estimator


class Gibbs(Program):
    """The chain of CollapsedGibbsLDA; estimates are those of its last sweep."""

    estimator = CollapsedGibbsLDA

    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        lda = self.estimator(
            n_topics,
            doc_topic_prior=alpha,
            topic_word_prior=beta,
            n_shards=threads,
            n_jobs=threads,
            random_state=seed,
        )
        self.chain = self._start(lda, X)
        self.threads = self.chain.threads

    def _start(self, lda, X):
        return lda._new_chain(X)

    def sweep(self, n=1):
        for _ in range(n):
            self.chain.sweep()

    def estimates(self, last=None):
        theta, phi = present_sample(self.chain)
        return last_of(theta, last), phi


class KeptMean(Gibbs):
    """The same chain; after sweep s the mean over every `thin`-th sample after s // 2.

    That is what a fit of s sweeps gives. `asked` are the sweeps after which estimates
    may be asked for. To keep a sample is part of the sweep, and timed with it.
    """

    def __init__(self, X, n_topics, seed, *, asked, thin=THIN, **options):
        super().__init__(X, n_topics, seed, **options)
        self.thin = thin
        self.starts = {sweep // 2 for sweep in asked}
        self.sums = {0: (0.0, 0.0, 0)}

    def sweep(self, n=1):
        for _ in range(n):
            self.chain.sweep()
            self.observe()

    def observe(self):
        sweep = self.chain.n_sweeps
        if sweep % self.thin == 0:
            self.chain.keep()
        if sweep in self.starts:
            word_topic, doc_topic, n_kept = self._sums(self.chain)
            # Sums of integers: float32 keeps them as they are.
            sums = (table.astype(np.float32) for table in (word_topic, doc_topic))
            self.sums[sweep] = *sums, n_kept

    def _sums(self, chain):
        return chain._word_topic_sum, chain._doc_topic_sum, chain.n_kept

    def estimates(self, last=None):
        first = self.chain.n_sweeps // 2
        self.sums = {s: sums for s, sums in self.sums.items() if s >= first}
        now = self._sums(self.chain.glimpse())  # with the present sample
        word_topic, doc_topic, n_kept = (
            after - before for after, before in zip(now, self.sums[first], strict=True)
        )
        theta = doc_topic / n_kept + self.chain.doc_topic_prior
        phi = word_topic.T / n_kept + self.chain.topic_word_prior
        return last_of(normalised(theta), last), normalised(phi)


class Grouped(Gibbs):
    """The chain of ECGSLDA: fewer draws than tokens, an approximation."""

    estimator = ECGSLDA


class ZeroOrder(Gibbs):
    """The fit of CVBLDA, zero-order."""

    approximation = "zero-order"
    estimator = CVBLDA

    def _start(self, lda, X):
        return lda.set_params(approximation=self.approximation)._new_fit(X)


class Gaussian(ZeroOrder):
    """The fit of CVBLDA with the Gaussian approximation."""

    approximation = "gaussian"
