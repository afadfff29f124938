"""The sweep of the blocked samplers, and how each block of tokens is drawn.

A block is a cell of the corpus that the kernel is given. Where cells are cut into
sub-blocks the next block may be of the same word: then its weights go on being mended.
"""

import numpy as np
from numba import njit

from sklda._gibbs.kernels.blocked import large as large_blocks
from sklda._gibbs.kernels.blocked import small as small_blocks
from sklda._core.problem import LANES
from sklda._core.document import count_document, topic_ratio
from sklda._core.random_streams import uniform
from sklda._core.lists import drop_empty, look_ahead, place, weigh


@njit(cache=True, nogil=True)
def sweep(corpus, state, priors, rng, nested):
    """Redraw every block once.

    One token is drawn as the single-site sampler draws it, up to `small_blocks.SMALL`
    by sums over topics, more by tables of all topics: by nested simulation or, if not
    `nested`, by backward simulation.
    """
    doc_ptr, word, token_ptr = corpus
    z, topic, start, sizes, list_topic, list_count = state
    alpha, beta = priors
    word_mass = np.float32(sizes.size) * beta
    doc_topic = np.zeros(alpha.size, np.int32)
    ratio = np.zeros((4, alpha.size + LANES), np.float32)
    weight = np.zeros((4, alpha.size + LANES), np.float32)
    value = np.zeros(alpha.size + LANES, np.float32)
    sums, without = np.zeros(8), np.zeros(8)
    for d in range(doc_ptr.size - 1):
        count_document(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]], z, doc_topic)
        small_blocks.enter_document(
            doc_topic, topic, alpha, word_mass, beta, ratio, sums
        )
        entered = -1  # the word whose weights are there
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            look_ahead(word, c, start, list_topic, list_count)
            w = word[c]
            topics = list_topic[start[w] : start[w + 1]]
            counts = list_count[start[w] : start[w + 1]]
            size = np.int64(sizes[w])
            block = z[token_ptr[c] : token_ptr[c + 1]]
            if block.size == 1 and entered != w:
                sizes[w] = _redraw_one(
                    block, topics, counts, size, beta, word_mass, doc_topic, topic,
                    alpha, ratio, value, sums, rng,
                )  # fmt: skip
                continue
            drawn = np.int64(-1)
            if block.size <= small_blocks.SMALL:
                if entered != w:
                    small_blocks.enter_cell(
                        topics, counts, size, beta, ratio, weight, sums
                    )
                    entered = w
                drawn = small_blocks.redraw(
                    block, topics, counts, size, beta, word_mass, doc_topic, topic,
                    alpha, ratio, weight, value, sums, without, rng,
                )  # fmt: skip
            if drawn < 0:
                drawn = large_blocks.redraw(
                    block, topics, counts, size, beta, word_mass, doc_topic, topic,
                    alpha, rng, nested,
                )  # fmt: skip
                small_blocks.enter_document(
                    doc_topic, topic, alpha, word_mass, beta, ratio, sums
                )
                entered = -1
            sizes[w] = drawn


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _redraw_one(
    block, topics, counts, size, beta, word_mass, doc_topic, topic, alpha, ratio,
    weight, sums, rng,
):  # fmt: skip
    """Redraw the topic of a single token; return the new size of the word's list."""
    ratios = ratio[0]
    old = np.int64(block[0])
    listed, old_j = weigh(ratios, topics, counts, size, weight, old)
    old_ratio = topic_ratio(doc_topic[old] - 1, topic[old] - 1, alpha[old], word_mass)
    stay = old_ratio * (np.float32(counts[old_j] - 1) + beta)
    listed -= weight[old_j]
    r = uniform(rng) * (stay + listed + sums[0] - beta * ratios[old])
    if r < stay:
        return size
    weight[old_j] = 0
    present = ratios[old]
    ratios[old] = 0
    j = place(r - stay, listed, beta, weight, ratios, topics, size)
    ratios[old] = present
    size = max(size, j + 1)
    new = np.int64(topics[j])
    block[0] = new
    doc_topic[old] -= 1
    topic[old] -= 1
    counts[old_j] -= 1
    doc_topic[new] += 1
    topic[new] += 1
    counts[j] += 1
    small_blocks.mend(old, doc_topic, topic, alpha, word_mass, beta, ratio, sums)
    small_blocks.mend(new, doc_topic, topic, alpha, word_mass, beta, ratio, sums)
    if counts[old_j] == 0:
        size = drop_empty(topics, counts, ratio[:0], size, alpha.size)
    return size
