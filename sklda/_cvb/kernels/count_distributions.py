"""How a count is spread when its tokens are independent: from three numbers a table.

The number n of tokens on a topic is a sum of independent Bernoulli variables. What is
kept of it is mean, variance and log P(n = 0). Where n is small, as most are, functions
like log Gamma(alpha + n) bend too much at 0 for a Taylor series. So P(n = 0) is taken
as it is, and n - 1 given n > 0 as a binomial variable of the right mean and about the
right variance.
"""

import numpy as np
from numba import njit

SIZE = 64  # counts of a table
LARGEST_MEAN = 16.0  # of what is entered: more than 63 then has probability 1e-17


@njit(cache=True, nogil=True)
def _add_binomial(mean, variance, mass, table):
    """Enter `mass` times the binomial distribution of this mean.

    The number of trials is the whole number that comes closest to the variance.
    """
    trials = np.round(mean * mean / max(mean - variance, 1e-6))
    trials = max(trials, np.ceil(mean))
    p = min(mean / trials, 1 - 1e-12)
    value = mass * np.exp(trials * np.log1p(-p))
    left, n = mass, 0
    while n < table.size - 1 and n < trials and left > 1e-12 * mass:
        value = min(value, left)
        table[n] += value
        left -= value
        value *= (trials - n) / (n + 1) * p / (1 - p)
        n += 1
    table[n] += left


@njit(cache=True, nogil=True)
def add_counts(mean, variance, log_zero, tables):
    """Enter each small count of (n_rows, n_lanes) into the table of its topic."""
    for i in range(mean.shape[0]):
        for k in range(tables.shape[0]):
            m, v = np.float64(mean[i, k]), np.float64(variance[i, k])
            some = min(-np.expm1(np.float64(log_zero[i, k])), m)
            if some < 1e-12 or m > LARGEST_MEAN:
                continue
            tables[k, 0] += 1 - some
            rest = m / some - 1
            spread = (v + m * m) / some - (m / some) ** 2
            if rest < 1e-9:
                tables[k, 1] += some
            else:
                spread = min(max(spread, 0.0), rest)
                _add_binomial(rest, spread, some, tables[k, 1:])
