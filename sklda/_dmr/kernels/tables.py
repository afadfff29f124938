"""Auxiliary variables that turn the likelihood of the weights into that of counts.

With n_dk the tokens of document d on topic k, N_d their sum, A_d = sum_k alpha_dk, and
theta integrated out, the topics of a document have the probability

    Gamma(A_d) / Gamma(A_d + N_d)  prod_k Gamma(alpha_dk + n_dk) / Gamma(alpha_dk).

Given m_dk, the number of tables of a Chinese restaurant process with n_dk guests and
concentration alpha_dk (C. E. Antoniak, 1974), and x_d ~ Beta(A_d, N_d) (M. D. Escobar,
M. West, "Bayesian density estimation and inference using mixtures", JASA 90, 1995), it
is in proportion to prod_k alpha_dk^m_dk x_d^alpha_dk: the likelihood of Poisson counts
m_dk of the means alpha_dk (-log x_d). Sums over the documents of a row suffice.
"""

import numpy as np

from sklda._core.random_streams import enter_stream, hashed_uniform, uniform
from sklda._core.variates import large_shape
from sklda._simd.compile import njit
from sklda._simd.places import not_negative
from sklda._simd.vector_math import exp_double, log1p_double, log_double
from sklda._tables.document import clear


@njit(cache=True, nogil=True)
def add_tables_of_rows(tokens_before, z, row, alpha, key, tables):
    """Add m_dk of documents to that of their row, (n_topics, n_rows), in place.

    Of the tokens of a document on topic k, number i = 0, 1, ... opens a table with
    probability alpha_k / (alpha_k + i). Token j of the corpus uses the j-th random
    number of the key. `alpha` is (n_rows, n_topics).
    """
    doc_topic = np.zeros(alpha.shape[1], np.int32)
    for d in range(row.size):
        r = not_negative(row[d])
        clear(doc_topic)
        for j in range(tokens_before[d], tokens_before[d + 1]):
            k = np.int64(z[j])
            n, a = doc_topic[k], alpha[r, k]
            doc_topic[k] = n + 1
            if hashed_uniform(key, j) * (a + n) < a:
                tables[k, r] += 1.0


@njit(cache=True, nogil=True)
def add_exposures(tokens_before, row, sums, key, first, exposure):
    """Add -log(x_d) of documents to that of their row, (n_rows,), in place.

    `sums` holds A of each row. The documents have the numbers `first` and after, and
    random numbers of their own; empty ones have no x_d.
    """
    rng = np.empty(2, np.uint64)
    for d in range(row.size):
        n = tokens_before[d + 1] - tokens_before[d]
        if n == 0:
            continue
        enter_stream(key, first + d, rng)
        a = sums[row[d]]
        # x = G / (G + H) with gamma variates of shapes A and N; G may be tiny.
        log_g = log_double(large_shape(a + 1, rng)) + log_double(1 - uniform(rng)) / a
        ratio = log_double(large_shape(np.float64(n), rng)) - log_g
        exposure[row[d]] += _log1p_exp(ratio)


@njit(cache=True, nogil=True, _nrt=False)
def _log1p_exp(x):
    """Return log(1 + exp(x))."""
    return max(x, 0.0) + log1p_double(exp_double(-abs(x)))
