"""Tasks on blocks of documents under fitted topics: transform and score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from dask import delayed
from dask.delayed import Delayed

from sklda._base.fitted_topics import summable
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
from sklda.dask._corpus import blocks_of, has_no_rows

_SLICE = 2**20  # probabilities that travel in one message, of 4 bytes


def topic_tasks(
    cluster: Cluster, function: Callable, X: Any, fitted: Any
) -> list[Delayed]:
    """Send fitted topics to the workers, in slices; return a task for each block of X.

    `model` of the tasks is the estimator for one machine, without topics.
    """
    blocks, components = blocks_of(X), summable(fitted.components_)
    n_topics, n_words = components.shape
    sums = components.sum(axis=1, keepdims=True)
    step = max(_SLICE // n_topics, 1)
    slices = []
    for first in range(0, n_words, step):
        phi = (components[:, first : first + step] / sums).T.astype(np.float32)
        slices += cluster.submit([cluster.task(np.asarray, f"topics-{first}", phi)])
    (future,) = cluster.submit([cluster.task(np.concatenate, "topics", slices)])
    model = fitted._make_local().set_params(n_jobs=fitted._n_jobs)
    model.n_features_in_, model.doc_topic_prior_ = n_words, fitted.doc_topic_prior_
    name, phi = function.__name__.replace("_", "-"), delayed(future)
    return [
        cluster.task(function, f"{name}-{i}", block, i, phi, model)
        for i, block in enumerate(blocks)
    ]


def transform_block(block: Any, number: int, phi: np.ndarray, model: Any) -> np.ndarray:
    """Return theta of a block, (n_documents, n_topics)."""
    _, renumbered, topics = _under_topics(block, number, phi, model)
    return doc_topic(renumbered, topics, model.n_jobs)


def score_block(
    block: Any, number: int, phi: np.ndarray, model: Any
) -> tuple[float, float]:
    """Return the sum of the log probabilities of the tokens, and their number."""
    corpus, renumbered, topics = _under_topics(block, number, phi, model)
    return completion_sums(
        renumbered,
        split_tokens(corpus),
        topics,
        lambda half: doc_topic(half, topics, model.n_jobs),
    )


def _under_topics(
    block, number, phi, model
) -> tuple[WeightedCorpus, WeightedCorpus, FixedTopics]:
    """Return the checked block, its renumbered words, and the topics of these words."""
    if has_no_rows(block, number):
        empty = np.zeros(0, np.int32), np.zeros(0, np.float32)
        corpus = WeightedCorpus(np.zeros(1, np.int64), *empty)
    else:
        try:
            corpus = check_weights(model, block, reset=False, whole=True)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Block {number} of X: {error}") from error
    words, renumbered = renumber(corpus)
    return corpus, renumbered, make_topics(phi[words], model.doc_topic_prior_)
