"""Collapsed Gibbs sampling of groups of tokens, over dense rows of word-topic counts.

Xiao & Stibor, "Efficient collapsed Gibbs sampling for latent Dirichlet allocation",
ACML 2010. The algorithm is that of `sklda._ecgs.kernels.lists`, which is slower for few
topics.
"""

import numpy as np

from sklda._ecgs.kernels.draw_numbers import group_size
from sklda._sampling.problem import LANES
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel
from sklda._tables.document import new_document, next_document, update_ratios
from sklda._tables.rows import (
    Scratch,
    counts,
    from_topics,
    kernel_priors,
    prefetch_row,
    resample_dense,
    weigh_row,
)

__all__ = ["counts", "from_topics", "kernel_priors", "sweep_groups"]


@kernel
def sweep_groups(part, state, priors, alphas, n_draws, rng):
    """Resample every token of a part once, those of cell c in ``n_draws[c]`` groups."""
    n_lanes = state.topic.size
    document = new_document(state.topic, n_lanes)
    scratch = Scratch(zeros(n_lanes, np.float32), zeros(n_lanes + LANES, np.float32))
    ratio_sum = update_ratios(priors, document)
    before = 0
    for d in range(part.begin.size):
        if part.begin[d] == part.end[d]:
            continue
        ratio_sum = next_document(
            before, d, part, state.z, ratio_sum, priors, alphas, document
        )
        before = d
        _sweep_document(d, part, state, priors, n_draws, document, scratch, rng)


@lean_kernel
def _sweep_document(d, part, state, priors, n_draws, document, scratch, rng):
    _, begin, end, word, token_ptr, _ = part
    z, word_topic, _ = state
    beta = priors.topic_word
    for c in range(begin[d], end[d]):
        prefetch_row(word, c, word_topic)
        row = word_topic[word[c]]
        total = weigh_row(document.ratio, row, beta, scratch.weight)
        first, last, n_groups = token_ptr[c], token_ptr[c + 1], n_draws[c]
        if n_groups == last - first:
            for i in range(first, last):
                total = resample_dense(
                    z, i, 1, row, total, priors, document, scratch, rng
                )
            continue
        while n_groups > 0:
            n = group_size(last - first, n_groups)
            if _gather(z, first, n, row, document):
                update_ratios(priors, document)
                total = weigh_row(document.ratio, row, beta, scratch.weight)
            total = resample_dense(
                z, first, n, row, total, priors, document, scratch, rng
            )
            first += n
            n_groups -= 1


@inlined_kernel
def _gather(z, first, n, row, document):
    """Move n tokens to the topic of the first one; return whether any token moved."""
    doc_topic, topic, _ = document
    k = np.int64(z[first])
    moved = 0
    for i in range(first + 1, first + n):
        old = np.int64(z[i])
        if old != k:
            z[i] = k
            row[old] -= 1
            doc_topic[old] -= 1
            topic[old] -= 1
            moved += 1
    row[k] += moved
    doc_topic[k] += moved
    topic[k] += moved
    return moved > 0
