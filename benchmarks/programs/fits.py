"""topica and pyrmallet, which fit in one call and take no commands between sweeps.

After s sweeps such a program is a fit of s sweeps from the start. What n sweeps take is
what that takes longer than the fit before, without the start and what a fit returns.
"""

from functools import partial

import numpy as np

from benchmarks.programs import ALPHA, BETA, Program, last_of
from benchmarks.programs.others import with_unseen, words_of

N_SAMPLES, APART = 5, 25  # what both average by default, and the sweeps between
N_STARTS = 3  # fits of no sweeps, of which the fastest counts


class Fits(Program):
    """A program whose estimates are of the last sweep, or its own mean over samples."""

    def __init__(
        self,
        X,
        n_topics,
        seed,
        *,
        alpha=ALPHA,
        beta=BETA,
        threads=1,
        averages=False,
        checkpoints=(),
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

        names = [str(w) for w in range(X.shape[1])]  # also of words without tokens
        documents = [words.tolist() for words in words_of(X)]
        self.corpus = topica.Corpus.from_documents(documents, vocabulary=names)
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
