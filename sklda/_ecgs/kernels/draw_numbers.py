"""Dynamic sampling: how many draws a sweep makes for the tokens of a cell.

Xiao & Stibor, "Efficient collapsed Gibbs sampling for latent Dirichlet allocation",
ACML 2010. A cell of N tokens has a weight for each number of draws from 1 to N, at
first Gamma = (0, ..., 0, damping). In each sweep,

1. draw the number of draws I ~ Multinomial(Gamma),
2. split the tokens of the cell into I groups, and draw a topic for each,
3. add 1 to the weight of u, the number of distinct topics that its tokens then have.

So a cell whose tokens often share one topic is soon drawn as one group. Cells of 1 or 2
tokens get as many draws as tokens.

Only weights above 0 are stored, so memory follows the values of u seen so far, not N.
The weights of every cell add up to damping + sweeps.
"""

from typing import NamedTuple

import numpy as np

from sklda._sampling.random_streams import uniform
from sklda._simd.compile import inlined_kernel, kernel

FEWEST = 3  # tokens of a cell that has weights


class DrawWeights(NamedTuple):
    """Weights above 0 of numbers of draws, for cells of at least `FEWEST` tokens."""

    cell: np.ndarray  # (n_such_cells,) int64
    ptr: np.ndarray  # (n_such_cells + 1,) int64; weights of the i-th: ptr[i]:ptr[i + 1]
    draws: np.ndarray  # (n_weights,) int32, the number of draws
    weight: np.ndarray  # (n_weights,) int32


def first_draw_weights(cells, n_tokens, damping):
    """Return the weights before the first sweep: each cell gets a draw per token."""
    cell = cells[n_tokens[cells] >= FEWEST]
    draws = n_tokens[cell]
    weight = np.full(cell.size, damping, np.int32)
    return DrawWeights(cell, np.arange(cell.size + 1, dtype=np.int64), draws, weight)


@kernel
def choose_n_draws(weights, rng, n_draws):
    """Choose the number of draws of each cell that has weights."""
    cell, ptr, draws, weight = weights
    total = weight[: ptr[1]].sum() if cell.size > 0 else 0  # all cells have this total
    for i in range(cell.size):
        j, last = ptr[i], ptr[i + 1] - 1
        r = uniform(rng) * total
        while j < last and r >= weight[j]:
            r -= weight[j]
            j += 1
        n_draws[cell[i]] = draws[j]


def learn_draw_weights(token_ptr, z, weights, n_lanes):
    """Return the weights after a sweep: 1 is added for the topics of each cell."""
    n_topics = np.ones(weights.cell.size, np.int32)
    # Cells with a number of topics of weight 0.
    is_new = np.zeros(weights.cell.size, bool)
    _add(token_ptr, z, weights, n_lanes, n_topics, is_new)
    if not is_new.any():
        return weights
    ends = weights.ptr[1:][is_new]  # a new weight becomes the last of its cell
    return DrawWeights(
        weights.cell,
        weights.ptr + np.append(0, np.cumsum(is_new)),
        np.insert(weights.draws, ends, n_topics[is_new]),
        np.insert(weights.weight, ends, 1),
    )


@kernel
def _add(token_ptr, z, weights, n_lanes, n_topics, is_new):
    """Count the topics of each cell, and add 1 to the weight or note it as new."""
    cell, ptr, draws, weight = weights
    seen_in = np.full(n_lanes, -1)
    for i in range(cell.size):
        first, last = token_ptr[cell[i]], token_ptr[cell[i] + 1]
        seen_in[z[first]] = i
        for t in range(first + 1, last):
            if z[t] != z[first] and seen_in[z[t]] != i:
                seen_in[z[t]] = i
                n_topics[i] += 1
        j = ptr[i]
        while j < ptr[i + 1] and draws[j] != n_topics[i]:
            j += 1
        if j < ptr[i + 1]:
            weight[j] += 1
        else:
            is_new[i] = True


@inlined_kernel
def group_size(n_tokens, n_groups):
    """Return the size of the next of `n_groups` groups of about equal size."""
    n = np.int32(n_tokens)
    return n // n_groups if n_groups > 1 else n  # mostly 1: no division
