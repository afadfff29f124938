"""Seconds, memory and quality of fits."""

from internals import Chain
from synthetic import zipf_corpus

from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA, UncollapsedGibbsLDA

PRIORS = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "random_state": 0}
SHAPE = 2000, 8000, 300_000  # documents, words, tokens
ESTIMATORS = {
    "CollapsedGibbsLDA": CollapsedGibbsLDA,
    "nested": lambda k, **given: CollapsedGibbsLDA(k, blocking="nested", **given),
    "UncollapsedGibbsLDA": UncollapsedGibbsLDA,
    "ECGSLDA": ECGSLDA,
    "CVBLDA": CVBLDA,
}


class Sweep:
    """Seconds of a sweep at steady state, on one thread."""

    params = (tuple(ESTIMATORS), (20, 100, 400, 1000))
    param_names = ("estimator", "topics")
    number, repeat, rounds, warmup_time = 1, 3, 1, 0  # each has its own setup
    timeout = 600

    def setup(self, name, n_topics):
        lda = ESTIMATORS[name](n_topics, **PRIORS)
        self.chain = Chain(lda, zipf_corpus(*SHAPE))
        self.chain.sweep(10)

    def time_sweep(self, name, n_topics):
        self.chain.sweep()


class ShardedSweep:
    """Seconds of a sweep of two shards, by threads."""

    params = ((1, 2), (100, 1000))
    param_names = ("threads", "topics")
    number, repeat, rounds, warmup_time = 1, 5, 1, 0

    def setup(self, n_threads, n_topics):
        lda = CollapsedGibbsLDA(n_topics, **PRIORS, n_shards=2, n_jobs=n_threads)
        self.chain = Chain(lda, zipf_corpus(*SHAPE))
        self.chain.sweep()

    def time_sweep(self, n_threads, n_topics):
        with self.chain.threads():
            self.chain.sweep()


class Fit:
    """Peak memory, and how well held-out documents are predicted."""

    params = (tuple(ESTIMATORS),)
    param_names = ("estimator",)
    timeout = 600

    def setup_cache(self):
        X = zipf_corpus(*SHAPE)
        return X[:1600], X[1600:]

    def peakmem_fit(self, corpus, name):
        chain = Chain(ESTIMATORS[name](100, **PRIORS), corpus[0])
        chain.sweep()
        chain.estimates()

    def track_perplexity(self, corpus, name):
        given = {"tol": 0} if name == "CVBLDA" else {}
        lda = ESTIMATORS[name](100, **PRIORS, **given, max_iter=100)
        return lda.fit(corpus[0]).perplexity(corpus[1])


class Inference:
    def setup(self):
        X = zipf_corpus(*SHAPE)
        self.test = X[1600:]
        self.lda = CollapsedGibbsLDA(100, **PRIORS, max_iter=20).fit(X[:1600])
        self.time_transform()
        self.time_score()

    def time_transform(self):
        self.lda.transform(self.test)

    def time_score(self):
        self.lda.score(self.test)
