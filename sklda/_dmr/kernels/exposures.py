"""Auxiliary variables, given which the covariate weights have a Poisson likelihood.

With n_dk the tokens of document d on topic k, N_d their sum, A_d = sum_k alpha_dk, and
theta integrated out, the topics of a document have the probability

    Gamma(A_d) / Gamma(A_d + N_d)  prod_k Gamma(alpha_dk + n_dk) / Gamma(alpha_dk).  (1)

Two auxiliary variables simplify its factors:

1. Draw m_dk, the number of tables of a Chinese restaurant process with n_dk guests and
   concentration alpha_dk (`sklda._chain.kernels.tables`). Given m_dk, the factor of
   topic k becomes alpha_dk^m_dk.
2. Draw x_d ~ Beta(A_d, N_d) (M. D. Escobar, M. West, "Bayesian density estimation and
   inference using mixtures", JASA 90, 1995). Given x_d, the first factor becomes
   x_d^A_d.

Given both, (1) is proportional to

    prod_k alpha_dk^m_dk x_d^alpha_dk,                                               (2)

the likelihood of Poisson counts m_dk with the means alpha_dk E_d, where E_d = -log x_d
is the exposure. Documents with the same row of covariates share alpha, so the sums of m
and E over these documents suffice.
"""

import numpy as np

from sklda._core.random_streams import enter_stream, uniform
from sklda._core.variates import large_shape
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel, lean_kernel
from sklda._simd.vector_math import exp_double, log1p_double, log_double


@kernel
def fill_exposures(tokens_before, row, sums, key, first, exposure):
    """Fill in -log(x_d) of each document, (n_docs,), or 0 if it is empty.

    `sums` holds A of each row. The documents have the numbers `first` and after; each
    has its own random stream.
    """
    rng = zeros(2, np.uint64)
    for d in range(row.size):
        exposure[d] = 0.0
        n = tokens_before[d + 1] - tokens_before[d]
        if n == 0:
            continue
        enter_stream(key, first + d, rng)
        a = sums[row[d]]
        # x = G / (G + H) with gamma variates of shapes A and N; G may be tiny.
        log_g = log_double(large_shape(a + 1, rng)) + log_double(1 - uniform(rng)) / a
        ratio = log_double(large_shape(np.float64(n), rng)) - log_g
        exposure[d] = _log1p_exp(ratio)


@lean_kernel
def _log1p_exp(x):
    """Return log(1 + exp(x))."""
    return max(x, 0.0) + log1p_double(exp_double(-abs(x)))
