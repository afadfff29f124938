"""The estimators of sklda, a sweep at a time or fitted as users do.

All private names of sklda that the benchmarks use are here.
"""

from functools import partial

import numpy as np

from benchmarks.programs import ALPHA, BETA, Program, last_of, normalised
from benchmarks.programs.others import Fits
from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA
from sklda._cvb.engine import Engine
from sklda._cvb.estimator import APPROXIMATIONS
from sklda._data.corpus import check_corpus, check_weights, split_cells
from sklda._engine.chain import Chain
from sklda._engine.kept_samples import joined
from sklda._engine.start import check_init, first_topics
from sklda._fitted import fold_in
from sklda._fitted.fitted_topics import word_probabilities
from sklda._gibbs.kernels import single_site_lists
from sklda._sampling.parameters import make_problem, random_streams
from sklda._sampling.threads import Threads
from sklda.diagnostics._chains import HeldOut, Recorder, Stop, draw_pairs
from sklda.model_selection._result import behind_best  # noqa: F401


class Sklda(Program):
    """The chain that `fit` of an estimator runs, or the engine of CVBLDA.

    Estimates are those of the last sweep; `threads` is also the number of shards. A
    chain begins with the topics z of the tokens, if they are given.
    """

    def __init__(
        self,
        estimator,
        X,
        n_topics,
        seed,
        *,
        alpha=ALPHA,
        beta=BETA,
        z=None,
        **parameters,
    ):
        if "threads" in parameters:
            parameters["n_shards"] = parameters["n_jobs"] = parameters.pop("threads")
        parameters |= {"doc_topic_prior": alpha, "topic_word_prior": beta}
        lda = estimator(n_topics, random_state=seed, **parameters)
        threads = Threads(lda.n_jobs)
        self.threads = lambda: threads
        rng = random_streams(seed)
        if isinstance(lda, CVBLDA):
            problem = make_problem(lda, lda._check_weights(X, reset=True))
            approximation = APPROXIMATIONS[lda.approximation]
            self._chain = Engine(approximation, problem, rng, lda.n_shards, threads)
        else:
            problem = make_problem(lda, check_corpus(lda, X, reset=True))

            if z is None:
                z = first_topics(check_init(lda, problem), problem, rng, threads)
            sampler = lda._make_sampler(problem, threads)
            self._chain = Chain(sampler, problem, rng, z=z)
        self.priors = problem.doc_topic_prior, problem.topic_word_prior

    @property
    def n_sweeps(self) -> int:
        return self._chain.n_sweeps

    @property
    def z(self) -> np.ndarray:
        """The topics of the tokens, cell by cell, which sweeps change."""
        return self._chain.z

    def sweep(self, n=1):
        for _ in range(n):
            self._chain.sweep()

    def warm_up(self) -> None:
        """Compile the kernels of a chain."""
        problem, sampler = self._chain.problem, self._chain.sampler
        state = sampler.from_topics(problem, self._chain.z.copy())
        sampler.sweep(problem, state, random_streams(0))

    def estimates(self, last=None):
        if isinstance(self._chain, Engine):
            fitted = self._chain.attributes()
            components, theta = fitted["components_"], fitted["doc_topic_"]
        else:
            fitted, chain = CollapsedGibbsLDA(), self._chain.snapshot()
            vars(fitted).update(chain.sums.attributes(chain.problem, None))
            components, theta = fitted.components_, fitted.doc_topic_
        return last_of(theta, last), normalised(components)

    def log_joint(self) -> float:
        self._chain.evaluate()
        return self._chain.log_joint[-1]

    def sampling_rate(self) -> list[float]:
        """Return draws / tokens of each sweep."""
        chain = self._chain
        return [info.n_draws / chain.n_tokens for info in chain.info]

    def keep(self) -> None:
        self._chain.keep()

    def end(self) -> None:
        """Make what a fitted estimator holds of its kept samples."""
        self.fitted = self._chain.sums.attributes(self._chain.problem, None)

    def sums(self, *, present=False) -> tuple[np.ndarray, np.ndarray, int]:
        """Return sums of counts over kept samples, and the number of samples."""
        sums = (self._chain.snapshot() if present else self._chain).sums
        sums.close()
        n_topics = self._chain.problem.n_topics
        totals, none = (sums.word_topic, sums.doc_topic), np.zeros((1, n_topics))
        rows = (joined(t).matrix(n_topics).toarray() if t else none for t in totals)
        return *rows, sums.n_kept

    def separate_tokens(self) -> None:
        """Make each token a cell of its own, in a chain of one shard."""
        tokens = split_cells(self._chain.problem.corpus, 1)
        self._chain.problem = self._chain.problem._replace(corpus=tokens)


