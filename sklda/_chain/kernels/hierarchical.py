"""Draws of the hierarchical Dirichlet process: weights and concentrations.

Concentrations are drawn by slice sampling (R. M. Neal, "Slice sampling", 2003).
"""

import numpy as np

from sklda._core.gammas import large_shape
from sklda._core.random_streams import uniform
from sklda._simd.compile import kernel, nested_kernel
from sklda._simd.vector_math import exp_double, log_double, log_rising

LOWEST, HIGHEST = 1e-10, 1e10  # of concentrations
_LOG_LOWEST, _LOG_HIGHEST = np.log(LOWEST), np.log(HIGHEST)


@kernel
def draw_dirichlet(parameters, rng, weights):
    """Fill `weights` with a draw from a Dirichlet distribution; none is negative.

    Logarithms keep small parameters from underflow: Gamma(a) is Gamma(a + 1) u^(1/a).
    """
    for k in range(parameters.size):
        a = parameters[k]
        weights[k] = log_double(large_shape(a + 1, rng))
        weights[k] += log_double(1 - uniform(rng)) / a
    most, total = weights.max(), 0.0
    for k in range(weights.size):
        weights[k] = exp_double(weights[k] - most)
        total += weights[k]
    for k in range(weights.size):
        weights[k] /= total


@kernel
def draw_concentration(value, shape, rate, terms, rng):
    """Draw the next concentration x of a chain, from `LOWEST` to `HIGHEST`.

    The density of log x is x^shape exp(-rate x) times, for each of the `terms` (power
    c, factor f, count n), [Gamma(f x + n) / Gamma(f x)]^c. Slice sampling of log x with
    steps of 1.
    """
    y = log_double(value)
    level = _log_density(y, shape, rate, terms) + log_double(1 - uniform(rng))
    low = y - uniform(rng)
    high = low + 1
    while low > _LOG_LOWEST and _log_density(low, shape, rate, terms) >= level:
        low -= 1
    while high < _LOG_HIGHEST and _log_density(high, shape, rate, terms) >= level:
        high += 1
    low, high = max(low, _LOG_LOWEST), min(high, _LOG_HIGHEST)
    while True:
        new = low + uniform(rng) * (high - low)
        if _log_density(new, shape, rate, terms) >= level:
            return exp_double(new)
        if new < y:
            low = new
        else:
            high = new


@nested_kernel
def _log_density(y, shape, rate, terms):
    """Return the log density of y = log x."""
    powers, factors, counts = terms
    x = exp_double(y)
    total = shape * y - rate * x
    for i in range(powers.size):
        total += powers[i] * log_rising(factors[i] * x, counts[i])
    return total
