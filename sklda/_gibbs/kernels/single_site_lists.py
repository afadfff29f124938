"""Single-site collapsed Gibbs sampling over lists of the topics that a word has.

Griffiths & Steyvers, "Finding scientific topics", PNAS 2004, equation 5: with the token
itself taken out of all counts,

    p(z = k | rest) ~ (n_dk + alpha_k) / (n_k + V beta) * (n_wk + beta).

`sklda._tables.lists` draws from it in two parts. The tokens of a cell share document
and word: the weights of the word's topics are computed once per cell, and a move
updates only two of them. Most tokens keep their topic: the draw tries it first, and a
token that stays writes nothing. Cost: O(topics of the word) per cell, O(K) per document
that is not short, and O(K) for the few tokens that the second part draws.
"""

import numpy as np

from sklda._data.corpus import kernel_parts
from sklda._sampling.problem import LANES
from sklda._sampling.sampler import info, over
from sklda._simd.arrays import not_negative, zeros
from sklda._simd.compile import kernel, lean_kernel
from sklda._tables.document import new_document, next_document, update_ratios
from sklda._tables.lists import (
    counts,
    from_topics,
    kernel_priors,
    resample_listed_cell,
    tables,
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
            d, part, state, ratio_sum, priors, document, weight, rng
        )


@lean_kernel
def _sweep_document(d, part, state, ratio_sum, priors, document, weight, rng):
    _, begin, end, word, token_ptr, _ = part
    for c in range(not_negative(begin[d]), end[d]):
        first, last = token_ptr[c], token_ptr[c + 1]
        ratio_sum = resample_listed_cell(
            c, word, first, last, state, ratio_sum, priors, document, weight, rng
        )
    return ratio_sum
