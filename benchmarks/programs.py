"""What is compared: programs that sweep over one matrix with the same fixed priors.

Each has `sweep(n)` and `estimates()`, theta and phi of the last sweep.
"""

import numpy as np

from benchmarks.common import present_sample
from sklda import CollapsedGibbsLDA
from sklda._sampling import Chain

ALPHA, BETA = 0.1, 0.01


class Sklda:
    """The chain that CollapsedGibbsLDA runs, one sweep at a time."""

    name = "sklda"

    def __init__(self, X, n_topics: int, seed: int):
        lda = CollapsedGibbsLDA(
            n_topics,
            doc_topic_prior=ALPHA,
            topic_word_prior=BETA,
            random_state=seed,
        )
        self.chain: Chain = lda._new_chain(X)

    def sweep(self, n: int) -> None:
        for _ in range(n):
            self.chain.sweep()

    def estimates(self) -> tuple[np.ndarray, np.ndarray]:
        return present_sample(self.chain)


class Tomotopy:
    """tomotopy's LDAModel with one worker; needs the package tomotopy."""

    name = "tomotopy"

    def __init__(self, X, n_topics: int, seed: int):
        import tomotopy

        self.model = tomotopy.LDAModel(k=n_topics, alpha=ALPHA, eta=BETA, seed=seed)
        self.model.optim_interval = 0  # the priors stay fixed
        for d in range(X.shape[0]):
            row = slice(X.indptr[d], X.indptr[d + 1])
            words = np.repeat(X.indices[row], X.data[row])
            self.model.add_doc([str(w) for w in words])
        self.shape = X.shape[0], n_topics, X.shape[1]
        self.model.train(0, workers=1)

    def sweep(self, n: int) -> None:
        self.model.train(n, workers=1)

    def estimates(self) -> tuple[np.ndarray, np.ndarray]:
        n_docs, n_topics, n_words = self.shape
        counts = np.zeros((n_topics, n_words))
        vocabulary = np.array([int(w) for w in self.model.used_vocabs])
        totals = np.asarray(self.model.get_count_by_topics(), dtype=float)
        for k in range(n_topics):
            # phi of the words it has seen; turned back into counts, for its V is less.
            phi = np.asarray(self.model.get_topic_word_dist(k))
            counts[k, vocabulary] = phi * (totals[k] + vocabulary.size * BETA) - BETA
        phi = (counts + BETA) / (totals[:, np.newaxis] + n_words * BETA)
        theta = np.array([doc.get_topic_dist() for doc in self.model.docs])
        assert theta.shape == (n_docs, n_topics)
        return theta, phi


PROGRAMS = {program.name: program for program in (Sklda, Tomotopy)}
