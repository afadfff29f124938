"""Topic proportions of a document when the topics are fixed, and what they predict.

For fixed phi the proportions theta of a document maximise

    sum_w n_w log(sum_k theta_k phi_kw) + sum_k alpha_k log(theta_k),

which is concave: there is one answer, whatever the start. It is found by EM,

    theta_k <- (alpha_k + theta_k sum_w n_w phi_kw / sum_j theta_j phi_jw) / (N + A),

A the sum of alpha. Each step costs O(K) per cell.
"""

import numpy as np

from sklda._core.compile import njit


@njit(cache=True, nogil=True, fastmath=True)
def _dot(a, b):
    total = np.float32(0)
    for k in range(a.size):
        total += a[k] * b[k]
    return total


@njit(cache=True, nogil=True, fastmath=True)
def _add_scaled(scale, a, out):
    for k in range(a.size):
        out[k] += scale * a[k]


@njit(cache=True, nogil=True, fastmath=True)
def _em_step(word, count, word_topic, alpha, mass, theta, expected):
    """Improve `theta` once; return the sum of the absolute changes."""
    expected[:] = 0
    for c in range(word.size):
        if count[c] > 0:
            row = word_topic[word[c]]
            likelihood = max(_dot(theta, row), np.float32(1e-37))
            _add_scaled(np.float32(count[c]) / likelihood, row, expected)
    change = np.float32(0)
    for k in range(theta.size):
        value = (alpha[k] + theta[k] * expected[k]) / mass
        change += abs(value - theta[k])
        theta[k] = value
    return change


@njit(cache=True, nogil=True)
def fold_in(doc_ptr, word, count, word_topic, alpha, max_iter, tol, out):
    """Write theta of each document into `out`, (n_docs, n_topics) float64.

    `word_topic` holds phi as (n_words, n_lanes) float32, `count` is float32. A
    document is done when a step changes theta by less than `tol` in all.
    """
    n_topics = out.shape[1]
    theta = np.zeros(alpha.size, np.float32)
    expected = np.zeros(alpha.size, np.float32)
    prior_mass = alpha.sum()
    for d in range(doc_ptr.size - 1):
        cells = slice(doc_ptr[d], doc_ptr[d + 1])
        mass = prior_mass + count[cells].sum()
        for k in range(theta.size):  # of arrays at once it takes 1.6 s to compile
            theta[k] = alpha[k] / prior_mass
        for _ in range(max_iter):
            if (
                _em_step(
                    word[cells], count[cells], word_topic, alpha, mass, theta, expected
                )
                < tol
            ):
                break
        total = 0.0
        for k in range(n_topics):
            total += theta[k]
        for k in range(n_topics):
            out[d, k] = theta[k] / total


@njit(cache=True, nogil=True)
def log_predictive(doc_ptr, word, count, word_topic, doc_topic):
    """Return sum over all cells of count * log(sum_k theta_dk phi_kw)."""
    total = 0.0
    for d in range(doc_ptr.size - 1):
        theta = doc_topic[d]
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            if count[c] > 0:
                row = word_topic[word[c]]
                likelihood = 0.0
                for k in range(theta.size):
                    likelihood += theta[k] * row[k]
                total += count[c] * np.log(likelihood)
    return total
