"""Blocked collapsed Gibbs sampling by nested simulation.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945, section 3. A binary tree over the topics: each node knows the
probability that the topics below it hold c tokens, the convolution of its children's.
Drawn from the root down, c tokens split between the two children, and empty nodes are
skipped. Cost of a block of C tokens: O(C^2 K) for the tree, C log2(K) steps down it.

Topics are halved: with m nodes on a level, j and j + ceil(m / 2) have one parent, node
j of the level above, so that one convolution serves all nodes of a level, side by side.
Blocks of up to four tokens need no tree (`small`).
"""

import numpy as np

from sklda._core.random_streams import uniform
from sklda._simd.compile import njit


@njit(cache=True, nogil=True)
def _merge(left, right, parent):
    """Convolve: parent[c] = sum_i left[i] right[c - i], for all nodes of a level."""
    n_pairs = right.shape[1]
    for c in range(parent.shape[0]):
        for j in range(n_pairs):
            parent[c, j] = left[0, j] * right[c, j]
        for i in range(1, c + 1):
            for j in range(n_pairs):
                parent[c, j] += left[i, j] * right[c - i, j]
        for j in range(n_pairs, parent.shape[1]):  # an only child
            parent[c, j] = left[c, j]


@njit(cache=True, nogil=True)
def _split(left, right, c, r):
    """Return how many of c tokens go right, for r uniform in their convolution."""
    for i in range(c):
        r -= left[c - i] * right[i]
        if r < 0:
            return i
    return c


@njit(cache=True, nogil=True)
def draw_counts(pmf, rng, drawn):
    """Draw how many tokens of a block each topic gets.

    `pmf`[c, k] is the probability of c tokens on topic k, up to a factor and tilt that
    the total fixes, c = 0, ..., n; `drawn`, (n_topics,), is overwritten.
    """
    n = pmf.shape[0] - 1
    n_topics = pmf.shape[1]
    first = np.zeros(32, np.int64)  # the first node of each level
    depth = 0
    width = n_topics
    while width > 1:
        first[depth + 1] = first[depth] + width
        width = (width + 1) // 2
        depth += 1
    tree = np.empty((n + 1, first[depth] + 1))
    for c in range(n + 1):
        for k in range(n_topics):
            tree[c, k] = pmf[c, k]
    for level in range(depth):
        start, end = first[level], first[level + 1]
        half = start + (end - start + 1) // 2
        parents = tree[:, end : end + half - start]
        _merge(tree[:, start:half], tree[:, half:end], parents)
    below = np.zeros(first[depth] + 1, np.int64)
    below[first[depth]] = n
    for level in range(depth - 1, -1, -1):
        start, end = first[level], first[level + 1]
        n_left = (end - start + 1) // 2
        for j in range(n_left):
            c = below[end + j]
            left, right = start + j, start + j + n_left
            if c > 0 and right < end:
                r = uniform(rng) * tree[c, end + j]
                below[right] = _split(tree[:, left], tree[:, right], c, r)
            below[left] = c
            if right < end:
                below[left] -= below[right]
    for k in range(n_topics):
        drawn[k] = below[k]
