"""Gibbs sampling by data augmentation: given theta and phi, tokens are independent.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945. A sweep has three steps:

1. For each topic, draw phi_k ~ Dirichlet(n_k1 + beta, ..., n_kV + beta).
2. For each document, draw theta_d ~ Dirichlet(n_d1 + alpha_1, ..., n_dK + alpha_K).
3. For each token, draw its topic: p(z = k | theta, phi) ~ theta_dk phi_kw.

`sklda._gibbs.uncollapsed` draws phi and theta as gammas divided by their sum.
This file scales phi and theta, and draws the topics. Weights are computed once per
cell. Most tokens keep their topic: the draw tries it first. Cost: O(K) per cell, and
O(log K) per token that moves.
"""

import numpy as np

from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import uniform
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel
from sklda._simd.vectors import broadcast, load, store
from sklda._tables.rows import find_down_lane

# The scale of a row of theta or phi changes no draw. The largest entry becomes 2**50,
# and entries 34 digits smaller become 0. So no product of two entries is subnormal,
# which would be ten times slower, and the sum of 65,535 of them is in range. The
# present topic counts the token itself in n_dk and in n_kw: topics with such small
# entries have no chance against it.
LARGEST, LOWEST = 2.0**50, 2.0**-63


@kernel
def scale(gammas, factor, rows):
    """Fill each row with gammas * factor as float32; its largest entry is `LARGEST`."""
    n_topics = factor.size
    for i in range(gammas.shape[0]):
        highest = 0.0
        for k in range(n_topics):
            highest = max(highest, gammas[i, k] * factor[k])
        to_largest = LARGEST / max(highest, 1e-200)  # below it, no token uses the row
        for k in range(n_topics):
            value = gammas[i, k] * factor[k] * to_largest
            rows[i, k] = value if value >= LOWEST else 0.0


@lean_kernel
def _weigh(theta, phi, lane_sum, before):
    """Sum the weights of a cell down each lane; return the sum of all weights.

    `before[i]` becomes the sum of the lanes before lane i.
    """
    n = theta.size
    sums = broadcast(np.float32(0), LANES)
    for k in range(0, n, LANES):
        sums = sums + load(theta, k, LANES) * load(phi, k, LANES)
        store(lane_sum, k + LANES, sums)
    total = 0.0
    for lane in range(LANES):
        before[lane] = total
        total += lane_sum[n + lane]
    return total


@inlined_kernel
def _pick(theta, phi, lane_sum, before, r):
    """Draw a topic in proportion to its weight; r is uniform from 0 to their sum.

    If rounding carries r past the end of its lane, an earlier topic is drawn.
    """
    lane = 0
    for i in range(1, LANES):  # no branch, as the tokens of a cell share `before`
        lane += 1 if r >= before[i] else 0
    k = find_down_lane(lane_sum, lane, r - before[lane])
    while k > 0 and not theta[k] * phi[k] > 0:
        k -= 1
    return k


@kernel
def resample_topics(corpus, z, theta, phi, rng):
    """Resample the tokens of some documents, each with its own row of theta.

    `phi` is (n_words, n_lanes); both tables are scaled, and 0 in the padding.
    """
    doc_ptr, word, token_ptr = corpus
    lane_sum = zeros(theta.shape[1] + LANES, np.float32)
    before = zeros(LANES, np.float64)
    for d in range(doc_ptr.size - 1):
        theta_d = theta[d]
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            phi_w = phi[word[c]]
            total = _weigh(theta_d, phi_w, lane_sum, before)
            for i in range(token_ptr[c], token_ptr[c + 1]):
                old = np.int64(z[i])
                stay = np.float64(theta_d[old] * phi_w[old])
                r = uniform(rng) * total
                if r < stay or total == 0:
                    continue
                # The other topics in their order: those after the old one move up.
                r -= stay
                if r >= before[old % LANES] + lane_sum[old]:
                    r += stay
                z[i] = _pick(theta_d, phi_w, lane_sum, before, r)
