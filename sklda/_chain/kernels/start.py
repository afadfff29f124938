"""Gibbs sampling of the topics of tokens given phi, for the start of a chain.

With theta of the document integrated out, its tokens are drawn one after the other,

    p(z = k | rest of the document) ~ (n_dk + alpha_k) phi_kw,

in the first pass given earlier tokens, then given all others of the document. Weights
are computed once for the tokens of a cell; a move updates two of them.
"""

import numpy as np

from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel
from sklda._tables.rows import pick, weigh_row


@kernel
def draw_topics(corpus, z, phi, alpha, n_passes, rng):
    """Draw the topics of all tokens of some documents, in `n_passes` over each.

    `phi` is (n_words, n_lanes) float32, up to a factor for each word. It is 0 in the
    padding, and above 0 for some topic of each word.
    """
    doc_ptr, word, token_ptr = corpus
    n_lanes = alpha.size
    mass = zeros(n_lanes, np.float32)  # n_dk + alpha_k
    weight = zeros(n_lanes, np.float32)
    lane_sum = zeros(n_lanes + LANES, np.float32)
    for d in range(doc_ptr.size - 1):
        for k in range(n_lanes):
            mass[k] = alpha[k]
        for n_done in range(n_passes):
            for c in range(doc_ptr[d], doc_ptr[d + 1]):
                row = phi[word[c]]
                total = np.float64(weigh_row(mass, row, np.float32(0), weight))
                for i in range(token_ptr[c], token_ptr[c + 1]):
                    if n_done > 0:
                        old = np.int64(z[i])
                        mass[old] -= 1
                        total += _change(old, mass, row, weight)
                    new = pick(weight, lane_sum, uniform(rng) * total)
                    z[i] = new
                    mass[new] += 1
                    total += _change(new, mass, row, weight)


@inlined_kernel
def _change(k, mass, row, weight):
    """Update the weight of a topic; return by how much it changes."""
    before = weight[k]
    weight[k] = mass[k] * row[k]
    return np.float64(weight[k] - before)
