"""Blocked collapsed Gibbs sampling by backward simulation.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945, section 3: a forward table h_{1:k}(c) of the probability that
the first k topics hold c tokens, then the topics from the last to the first. Two things
are done otherwise, with the same result (doc/blocked_sampling.rst proves it).

- The last topic that holds a token is found by binary search, for the probability that
  none above topic k does grows with k. A block of C tokens takes C log2(K) steps.
- The topics are distributed over `LANES` lanes, each with a table of its own, so one
  recursion serves all lanes side by side; and the lanes are drawn like topics.

Cost of a block of C tokens: O(C^2 K). Blocks of up to four tokens need no table
(`small`).
"""

import numpy as np

from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._simd.compile import njit


@njit(cache=True, nogil=True)
def _forward(pmf, n_lanes, table):
    """Set table[c, k + n_lanes] to the weight of c tokens on k, k - n_lanes, ..."""
    for k in range(n_lanes):
        table[0, k] = 1
        for c in range(1, table.shape[0]):
            table[c, k] = 0
    for k in range(0, pmf.shape[1], n_lanes):
        for c in range(table.shape[0]):
            for lane in range(k, k + n_lanes):
                table[c, lane + n_lanes] = pmf[0, lane] * table[c, lane]
            for i in range(1, c + 1):
                for lane in range(k, k + n_lanes):
                    table[c, lane + n_lanes] += pmf[i, lane] * table[c - i, lane]


@njit(cache=True, nogil=True)
def _backward(pmf, table, n, rng, drawn):
    """Draw how many of n tokens each item gets, given the table of the items before it.

    With empty(i) the probability that no item from i on holds a token, table(n, i)
    empty(i) / table(n, end) is the probability that the last with a token is before i.
    """
    end = pmf.shape[1]
    empty = np.zeros(end + 1)
    for i in range(end):
        drawn[i] = 0
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


@njit(cache=True, nogil=True)
def draw_counts(pmf, rng, drawn):
    """Draw how many tokens of a block each topic gets.

    `pmf`[c, k] is the probability of c tokens on topic k, up to a factor and tilt that
    the total fixes, c = 0, ..., n; `drawn`, (n_topics,), a multiple of `LANES`, is
    overwritten.
    """
    n = pmf.shape[0] - 1
    n_topics = pmf.shape[1]
    table = np.empty((n + 1, n_topics + LANES))
    _forward(pmf, LANES, table)
    lane_pmf = table[:, n_topics:]
    lane_table = np.empty((n + 1, LANES + 1))
    _forward(lane_pmf, 1, lane_table)
    in_lane = np.empty(LANES, np.int64)
    _backward(lane_pmf, lane_table, n, rng, in_lane)
    for lane in range(LANES):
        _backward(
            pmf[:, lane::LANES],
            table[:, lane::LANES],
            in_lane[lane],
            rng,
            drawn[lane::LANES],
        )
