"""Means and variances of the counts of tokens whose topics are independent.

A cell of weight c, which need not be whole, and responsibilities gamma_k = q(z = k)
adds c gamma_k to the mean of topic k, and c gamma_k (1 - gamma_k) to the variance.

`add_counts` estimates the distribution of a count n from its mean, its variance and
log P(n = 0). Log Gamma(alpha + n) bends too much near 0 for a Taylor series. So
P(n = 0) is used as it is, and n - 1 given n > 0 becomes a binomial variable of the same
mean and about the same variance.
"""

from typing import NamedTuple

import numpy as np

from sklda._simd.arrays import entry, zeros
from sklda._simd.compile import inlined_kernel, kernel, nested_kernel
from sklda._simd.vector_math import exp_double, expm1_double, log, log1p_double
from sklda._tables.rows import sum_all


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


SIZE = 64  # counts of a histogram: 0 to 63
LARGEST_MEAN = 16.0  # of counts in a histogram: more than 63 then has probability 1e-17


@nested_kernel
def _add_binomial(mean, variance, mass, histogram):
    """Add `mass` times a binomial distribution of this mean and about this variance."""
    trials = np.round(mean * mean / max(mean - variance, 1e-6))
    trials = max(trials, np.ceil(mean))
    p = min(mean / trials, 1 - 1e-12)
    value = mass * exp_double(trials * log1p_double(-p))
    left, n = mass, 0
    while n < histogram.size - 1 and n < trials and left > 1e-12 * mass:
        value = min(value, left)
        histogram[n] += value
        left -= value
        value *= (trials - n) / (n + 1) * p / (1 - p)
        n += 1
    histogram[n] += left


@kernel
def take_logarithms(table):
    """Replace positive float32 numbers by their logarithms."""
    for row in table:
        for k in range(row.size):
            row[k] = log(row[k])


@kernel
def add_counts(mean, variance, log_zero, histograms):
    """Add the distribution of each small count to its topic's row of `histograms`.

    Mean, variance and log P(n = 0) are (n_rows, n_lanes).
    """
    for i in range(mean.shape[0]):
        for k in range(histograms.shape[0]):
            m, v = np.float64(mean[i, k]), np.float64(variance[i, k])
            positive = min(-expm1_double(np.float64(log_zero[i, k])), m)  # P(n > 0)
            if positive < 1e-12 or m > LARGEST_MEAN:
                continue
            histograms[k, 0] += 1 - positive
            # Mean and variance of n - 1 given n > 0.
            more = m / positive - 1
            more_var = (v + m * m) / positive - (m / positive) ** 2
            if more < 1e-9:
                histograms[k, 1] += positive
            else:
                more_var = min(max(more_var, 0.0), more)
                _add_binomial(more, more_var, positive, histograms[k, 1:])
