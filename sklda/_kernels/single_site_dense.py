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

from sklda._kernels.arrays import LANES
from sklda._kernels.dense import State, _pick, _weigh, init, read_counts
from sklda._kernels.document import count_document, topic_ratio, topic_ratios
from sklda._kernels.draws import uniform

__all__ = ["State", "init", "read_counts", "sweep"]


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
            row = word_topic[word[c]]
            total = _weigh(ratio, row, beta, weight)
            for i in range(token_ptr[c], token_ptr[c + 1]):
                # The weight of the current topic with the token itself taken out.
                old = np.int64(z[i])
                old_ratio = topic_ratio(
                    doc_topic[old] - 1, topic[old] - 1, alpha[old], word_mass
                )
                stay = old_ratio * (np.float32(row[old] - 1) + beta)
                others = total - weight[old]
                r = uniform(rng) * (others + stay)
                if r < stay:
                    continue
                weight[old] = 0
                new = _pick(weight, lane_sum, r - stay)
                z[i] = new
                row[old] -= 1
                topic[old] -= 1
                doc_topic[old] -= 1
                ratio[old] = old_ratio
                weight[old] = stay
                total = others + stay - weight[new]
                row[new] += 1
                topic[new] += 1
                doc_topic[new] += 1
                ratio[new] = topic_ratio(
                    doc_topic[new], topic[new], alpha[new], word_mass
                )
                weight[new] = ratio[new] * (np.float32(row[new]) + beta)
                total += weight[new]
