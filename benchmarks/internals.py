"""The private names of sklda that the benchmarks use: in this file and in no other.

It imports nothing else of the benchmarks, because those of asv import it by itself.
"""

from functools import partial

import numpy as np

from sklda import ECGSLDA
from sklda._corpus import check_weights, cut_cells
from sklda._inference import completion_log_likelihood
from sklda._sampling import Shard
from sklda._threads import Threaded


class Chain:
    """What `fit` of an estimator runs: a chain, or a fit of CVBLDA."""

    def __init__(self, lda, X):
        new = lda._new_chain if hasattr(lda, "_new_chain") else lda._new_fit
        self._chain = chain = new(X)
        self.threads, self.keep = chain.threads, getattr(chain, "keep", None)
        self.priors = chain.doc_topic_prior, chain.topic_word_prior  # alpha, beta

    @property
    def n_sweeps(self) -> int:
        return self._chain.n_sweeps

    def sweep(self, n=1) -> None:
        for _ in range(n):
            self._chain.sweep()

    def estimates(self, last=None) -> tuple[np.ndarray, np.ndarray]:
        """Return theta of the last documents, or all, and phi: of the last sweep."""
        components, theta = self._chain.glimpse().finish()
        phi = components / components.sum(axis=1, keepdims=True)
        return theta if last is None else theta[-last:], phi

    def log_joint(self) -> float:
        return self._chain.evaluate()

    def sampling_rate(self) -> list[float]:
        """Return draws / tokens of each sweep: 1 for a chain that does not count."""
        return getattr(self._chain, "sampling_rate", [1.0] * self.n_sweeps)

    def sums(self, *, present=False) -> tuple[np.ndarray, np.ndarray, int]:
        """Return sums of word-topic and doc-topic counts over how many kept samples."""
        chain = self._chain.glimpse() if present else self._chain
        return chain._word_topic_sum, chain._doc_topic_sum, chain.n_kept

    def separate_tokens(self) -> None:
        """Make each token a cell of its own, in a chain of one shard."""
        chain = self._chain
        tokens = cut_cells(chain.corpus, 1)
        sweep = partial(chain.kernel.sweep, tokens)
        chain.shards = [Shard(tokens, sweep, chain.state, chain.rng)]


class SideBySide(Threaded):
    """Chains that have nothing in common, each swept by a thread of its own."""

    def __init__(self, chains: list[Chain]):
        self.chains = chains
        self._use_threads(len(chains), len(chains))

    def sweep(self, n=1) -> None:
        list(self._map(lambda chain: chain.sweep(n), self.chains))


def completion_score(X, topic_word, doc_topic_prior: float) -> float:
    """Return the log probability per token of unseen documents, as `score` does."""
    documents = check_weights(ECGSLDA(), X, reset=True, whole=True)
    alpha = np.full(topic_word.shape[0], doc_topic_prior)
    return completion_log_likelihood(documents, topic_word, alpha) / float(X.sum())
