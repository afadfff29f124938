"""Counts and ratios of the document that a collapsed sweep is in."""

from typing import NamedTuple

import numpy as np

from sklda._core.entry import entry
from sklda._core.problem import LANES
from sklda._simd.compile import njit
from sklda._simd.vectors import (
    broadcast,
    entries,
    load,
    store,
    to_double,
    to_float,
    total,
)

# Changing the ratio of one token's topic takes as long as computing those of so many.
LANES_PER_TOKEN = 8


class Document(NamedTuple):
    """Counts of the current document, and the factor that all of its words share."""

    doc_topic: np.ndarray  # (n_lanes,) int32, n_dk
    topic: np.ndarray  # (n_lanes,) int32, n_k of all documents
    ratio: np.ndarray  # (n_lanes or more,) float32, (n_dk + alpha_k) / (n_k + V beta)


@njit(inline="always")
def new_document(topic, n_ratios):
    """Return room for the counts and ratios of any document."""
    doc_topic = np.zeros(topic.size, np.int32)
    return Document(doc_topic, topic, np.zeros(n_ratios, np.float32))


@njit(cache=True, nogil=True)
def clear(doc_topic):
    """Set all counts to 0; a loop compiles in a fraction of a slice's time."""
    for k in range(doc_topic.size):
        doc_topic[k] = 0


@njit(inline="always")
def count_document(first, last, z, doc_topic):
    """Set `doc_topic` to n_dk of a document, from the topics of its own tokens."""
    clear(doc_topic)
    for i in range(first, last):
        doc_topic[z[i]] += 1


@njit(inline="always")
def topic_ratio(doc_topic, topic, alpha, beta_sum):
    """Return (n_dk + alpha_k) / (n_k + V beta) of one topic."""
    return (np.float32(doc_topic) + alpha) / (np.float32(topic) + beta_sum)


@njit(cache=True, nogil=True)
def topic_ratios(doc_topic, topic, alpha, beta_sum, ratio):
    """Fill `ratio` with the `topic_ratio` of every lane and return their sum."""
    # In doubles: a sampler goes on adding to the sum and subtracting from it.
    sums = broadcast(np.float64(0), LANES)
    for k in range(0, doc_topic.size, LANES):
        n_doc = to_float(load(doc_topic, k, LANES)) + load(alpha, k, LANES)
        n_all = to_float(load(topic, k, LANES)) + entries(beta_sum, k, LANES)
        value = n_doc / n_all
        store(ratio, k, value)
        sums = sums + to_double(value)
    return total(sums)


@njit(inline="always")
def enter_document(first, last, z, priors, document):
    """Set the counts and ratios of a document; return the sum of the ratios."""
    count_document(first, last, z, document.doc_topic)
    return update_ratios(priors, document)


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def next_document(before, d, part, z, ratio_sum, priors, document):
    """Set the counts and ratios of document d, from those of document `before`.

    Return the sum of the ratios, which was `ratio_sum`. Between two short documents,
    only the ratios of their own topics change. The counts may still be those of no
    document.
    """
    doc_ptr, token_ptr = part.doc_ptr, part.token_ptr
    first_before = token_ptr[doc_ptr[before]]
    last_before = token_ptr[doc_ptr[before + 1]]
    first, last = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
    n_tokens = last - first + last_before - first_before
    doc_topic = document.doc_topic
    if LANES_PER_TOKEN * n_tokens > doc_topic.size:
        return enter_document(first, last, z, priors, document)
    for i in range(first_before, last_before):
        k = np.int64(z[i])
        doc_topic[k] = 0
        ratio_sum += _change_ratio(k, priors, document)
    for i in range(first, last):
        k = np.int64(z[i])
        doc_topic[k] += 1
        ratio_sum += _change_ratio(k, priors, document)
    return ratio_sum


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _change_ratio(k, priors, document):
    """Set the ratio of topic k to what its counts say, and return the difference."""
    old = np.float64(document.ratio[k])
    return update_ratio(k, priors, document) - old


@njit(inline="always")
def update_ratios(priors, document):
    """Set the ratios of all topics to what the counts say; return their sum."""
    doc_topic, topic, ratio = document
    alpha, _, beta_sum = priors
    return topic_ratios(doc_topic, topic, alpha, beta_sum, ratio)


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def ratio_without(k, n, priors, document):
    """Return the ratio of topic k with n tokens of the document taken out."""
    doc_topic, topic, _ = document
    alpha, _, beta_sum = priors
    return topic_ratio(doc_topic[k] - n, topic[k] - n, alpha[k], entry(beta_sum, k))


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def update_ratio(k, priors, document):
    """Set the ratio of topic k to what its counts say, and return it."""
    value = ratio_without(k, 0, priors, document)
    document.ratio[k] = value
    return value
