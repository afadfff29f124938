"""All private names of sklda that the benchmarks use."""

import numpy as np

from benchmarks.programs import ALPHA, BETA, Program, last_of, normalised
from sklda import CVBLDA, ECGSLDA, MedLDAClassifier
from sklda._cvb.engine import Engine
from sklda._cvb.estimator import APPROXIMATIONS
from sklda._data.corpus import check_corpus, check_weights, split_cells
from sklda._engine.chain import Chain
from sklda._engine.hierarchical_prior import add_priors
from sklda._engine.start import check_init, first_topics
from sklda._fitted import fold_in
from sklda._sampling.parameters import make_problem, make_schedule, random_streams
from sklda._sampling.threads import Threads
from sklda.diagnostics._chains import HeldOut, Recorder, Stop, draw_pairs


class Sklda(Program):
    """The chain that `fit` of an estimator runs, or the engine of CVBLDA.

    Estimates are those of the last sweep; `threads` is the number of shards, too. A
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

            def make_sampler(problem, *_):
                return lda._make_sampler(problem, threads)

            if z is None:
                init = check_init(lda, problem)
                z, _ = first_topics(init, problem, make_sampler, rng, threads)
            self._chain = Chain(make_sampler(problem), problem, rng, z=z)
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
            attributes = self._chain.attributes()
            components, theta = attributes["components_"], attributes["doc_topic_"]
        else:
            chain = self._chain.snapshot()
            topics, documents = chain.sums()
            components, theta = topics.components(), documents.theta(add_priors)
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
        self.fitted = self._chain.sums()

    def sums(self, *, present=False) -> tuple[np.ndarray, np.ndarray, int]:
        """Return sums of counts over kept samples, and the number of samples."""
        averages = (self._chain.snapshot() if present else self._chain).averages
        totals = averages.word_topic, averages.doc_topic
        tables = [total.rows().matrix(total.n_topics).toarray() for total in totals]
        return *tables, averages.n_kept

    def separate_tokens(self) -> None:
        """Make each token a cell of its own, in a chain of one shard."""
        problem = self._chain.problem
        tokens = split_cells(problem.corpus, 1)
        self._chain.problem = problem._replace(corpus=tokens)


class Supervised(Program):
    """The chain that a fit of MedLDA runs; it predicts from its last sweep."""

    def __init__(self, lda: MedLDAClassifier, X, y):
        threads = Threads(lda.n_jobs)
        self.threads = lambda: threads
        problem = make_problem(lda, check_corpus(lda, X, reset=True))
        tasks = lda._tasks(X, y)
        self._lda, self._of_y = lda, tasks.attributes
        with threads:  # for the sweeps over parts
            schedule = make_schedule(lda._parameters, 0, 1, 0)
            self._chain = lda._started(problem, schedule, tasks, threads)

    def sweep(self, n=1):
        for _ in range(n):
            self._chain.sweep()

    def predict(self, X):
        chain, lda = self._chain, self._lda
        counts = chain.counts.word_topic[:][:, : chain.problem.n_topics]
        vars(lda).update(
            self._of_y,
            components_=counts.T + chain.problem.beta,
            coef_=chain.state.weights.T.copy(),
            doc_topic_prior_=chain.problem.doc_topic_prior,
        )
        return lda.predict(X)


class SideBySide(Program):
    """Chains that have nothing in common, each swept by a thread of its own."""

    def __init__(self, chains: list[Sklda]):
        threads = Threads(len(chains))
        self.threads = lambda: threads
        self.sweep = lambda n=1: threads.map(lambda chain: chain.sweep(n), chains)


def completion_score(X, topic_word, doc_topic_prior: float) -> float:
    """Return the log probability per token of unseen documents, as `score` does."""
    documents = check_weights(ECGSLDA(), X, reset=True, whole=True)
    alpha = np.full(topic_word.shape[0], doc_topic_prior)
    halves = fold_in.split_tokens(documents)
    documents, topics = fold_in.prepare(documents, topic_word, alpha)
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
    chain.log_joint_sweeps.clear()  # none of these is that of z
    looking.look(chain, kept=True)
    return [
        {
            **{name: np.array(values) for name, values in recorder.values.items()},
            "share_of_pairs": np.mean(recorder.together, axis=1),
        }
        for recorder in recorders
    ]
