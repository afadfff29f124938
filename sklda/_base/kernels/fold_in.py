"""EM for the topic proportions of a document under fixed topics.

For fixed phi the proportions theta of a document maximise

    sum_w n_w log(sum_k theta_k phi_kw) + sum_k alpha_k log(theta_k),

which is concave, so the start does not matter. The steps of EM are

    theta_k <- (alpha_k + theta_k sum_w n_w phi_kw / sum_j theta_j phi_jw) / (N + A),

where A is the sum of alpha. Each step costs O(K) per cell.
"""

import numpy as np

from sklda._core.problem import LANES
from sklda._simd.compile import njit
from sklda._simd.vector_math import log_double
from sklda._simd.vectors import broadcast, load, total
from sklda._tables.weights import sum_all


@njit(cache=True, nogil=True)
def _dot(a, b):
    sums = broadcast(np.float32(0), LANES)
    for k in range(0, a.size, LANES):
        sums = sums + load(a, k, LANES) * load(b, k, LANES)
    return total(sums)


@njit(cache=True, nogil=True)
def _add_scaled(scale, a, out):
    for k in range(a.size):
        out[k] += scale * a[k]


@njit(cache=True, nogil=True, error_model="numpy")
def _em_step(word, count, word_topic, alpha, mass, theta, expected):
    """Improve `theta` once; return the sum of the absolute changes."""
    expected[:] = 0
    for c in range(word.size):
        if count[c] > 0:
            row = word_topic[word[c]]
            likelihood = max(_dot(theta, row), np.float32(1e-37))
            _add_scaled(np.float32(count[c]) / likelihood, row, expected)
    for k in range(theta.size):
        value = (alpha[k] + theta[k] * expected[k]) / mass
        expected[k] = abs(value - theta[k])
        theta[k] = value
    return sum_all(expected, theta.size)


@njit(cache=True, nogil=True)
def fold_in(doc_ptr, word, count, word_topic, alphas, row, max_iter, tol, out):
    """Write theta of each document into `out`, (n_docs, n_topics) float64.

    `word_topic` holds phi as (n_words, n_lanes) float32, `count` is float32, and
    `alphas`, (n_rows, n_lanes), alpha of the documents with that `row`. A document is
    done when a step changes theta by less than `tol` in all.
    """
    n_topics = out.shape[1]
    theta = np.zeros(alphas.shape[1], np.float32)
    expected = np.zeros(alphas.shape[1], np.float32)
    for d in range(doc_ptr.size - 1):
        alpha = alphas[row[d]]
        prior_mass = alpha.sum()
        cells = slice(doc_ptr[d], doc_ptr[d + 1])
        mass = prior_mass + count[cells].sum()
        for k in range(theta.size):  # in array notation it takes 1.6 s to compile
            theta[k] = alpha[k] / prior_mass
        for _ in range(max_iter):
            change = _em_step(
                word[cells], count[cells], word_topic, alpha, mass, theta, expected
            )
            if change < tol:
                break
        sum_ = sum_all(theta, theta.size)
        for k in range(n_topics):
            out[d, k] = theta[k] / sum_


@njit(cache=True, nogil=True)
def log_predictive(doc_ptr, word, count, word_topic, doc_topic):
    """Return sum over all cells of count * log(sum_k theta_dk phi_kw)."""
    log_likelihood = 0.0
    for d in range(doc_ptr.size - 1):
        theta = doc_topic[d]
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            if count[c] > 0:
                row = word_topic[word[c]]
                likelihood = 0.0
                for k in range(theta.size):
                    likelihood += theta[k] * row[k]
                log_likelihood += count[c] * log_double(likelihood)
    return log_likelihood
