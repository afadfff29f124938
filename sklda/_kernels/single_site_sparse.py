"""Single-site collapsed Gibbs sampling over lists of the topics that a word has.

The conditional of Griffiths & Steyvers, "Finding scientific topics", PNAS 2004,
equation 5, in the two exact parts of `lists`. Cost: O(topics of the word) per cell, and
O(K) per document and for the few tokens that the second part draws. As in the dense
sampler the weights are computed once per cell, the current topic is asked for first,
and a token that stays writes nothing.
"""

import numpy as np
from numba import njit

from sklda._kernels.arrays import LANES
from sklda._kernels.document import count_document, topic_ratio, topic_ratios
from sklda._kernels.draws import uniform
from sklda._kernels.lists import State, find, init, place, read_counts, weigh

__all__ = ["State", "init", "read_counts", "sweep"]


@njit(cache=True, nogil=True)
def sweep(corpus, state, priors, rng):
    """Redraw every token once."""
    doc_ptr, word, token_ptr = corpus
    z, topic, start, sizes, list_topic, list_count = state
    alpha, beta = priors
    word_mass = np.float32(sizes.size) * beta
    doc_topic = np.zeros(alpha.size, np.int32)
    ratio = np.zeros(alpha.size + LANES, np.float32)
    weight = np.zeros(alpha.size + LANES, np.float32)
    for d in range(doc_ptr.size - 1):
        count_document(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]], z, doc_topic)
        rest = topic_ratios(doc_topic, topic, alpha, word_mass, ratio)
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            w = word[c]
            topics = list_topic[start[w] : start[w + 1]]
            counts = list_count[start[w] : start[w + 1]]
            size = np.int64(sizes[w])
            listed = weigh(ratio, topics, counts, size, weight)
            for i in range(token_ptr[c], token_ptr[c + 1]):
                # The weight of the current topic with the token itself taken out.
                old = np.int64(z[i])
                old_j = find(topics, size, old)
                old_ratio = topic_ratio(
                    doc_topic[old] - 1, topic[old] - 1, alpha[old], word_mass
                )
                old_weight = old_ratio * np.float32(counts[old_j] - 1)
                stay = np.float64(old_weight) + beta * old_ratio
                other_listed = listed - weight[old_j]
                other_rest = rest - ratio[old]
                r = uniform(rng) * (stay + other_listed + beta * other_rest)
                if r < stay:
                    continue
                weight[old_j] = 0
                ratio[old] = 0
                j = place(r - stay, other_listed, beta, weight, ratio, topics, size)
                size = max(size, j + 1)
                topic[old] -= 1
                doc_topic[old] -= 1
                counts[old_j] -= 1
                ratio[old] = old_ratio
                weight[old_j] = old_weight
                k = topics[j]
                z[i] = k
                listed = other_listed + old_weight - weight[j]
                rest = other_rest + old_ratio - ratio[k]
                topic[k] += 1
                doc_topic[k] += 1
                counts[j] += 1
                ratio[k] = topic_ratio(doc_topic[k], topic[k], alpha[k], word_mass)
                weight[j] = ratio[k] * np.float32(counts[j])
                listed += weight[j]
                rest += ratio[k]
                if counts[old_j] == 0:  # the last of the list fills the gap
                    size -= 1
                    topics[old_j] = topics[size]
                    counts[old_j] = counts[size]
                    weight[old_j] = weight[size]
                    topics[size] = alpha.size
                    counts[size] = 0
            sizes[w] = size
