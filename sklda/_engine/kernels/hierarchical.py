"""Draws of the hierarchical Dirichlet process: restaurant tables, and concentrations.

The number of tables of a Chinese restaurant process stands for the tokens of a document
on a topic (C. E. Antoniak, "Mixtures of Dirichlet processes with applications to
Bayesian nonparametric problems", Annals of Statistics 2, 1974). Concentrations are
drawn by slice sampling (R. M. Neal, "Slice sampling", 2003).
"""

import numpy as np

from sklda._sampling.random_streams import hashed_uniform, uniform
from sklda._sampling.variates import large_shape
from sklda._simd.arrays import not_negative, zeros
from sklda._simd.compile import kernel, lean_kernel, nested_kernel
from sklda._simd.vector_math import exp_double, log_double, log_rising
from sklda._tables.document import LANES_PER_TOKEN, clear


@kernel
def add_tables(tokens_before, z, first_token, row, alpha, key, tables):
    """Add the tables of documents to those of their rows, (n_rows, n_topics) int64.

    Of the tokens of a document on topic k, number i = 0, 1, ... opens a table with
    probability alpha_k / (alpha_k + i), for alpha of its row, (n_rows, n_topics). Token
    j of the corpus uses the j-th random number of the key; `first_token` is the number
    of z[0].
    """
    doc_topic = zeros(alpha.shape[1], np.int32)
    for d in range(row.size):
        r, first, last = not_negative(row[d]), tokens_before[d], tokens_before[d + 1]
        for i in range(first, last):
            k = np.int64(z[i])
            n, a = doc_topic[k], alpha[r, k]
            doc_topic[k] = n + 1
            opens = hashed_uniform(key, first_token + i) * (a + n) < a
            tables[r, k] += np.int64(opens)  # a branch would be mispredicted
        _forget(first, last, z, doc_topic)


@lean_kernel
def _forget(first, last, z, doc_topic):
    """Set the counts of a document back to 0."""
    if doc_topic.size <= LANES_PER_TOKEN * (last - first):
        clear(doc_topic)
        return
    for i in range(first, last):
        doc_topic[z[i]] = 0


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
