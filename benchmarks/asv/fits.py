"""Seconds, memory and quality of fits, and seconds before the first sweep."""

import os
import subprocess
import sys
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np

from sklda import (
    CVBLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    PartiallyCollapsedGibbsLDA,
    UncollapsedGibbsLDA,
)
from sklda.datasets import make_lda_corpus

PRIORS = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "random_state": 0}
N_DOCUMENTS, N_WORDS, N_TOPICS = 2000, 8000, 100
MEAN_LOG, SPREAD = 4.8, 0.6  # of the logarithm of document lengths
RANK_SHIFT, EXPONENT = 2.7, 1.05  # of Zipf and Mandelbrot
CONCENTRATION = 800.0  # sum of the Dirichlet parameters of topics
TOPICS_PER_DOCUMENT = 5.0  # sum of the Dirichlet parameters
ESTIMATORS = {
    "CollapsedGibbsLDA": CollapsedGibbsLDA,
    "nested": partial(CollapsedGibbsLDA, blocking="nested"),
    "two shards": partial(CollapsedGibbsLDA, n_shards=2),
    "two shards, two threads": partial(CollapsedGibbsLDA, n_shards=2, n_jobs=2),
    "PartiallyCollapsedGibbsLDA": PartiallyCollapsedGibbsLDA,
    "UncollapsedGibbsLDA": UncollapsedGibbsLDA,
    "ECGSLDA": ECGSLDA,
    "CVBLDA": partial(CVBLDA, tol=0),
}


def zipf_corpus():
    """Return documents of log-normal lengths, whose topics share a law of Zipf."""
    zipf = (np.arange(1, N_WORDS + 1) + RANK_SHIFT) ** -EXPONENT
    lengths = np.random.default_rng(0).lognormal(MEAN_LOG, SPREAD, N_DOCUMENTS)
    X, _, _ = make_lda_corpus(
        N_DOCUMENTS,
        N_WORDS,
        N_TOPICS,
        document_length=np.ceil(lengths).astype(int),
        doc_topic_prior=TOPICS_PER_DOCUMENT / N_TOPICS,
        topic_word_prior=CONCENTRATION * zipf / zipf.sum(),
        random_state=0,
    )
    return X


class Fit:
    """Seconds of 20 sweeps, and peak memory; on one thread, except `two threads`."""

    params = (tuple(ESTIMATORS), (20, 100, 400, 1000))
    param_names = ("estimator", "topics")
    number, repeat, rounds, warmup_time = 1, 3, 1, 0
    timeout = 600

    def setup(self, name, n_topics):
        self.X = zipf_corpus()
        self.lda = ESTIMATORS[name](n_topics, max_iter=20, **PRIORS)
        self.lda.fit(self.X[:10])  # compiles

    def time_fit(self, name, n_topics):
        self.lda.fit(self.X)

    peakmem_fit = time_fit


class Quality:
    """Perplexity of documents that were not fitted."""

    params = (tuple(ESTIMATORS),)
    param_names = ("estimator",)
    timeout = 600

    def track_perplexity(self, name):
        X = zipf_corpus()
        lda = ESTIMATORS[name](100, **PRIORS, max_iter=100)
        return lda.fit(X[:1600]).perplexity(X[1600:])


class Inference:
    def setup(self):
        X = zipf_corpus()
        self.test = X[1600:]
        self.lda = CollapsedGibbsLDA(100, **PRIORS, max_iter=20).fit(X[:1600])

    def time_transform(self):
        self.lda.transform(self.test)

    def time_score(self):
        self.lda.score(self.test)


FIRST_FIT = """
from sklda import CollapsedGibbsLDA
CollapsedGibbsLDA({}, max_iter=20, random_state=0).fit([[2, 1], [0, 3]])
"""


def timeraw_import():
    return "import sklda"


def timeraw_import_of_others():  # which sklda imports
    return "import numba, sklearn.decomposition, joblib"


class FirstFit:
    """A first fit, with compiled kernels on disk or without them."""

    params = ((20, 1000), (True, False))
    param_names = ("topics", "compiled")
    number, repeat, rounds, warmup_time = 1, 3, 1, 0
    timeout = 300

    def setup(self, n_topics, compiled):
        self.folder = TemporaryDirectory()
        if compiled:
            self.time_fit(n_topics, compiled)

    def time_fit(self, n_topics, compiled):
        environment = {**os.environ, "NUMBA_CACHE_DIR": self.folder.name}
        command = [sys.executable, "-c", FIRST_FIT.format(n_topics)]
        subprocess.run(command, env=environment, check=True)
