"""Collapsed variational Bayes with Gaussian approximation.

Teh, Newman & Welling, "A collapsed variational Bayesian inference algorithm for
latent Dirichlet allocation", NIPS 2006, equation 18: with one token of the cell taken
out of all means and variances,

    gamma_k ~ (alpha_k + E[n_dk]) (beta + E[n_wk]) / (V beta + E[n_k])
              exp(- Var[n_dk] / (2 (alpha_k + E[n_dk])^2)
                  - Var[n_wk] / (2 (beta + E[n_wk])^2)
                  + Var[n_k] / (2 (V beta + E[n_k])^2)).

A cell whose weight is below 1 is taken out as a whole.

The exponents are second terms of Taylor series of E[log(alpha_k + n_dk)] and so on.
Large ones are meaningless, so the three expectations are clipped at log alpha_k, log
beta and log V beta: they cannot be smaller, because no count is below 0.
"""

import numpy as np

from sklda._cvb.kernels.moments import (
    add_mean,
    add_variance,
    document_moments,
    remove_document,
    restore_document,
    update_mean_and_variance,
)
from sklda._simd.arrays import beta_sum, entry, priors_of, zeros
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel
from sklda._simd.vector_math import exp2
from sklda._tables.document import clear
from sklda._tables.rows import prefetch_row, sum_all

N_MOMENTS = 2  # means and variances
_ZERO, _ONE = np.float32(0), np.float32(1)
_HALF = np.float32(0.5 * 1.4426950408889634)  # of log2(e): exponents are those of 2
_LEAST = np.float32(1e-12)  # below all priors but 0, that of the padding
_LARGEST = np.float32(43)  # exponent; any mean is at its bound by then


@inlined_kernel
def _weigh(removed, responsibilities, w, means, variances, priors, weight):
    """Weigh the topics of a cell of word w less a `removed` weight; return the sum."""
    doc, row, other_docs = means.doc_topic, means.word_topic[w], means.other_docs
    doc_var, row_var = variances.doc_topic, variances.word_topic[w]
    other_docs_var = variances.other_docs
    alpha, betas, beta_sums = priors
    for k in range(weight.size):
        removed_mean = removed * responsibilities[k]
        removed_var = removed_mean * (_ONE - responsibilities[k])
        # Rounding may make a mean or a variance negative.
        n_dk = max(doc[k] - removed_mean, _ZERO)
        n_wk = max(row[k] - removed_mean, _ZERO)
        var_dk = max(doc_var[k] - removed_var, _ZERO)
        var_wk = max(row_var[k] - removed_var, _ZERO)
        var_k = other_docs_var[k] + var_dk
        beta = entry(betas, k)
        a = alpha[k] + n_dk
        b = beta + n_wk
        c = other_docs[k] + n_dk
        per_a, per_b, per_c = _ONE / max(a, _LEAST), _ONE / b, _ONE / c
        doc_factor = a * exp2(-min(_HALF * var_dk * per_a * per_a, _LARGEST))
        word_factor = b * exp2(-min(_HALF * var_wk * per_b * per_b, _LARGEST))
        topic_factor = per_c * exp2(min(_HALF * var_k * per_c * per_c, _LARGEST))
        topic_factor = min(topic_factor, _ONE / entry(beta_sums, k))
        weight[k] = max(doc_factor, alpha[k]) * max(word_factor, beta) * topic_factor
    return np.float32(sum_all(weight, weight.size))


@lean_kernel
def _update_document(
    first, last, corpus, responsibilities, means, variances, priors, weight
):
    """Update the cells of one document; return the sum of all changes."""
    _, word, count = corpus
    total_change = 0.0
    for c in range(first, last):
        w, cell = word[c], responsibilities[c]
        prefetch_row(word, c, means.word_topic)
        prefetch_row(word, c, variances.word_topic)
        removed = min(count[c], _ONE)
        word_priors = priors_of(w, priors)
        factor = _ONE / _weigh(removed, cell, w, means, variances, word_priors, weight)
        docs = means.doc_topic, variances.doc_topic
        rows = means.word_topic[w], variances.word_topic[w]
        change = update_mean_and_variance(count[c], factor, weight, cell, docs, rows)
        total_change += count[c] * change
    return total_change


@kernel
def sweep(corpus, responsibilities, shared, priors):
    """Update every cell once; return the sum of all changes, each times its weight."""
    doc_ptr, _, count = corpus
    shared_means, shared_variances = shared
    means = document_moments(shared_means)
    variances = document_moments(shared_variances)
    total = beta_sum(shared_means.word_topic.shape[0], priors)
    weight = zeros(shared_means.topic.size, np.float32)
    total_change = 0.0
    for d in range(doc_ptr.size - 1):
        first, last = doc_ptr[d], doc_ptr[d + 1]
        clear(means.doc_topic)
        clear(variances.doc_topic)
        for c in range(first, last):
            add_mean(count[c], responsibilities[c], means.doc_topic)
            add_variance(count[c], responsibilities[c], variances.doc_topic)
        remove_document(means, shared_means.topic, total)
        remove_document(variances, shared_variances.topic, 0.0)
        total_change += _update_document(
            first, last, corpus, responsibilities, means, variances, priors, weight
        )
        restore_document(means, shared_means.topic)
        restore_document(variances, shared_variances.topic)
    return total_change
