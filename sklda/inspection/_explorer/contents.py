"""The contents of the page of a topic model, as lists, numbers and texts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sklda._base.fitted_topics import normalise, top_indices
from sklda._topics.plotting import shorten
from sklda._topics.topic_distances import jensen_shannon_distances
from sklda.inspection._explorer.groups import Groups, group_shares
from sklda.inspection._explorer.packing import pack, sparse_rows
from sklda.inspection._topic_map import classical_scaling
from sklda.inspection._words import top_columns

N_RANKED = 30  # words of a topic, for each weight of the relevance
WEIGHTS = np.arange(11) / 10
N_TYPICAL = 10  # documents of a topic
MIN_PART = 0.01  # smaller proportions of topics are left out
MAX_TOPICS_OF_WORD = 8
MAX_TOPICS_OF_DOCUMENT = 12
SHORT_TEXT = 5  # texts of other documents have a fifth of the length


class Corpus(NamedTuple):
    """A topic model and the documents that its page shows."""

    components: np.ndarray  # (n_topics, n_words)
    proportions: np.ndarray  # (n_documents, n_topics)
    counts: Any  # (n_documents, n_words) ndarray or CSR
    lengths: np.ndarray  # (n_documents,)
    shares: np.ndarray  # (n_topics,)
    feature_names: list[str]
    texts: list[str] | None
    labels: list[str] | None
    groups: Groups | None


def page_contents(
    corpus: Corpus, classes: dict[str, Any] | None, max_text_length: int
) -> dict[str, Any]:
    """Return all that the page stores, for JSON."""
    ranking = rank_words(corpus.components)
    n_documents = len(corpus.proportions)
    typical = top_indices(corpus.proportions.T, min(N_TYPICAL, n_documents))
    return {
        "topics": _topics(corpus),
        "words": _words(corpus, ranking),
        "documents": _documents(corpus, typical, max_text_length),
        "groups": None if corpus.groups is None else _groups(corpus),
        "classes": classes,
    }


def rank_words(components: np.ndarray) -> np.ndarray:
    """Return the columns of the most relevant words, (n_topics, n_weights, n_words)."""
    n_words = min(N_RANKED, components.shape[1])
    ranked = [
        top_columns(components, n_words, "relevance", float(weight))
        for weight in WEIGHTS
    ]
    return np.stack(ranked, axis=1)


def parts_of_words(topic_word: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the part of each word's tokens in each topic, p(k | w).

    Parameters
    ----------
    topic_word : ndarray of shape (n_topics, n_words)
        p(w | k).
    shares : ndarray of shape (n_topics,)
        p(k).

    Returns
    -------
    ndarray of shape (n_words, n_topics)
        Rows sum to 1, or to 0 for words without weight in a topic with a share.
    """
    joint = (shares[:, np.newaxis] * topic_word).T
    parts: np.ndarray = normalise(joint) * (joint.sum(axis=1, keepdims=True) > 0)
    return parts


def _topics(corpus: Corpus) -> dict[str, Any]:
    topics = normalise(corpus.components)
    distances = jensen_shannon_distances(topics, topics)
    positions, explained = classical_scaling(distances)
    return {
        "labels": corpus.labels,
        "shares": corpus.shares.round(6).tolist(),
        "positions": positions.round(4).tolist(),
        "explained": explained.round(3).tolist(),
    }


def _words(corpus: Corpus, ranking: np.ndarray) -> dict[str, Any]:
    parts = parts_of_words(normalise(corpus.components), corpus.shares)
    ranked = np.zeros(parts.shape, dtype=bool)
    for k, columns in enumerate(ranking):
        ranked[columns, k] = True
    kept = sparse_rows(parts, MIN_PART, MAX_TOPICS_OF_WORD, ranked)
    return {
        "names": corpus.feature_names,
        "counts": pack(np.asarray(corpus.counts.sum(axis=0)).ravel()),
        "n_topics": pack(kept.sizes),
        "topics": pack(kept.columns),
        "parts": pack(kept.parts),
        "weights": WEIGHTS.tolist(),
        "n_ranked": ranking.shape[2],
        "ranking": pack(ranking.ravel()),
    }


def _documents(
    corpus: Corpus, typical: np.ndarray, max_text_length: int
) -> dict[str, Any]:
    is_typical = np.zeros(corpus.proportions.shape, dtype=bool)
    np.put_along_axis(is_typical.T, typical, True, axis=1)
    kept = sparse_rows(corpus.proportions, MIN_PART, MAX_TOPICS_OF_DOCUMENT, is_typical)
    in_a_list = np.isin(np.arange(len(is_typical)), typical)
    return {
        "texts": excerpts(corpus.texts, in_a_list, max_text_length),
        "lengths": pack(corpus.lengths),
        "n_topics": pack(kept.sizes),
        "topics": pack(kept.columns),
        "parts": pack(kept.parts),
        "n_typical": typical.shape[1],
        "typical": pack(typical.ravel()),
    }


def excerpts(
    texts: list[str] | None, is_typical: np.ndarray, max_length: int
) -> list[str] | None:
    """Return the beginnings of texts, in which white space is one space."""
    if texts is None:
        return None
    short = max(max_length // SHORT_TEXT, 1)
    return [
        shorten(" ".join(text.split()), max_length if long else short)
        for text, long in zip(texts, is_typical, strict=True)
    ]


def _groups(corpus: Corpus) -> dict[str, Any]:
    groups = corpus.groups
    assert groups is not None
    shares = group_shares(groups, corpus.lengths, corpus.proportions)
    return {
        "names": groups.names,
        "places": None if groups.places is None else groups.places.tolist(),
        "are_dates": groups.are_dates,
        "members": pack(groups.members),
        "shares": pack(shares.astype(np.float32).ravel()),
    }
