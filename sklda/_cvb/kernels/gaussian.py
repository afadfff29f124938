"""Collapsed variational Bayes with Gaussian approximation.

Teh, Newman & Welling, "A collapsed variational Bayesian inference algorithm for
latent Dirichlet allocation", NIPS 2006, equation 18: with one token of the cell taken
out of all means and variances,

    gamma_k ~ (alpha_k + E[n_dk]) (beta + E[n_wk]) / (V beta + E[n_k])
              exp(- Var[n_dk] / (2 (alpha_k + E[n_dk])^2)
                  - Var[n_wk] / (2 (beta + E[n_wk])^2)
                  + Var[n_k] / (2 (V beta + E[n_k])^2)).

Of a cell whose weight is below 1 there is less than one token to take out: its weight.

The exponents are second terms of Taylor series of E[log(alpha_k + n_dk)] and its like,
and of no use where they are large. But no count is below 0, so none of these three
expectations is below log alpha_k, log beta, log V beta: they are kept at these bounds.
"""

import numpy as np
from numba import njit

from sklda._core.document import clear
from sklda._core.vector_math import exp
from sklda._cvb.kernels.moments import add_mean, add_variance, move, move_variance

N_TABLES = 2  # means and variances
_ZERO, _HALF, _ONE = np.float32(0), np.float32(0.5), np.float32(1)
_LEAST = np.float32(1e-12)  # below every prior but that of the padding, 0
_LARGEST = np.float32(30)  # exponent, which takes any mean to its bound


@njit(
    cache=True,
    nogil=True,
    fastmath=True,
    error_model="numpy",  # a test for zero divisors would keep it from vectorising
    _nrt=False,
    forceinline=True,
)
def _weigh(
    one, gamma, doc, doc_var, row, row_var, rest, rest_var, alpha, beta, word_mass,
    weight,
):  # fmt: skip
    """Weigh every topic for one cell, `one` token taken out; return the sum."""
    total = _ZERO
    most_per_c = _ONE / word_mass
    for k in range(weight.size):
        own = one * gamma[k]
        own_var = own * (_ONE - gamma[k])
        # Rounding may leave less than nothing of a mean or a variance.
        n_dk = max(doc[k] - own, _ZERO)
        n_wk = max(row[k] - own, _ZERO)
        var_dk = max(doc_var[k] - own_var, _ZERO)
        var_wk = max(row_var[k] - own_var, _ZERO)
        var_k = rest_var[k] + var_dk
        a = alpha[k] + n_dk
        b = beta + n_wk
        per_a, per_b, per_c = _ONE / max(a, _LEAST), _ONE / b, _ONE / (rest[k] + n_dk)
        in_doc = a * exp(-min(_HALF * var_dk * per_a * per_a, _LARGEST))
        in_word = b * exp(-min(_HALF * var_wk * per_b * per_b, _LARGEST))
        per_topic = per_c * exp(min(_HALF * var_k * per_c * per_c, _LARGEST))
        value = max(in_doc, alpha[k]) * max(in_word, beta) * min(per_topic, most_per_c)
        weight[k] = value
        total += value
    return total


@njit(cache=True, nogil=True, _nrt=False)
def _sweep_document(
    cells, word, count, gamma, means, variances, priors, word_mass, weight
):
    """Update the cells of one document; return how far they have moved."""
    (doc, word_mean, rest), (doc_var, word_var, rest_var) = means, variances
    alpha, beta = priors
    moved = 0.0
    for c in range(cells[0], cells[1]):
        cell, row, row_var = gamma[c], word_mean[word[c]], word_var[word[c]]
        one = min(count[c], _ONE)
        total = _weigh(
            one, cell, doc, doc_var, row, row_var, rest, rest_var, alpha, beta,
            word_mass, weight,
        )  # fmt: skip
        factor = _ONE / total
        move_variance(count[c], factor, weight, cell, doc_var, row_var)
        moved += count[c] * move(count[c], factor, weight, cell, doc, row)
    return moved


@njit(cache=True, nogil=True)
def sweep(doc_ptr, word, count, gamma, tables, priors):
    """Update every cell once; return the sum of all changes, each times its weight."""
    (word_mean, topic_mean), (word_var, topic_var) = tables
    word_mass = np.float64(word_mean.shape[0]) * priors.topic_word
    mass = np.float32(word_mass)
    n_lanes = topic_mean.size
    doc, doc_var = np.zeros(n_lanes, np.float32), np.zeros(n_lanes, np.float32)
    rest, rest_var = np.zeros(n_lanes, np.float32), np.zeros(n_lanes, np.float32)
    means, variances = (doc, word_mean, rest), (doc_var, word_var, rest_var)
    weight = np.zeros(n_lanes, np.float32)
    moved = 0.0
    for d in range(doc_ptr.size - 1):
        cells = doc_ptr[d], doc_ptr[d + 1]
        clear(doc)
        clear(doc_var)
        for c in range(cells[0], cells[1]):
            add_mean(count[c], gamma[c], doc)
            add_variance(count[c], gamma[c], doc_var)
        for k in range(n_lanes):
            topic_mean[k] -= doc[k]
            topic_var[k] -= doc_var[k]
            rest[k] = word_mass + max(topic_mean[k], 0.0)  # V beta + E[n_k] elsewhere
            rest_var[k] = max(topic_var[k], 0.0)
        moved += _sweep_document(
            cells, word, count, gamma, means, variances, priors, mass, weight
        )
        for k in range(n_lanes):
            topic_mean[k] += doc[k]
            topic_var[k] += doc_var[k]
    return moved
