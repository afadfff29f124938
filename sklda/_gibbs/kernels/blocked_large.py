"""Joint draws of blocks of any size: how many tokens of a block each topic gets.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945, section 3. The topics of a block get n_1, ..., n_K of its n
tokens with probability ~ prod_k q_k(n_k), sum_k n_k = n (doc/blocked_sampling.rst).
Tilted weights q_k(c) x^c / sum_c q_k(c) x^c give the same probabilities. At the saddle
point x, where n tokens are expected in all, they are in the range of float64 even for
thousands of tokens.

`set_weights` sets `pmf`[c, k], c = 0, ..., n, to these weights; nested or backward
simulation draws n_k into `drawn`, (n_topics,), which starts at 0. A block of C tokens
costs O(C^2 K) for a table and C log2(K) steps for the draw.
"""

import numpy as np

from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import uniform
from sklda._simd.arrays import zeros
from sklda._simd.compile import nested_kernel
from sklda._simd.vector_math import exp_double, log_double
from sklda._tables.lists import fill_gap, find, is_empty, mass, topic_of


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
        k = topic_of(words.packed[j], words.bits)
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
    packed, bits, size = words.packed, words.bits, words.size
    doc_topic[k] += n
    topic[k] += n
    j = find(packed, bits, np.int64(size[0]), k)
    if j == size[0]:
        packed[j] = k
        size[0] += 1
    packed[j] += n << bits
    if is_empty(j, words):
        size[0] = fill_gap(packed, np.int64(size[0]), j, topic.size)


@nested_kernel
def shuffle(block, rng):
    """Shuffle the tokens of a block."""
    for i in range(block.size - 1, 0, -1):
        j = np.int64(uniform(rng) * (i + 1))
        block[i], block[j] = block[j], block[i]


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
def draw_nested(pmf, rng, drawn):
    """Split the tokens between two halves of the topics, then within each half.

    Each node holds the probabilities that c tokens fall on the topics below it. A level
    of m nodes starts at node m. The children of its node j are j + m and j + 2 m: one
    convolution serves all nodes of a level, side by side.
    """
    n, n_topics = pmf.shape[0] - 1, pmf.shape[1]
    width = 1
    while width < n_topics:
        width *= 2
    tree = zeros((n + 1, 2 * width), np.float64)
    tree[0, width:] = 1
    tree[:, width : width + n_topics] = pmf
    m = width // 2
    while m > 0:
        _merge(tree[:, 2 * m : 3 * m], tree[:, 3 * m : 4 * m], tree[:, m : 2 * m])
        m //= 2
    below = zeros(2 * width, np.int64)
    below[1] = n
    m = 1
    while m < width:
        for j in range(m, 2 * m):
            c, left, right = below[j], j + m, j + 2 * m
            if c > 0:
                r = uniform(rng) * tree[c, j]
                below[right] = _split(tree[:, left], tree[:, right], c, r)
                below[left] = c - below[right]
        m *= 2
    drawn[:] = below[width : width + n_topics]


@nested_kernel
def _merge(left, right, parent):
    """Convolve: parent[c] = sum_i left[i] right[c - i], for all nodes of a level."""
    for c in range(parent.shape[0]):
        for i in range(c + 1):
            for j in range(parent.shape[1]):
                parent[c, j] += left[i, j] * right[c - i, j]


@nested_kernel
def _split(left, right, c, r):
    """Return how many of c tokens go right; r is uniform below their convolution."""
    for i in range(c):
        r -= left[c - i] * right[i]
        if r < 0:
            return i
    return c


@nested_kernel
def draw_backward(pmf, rng, drawn):
    """Draw backward the tokens of each lane, then those of the topics of each lane.

    Each of `LANES` lanes has its own table, so one recursion serves all of them, side
    by side. The number of topics must be a multiple of `LANES`.
    """
    n, n_topics = pmf.shape[0] - 1, pmf.shape[1]
    table = zeros((n + 1, n_topics + LANES), np.float64)
    _forward(pmf, LANES, table)
    lane_pmf = table[:, n_topics:]
    lane_table = zeros((n + 1, LANES + 1), np.float64)
    _forward(lane_pmf, 1, lane_table)
    lane_tokens = zeros(LANES, np.int64)
    _backward(lane_pmf, lane_table, n, rng, lane_tokens)
    for lane in range(LANES):
        topic_pmf, topic_table = pmf[:, lane::LANES], table[:, lane::LANES]
        _backward(topic_pmf, topic_table, lane_tokens[lane], rng, drawn[lane::LANES])


@nested_kernel
def _forward(pmf, n_lanes, table):
    """Set table[c, k + n_lanes] to the weight of c tokens on k, k - n_lanes, ..."""
    for k in range(n_lanes):
        table[0, k] = 1
    for k in range(0, pmf.shape[1], n_lanes):
        for c in range(table.shape[0]):
            for i in range(c + 1):
                for lane in range(k, k + n_lanes):
                    table[c, lane + n_lanes] += pmf[i, lane] * table[c - i, lane]


@nested_kernel
def _backward(pmf, table, n, rng, drawn):
    """Draw how many of n tokens each item gets, given the table of the items before it.

    The last item with a token is found by binary search: with empty(i) the probability
    that no item from i on holds a token, it is before i with probability table(n, i)
    empty(i) / table(n, end).
    """
    end = pmf.shape[1]
    empty = zeros(end + 1, np.float64)
    while n > 0:
        if empty[end] < 1e-200:  # not set yet, or too little: only ratios matter
            empty[end] = 1
            for i in range(end - 1, -1, -1):
                empty[i] = empty[i + 1] * pmf[0, i]
        r = uniform(rng) * table[n, end] * empty[end]
        first, last = 0, end - 1
        while first < last:
            middle = (first + last) // 2
            if table[n, middle + 1] * empty[middle + 1] > r:
                last = middle
            else:
                first = middle + 1
        r = r / empty[last + 1] - table[n, last] * pmf[0, last]
        c = 1
        while c < n:
            r -= pmf[c, last] * table[n - c, last]
            if r < 0:
                break
            c += 1
        drawn[last] = c
        n -= c
        end = last
