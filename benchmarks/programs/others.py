"""tomotopy, lda, gensim and scikit-learn's variational Bayes, imported where used."""

import logging

import numpy as np

from benchmarks.programs import ALPHA, BETA, Program, last_of, normalised

GENSIM_CHUNK, ONLINE_BATCH = 2000, 128  # documents


class Tomotopy(Program):
    """tomotopy's LDAModel with as many workers as threads."""

    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        import tomotopy

        self.model = tomotopy.LDAModel(k=n_topics, alpha=alpha, eta=beta, seed=seed)
        self.model.optim_interval = 0  # the priors stay fixed
        for words in words_of(X):
            self.model.add_doc(words.tolist())
        self.shape, self.workers = X.shape, threads
        self.sweep(0)

    def sweep(self, n=1):
        self.model.train(n, workers=self.workers)

    def estimates(self, last=None):
        topics, seen = range(self.model.k), np.array(self.model.used_vocabs, int)
        phi = np.array([self.model.get_topic_word_dist(i) for i in topics], float)
        theta = np.array([doc.get_topic_dist() for doc in self.model.docs])
        assert len(theta) == self.shape[0]  # it drops documents without words
        return last_of(theta, last), with_unseen(phi, seen, self.shape[1])


class Lda(Program):
    """The package lda, by the steps of its fit, which draws a new start each time."""

    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        import lda

        logging.getLogger("lda").setLevel(logging.ERROR)
        self.model = lda.LDA(n_topics, alpha=alpha, eta=beta, random_state=seed)
        self.model._initialize(X)
        self.rng = np.random.RandomState(seed)
        self.numbers = self.model._rands.copy()

    def sweep(self, n=1):
        for _ in range(n):
            self.rng.shuffle(self.numbers)
            self.model._sample_topics(self.numbers)

    def estimates(self, last=None):
        theta = last_of(self.model.ndz_, last) + self.model.alpha
        return normalised(theta), normalised(self.model.nzw_ + self.model.eta)


class Gensim(Program):
    """gensim's LdaModel, a pass over the corpus a sweep."""

    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        from gensim.models import LdaModel

        self.corpus = [
            list(zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True))
            for row in rows_of(X)
        ]
        names = {word: str(word) for word in range(X.shape[1])}
        priors = {"alpha": alpha, "eta": beta, "random_state": seed}
        passes = {"chunksize": GENSIM_CHUNK, "passes": 1, "eval_every": None}
        self.model = LdaModel(num_topics=n_topics, id2word=names, **priors, **passes)

    def sweep(self, n=1):
        for _ in range(n):
            self.model.update(self.corpus)

    def estimates(self, last=None):
        gamma, _ = self.model.inference(last_of(self.corpus, last))
        return normalised(gamma), self.model.get_topics().astype(np.float64)


class BatchVB(Program):
    """scikit-learn's batch variational Bayes, an iteration a sweep."""

    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        from sklearn.decomposition import LatentDirichletAllocation

        self.X = X.astype(np.float64)
        priors = {"doc_topic_prior": alpha, "topic_word_prior": beta}
        fixed = {"learning_method": "batch", "max_iter": 0, "evaluate_every": 0}
        fixed |= {"n_jobs": threads, "random_state": seed}
        self.lda = LatentDirichletAllocation(n_topics, **priors, **fixed)
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
    """scikit-learn's online variational Bayes, a pass over the corpus a sweep."""

    def __init__(self, X, n_topics, seed, **options):
        super().__init__(X, n_topics, seed, **options)
        self.lda.set_params(batch_size=ONLINE_BATCH, total_samples=X.shape[0])

    def sweep(self, n=1):
        for _ in range(n):
            self.lda.partial_fit(self.X)


def rows_of(X):
    return map(slice, X.indptr[:-1], X.indptr[1:])


def words_of(X):
    """Yield the words of each document, by their numbers as text."""
    names = np.arange(X.shape[1]).astype(str).astype(object)
    return (np.repeat(names[X.indices[row]], X.data[row]) for row in rows_of(X))


def with_unseen(phi, seen, n_words: int):
    """Return phi of all words, given that of the words in the training documents.

    Any other is as probable as a word that the topic does not have: the least of its
    row.
    """
    every = np.repeat(phi.min(axis=1, keepdims=True), n_words, axis=1)
    every[:, seen] = phi
    return normalised(every)
