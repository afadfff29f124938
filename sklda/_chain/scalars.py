"""Scalars that are recorded while a chain runs: numbers without names of topics.

The topics of two chains come in different orders, so nothing here depends on it.
"""

from typing import NamedTuple, Self

import numpy as np

from sklda._base.fold_in import (
    Halves,
    completion_score,
    doc_topic,
    make_topics,
    renumber,
    split_tokens,
)
from sklda._chain.chain import Chain
from sklda._core.corpus import tokens_before
from sklda._core.problem import Corpus, Counts, WeightedCorpus

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
    n_tokens: float

    @classmethod
    def of(cls, weights: WeightedCorpus) -> Self:
        """Return the documents, with what every evaluation needs."""
        n_tokens = float(weights.count.sum(dtype=np.float64))
        return cls(*renumber(weights), split_tokens(weights), n_tokens)


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
        scalars = {"log_joint": _log_joint(chain, counts) / chain.n_tokens}
        if self.documents is not None:
            score = _test_log_probability(self.documents, chain, counts)
            scalars["test_log_probability"] = score
        scalars["n_effective_topics"] = _n_effective_topics(counts)
        for parameters in chain.parameters:
            scalars |= parameters.scalars()
        return scalars


def _log_joint(chain: Chain, counts: Counts) -> float:
    """Return the log joint probability, from the trace if it is there already."""
    if chain.log_joint_sweeps[-1:] == [chain.n_sweeps]:
        return chain.log_joint[-1]
    return chain.log_probability(counts)


def _n_effective_topics(counts: Counts) -> float:
    """Return exp(H) of the distribution of the tokens over the topics."""
    shares = counts.topic[counts.topic > 0] / counts.topic.sum(dtype=np.int64)
    return float(np.exp(-(shares * np.log(shares)).sum()))


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
