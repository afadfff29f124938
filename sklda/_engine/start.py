"""Starts of chains: topics of the tokens that are random, or drawn from topics.

A start has random numbers of its own. It does not change the posterior, only how many
sweeps a chain needs to get there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from sklda._data.checks import check_numbers, check_same_words
from sklda._data.corpus import Corpus, kernel_ranges, some_documents, tokens_before
from sklda._engine.kernels.start import draw_topics
from sklda._fitted.fitted_topics import has_names, is_estimator
from sklda._sampling.problem import Counts, Problem, pad_prior
from sklda._sampling.random_streams import START, RandomStreams
from sklda._sampling.threads import Threads

_N_PASSES = 2  # over a document: the first knows little of it


def check_init(estimator: Any, problem: Problem[Corpus]) -> str | np.ndarray:
    """Return a name, or the topics that `init` is or holds, (n_topics, n_words).

    Raises
    ------
    NotFittedError
        If it is a model without topics.
    ValueError
        If these are not of as many topics and words, or the words have other names.
    """
    init = estimator.init
    if isinstance(init, str):
        return init
    topics, name = init, "init"
    if is_estimator(init):
        name = f"components_ of init={type(init).__name__}()"
        topics = getattr(init, "components_", None)
        if topics is None:
            raise NotFittedError(
                f"init is a {type(init).__name__} without components_. Fit it first. "
                "Cloning an estimator, as in a search, also clones init without its "
                "fit: pass init=model.components_ instead."
            )
    if has_names(estimator) and has_names(init):
        names = estimator.feature_names_in_.tolist()
        words = [str(word) for word in init.feature_names_in_]
        check_same_words("X", names, "init", words)
    topics = check_numbers(topics, name, (problem.n_topics, problem.n_words))
    topics = topics.astype(np.float64)  # whose products do not overflow
    if topics.min() < 0:
        raise ValueError(f"{name} must not be negative, got {topics.min():g}.")
    empty = np.flatnonzero(topics.max(axis=1) == 0)
    if empty.size > 0:
        raise ValueError(
            f"{name} has only zeros in topic {empty[0]}: each topic needs a positive "
            "number for its words."
        )
    return topics


def first_topics(
    init: str | np.ndarray,
    problem: Problem[Corpus],
    rng: RandomStreams,
    threads: Threads,
) -> np.ndarray | None:
    """Return topics of all tokens under `init`; None if they are to be random."""
    if isinstance(init, str):
        return None
    return _draw(problem, _phi_of_topics(init, problem), rng.child(START), threads)


def topics_of_new(
    problem: Problem[Corpus],
    before: Problem[Corpus],
    counts: Counts,
    rng: RandomStreams,
    threads: Threads,
) -> np.ndarray:
    """Return topics of all tokens; those of documents that are new, under the counts.

    The documents of the problem `before`, which come first, get topic 0.
    """
    n_before = before.corpus.doc_ptr.size - 1
    word_topic = _phi_of_counts(counts, before)
    return _draw(problem, word_topic, rng.child(START), threads, n_before)


def _phi_of_topics(components: np.ndarray, problem: Problem[Corpus]) -> np.ndarray:
    """Return phi of topics as kernels take it, (n_words, n_lanes) float32.

    The largest entry of a word is 1, which does not change the draws, and float32 holds
    what matters. Where all are 0, all topics become equally likely.
    """
    topics = components / components.max(axis=1, keepdims=True)  # no sum overflows
    topics /= topics.sum(axis=1, keepdims=True)
    largest = topics.max(axis=0)
    topics[:, largest == 0] = largest[largest == 0] = 1
    word_topic = np.zeros((problem.n_words, problem.n_lanes), np.float32)
    word_topic[:, : problem.n_topics] = (topics / largest).T
    return word_topic


def _phi_of_counts(counts: Counts, problem: Problem[Corpus]) -> np.ndarray:
    """Return phi of counts in the same way."""
    n_topics = problem.n_topics
    word_topic = counts.word_topic[:].astype(np.float32)
    topics = word_topic[:, :n_topics]
    topics += np.transpose(problem.beta)
    topics /= counts.topic[:n_topics].astype(np.float32) + problem.beta_sum
    topics /= topics.max(axis=1, keepdims=True)
    return word_topic


def _draw(
    problem: Problem[Corpus],
    word_topic: np.ndarray,
    rng: RandomStreams,
    threads: Threads,
    first: int = 0,
) -> np.ndarray:
    """Return topics of the tokens of all documents from `first` on, given phi."""
    corpus = problem.corpus
    alpha = pad_prior(problem.alpha_of(0, 1)[0])  # at a start, that of all documents
    z = np.zeros(corpus.token_ptr[-1], np.uint16)
    before = tokens_before(corpus)[first:]
    slices = list(kernel_ranges(before, _N_PASSES * problem.n_lanes))

    def draw(documents, stream):
        chunk = some_documents(corpus, *(first + np.array(documents)))
        draw_topics(chunk, z, word_topic, alpha, _N_PASSES, stream.kernel)

    threads.map(draw, slices, [rng.child(i) for i in range(len(slices))])
    return z
