"""Collapsed Gibbs sampling of groups of tokens, over lists of the topics a word has.

Xiao & Stibor, "Efficient collapsed Gibbs sampling for latent Dirichlet allocation",
ACML 2010. The tokens of a cell are split into as many groups as the sweep makes draws
for it. The tokens of a group are taken out together, one topic is drawn from the
conditional of a single token, and all of them move to it.
"""

import numpy as np

from sklda._ecgs.kernels.draw_numbers import group_size
from sklda._sampling.problem import LANES
from sklda._simd.arrays import priors_of, zeros
from sklda._simd.compile import kernel, lean_kernel
from sklda._tables.document import new_document, next_document, update_ratios
from sklda._tables.lists import (
    at_topic,
    counts,
    enter_cell,
    from_topics,
    gather,
    kernel_priors,
    resample_listed,
    resample_listed_cell,
)

__all__ = ["counts", "from_topics", "kernel_priors", "sweep_groups"]


@kernel
def sweep_groups(part, state, priors, alphas, n_draws, rng):
    """Resample every token of a part once, those of cell c in ``n_draws[c]`` groups."""
    n_lanes = state.topic.size
    document = new_document(state.topic, n_lanes + LANES)
    weight = zeros(n_lanes + LANES, np.float32)
    ratio_sum = update_ratios(priors, document)
    before = 0
    for d in range(part.begin.size):
        if part.begin[d] == part.end[d]:
            continue
        ratio_sum = next_document(
            before, d, part, state.z, ratio_sum, priors, alphas, document
        )
        before = d
        ratio_sum = _sweep_document(
            d, part, state, ratio_sum, priors, n_draws, document, weight, rng
        )


@lean_kernel
def _sweep_document(d, part, state, ratio_sum, priors, n_draws, document, weight, rng):
    _, begin, end, word, token_ptr, _ = part
    z = state.z
    for c in range(begin[d], end[d]):
        first, last, n_groups = token_ptr[c], token_ptr[c + 1], n_draws[c]
        if n_groups == last - first:
            ratio_sum = resample_listed_cell(
                c, word, first, last, state, ratio_sum, priors, document, weight, rng
            )
            continue
        word_list, cell = enter_cell(c, word, first, state, ratio_sum, weight, document)
        word_priors = priors_of(word[c], priors)
        while n_groups > 0:
            n = group_size(last - first, n_groups)
            cell = at_topic(z[first], cell, word_list)
            for i in range(first + 1, first + n):
                if z[i] != cell.topic:
                    cell = gather(
                        z, i, first + n, cell, word_list, word_priors, document
                    )
                    break
            cell = resample_listed(
                z, first, n, cell, word_list, word_priors, document, rng
            )
            first += n
            n_groups -= 1
        state.size[word[c]] = cell.size
        ratio_sum = cell.ratio_sum
    return ratio_sum
