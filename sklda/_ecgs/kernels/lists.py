"""Collapsed Gibbs sampling of groups of tokens, over lists of the topics a word has.

Xiao & Stibor, "Efficient collapsed Gibbs sampling for latent Dirichlet allocation",
ACML 2010. The tokens of a cell are parted into as many groups as the sweep makes draws
for it. The tokens of a group are taken out together, one topic is drawn from the
conditional of a single token, and all go there. Groups of one token are those of the
single-site sampler.
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
    gather,
    init,
    look_ahead,
    merge,
    read_counts,
    redraw,
    weigh,
)

__all__ = ["State", "copies", "copy", "init", "merge", "read_counts", "sweep"]


@njit(cache=True, nogil=True)
def sweep(corpus, state, priors, rng, n_draws):
    """Redraw every token once, those of cell c in ``n_draws[c]`` groups."""
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
            first, n_groups = token_ptr[c], n_draws[c]
            n_tokens = np.int32(token_ptr[c + 1] - first)
            if n_groups == n_tokens:
                for i in range(first, first + n_tokens):
                    if z[i] != k:  # its topic is not that of the token before
                        k = np.int64(z[i])
                        j = find(topics, size, k)
                    k, j, size, listed, rest = redraw(
                        z, i, 1, k, j, topics, counts, size, listed, rest, beta,
                        word_mass, doc_topic, topic, alpha, ratio, weight, rng,
                    )  # fmt: skip
                sizes[w] = size
                continue
            while n_groups > 0:
                n = n_tokens // n_groups if n_groups > 1 else n_tokens
                if z[first] != k:
                    k = np.int64(z[first])
                    j = find(topics, size, k)
                for i in range(first + 1, first + n):
                    if z[i] != k:
                        j, size, listed, rest = gather(
                            z, i, first + n - i, k, j, topics, counts, size, listed,
                            rest, word_mass, doc_topic, topic, alpha, ratio, weight,
                        )  # fmt: skip
                        break
                k, j, size, listed, rest = redraw(
                    z, first, n, k, j, topics, counts, size, listed, rest, beta,
                    word_mass, doc_topic, topic, alpha, ratio, weight, rng,
                )  # fmt: skip
                first += n
                n_tokens -= n
                n_groups -= 1
            sizes[w] = size
