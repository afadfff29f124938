"""The private names of sklda that the benchmarks use: in this file and in no other.

It imports nothing else of the benchmarks, because those of asv import it by itself.
"""

import numpy as np

from sklda import CVBLDA, ECGSLDA
from sklda._base.fold_in import completion_log_likelihood
from sklda._base.parameters import make_problem, random_streams
from sklda._core.corpus import check_corpus, check_weights, split_cells
from sklda._core.threads import Threads
from sklda._cvb.engine import Engine
from sklda._cvb.estimator import APPROXIMATIONS
from sklda._ecgs.samplers import draws_made
from sklda._gibbs.chain import Chain as GibbsChain


class Chain:
    """What `fit` of an estimator runs: a chain, or the engine of CVBLDA."""

    def __init__(self, lda, X):
        self._threads = Threads(lda.n_jobs)
        self.keep = None
        rng = random_streams(lda.random_state)
        if isinstance(lda, CVBLDA):
            problem = make_problem(lda, lda._check_weights(X, reset=True))
            approximation = APPROXIMATIONS[lda.approximation]
            n_shards, threads = lda.n_shards, self._threads
            self._chain = Engine(approximation, problem, rng, n_shards, threads)
        else:
            problem = make_problem(lda, check_corpus(lda, X, reset=True))
            sampler = lda._make_sampler(problem, self._threads)
            self._chain = GibbsChain(sampler, problem, rng)
            self.keep = self._chain.keep
        self.priors = problem.doc_topic_prior, problem.topic_word_prior  # alpha, beta

    def threads(self) -> Threads:
        """Return the threads that shards use inside ``with``."""
        return self._threads

    @property
    def n_sweeps(self) -> int:
        return self._chain.n_sweeps

    def sweep(self, n=1) -> None:
        for _ in range(n):
            self._chain.sweep()

    def estimates(self, last=None) -> tuple[np.ndarray, np.ndarray]:
        """Return theta of the last documents, or all, and phi: of the last sweep."""
        if isinstance(self._chain, Engine):
            components, theta = self._chain.estimates()
        else:
            components, theta = self._chain.snapshot().finish()
        phi = components / components.sum(axis=1, keepdims=True)
        return theta if last is None else theta[-last:], phi

    def log_joint(self) -> float:
        self._chain.evaluate()
        return self._chain.log_joint[-1]

    def sampling_rate(self) -> list[float]:
        """Return draws / tokens of each sweep: 1 for a chain that does not count."""
        state = self._chain.state
        if not hasattr(getattr(state, "shards", [state])[0], "draws_made"):
            return [1.0] * self.n_sweeps
        return (draws_made(state) / state.z.size).tolist()

    def sums(self, *, present=False) -> tuple[np.ndarray, np.ndarray, int]:
        """Return sums of word-topic and doc-topic counts over how many kept samples."""
        chain = self._chain.snapshot() if present else self._chain
        averages = chain.averages
        return averages.word_topic, averages.doc_topic, averages.n_kept

    def separate_tokens(self) -> None:
        """Make each token a cell of its own, in a chain of one shard."""
        problem = self._chain.problem
        tokens = split_cells(problem.corpus, 1)
        self._chain.problem = problem._replace(corpus=tokens)


class SideBySide:
    """Chains that have nothing in common, each swept by a thread of its own."""

    def __init__(self, chains: list[Chain]):
        self.chains = chains
        self._threads = Threads(len(chains))

    def threads(self) -> Threads:
        """Return the threads, one for each chain."""
        return self._threads

    def sweep(self, n=1) -> None:
        self._threads.map(lambda chain: chain.sweep(n), self.chains)


def completion_score(X, topic_word, doc_topic_prior: float) -> float:
    """Return the log probability per token of unseen documents, as `score` does."""
    documents = check_weights(ECGSLDA(), X, reset=True, whole=True)
    alpha = np.full(topic_word.shape[0], doc_topic_prior)
    return completion_log_likelihood(documents, topic_word, alpha) / float(X.sum())
