"""The probability of a document under fixed topics, from left to right.

Particles are assignments z of the tokens so far. Before token n, a Gibbs sweep over the
tokens before it moves each particle and leaves p(z | w) invariant. Then the mean of

    p(w_n | z) = sum_k phi_kw (n_k + alpha_k) / (n + A),

over the particles estimates p(w_n | the words before it); A is the sum of alpha. Their
resampling in proportion to p(w_n | z) keeps the product of the means unbiased.
"""

import numpy as np

from sklda._sampling.random_streams import uniform
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel, nested_kernel
from sklda._simd.vector_math import log_double


@nested_kernel
def _draw_topic(row, counts, alpha, cumulated, rng):
    """Draw a topic for a word whose phi is `row`."""
    total = 0.0
    for k in range(row.size):
        total += row[k] * (counts[k] + alpha[k])
        cumulated[k] = total
    threshold = uniform(rng) * total
    k = 0
    while k < row.size - 1 and cumulated[k] <= threshold:
        k += 1
    return k


@nested_kernel
def _draw_particles(weights, z, counts, rng):
    """Resample the particles systematically; copies take the places of the others."""
    n_particles = weights.size
    scale = n_particles / weights.sum()
    n_draws = zeros(n_particles, np.int64)
    before, drawn, start = 0.0, 0, uniform(rng)
    for r in range(n_particles):
        before += weights[r] * scale
        while drawn + start < before and drawn < n_particles:
            n_draws[r] += 1
            drawn += 1
    n_draws[n_particles - 1] += n_particles - drawn  # due to rounding
    source = 0
    for r in range(n_particles):
        if n_draws[r] == 0:
            while n_draws[source] < 2:
                source += 1
            z[r] = z[source]
            counts[r] = counts[source]
            n_draws[source] -= 1
            n_draws[r] = 1


@kernel
def extend(word, first, last, word_topic, alpha, z, counts, rng):
    """Extend the particles by the tokens first:last; return their log probability.

    `word_topic` is phi, (n_words, n_topics). Updated: `z`, the topics of the tokens
    before, (n_particles, n_tokens), and `counts` of them, (n_particles, n_topics).
    """
    n_particles, n_topics = counts.shape
    weights = zeros(n_particles, np.float64)
    cumulated = zeros(n_topics, np.float64)
    prior_mass = alpha.sum()
    total = 0.0
    for n in range(first, last):
        row = word_topic[word[n]]
        for r in range(n_particles):
            for i in range(n):
                counts[r, z[r, i]] -= 1
                z[r, i] = _draw_topic(
                    word_topic[word[i]], counts[r], alpha, cumulated, rng
                )
                counts[r, z[r, i]] += 1
            weights[r] = 0.0
            for k in range(n_topics):
                weights[r] += row[k] * (counts[r, k] + alpha[k])
        mean = weights.mean() / (prior_mass + n)
        if mean == 0:
            return -np.inf
        total += log_double(mean)
        _draw_particles(weights, z[:, :n], counts, rng)
        for r in range(n_particles):
            z[r, n] = _draw_topic(row, counts[r], alpha, cumulated, rng)
            counts[r, z[r, n]] += 1
    return total
