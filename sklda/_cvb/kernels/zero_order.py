"""Collapsed variational Bayes of order zero, CVB0.

Asuncion, Welling, Smyth & Teh, "On smoothing and inference for topic models", UAI
2009: with one token of the cell taken out of all means,

    gamma_k ~ (alpha_k + E[n_dk]) (beta + E[n_wk]) / (V beta + E[n_k]).

Of a cell whose weight is below 1 there is less than one token to take out: its weight.
"""

import numpy as np
from numba import njit

from sklda._core.document import clear
from sklda._core.random_streams import uniform
from sklda._cvb.kernels.moments import add_mean, move

N_TABLES = 1  # means
_ZERO, _ONE = np.float32(0), np.float32(1)


@njit(
    cache=True,
    nogil=True,
    fastmath=True,
    error_model="numpy",  # a test for zero divisors would keep it from vectorising
    _nrt=False,
    forceinline=True,
)
def _weigh(one, gamma, doc, row, rest, alpha, beta, weight):
    """Weigh every topic for one cell, `one` token taken out; return the sum."""
    total = _ZERO
    for k in range(weight.size):
        own = one * gamma[k]
        n_dk = max(doc[k] - own, _ZERO)  # rounding may leave less than nothing
        n_wk = max(row[k] - own, _ZERO)
        value = (alpha[k] + n_dk) * (beta + n_wk) / (rest[k] + n_dk)
        weight[k] = value
        total += value
    return total


@njit(cache=True, nogil=True, _nrt=False)
def _sweep_document(cells, word, count, gamma, means, priors, weight):
    """Update the cells of one document; return how far they have moved."""
    (doc, word_mean, rest), (alpha, beta) = means, priors
    moved = 0.0
    for c in range(cells[0], cells[1]):
        cell, row = gamma[c], word_mean[word[c]]
        one = min(count[c], _ONE)
        factor = _ONE / _weigh(one, cell, doc, row, rest, alpha, beta, weight)
        moved += count[c] * move(count[c], factor, weight, cell, doc, row)
    return moved


@njit(cache=True, nogil=True)
def sweep(doc_ptr, word, count, gamma, tables, priors):
    """Update every cell once; return the sum of all changes, each times its weight."""
    ((word_mean, topic_mean),) = tables
    word_mass = np.float64(word_mean.shape[0]) * priors.topic_word
    n_lanes = topic_mean.size
    doc, rest = np.zeros(n_lanes, np.float32), np.zeros(n_lanes, np.float32)
    means, weight = (doc, word_mean, rest), np.zeros(n_lanes, np.float32)
    moved = 0.0
    for d in range(doc_ptr.size - 1):
        cells = doc_ptr[d], doc_ptr[d + 1]
        clear(doc)
        for c in range(cells[0], cells[1]):
            add_mean(count[c], gamma[c], doc)
        for k in range(n_lanes):
            topic_mean[k] -= doc[k]
            rest[k] = word_mass + max(topic_mean[k], 0.0)  # V beta + E[n_k] elsewhere
        moved += _sweep_document(cells, word, count, gamma, means, priors, weight)
        for k in range(n_lanes):
            topic_mean[k] += doc[k]
    return moved


@njit(cache=True, nogil=True)
def seat(doc_ptr, word, count, gamma, means, priors, rng):
    """Draw one topic for each cell, given the cells before it: a start for sweeps.

    Gamma and the tables come empty. All cells of a uniform start would be alike, and
    topics long in parting; this one begins with topics that are there already.
    """
    alpha, beta = priors
    word_mean, topic_mean = means
    word_mass = np.float64(word_mean.shape[0]) * beta
    n_lanes = topic_mean.size
    doc, rest = np.zeros(n_lanes, np.float32), np.zeros(n_lanes, np.float32)
    weight = np.zeros(n_lanes, np.float32)
    for d in range(doc_ptr.size - 1):
        clear(doc)
        for k in range(n_lanes):
            rest[k] = word_mass + topic_mean[k]
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            row = word_mean[word[c]]
            r = _weigh(_ZERO, gamma[c], doc, row, rest, alpha, beta, weight)
            r *= uniform(rng)
            k = 0
            while k < n_lanes - 1 and (r >= weight[k] or weight[k] == 0):
                r -= weight[k]
                k += 1
            while weight[k] == 0:  # rounding carried r past the last topic
                k -= 1
            gamma[c, k] = 1
            doc[k] += count[c]
            row[k] += count[c]
        for k in range(n_lanes):
            topic_mean[k] += doc[k]
