"""Distributions of counts of independent tokens, estimated from three numbers each.

The number n of tokens on a topic is a sum of independent Bernoulli variables, of which
the mean, the variance and log P(n = 0) are known. Log Gamma(alpha + n) bends too much
near 0 for a Taylor series. So P(n = 0) is used as it is, and n - 1 given n > 0 becomes
a binomial variable of the same mean and about the same variance.
"""

import numpy as np

from sklda._simd.compile import kernel, nested_kernel
from sklda._simd.vector_math import exp_double, expm1_double, log, log1p_double

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
