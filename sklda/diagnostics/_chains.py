"""Chains side by side: what each records while it runs, their start and continuation.

The topics of two chains come in different orders, so no record depends on the order.
"""

from __future__ import annotations

from copy import copy
from time import perf_counter
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.stats import entropy
from sklearn.utils.parallel import Parallel, delayed

from sklda._data.corpus import Corpus, WeightedCorpus, tokens_before
from sklda._engine.chain import Chain
from sklda._engine.estimator import chain_schedule, store_chain
from sklda._fitted.fold_in import (
    Halves,
    completion_score,
    doc_topic,
    make_topics,
    renumber,
    split_tokens,
)
from sklda._sampling.problem import Counts

N_PAIRS = 1000


class Stopped(Exception):
    """Another chain has failed, so this one need not go on."""


class Stop:
    """Tells chains in other threads to stop; processes are stopped by joblib."""

    is_set = False


class HeldOut(NamedTuple):
    """Documents whose tokens a chain predicts."""

    words: np.ndarray  # (n_words_seen,) columns of X
    weights: WeightedCorpus  # with words numbered as in `words`
    halves: Halves  # of the tokens of each document

    @classmethod
    def of(cls, weights: WeightedCorpus) -> Self:
        """Return the documents, with what every evaluation needs."""
        return cls(*renumber(weights), split_tokens(weights))


def draw_pairs(corpus: Corpus, generator: np.random.Generator) -> np.ndarray:
    """Return pairs of tokens, (N_PAIRS, 2).

    The first half are tokens of one document, which often share a topic; the others are
    any two. A pair may hold one token twice, in a document of few tokens.
    """
    before = tokens_before(corpus)
    pairs = generator.integers(before[-1], size=(N_PAIRS, 2))
    within = pairs[: N_PAIRS // 2]
    document = np.searchsorted(before, within[:, 0], side="right") - 1
    length = before[document + 1] - before[document]
    # Any other token of the document; the first one itself if there is no other.
    step = 1 + generator.integers(np.maximum(length - 1, 1))
    within[:, 1] = (within[:, 0] - before[document] + step) % length + before[document]
    return pairs


class Recorder:
    """Records scalars of the kept samples of one chain."""

    def __init__(
        self, pairs: np.ndarray, documents: HeldOut | None, stop: Stop
    ) -> None:
        self.pairs = pairs
        self.documents = documents
        self.stop = stop
        self.sweeps: list[int] = []
        self.values: dict[str, list[float]] = {}
        self.together: list[np.ndarray] = []  # which pairs share a topic

    def look(self, chain: Chain, *, kept: bool) -> None:
        """Record the present sample if it is kept.

        Raises
        ------
        Stopped
            If the chain shall not go on.
        """
        if self.stop.is_set:
            raise Stopped
        if not kept:
            return
        for name, value in self._scalars(chain).items():
            self.values.setdefault(name, []).append(value)
        first, second = self.pairs.T
        self.together.append(chain.z[first] == chain.z[second])
        self.sweeps.append(chain.n_sweeps)

    def _scalars(self, chain: Chain) -> dict[str, float]:
        """Return the scalars; the first two are per token, in nats."""
        counts = chain.counts
        scalars = {"log_joint": chain.log_probability(counts) / chain.n_tokens}
        if self.documents is not None:
            score = _test_log_probability(self.documents, chain, counts)
            scalars["test_log_probability"] = score
        # exp(H) of the distribution of the tokens over the topics
        scalars["n_effective_topics"] = float(np.exp(entropy(counts.topic)))
        for parameters in chain.parameters:
            scalars |= parameters.scalars()
        return scalars


def _test_log_probability(documents: HeldOut, chain: Chain, counts: Counts) -> float:
    """Return the mean log probability of a token, as `score` computes it."""
    problem = chain.problem
    n_topics, beta = problem.n_topics, problem.beta
    word_prior = beta[:, documents.words].T if problem.has_word_prior else beta
    phi = counts.word_topic[documents.words][:, :n_topics] + word_prior
    phi /= counts.topic[:n_topics] + problem.beta_sum
    topics = make_topics(phi, chain.shared_alpha(problem))
    return completion_score(
        documents.weights,
        documents.halves,
        topics,
        lambda half: doc_topic(half, topics),
    )


class ChainRecord(NamedTuple):
    """A chain: the fitted estimator, the chain to continue, and the recorded draws."""

    estimator: Any
    chain: Chain
    draws: dict[str, np.ndarray]  # (n_draws, ...): "sweeps", "pairs", and the scalars
    seconds: float

    def followed_by(self, later: ChainRecord) -> ChainRecord:
        """Return the chain of `later` with the draws of both."""
        joined = {
            name: np.concatenate([draws, later.draws[name]])
            for name, draws in self.draws.items()
        }
        return later._replace(draws=joined, seconds=self.seconds + later.seconds)


class Experiment(NamedTuple):
    """What all chains have in common."""

    X: Any
    y: Any
    pairs: np.ndarray  # (n_pairs, 2)
    held_out: HeldOut | None
    n_jobs: int | None
    fit_options: dict[str, Any]

    def start(self, estimators: list[Any]) -> list[ChainRecord]:
        """Fit each estimator."""
        return self._side_by_side(_start, estimators)

    def go_on(self, records: list[ChainRecord], n_sweeps: int) -> list[ChainRecord]:
        """Run copies of the chains for more sweeps."""
        later = self._side_by_side(_go_on, records, n_sweeps)
        return list(map(ChainRecord.followed_by, records, later))

    def _side_by_side(self, function, items, *arguments) -> list[ChainRecord]:
        stop, run = Stop(), delayed(function)
        calls = (run(item, self, stop, *arguments) for item in items)
        try:
            return Parallel(n_jobs=self.n_jobs, prefer="threads")(calls)
        except BaseException:
            stop.is_set = True  # joblib does not end threads
            raise


def _start(estimator: Any, experiment: Experiment, stop: Stop) -> ChainRecord:
    began = perf_counter()
    recorder = Recorder(experiment.pairs, experiment.held_out, stop)
    X, y, options = experiment.X, experiment.y, experiment.fit_options
    chain = estimator._fit_chain(X, y, recorder, **options)
    draws = recorder.values | {"sweeps": recorder.sweeps, "pairs": recorder.together}
    arrays = {name: np.array(values) for name, values in draws.items()}
    return ChainRecord(estimator, chain, arrays, perf_counter() - began)


def _go_on(
    record: ChainRecord, experiment: Experiment, stop: Stop, n_sweeps: int
) -> ChainRecord:
    estimator = copy(record.estimator)  # an error leaves the original as it was
    burn_in = chain_schedule(estimator._parameters, goes_on=True).burn_in
    max_iter = estimator.n_iter_ + n_sweeps
    estimator.set_params(burn_in=0, max_iter=n_sweeps, warm_start=True)
    store_chain(estimator, record.chain)
    later = _start(estimator, experiment, stop)
    estimator.set_params(burn_in=burn_in, max_iter=max_iter, warm_start=False)
    del estimator._stored
    return later
