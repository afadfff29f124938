"""Joint draws for blocks of any size: the weights of all topics, as probabilities.

The topics of a block get n_1, ..., n_K tokens with probability ~ prod_k q_k(n_k),
sum_k n_k = n; `small` says what q is. Any tilt x and any factor per topic leave
that unchanged, so q_k(c) x^c / sum_c q_k(c) x^c serves as well: a probability, never
too large, and with x such that n tokens are expected in all (a saddle point) never too
small where it matters, for blocks of thousands of tokens.
"""

import math

import numpy as np

from sklda._core.entry import entry
from sklda._core.random_streams import uniform
from sklda._gibbs.kernels.blocked.backward import draw_counts as draw_backward
from sklda._gibbs.kernels.blocked.nested import draw_counts as draw_nested
from sklda._simd.compile import njit
from sklda._simd.vector_math import exp_double, log_double
from sklda._tables.lists import fill_gap, find

PLAIN = 100  # tokens of the largest block that needs no saddle point


@njit(cache=True, nogil=True, error_model="numpy")
def plain_weights(a, b, s, pmf):
    """Set pmf[c, k] to q_k(c) x^c, 1 / x = sum_k q_k(1); return whether it is in range.

    For few tokens that is enough: sum prod q_k(n_k) x^n is at least about 1 / n!.
    """
    total = 0.0
    for k in range(a.size):
        pmf[0, k] = 1
        total += a[k] * b[k] / s[k]
    largest = 0.0
    for c in range(pmf.shape[0] - 1):
        for k in range(a.size):
            step = (a[k] + c) / ((c + 1) * total) * ((b[k] + c) / (s[k] + c))
            pmf[c + 1, k] = pmf[c, k] * step if a[k] > 0 else 0.0
            largest = max(largest, pmf[c + 1, k])
    return largest < 1e100


@njit(cache=True, nogil=True)
def log_weights(a, b, s, log_q):
    """Set log_q[c, k] to log q_k(c)."""
    for k in range(a.size):
        log_q[0, k] = 0
        for c in range(log_q.shape[0] - 1):
            if a[k] == 0:
                log_q[c + 1, k] = -np.inf
                continue
            step = (a[k] + c) / (c + 1) * ((b[k] + c) / (s[k] + c))
            log_q[c + 1, k] = log_q[c, k] + log_double(step)


@njit(cache=True, nogil=True)
def tilted(log_q, log_x, pmf):
    """Set pmf[c, k] ~ q_k(c) x^c; return mean and variance of the sum over topics."""
    mean, variance = 0.0, 0.0
    for k in range(pmf.shape[1]):
        highest = 0.0
        for c in range(pmf.shape[0]):
            highest = max(highest, log_q[c, k] + c * log_x)
        norm, first, second = 0.0, 0.0, 0.0
        for c in range(pmf.shape[0]):
            p = exp_double(log_q[c, k] + c * log_x - highest)
            pmf[c, k] = p
            norm += p
            first += c * p
            second += float(c) * c * p
        for c in range(pmf.shape[0]):
            pmf[c, k] /= norm
        mean += first / norm
        variance += second / norm - (first / norm) ** 2
    return mean, variance


@njit(cache=True, nogil=True)
def saddle_point(log_q, pmf):
    """Tilt the weights until as many tokens are expected as there are.

    Newton's method on log x, kept within the bracket seen so far. Near is enough.
    """
    n = pmf.shape[0] - 1
    low, high = -np.inf, np.inf
    highest = -np.inf
    for k in range(pmf.shape[1]):
        highest = max(highest, log_q[n, k])
    log_x = -highest / n
    for _ in range(100):
        mean, variance = tilted(log_q, log_x, pmf)
        if abs(mean - n) <= max(0.5, 0.5 * math.sqrt(variance)):
            return
        if mean < n:
            low = log_x
        else:
            high = log_x
        log_x += min(max((n - mean) / max(variance, 1e-9), -2.0), 2.0)
        if not low < log_x < high:
            log_x = (low + high) / 2


@njit(cache=True, nogil=True)
def set_weights(a, b, s, pmf):
    """Set pmf[c, k] to the weight of c tokens on topic k, c = 0, ..., n.

    a = n_dk + alpha_k, b = n_wk + beta and s = n_k + V beta, without the block; a is 0
    for a topic that does not exist.
    """
    if pmf.shape[0] - 1 <= PLAIN and plain_weights(a, b, s, pmf):
        return
    log_q = np.empty(pmf.shape)
    log_weights(a, b, s, log_q)
    saddle_point(log_q, pmf)


@njit(cache=True, nogil=True)
def shuffle(block, rng):
    """Shuffle the tokens of a block."""
    for i in range(block.size - 1, 0, -1):
        j = np.int64(uniform(rng) * (i + 1))
        block[i], block[j] = block[j], block[i]


@njit(cache=True, nogil=True, _nrt=True)  # it allocates, though callers may not
def resample(block, words, doc_topic, topic, priors, rng, nested):
    """Resample the topics of a block, by nested or by backward simulation."""
    n_lanes = topic.size
    taken, drawn = np.zeros(n_lanes, np.int64), np.empty(n_lanes, np.int64)
    for i in range(block.size):
        taken[block[i]] += 1
    a, s = np.empty(n_lanes), np.empty(n_lanes)
    b = np.full(n_lanes, np.float64(words.beta))
    for j in range(words.size[0]):
        k = words.topics[j]
        b[k] += words.counts[j] - taken[k]
    for k in range(n_lanes):
        a[k] = doc_topic[k] - taken[k] + np.float64(priors.doc_topic[k])
        s[k] = topic[k] - taken[k] + np.float64(entry(priors.topic_word_sum, k))
    pmf = np.empty((block.size + 1, n_lanes))
    set_weights(a, b, s, pmf)
    if nested:
        draw_nested(pmf, rng, drawn)
    else:
        draw_backward(pmf, rng, drawn)
    i = 0
    for k in range(n_lanes):
        block[i : i + drawn[k]] = k
        i += drawn[k]
    shuffle(block, rng)
    # First those that lose tokens: a list has room for all topics that its tokens can
    # have, but not for all that they had before, too.
    for change in (-1, 1):
        for k in range(n_lanes):
            if (drawn[k] - taken[k]) * change > 0:
                count(k, drawn[k] - taken[k], words, doc_topic, topic)


@njit(cache=True, nogil=True)
def count(k, n, words, doc_topic, topic):
    """Add n tokens to topic k of the word and of the document."""
    topics, counts, sizes, _ = words
    doc_topic[k] += n
    topic[k] += n
    size = np.int64(sizes[0])
    j = find(topics, size, k)
    topics[j] = k
    counts[j] += n
    size = max(size, j + 1)
    if counts[j] == 0:
        size = fill_gap(topics, counts, size, j, topic.size)
    sizes[0] = size
