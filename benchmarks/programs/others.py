"""Other programs, imported where they are used."""

import gzip
import logging
import os
import re
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.programs import ALPHA, BETA, Program, last_of, normalised

GENSIM_CHUNK, ONLINE_BATCH = 2000, 128  # documents
N_SAMPLES, APART = 5, 25  # averaged by topica and pyrmallet, and the sweeps between
N_STARTS = 3  # fits of no sweeps, of which the fastest counts
SWEPT = re.compile(r"\d+m?s $")  # the line of a sweep in the log of mallet
MALLET_LOGGING = Path(__file__).with_name("mallet.properties")


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
        from gensim.matutils import Sparse2Corpus
        from gensim.models import LdaModel

        rows = Sparse2Corpus(X, documents_columns=False)
        self.corpus = [list(document) for document in rows]
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
        # Only draws the start, which depends only on the number of words.
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


class Fits(Program):
    """A program that fits in one call and takes no commands between sweeps.

    After s sweeps it is a fit of s sweeps from the start. What n sweeps take is what
    that takes longer than the fit before, without the start and what a fit returns.
    Estimates are those of the last sweep, or its own mean over samples.
    """

    def __init__(
        self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1, averages=False
    ):
        self.load(X, threads)
        # Both take the sum of alpha over topics; the priors stay fixed.
        self.given = {"alpha_sum": alpha * n_topics, "beta": beta, "seed": seed}
        self.given |= {"num_topics": n_topics, "optimize_interval": 0}
        self.shape, self.averages = X.shape, averages
        self.n_sweeps = 0
        self.last_fit = min(self.time_fit() for _ in range(N_STARTS))

    def seconds(self, n):
        before, self.n_sweeps = self.last_fit, self.n_sweeps + n
        self.last_fit = max(before, self.time_fit())  # clocks are noisy
        return self.last_fit - before

    def time_fit(self) -> float:
        start = self.clock()
        self.fit(**self.schedule())
        return self.clock() - start

    def schedule(self) -> dict[str, int]:
        """Return the first sweeps, the samples, and the sweeps before each of these."""
        n = min(N_SAMPLES, self.n_sweeps // APART) if self.averages else 0
        apart = APART if n else 0
        first = self.n_sweeps - n * apart
        return {"first": first, "num_samples": n or 1, "sample_interval": apart}


class Topica(Fits):
    """topica's LDA; `sampler` is its own name of one."""

    sampler = "sparse"

    def load(self, X, threads):
        import topica

        self.corpus = topica_corpus(X)
        self.new = partial(topica.LDA, sampler=self.sampler, num_threads=threads)

    def fit(self, first, **samples):
        self.model = self.new(**self.given)
        traces = {"check_every": 0, "keep_theta_draws": False}
        self.model.fit(self.corpus, iters=first, **samples, **traces)

    def estimates(self, last=None):
        assert len(self.model.doc_topic) == self.shape[0]  # it drops empty documents
        return last_of(self.model.doc_topic, last), self.model.topic_word


class Warp(Topica):
    sampler = "warp"


class LightLDA(Topica):
    sampler = "lightlda"


class Pyrmallet(Fits):
    """pyrmallet's functions; its estimator takes no words that are numbers."""

    def load(self, X, threads):
        import pyrmallet._rust_mallet as rust

        texts = [" ".join(words) for words in words_of(X)]
        self.corpus = rust.Corpus.from_strings(texts, token_regex=r"\d+")
        self.train = rust.train

    def fit(self, first, **samples):
        options = {"iterations": first, **samples, **self.given}
        self.model = self.train(self.corpus, **options)

    def estimates(self, last=None):
        theta = np.array(self.model.doc_topic_matrix())
        assert len(theta) == self.shape[0]  # it drops empty documents
        seen = np.array(self.model.vocabulary, int)
        phi = np.array(self.model.topic_word_matrix())
        return last_of(theta, last), with_unseen(phi, seen, self.shape[1])


topica_mean = partial(Topica, averages=True)
pyrmallet_mean = partial(Pyrmallet, averages=True)


class Mallet(Program):
    """The program mallet, if it is on the PATH; it starts anew each turn.

    A sweep takes the time between two lines of its log.
    """

    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        self.shape, self.n_topics = X.shape, n_topics
        self.alpha, self.beta, self.n_sweeps = alpha, beta, 0
        self.folder = TemporaryDirectory()
        path = Path(self.folder.name)
        self.state = path / "state.gz"
        with open(path / "corpus.txt", "w") as text:  # words are their numbers
            for d, words in enumerate(words_of(X)):
                text.write(f"{d} none {' '.join(words)}\n")
        corpus = {"input": path / "corpus.txt", "output": path / "corpus.mallet"}
        corpus |= {"token-regex": r"\d+", "keep-sequence": "TRUE"}
        self._run("import-file", **corpus)
        self.options = {
            "input": corpus["output"],
            "output-state": self.state,
            "num-topics": n_topics,
            "alpha": alpha * n_topics,
            "beta": beta,
            "random-seed": seed + 1,  # 0 is the clock
            "num-threads": threads,
            "optimize-interval": 0,
            "show-topics-interval": 0,
        }

    def _run(self, command: str, **options) -> list[tuple[float, str]]:
        """Run a command of the program; return the lines of its log and their times."""
        flags = os.environ.get("JAVA_TOOL_OPTIONS", "")
        flags += f" -Djava.util.logging.config.file={MALLET_LOGGING}"
        settings = {"MALLET_MEMORY": "4g", **os.environ, "JAVA_TOOL_OPTIONS": flags}
        words = [f"{word}" for k, v in options.items() for word in (f"--{k}", v)]
        pipes = {"stdout": DEVNULL, "stderr": PIPE, "text": True, "env": settings}
        with Popen(["mallet", command, *words], **pipes) as process:
            log = [(self.clock(), line) for line in process.stderr]
        if process.returncode != 0:
            raise RuntimeError(f"mallet failed:\n{''.join(line for _, line in log)}")
        return log

    def seconds(self, n):
        self.n_sweeps += n
        sweeps = {"num-iterations": self.n_sweeps}
        log = pairwise(self._run("train-topics", **self.options, **sweeps))
        took = [now - before for (before, _), (now, line) in log if SWEPT.match(line)]
        return sum(took[-n:])

    def estimates(self, last=None):
        with gzip.open(self.state, "rt") as lines:
            columns = np.loadtxt(lines, np.int64, usecols=(0, 4, 5), unpack=True)
        document, word, topic = columns
        n_docs, n_words = self.shape
        theta = np.full((n_docs, self.n_topics), self.alpha)
        phi = np.full((self.n_topics, n_words), self.beta)
        np.add.at(theta, (document, topic), 1)
        np.add.at(phi, (topic, word), 1)
        return normalised(last_of(theta, last)), normalised(phi)

    def peak_bytes(self):
        """Return the peak memory of its virtual machine, the largest child process."""
        import resource  # which Windows lacks

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit

    def close(self):
        self.folder.cleanup()


def topica_corpus(X):
    import topica

    names = [str(w) for w in range(X.shape[1])]  # also of words without tokens
    return topica.Corpus.from_documents(texts_of(X), vocabulary=names)


def texts_of(X) -> list[list[str]]:
    return [words.tolist() for words in words_of(X)]


def words_of(X):
    """Yield the words of each document, by their numbers as text."""
    names = np.arange(X.shape[1]).astype(str).astype(object)
    rows = map(slice, X.indptr[:-1], X.indptr[1:])
    return (np.repeat(names[X.indices[row]], X.data[row]) for row in rows)


def with_unseen(phi, seen, n_words: int):
    """Return phi of all words, given that of the words in the training documents.

    Any other is as probable as a word that the topic does not have: the least of its
    row.
    """
    every = np.repeat(phi.min(axis=1, keepdims=True), n_words, axis=1)
    every[:, seen] = phi
    return normalised(every)
