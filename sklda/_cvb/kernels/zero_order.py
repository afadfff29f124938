"""Collapsed variational Bayes of order zero, CVB0.

Asuncion, Welling, Smyth & Teh, "On smoothing and inference for topic models", UAI
2009: with one token of the cell taken out of all means,

    gamma_k ~ (alpha_k + E[n_dk]) (beta + E[n_wk]) / (V beta + E[n_k]).

A cell whose weight is below 1 is taken out as a whole.
"""

import numpy as np

from sklda._cvb.kernels.moments import (
    add_mean,
    document_moments,
    remove_document,
    restore_document,
    update_mean,
)
from sklda._sampling.random_streams import uniform
from sklda._simd.arrays import beta_sum, entry, priors_of, zeros
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel
from sklda._tables.document import clear
from sklda._tables.rows import prefetch_row, sum_all

N_MOMENTS = 1  # means
_ZERO, _ONE = np.float32(0), np.float32(1)


@inlined_kernel
def _weigh(removed, responsibilities, row, means, priors, weight):
    """Weigh the topics of a cell less a `removed` weight; return the sum.

    `row` holds the means of its word, `priors` its beta.
    """
    doc, _, other_docs = means
    alpha, beta, _ = priors
    for k in range(weight.size):
        removed_mean = removed * responsibilities[k]
        n_dk = max(doc[k] - removed_mean, _ZERO)  # rounding may make it negative
        n_wk = max(row[k] - removed_mean, _ZERO)
        mass = (alpha[k] + n_dk) * (entry(beta, k) + n_wk)
        weight[k] = mass / (other_docs[k] + n_dk)
    return np.float32(sum_all(weight, weight.size))


@lean_kernel
def _update_document(first, last, corpus, responsibilities, means, priors, weight):
    """Update the cells of one document; return the sum of all changes."""
    _, word, count = corpus
    doc, word_topic, _ = means
    total_change = 0.0
    for c in range(first, last):
        cell, row = responsibilities[c], word_topic[word[c]]
        prefetch_row(word, c, word_topic)
        removed = min(count[c], _ONE)
        word_priors = priors_of(word[c], priors)
        factor = _ONE / _weigh(removed, cell, row, means, word_priors, weight)
        change = update_mean(count[c], factor, weight, cell, doc, row)
        total_change += count[c] * change
    return total_change


@kernel
def sweep(corpus, responsibilities, shared, priors):
    """Update every cell once; return the sum of all changes, each times its weight."""
    doc_ptr, _, count = corpus
    (shared_means,) = shared
    means = document_moments(shared_means)
    total = beta_sum(shared_means.word_topic.shape[0], priors)
    weight = zeros(shared_means.topic.size, np.float32)
    total_change = 0.0
    for d in range(doc_ptr.size - 1):
        first, last = doc_ptr[d], doc_ptr[d + 1]
        clear(means.doc_topic)
        for c in range(first, last):
            add_mean(count[c], responsibilities[c], means.doc_topic)
        remove_document(means, shared_means.topic, total)
        total_change += _update_document(
            first, last, corpus, responsibilities, means, priors, weight
        )
        restore_document(means, shared_means.topic)
    return total_change


@kernel
def initialise(corpus, responsibilities, shared, priors, rng):
    """Start the sweeps: draw one topic for each cell, given the cells before it.

    Responsibilities and means must be 0. From a uniform start, topics separate slowly.
    """
    doc_ptr = corpus.doc_ptr
    means = document_moments(shared)
    total = beta_sum(shared.word_topic.shape[0], priors)
    weight = zeros(shared.topic.size, np.float32)
    for d in range(doc_ptr.size - 1):
        clear(means.doc_topic)
        remove_document(means, shared.topic, total)
        first, last = doc_ptr[d], doc_ptr[d + 1]
        _draw_document(
            first, last, corpus, responsibilities, means, priors, weight, rng
        )
        restore_document(means, shared.topic)


@lean_kernel
def _draw_document(first, last, corpus, responsibilities, means, priors, weight, rng):
    """Draw one topic for each cell of a document."""
    _, word, count = corpus
    for c in range(first, last):
        cell, row = responsibilities[c], means.word_topic[word[c]]
        word_priors = priors_of(word[c], priors)
        total = _weigh(_ZERO, cell, row, means, word_priors, weight)
        k = _draw(weight, total * uniform(rng))
        cell[k] = 1
        means.doc_topic[k] += count[c]
        row[k] += count[c]


@lean_kernel
def _draw(weight, r):
    """Draw k in proportion to weight[k]; r is uniform from 0 to the sum of weights."""
    k = 0
    while k < weight.size - 1 and (r >= weight[k] or weight[k] == 0):
        r -= weight[k]
        k += 1
    while k > 0 and weight[k] == 0:  # rounding carried r past the last topic
        k -= 1
    return k
