"""Single-site collapsed Gibbs sampling over lists of the topics that a word has.

The conditional of Griffiths & Steyvers, "Finding scientific topics", PNAS 2004,
equation 5, in the two exact parts of `lists`. Cost: O(topics of the word) per cell, and
O(K) per document and for the few tokens that the second part draws. As in the dense
sampler the weights are computed once per cell, the current topic is asked for first,
and a token that stays writes nothing.
"""

import numpy as np
from numba import njit

from sklda._core.problem import LANES
from sklda._core.document import count_document, topic_ratios
from sklda._core.lists import (
    State,
    copies,
    copy,
    find,
    init,
    look_ahead,
    merge,
    read_counts,
    redraw,
    seat,
    weigh,
)

__all__ = ["State", "copies", "copy", "init", "merge", "read_counts", "seat", "sweep"]


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
            look_ahead(word, c, start, list_topic, list_count)
            w = word[c]
            topics = list_topic[start[w] : start[w + 1]]
            counts = list_count[start[w] : start[w + 1]]
            size = np.int64(sizes[w])
            k = np.int64(z[token_ptr[c]])
            listed, j = weigh(ratio, topics, counts, size, weight, k)
            for i in range(token_ptr[c], token_ptr[c + 1]):
                if z[i] != k:  # its topic is not that of the token before
                    k = np.int64(z[i])
                    j = find(topics, size, k)
                k, j, size, listed, rest = redraw(
                    z, i, 1, k, j, topics, counts, size, listed, rest, beta, word_mass,
                    doc_topic, topic, alpha, ratio, weight, rng,
                )  # fmt: skip
            sizes[w] = size
