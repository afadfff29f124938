"""Nested and backward simulation: how many tokens of a block each topic gets.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945, section 3. `pmf`[c, k], c = 0, ..., n, is the probability of
c tokens on topic k, up to a factor and a tilt that the total fixes; `drawn`,
(n_topics,), starts at 0. A block of C tokens costs O(C^2 K) for a table and C log2(K)
steps for the draw.
"""

import numpy as np

from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._simd.arrays import zeros
from sklda._simd.compile import nested_kernel


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
