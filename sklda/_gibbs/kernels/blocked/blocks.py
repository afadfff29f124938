"""The sweep over blocks of tokens, which chooses how each block is drawn.

A block is a cell of the corpus that the kernel is given. Where large cells are split,
the next block may be of the same word: then its weights are updated, not computed anew.
"""

import numpy as np

from sklda._core.compile import njit
from sklda._core.document import Document, count_document, ratio_without
from sklda._core.lists import (
    WordList,
    draw_slot,
    list_of,
    prefetch_list,
    weigh,
)
from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._gibbs.kernels.blocked import large, small


@njit(cache=True, nogil=True)
def sweep_blocks(corpus, state, priors, rng, nested):
    """Resample every block once.

    A block of one token is drawn as in single-site sampling, a block of up to
    `small.SMALL` by sums over topics, a larger one by tables of all topics: by nested
    simulation or, if not `nested`, by backward simulation.
    """
    n_lanes = state.topic.size
    ratio = np.zeros((4, n_lanes + LANES), np.float32)
    weight = np.zeros((4, n_lanes + LANES), np.float32)
    document = Document(np.zeros(n_lanes, np.int32), state.topic, ratio)
    scratch = small.Scratch(
        np.zeros(n_lanes + LANES, np.float32), np.zeros(8), np.zeros(8)
    )
    for d in range(corpus.doc_ptr.size - 1):
        _sweep_document(
            d, corpus, state, priors, document, weight, scratch, rng, nested
        )


@njit(cache=True, nogil=True, _nrt=False)
def _sweep_document(d, corpus, state, priors, document, weight, scratch, rng, nested):
    doc_ptr, word, token_ptr = corpus
    z, sizes = state.z, state.size
    begin, end = doc_ptr[d], doc_ptr[d + 1]
    count_document(token_ptr[begin], token_ptr[end], z, document.doc_topic)
    small.enter_document(priors, document, scratch.sums)
    weighed = -1  # the word whose weights are there
    for c in range(begin, end):
        prefetch_list(word, c, state)
        w = word[c]
        word_list = list_of(w, state, weight)
        size = np.int64(sizes[w])
        block = z[token_ptr[c] : token_ptr[c + 1]]
        if block.size == 1 and weighed != w:
            sizes[w] = _resample_one(
                block, word_list, size, priors, document, scratch, rng
            )
            continue
        new_size = np.int64(-1)
        if block.size <= small.SMALL:
            if weighed != w:
                small.enter_cell(
                    word_list, size, priors.topic_word, document.ratio, scratch.sums
                )
                weighed = w
            new_size = small.resample(
                block, word_list, size, priors, document, scratch, rng
            )
        if new_size < 0:
            new_size = large.resample(
                block, word_list, size, priors, document, rng, nested
            )
            small.enter_document(priors, document, scratch.sums)
            weighed = -1
        sizes[w] = new_size


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _resample_one(block, word_list, size, priors, document, scratch, rng):
    """Resample the topic of a single token; return the new size of the word's list."""
    topics, counts, _ = word_list
    weight, sums, _ = scratch
    beta, ratio = priors.topic_word, document.ratio[0]
    single = Document(document.doc_topic, document.topic, ratio)
    old = np.int64(block[0])
    listed, old_j = weigh(ratio, topics, counts, size, weight, old)
    old_ratio = ratio_without(old, 1, priors, single)
    stay = old_ratio * (np.float32(counts[old_j] - 1) + beta)
    listed -= weight[old_j]
    r = uniform(rng) * (stay + listed + sums[0] - beta * ratio[old])
    if r < stay:
        return size
    weight[old_j] = 0
    present = ratio[old]
    ratio[old] = 0
    single_list = WordList(topics, counts, weight)
    j = draw_slot(r - stay, listed, beta, single_list, ratio, size)
    ratio[old] = present
    size = max(size, j + 1)
    new = np.int64(topics[j])
    block[0] = new
    for k, slot, change in ((old, old_j, -1), (new, j, 1)):
        document.doc_topic[k] += change
        document.topic[k] += change
        counts[slot] += change
    small.update_topic(old, priors, document, sums)
    small.update_topic(new, priors, document, sums)
    if counts[old_j] == 0:
        size = small.drop_empty(
            topics, counts, document.ratio[:0], size, document.topic.size
        )
    return size