gibbs = partial(Sklda, CollapsedGibbsLDA)
ecgs = partial(Sklda, ECGSLDA)
zero_order = partial(Sklda, CVBLDA, approximation="zero-order")
gaussian = partial(Sklda, CVBLDA, approximation="gaussian")


class KeptMean(Sklda):
    """The chain of an estimator, and means over its samples.

    After sweep s, one of the checkpoints, estimates are the mean over every `thin`-th
    sample after s // 2. `seconds` keeps them, and does not count that.
    """

    def __init__(
        self, *of, checkpoints, thin=10, estimator=CollapsedGibbsLDA, **parameters
    ):
        super().__init__(estimator, *of, **parameters)
        self.thin = thin
        self.starts = {sweep // 2 for sweep in checkpoints}
        self.kept_until = {0: (0.0, 0.0, 0)}

    def seconds(self, n):
        total = 0.0
        for _ in range(n):
            total += super().seconds(1)
            if self.n_sweeps % self.thin == 0:
                self.keep()
            if self.n_sweeps in self.starts:
                # Sums of integers: float32 keeps them as they are.
                *sums, n_kept = self.sums()
                sums = (table.astype(np.float32) for table in sums)
                self.kept_until[self.n_sweeps] = *sums, n_kept
        return total

    def estimates(self, last=None):
        first, kept = self.n_sweeps // 2, self.kept_until
        self.kept_until = {s: sums for s, sums in kept.items() if s >= first}
        both = zip(self.sums(present=True), kept[first], strict=True)
        word_topic, doc_topic, n_kept = (now - before for now, before in both)
        alpha, beta = self.priors
        theta, phi = doc_topic / n_kept + alpha, word_topic.T / n_kept + beta
        return last_of(normalised(theta), last), normalised(phi)


class Fit(Fits):
    """CollapsedGibbsLDA as users fit it: an annealed start, and means over samples."""

    def load(self, X, threads):
        self.X, self.threads_of_fit = X, threads

    def fit(self, first, **samples):
        n_topics, alpha_sum = self.given["num_topics"], self.given["alpha_sum"]
        n_jobs = self.threads_of_fit
        self.model = CollapsedGibbsLDA(
            n_topics,
            doc_topic_prior=alpha_sum / n_topics,
            topic_word_prior=self.given["beta"],
            max_iter=max(first, 1),
            evaluate_every=0,
            n_shards=n_jobs,
            n_jobs=n_jobs,
            random_state=self.given["seed"],
        ).fit(self.X)
        self.found = self.model.doc_topic_, self.model.topic_word_  # made when read

    def estimates(self, last=None):
        return last_of(self.found[0], last), self.found[1]


class SideBySide(Program):
    """Independent chains, each swept by a thread of its own."""

    def __init__(self, chains: list[Sklda]):
        threads = Threads(len(chains))
        self.threads = lambda: threads
        self.sweep = lambda n=1: threads.map(lambda chain: chain.sweep(n), chains)


class SingleSiteLists(CollapsedGibbsLDA):
    """Single-site sampling with the kernel for many topics, which few can have, too."""

    def _make_sampler(self, problem, threads):
        return single_site_lists


def completion_score(X, topic_word, doc_topic_prior: float) -> float:
    """Return the log probability per token of unseen documents, as `score` does."""
    documents = check_weights(ECGSLDA(), X, reset=True, whole=True)
    alpha = np.full(topic_word.shape[0], doc_topic_prior)
    halves = fold_in.split_tokens(documents)
    words, documents = fold_in.renumber(documents)
    topics = fold_in.make_topics(word_probabilities(topic_word, words), alpha)
    return fold_in.completion_score(
        documents,
        halves,
        topics,
        lambda half: fold_in.doc_topic(half, topics),
    )


def recorded(lda, X, X_test, z) -> list[dict[str, np.ndarray]]:
    """Return the scalars of given topics of the tokens, and of the draws of a fit."""
    corpus = check_corpus(lda, X, reset=True)
    test = HeldOut.of(check_weights(lda, X_test, reset=False, whole=True))
    pairs = draw_pairs(corpus, np.random.default_rng(0))
    looking, drawn = recorders = [Recorder(pairs, test, Stop()) for _ in range(2)]
    chain = lda._fit_chain(X, None, drawn)
    chain.z, chain.state = z, chain.sampler.from_topics(chain.problem, z)
    chain._pairs = None
    chain.log_joint_sweeps.clear()  # these are of the draws, not of z
    looking.look(chain, kept=True)
    return [
        {
            **{name: np.array(values) for name, values in recorder.values.items()},
            "share_of_pairs": np.mean(recorder.together, axis=1),
        }
        for recorder in recorders
    ]
