"""Means and variances of the counts of tokens whose topics are independent.

A cell of weight c, which need not be whole, and responsibilities gamma_k = q(z = k)
adds c gamma_k to the mean of topic k, and c gamma_k (1 - gamma_k) to the variance.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.entry import entry
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel, nested_kernel
from sklda._tables.weights import sum_all


class Moments(NamedTuple):
    """Means, or variances, of the counts that all documents share; additive."""

    word_topic: np.ndarray  # (n_words, n_lanes) float32, of n_wk
    topic: np.ndarray  # (n_lanes,) float64, of n_k


class DocumentMoments(NamedTuple):
    """Means, or variances, of the counts while a sweep is in one document."""

    doc_topic: np.ndarray  # (n_lanes,) float32, of n_dk
    word_topic: np.ndarray  # (n_words, n_lanes) float32, of n_wk
    other_docs: np.ndarray  # (n_lanes,) float32, of n_k without the document


@nested_kernel
def document_moments(shared):
    """Return moments for the documents of a sweep that changes these shared ones."""
    n_lanes = shared.topic.size
    doc_topic, other_docs = zeros(n_lanes, np.float32), zeros(n_lanes, np.float32)
    return DocumentMoments(doc_topic, shared.word_topic, other_docs)


@inlined_kernel
def remove_document(moments, topic, offset):
    """Take the document out of the topic totals, and set `other_docs` to the rest.

    The rest, at least 0, has an offset added: V beta for means, 0 for variances.
    """
    doc_topic, _, other_docs = moments
    for k in range(topic.size):
        topic[k] -= doc_topic[k]
        other_docs[k] = entry(offset, k) + max(topic[k], 0.0)


@inlined_kernel
def restore_document(moments, topic):
    """Add the document to the topic totals again."""
    for k in range(topic.size):
        topic[k] += moments.doc_topic[k]


@inlined_kernel
def add_mean(count, responsibilities, row):
    """Add the mean of one cell to `row`."""
    for k in range(row.size):
        row[k] += count * responsibilities[k]


@inlined_kernel
def add_variance(count, responsibilities, row):
    """Add the variance of one cell to `row`."""
    for k in range(row.size):
        row[k] += count * responsibilities[k] * (np.float32(1) - responsibilities[k])


@kernel
def add_means(index, count, responsibilities, rows):
    """Add the mean of each cell c to ``rows[index[c]]``."""
    for c in range(index.size):
        add_mean(count[c], responsibilities[c], rows[index[c]])


@kernel
def add_variances(index, count, responsibilities, rows):
    """Add the variance of each cell c to ``rows[index[c]]``."""
    for c in range(index.size):
        add_variance(count[c], responsibilities[c], rows[index[c]])


@inlined_kernel
def update_mean(count, factor, weight, responsibilities, doc_mean, word_mean):
    """Set the responsibilities of a cell to `factor * weight`, and update the means.

    Return the sum of the absolute changes, which overwrite the weights.
    """
    for k in range(weight.size):
        value = weight[k] * factor
        change = value - responsibilities[k]
        responsibilities[k] = value
        doc_mean[k] += count * change
        word_mean[k] += count * change
        weight[k] = abs(change)
    return sum_all(weight, weight.size)


@inlined_kernel
def add_mean_and_variance(count, responsibilities, rows):
    """Add the moments of one cell to the `rows` of means and of variances."""
    means, variances = rows
    for k in range(means.size):
        mean = count * responsibilities[k]
        means[k] += mean
        variances[k] += mean * (np.float32(1) - responsibilities[k])


@inlined_kernel
def update_mean_and_variance(count, factor, weight, responsibilities, docs, rows):
    """Set the responsibilities of a cell to `factor * weight`; update the moments.

    One pass updates means and variances: with x new and y old, x (1 - x) - y (1 - y) =
    (x - y) (1 - x - y). Return the sum of the absolute changes, which overwrite the
    weights.
    """
    (doc_mean, doc_var), (word_mean, word_var) = docs, rows
    unit = np.float32(1)
    for k in range(weight.size):
        new, old = weight[k] * factor, responsibilities[k]
        change = new - old
        responsibilities[k] = new
        mean_change = count * change
        variance_change = mean_change * (unit - new - old)
        doc_mean[k] += mean_change
        word_mean[k] += mean_change
        doc_var[k] += variance_change
        word_var[k] += variance_change
        weight[k] = abs(change)
    return sum_all(weight, weight.size)
