"""Counts and ratios of the document that a collapsed sampler is in."""

from typing import NamedTuple

import numpy as np

from sklda._sampling.problem import LANES
from sklda._simd.arrays import entry, not_negative, zeros
from sklda._simd.compile import inlined_kernel, lean_kernel, nested_kernel
from sklda._simd.vectors import (
    broadcast,
    entries,
    load,
    per_line,
    prefetch,
    store,
    to_double,
    to_float,
    total,
)

# Changing the ratio of one topic takes as long as computing this many in a row.
LANES_PER_TOKEN = 8
DOCUMENTS_AHEAD = 4
MOST_AHEAD = 512  # tokens of a document that are prefetched


class Document(NamedTuple):
    """Counts of the current document, and the ratios that its words share."""

    doc_topic: np.ndarray  # (n_lanes,) int32, n_dk
    topic: np.ndarray  # (n_lanes,) int32, n_k of all documents
    ratio: np.ndarray  # (n_lanes or more,) float32, (n_dk + alpha_k) / (n_k + V beta)


@nested_kernel
def new_document(topic, n_ratios):
    """Return empty counts and ratios, before the first document."""
    doc_topic = zeros(topic.size, np.int32)
    return Document(doc_topic, topic, zeros(n_ratios, np.float32))


@lean_kernel
def clear(doc_topic):
    """Set all counts to 0; a loop compiles much faster than a slice."""
    for k in range(doc_topic.size):
        doc_topic[k] = 0


@inlined_kernel
def count_document(first, last, z, doc_topic):
    """Set `doc_topic` to n_dk of the document of tokens `first` to before `last`."""
    clear(doc_topic)
    for i in range(first, last):
        doc_topic[z[i]] += 1


@inlined_kernel
def enter_document(first, last, z, priors, document):
    """Set the counts and ratios of a document; return the sum of the ratios."""
    count_document(first, last, z, document.doc_topic)
    return update_ratios(priors, document)


@inlined_kernel
def enter_prior(d, alphas, alpha):
    """Set alpha to that of document d; return whether it changes."""
    if alphas.row.size == 0:
        return False
    return _copy_prior(not_negative(alphas.row[d]), alphas.rows, alpha)


@lean_kernel
def _copy_prior(row, rows, alpha):
    changes = False
    for k in range(alpha.size):
        value = rows[row, k]
        changes |= alpha[k] != value
        alpha[k] = value
    return changes


@inlined_kernel
def prefetch_documents(d, part, z):
    """Prefetch the cells and the topics of documents that come after document d.

    This is for shards of words. Otherwise, documents are in one piece, and processors
    read ahead.
    """
    doc_ptr, begin, end, word, token_ptr, _ = part
    if end[d] - begin[d] == doc_ptr[d + 1] - doc_ptr[d]:
        return
    later = min(d + 2 * DOCUMENTS_AHEAD, begin.size - 1)
    prefetch(token_ptr, doc_ptr[later])
    prefetch(token_ptr, begin[later])
    prefetch(word, begin[later])
    soon = min(d + DOCUMENTS_AHEAD, begin.size - 1)
    first, last = token_ptr[doc_ptr[soon]], token_ptr[doc_ptr[soon + 1]]
    for i in range(first, min(last, first + MOST_AHEAD), per_line(z)):
        prefetch(z, i)


@inlined_kernel
def next_document(before, d, part, z, ratio_sum, priors, alphas, document):
    """Set the counts and ratios of document d; return the sum of the ratios.

    Before the call, they are those of document `before`, with the sum `ratio_sum`, or
    empty. If both documents are short and share alpha, only the ratios of topics that
    they contain are updated.
    """
    prefetch_documents(d, part, z)
    changes = enter_prior(part.first + d, alphas, priors.doc_topic)
    doc_ptr, token_ptr = part.doc_ptr, part.token_ptr
    first_before = token_ptr[doc_ptr[before]]
    last_before = token_ptr[doc_ptr[before + 1]]
    first, last = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
    n_tokens = last - first + last_before - first_before
    doc_topic = document.doc_topic
    if changes or LANES_PER_TOKEN * n_tokens > doc_topic.size:
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


@inlined_kernel
def _change_ratio(k, priors, document):
    """Update the ratio of topic k; return the difference."""
    old = np.float64(document.ratio[k])
    return update_ratio(k, priors, document) - old


@lean_kernel
def update_ratios(priors, document):
    """Update the ratios of all topics; return their sum."""
    doc_topic, topic, ratio = document
    alpha, beta_sum = priors.doc_topic, priors.topic_word_sum
    # In doubles, because samplers update the sum for many tokens.
    sums = broadcast(np.float64(0), LANES)
    for k in range(0, doc_topic.size, LANES):
        n_doc = to_float(load(doc_topic, k, LANES)) + load(alpha, k, LANES)
        n_all = to_float(load(topic, k, LANES)) + entries(beta_sum, k, LANES)
        value = n_doc / n_all
        store(ratio, k, value)
        sums = sums + to_double(value)
    return total(sums)


@inlined_kernel
def ratio_without(k, n, priors, document):
    """Return the ratio of topic k without n tokens of the document."""
    doc_topic, topic, _ = document
    alpha, beta_sum = priors.doc_topic, priors.topic_word_sum
    doc_weight = np.float32(doc_topic[k] - n) + alpha[k]
    return doc_weight / (np.float32(topic[k] - n) + entry(beta_sum, k))


@inlined_kernel
def update_ratio(k, priors, document):
    """Update the ratio of topic k and return it."""
    value = ratio_without(k, 0, priors, document)
    document.ratio[k] = value
    return value
