"""Single-site collapsed Gibbs sampling over dense rows of word-topic counts.

Griffiths & Steyvers, "Finding scientific topics", PNAS 2004, equation 5: with the
token itself taken out of all counts,

    p(z = k | rest) ~ (n_dk + alpha_k) / (n_k + V beta) * (n_wk + beta).

The tokens of a cell share document and word, so the weights of all K topics are
computed once per cell, in a loop that vectorises, and only the two that a move
changes are mended. Most tokens keep their topic: the current topic is asked for
first, and a token that stays writes nothing. Cost: O(K) per cell, and O(K / 16) per
token that moves. The sparse sampler is faster for many topics.
"""

import numpy as np
from numba import njit

from sklda._core.problem import LANES
from sklda._core.rows import (
    State,
    copies,
    copy,
    init,
    look_ahead,
    merge,
    read_counts,
    redraw,
    seat,
    weigh,
)
from sklda._core.document import count_document, topic_ratios

__all__ = ["State", "copies", "copy", "init", "merge", "read_counts", "seat", "sweep"]


@njit(cache=True, nogil=True)
def sweep(corpus, state, priors, rng):
    """Redraw every token once."""
    doc_ptr, word, token_ptr = corpus
    z, word_topic, topic = state
    alpha, beta = priors
    word_mass = np.float32(word_topic.shape[0]) * beta
    doc_topic = np.zeros(alpha.size, np.int32)
    ratio = np.zeros(alpha.size, np.float32)
    weight = np.zeros(alpha.size, np.float32)
    lane_sum = np.zeros(alpha.size + LANES, np.float32)
    for d in range(doc_ptr.size - 1):
        count_document(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]], z, doc_topic)
        topic_ratios(doc_topic, topic, alpha, word_mass, ratio)
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            look_ahead(word, c, word_topic)
            row = word_topic[word[c]]
            total = weigh(ratio, row, beta, weight)
            for i in range(token_ptr[c], token_ptr[c + 1]):
                total = redraw(
                    z, i, 1, row, total, beta, word_mass, doc_topic, topic, alpha,
                    ratio, weight, lane_sum, rng,
                )  # fmt: skip
