"""Blocks of documents under fitted topics, on the workers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from dask import delayed
from dask.delayed import Delayed
from distributed import Future

from sklda._base.fold_in import (
    FixedTopics,
    completion_sums,
    doc_topic,
    make_topics,
    renumber,
    split_tokens,
)
from sklda._core.corpus import check_weights
from sklda._core.problem import WeightedCorpus
from sklda.dask._cluster import Cluster

_SLICE = 2**20  # probabilities that travel in one message, of 4 bytes


class Settings(NamedTuple):
    """What the workers need beside phi."""

    estimator: Any  # for one machine, not fitted
    doc_topic_prior: np.ndarray
    n_jobs: int | None


def send_topics(cluster: Cluster, fitted: Any) -> tuple[Delayed, Settings]:
    """Send the topics of an estimator to the workers, in slices of words.

    Return phi, (n_words, n_topics) float32, and settings.
    """
    components = fitted.components_
    n_topics, n_words = components.shape
    sums = components.sum(axis=1, keepdims=True)
    step = max(_SLICE // n_topics, 1)
    slices: list[Future] = []
    for first in range(0, n_words, step):
        phi = (components[:, first : first + step] / sums).T.astype(np.float32)
        slices += cluster.submit([cluster.task(_slice, f"topics-{first}", phi)])
    (phi,) = cluster.submit([cluster.task(np.concatenate, "topics", slices)])
    estimator = fitted._unfitted()
    estimator.n_features_in_ = n_words
    n_jobs = fitted._parameters.n_jobs
    return delayed(phi), Settings(estimator, fitted.doc_topic_prior_, n_jobs)


def _slice(phi: np.ndarray) -> np.ndarray:
    return phi


def transform_block(
    block: Any, number: int, phi: np.ndarray, settings: Settings
) -> np.ndarray:
    """Return theta of a block, (n_documents, n_topics)."""
    weights, of_words = _prepare(_check(block, number, settings), phi, settings)
    return doc_topic(weights, of_words, settings.n_jobs)


def score_block(
    block: Any, number: int, phi: np.ndarray, settings: Settings
) -> tuple[float, float]:
    """Return the sum of the log probabilities of its tokens, and their number."""
    checked = _check(block, number, settings)
    weights, of_words = _prepare(checked, phi, settings)
    return completion_sums(
        weights,
        split_tokens(checked),
        of_words.word_topic,
        lambda half: doc_topic(half, of_words, settings.n_jobs),
    )


def _prepare(weights, phi, settings) -> tuple[WeightedCorpus, FixedTopics]:
    words, weights = renumber(weights)
    return weights, make_topics(phi[words], settings.doc_topic_prior)


def _check(block, number, settings) -> WeightedCorpus:
    if block is None or (getattr(block, "ndim", 2) == 2 and block.shape[0] == 0):
        empty = np.zeros(0, np.int32), np.zeros(0, np.float32)
        return WeightedCorpus(np.zeros(1, np.int64), *empty)
    try:
        return check_weights(settings.estimator, block, reset=False, whole=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Block {number} of X: {error}") from error
