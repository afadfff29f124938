"""Joint draws of blocks of any size: the weights of all topics, as probabilities.

The topics of a block get n_1, ..., n_K tokens with probability ~ prod_k q_k(n_k),
sum_k n_k = n (doc/blocked_sampling.rst). Tilted weights q_k(c) x^c / sum_c q_k(c) x^c
give the same probabilities. At the saddle point x, where n tokens are expected in all,
they are in the range of float64 even for thousands of tokens.
"""

import numpy as np

from sklda._core.random_streams import uniform
from sklda._gibbs.kernels.blocked.simulations import draw_backward, draw_nested
from sklda._simd.arrays import zeros
from sklda._simd.compile import nested_kernel
from sklda._simd.vector_math import exp_double, log_double
from sklda._tables.pairs import fill_gap, find, is_empty, mass, topic_of

PLAIN = 100  # tokens of the largest block that needs no saddle point


@nested_kernel
def set_weights(a, b, s, pmf):
    """Set pmf[c, k] to the weight of c tokens on topic k, c = 0, ..., n.

    a = n_dk + alpha_k, b = n_wk + beta and s = n_k + V beta, without the block; a is 0
    for a topic that does not exist. Few tokens need no saddle point: with 1 / x =
    sum_k q_k(1), sum prod q_k(n_k) x^n is at least about 1 / n!.
    """
    total, largest = 0.0, 0.0
    for k in range(a.size):
        pmf[0, k] = 1
        total += a[k] * b[k] / s[k]
    for c in range(pmf.shape[0] - 1):
        for k in range(a.size):
            step = (a[k] + c) / ((c + 1) * total) * ((b[k] + c) / (s[k] + c))
            pmf[c + 1, k] = pmf[c, k] * step if a[k] > 0 else 0.0
            largest = max(largest, pmf[c + 1, k])
    if pmf.shape[0] - 1 > PLAIN or not largest < 1e100:
        saddle_point(a, b, s, pmf)


@nested_kernel
def saddle_point(a, b, s, pmf):
    """Set the weights, tilted such that about n tokens are expected.

    Newton's method finds log x; it stays within the bracket seen so far.
    """
    n = pmf.shape[0] - 1
    log_q = zeros(pmf.shape, np.float64)
    for c in range(n):
        for k in range(a.size):
            log_q[c + 1, k] = -np.inf
            if a[k] > 0:
                step = (a[k] + c) / (c + 1) * ((b[k] + c) / (s[k] + c))
                log_q[c + 1, k] = log_q[c, k] + log_double(step)
    log_x, low, high = -log_q[n].max() / n, -np.inf, np.inf
    for _ in range(100):
        mean, variance = set_tilted(log_q, log_x, pmf)
        if abs(mean - n) <= max(0.5, 0.5 * np.sqrt(variance)):
            return
        if mean < n:
            low = log_x
        else:
            high = log_x
        log_x += min(max((n - mean) / max(variance, 1e-9), -2.0), 2.0)
        if not low < log_x < high:
            log_x = (low + high) / 2


@nested_kernel
def set_tilted(log_q, log_x, pmf):
    """Set pmf[c, k] ~ q_k(c) x^c; return mean and variance of the sum over topics."""
    mean, variance = 0.0, 0.0
    for k in range(pmf.shape[1]):
        highest, norm, first, second = 0.0, 0.0, 0.0, 0.0
        for c in range(pmf.shape[0]):
            highest = max(highest, log_q[c, k] + c * log_x)
        for c in range(pmf.shape[0]):
            p = exp_double(log_q[c, k] + c * log_x - highest)
            pmf[c, k] = p
            norm += p
            first += c * p
            second += float(c) * c * p
        pmf[:, k] /= norm
        mean += first / norm
        variance += second / norm - (first / norm) ** 2
    return mean, variance


@nested_kernel
def shuffle(block, rng):
    """Shuffle the tokens of a block."""
    for i in range(block.size - 1, 0, -1):
        j = np.int64(uniform(rng) * (i + 1))
        block[i], block[j] = block[j], block[i]


@nested_kernel
def resample_large(block, words, doc_topic, topic, priors, rng, nested):
    """Resample the topics of a block, by nested or by backward simulation."""
    n_lanes = topic.size
    taken, drawn = zeros(n_lanes, np.int64), zeros(n_lanes, np.int64)
    for i in range(block.size):
        taken[block[i]] += 1
    a = doc_topic - taken + priors.doc_topic
    s = topic - taken + priors.topic_word_sum
    b = np.full(n_lanes, np.float64(words.beta))
    for j in range(words.size[0]):
        k = topic_of(words.pairs[j], words.bits)
        b[k] += mass(j, taken[k], words)
    pmf = zeros((block.size + 1, n_lanes), np.float64)
    set_weights(a, b, s, pmf)
    if nested:
        draw_nested(pmf, rng, drawn)
    else:
        draw_backward(pmf, rng, drawn)
    block[:] = np.repeat(np.arange(n_lanes), drawn)
    shuffle(block, rng)
    # Topics lose tokens before others gain them: a list has room for all topics that
    # its tokens can have, but not also for those that they had before.
    for sign in (-1, 1):
        for k in range(n_lanes):
            if (drawn[k] - taken[k]) * sign > 0:
                add_to_topic(k, drawn[k] - taken[k], words, doc_topic, topic)


@nested_kernel
def add_to_topic(k, n, words, doc_topic, topic):
    """Add n tokens to topic k of the word and of the document."""
    pairs, bits, size = words.pairs, words.bits, words.size
    doc_topic[k] += n
    topic[k] += n
    j = find(pairs, bits, np.int64(size[0]), k)
    if j == size[0]:
        pairs[j] = k
        size[0] += 1
    pairs[j] += n << bits
    if is_empty(j, words):
        size[0] = fill_gap(pairs, np.int64(size[0]), j, topic.size)
