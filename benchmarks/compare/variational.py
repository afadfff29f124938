"""scikit-learn's variational Bayes as a program of the comparison."""

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.compare.peers import ALPHA, BETA, Program, last_of, normalised

ONLINE_BATCH = 128  # documents


class BatchVB(Program):
    """Batch variational Bayes, an iteration a sweep."""

    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        self.X = X.astype(np.float64)
        self.lda = LatentDirichletAllocation(
            n_topics,
            doc_topic_prior=alpha,
            topic_word_prior=beta,
            learning_method="batch",
            max_iter=0,
            evaluate_every=0,
            n_jobs=threads,
            random_state=seed,
        )
        # Only draws the start, which depends on nothing but the number of words.
        self.lda.fit(np.ones((1, X.shape[1])))

    def sweep(self, n=1):
        n_docs = self.X.shape[0]
        for _ in range(n):
            self.lda._em_step(self.X, total_samples=n_docs, batch_update=True)

    def estimates(self, last=None):
        theta = self.lda.transform(last_of(self.X, last))
        return theta, normalised(self.lda.components_)


class OnlineVB(BatchVB):
    """Online variational Bayes, a pass over the corpus a sweep."""

    def __init__(self, X, n_topics, seed, **options):
        super().__init__(X, n_topics, seed, **options)
        self.lda.set_params(batch_size=ONLINE_BATCH, total_samples=X.shape[0])

    def sweep(self, n=1):
        for _ in range(n):
            self.lda.partial_fit(self.X)
