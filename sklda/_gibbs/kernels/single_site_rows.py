"""Single-site collapsed Gibbs sampling over dense rows of word-topic counts.

Griffiths & Steyvers, "Finding scientific topics", PNAS 2004, equation 5: with the token
itself taken out of all counts,

    p(z = k | rest) ~ (n_dk + alpha_k) / (n_k + V beta) * (n_wk + beta).

The tokens of a cell share document and word: the weights of all K topics are computed
once per cell, and a move updates only two of them. Most tokens keep their topic: the
draw tries it first, and a token that stays writes nothing. Cost: O(K) per cell, and
O(K / 16) per token that moves. The sampler over lists is faster for many topics.
"""

import numpy as np

from sklda._data.corpus import kernel_parts
from sklda._sampling.problem import LANES
from sklda._sampling.sampler import info, over
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel
from sklda._tables.document import new_document, next_document, update_ratios
from sklda._tables.rows import (
    Scratch,
    counts,
    from_topics,
    kernel_priors,
    prefetch_row,
    resample_each_dense,
    tables,
    weigh_row,
)

__all__ = ["counts", "from_topics", "info", "over", "sweep", "tables"]


def sweep(problem, state, rng):
    """Resample every token once."""
    priors, alphas = kernel_priors(problem), problem.kernel_alphas()
    for part in kernel_parts(problem.corpus, problem.n_lanes):
        sweep_tokens(part, state, priors, alphas, rng.kernel)


@kernel
def sweep_tokens(part, state, priors, alphas, rng):
    """Resample every token of a part once."""
    # One function, unlike over lists: a second one for each document took 4 % longer.
    _, begin, end, word, token_ptr, _ = part
    z, word_topic, topic = state
    n_lanes, beta = topic.size, priors.topic_word
    document = new_document(topic, n_lanes)
    weight = zeros(n_lanes, np.float32)
    scratch = Scratch(weight, zeros(n_lanes + LANES, np.float32))
    ratio = document.ratio
    ratio_sum = update_ratios(priors, document)
    before = 0
    for d in range(begin.size):
        if begin[d] == end[d]:
            continue
        ratio_sum = next_document(
            before, d, part, z, ratio_sum, priors, alphas, document
        )
        before = d
        for c in range(begin[d], end[d]):
            prefetch_row(word, c, word_topic)
            row = word_topic[word[c]]
            total = weigh_row(ratio, row, beta, weight)
            first, last = token_ptr[c], token_ptr[c + 1]
            resample_each_dense(
                z, first, last, row, total, priors, document, scratch, rng
            )
