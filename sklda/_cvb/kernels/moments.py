"""Means and variances of the counts, when every token has a topic only in probability.

The responsibilities of a cell are gamma_k = q(z = k), the same for all its tokens. Of
c independent tokens c gamma_k are expected on topic k, with variance
c gamma_k (1 - gamma_k). Both are linear in the weight c, which need not be whole.
"""

from typing import NamedTuple

import numpy as np
from numba import njit


class Moments(NamedTuple):
    """Means, or variances, of the counts that documents share; additive over these."""

    word_topic: np.ndarray  # (n_words, n_lanes) float32
    topic: np.ndarray  # (n_lanes,) float64


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def add_mean(count, gamma, row):
    """Add the mean of one cell to `row`."""
    for k in range(row.size):
        row[k] += count * gamma[k]


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def add_variance(count, gamma, row):
    """Add the variance of one cell to `row`."""
    for k in range(row.size):
        row[k] += count * gamma[k] * (np.float32(1) - gamma[k])


@njit(cache=True, nogil=True)
def add_means(index, count, gamma, rows):
    """Add the mean of every cell to its row of `rows`, which `index` tells."""
    for c in range(index.size):
        add_mean(count[c], gamma[c], rows[index[c]])


@njit(cache=True, nogil=True)
def add_variances(index, count, gamma, rows):
    """Add the variance of every cell to its row of `rows`, which `index` tells."""
    for c in range(index.size):
        add_variance(count[c], gamma[c], rows[index[c]])


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def move(count, factor, weight, gamma, doc_mean, word_mean):
    """Give a cell the responsibilities `factor * weight`, and mend the means.

    Return the sum of the absolute changes of the responsibilities.
    """
    moved = np.float32(0)
    for k in range(weight.size):
        value = weight[k] * factor
        change = value - gamma[k]
        gamma[k] = value
        doc_mean[k] += count * change
        word_mean[k] += count * change
        moved += abs(change)
    return moved


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def move_variance(count, factor, weight, gamma, doc_variance, word_variance):
    """Mend the variances for the same; `move` comes after it, for it sets gamma."""
    one = np.float32(1)
    for k in range(weight.size):
        new, old = weight[k] * factor, gamma[k]
        change = count * (new * (one - new) - old * (one - old))
        doc_variance[k] += change
        word_variance[k] += change
