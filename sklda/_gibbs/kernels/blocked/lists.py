"""Sweeps over the blocks of tokens of a corpus; the counts are in lists."""

import numpy as np

from sklda._core.problem import LANES
from sklda._gibbs.kernels.blocked import large, small
from sklda._gibbs.kernels.blocked.small import SMALL
from sklda._simd.compile import kernel, lean_kernel, preoptimised_kernel
from sklda._tables.document import Document, count_document, update_ratios
from sklda._tables.lists import prefetch_list, resample_listed_cell


def sweep_blocks(blocks, state, priors, rng, depth):
    """Resample every block of up to `depth` tokens, 2 or 4, once."""
    document = small.new_block_document(state.topic, priors)
    ratio = np.zeros(state.topic.size + LANES, np.float32)
    single = Document(document.doc_topic, state.topic, ratio)
    _sweep(blocks, state, document, single, priors, rng, depth)


@kernel
def _sweep(blocks, state, document, single, priors, rng, depth):
    _sweep_blocks(blocks, state, document, single, priors, rng, depth)


@preoptimised_kernel
def _sweep_blocks(blocks, state, document, single, priors, rng, depth):
    doc_ptr, single_ptr, token_ptr, _, _, _ = blocks
    for d in range(doc_ptr.size - 1):
        begin, middle, end = doc_ptr[d], single_ptr[d], doc_ptr[d + 1]
        if begin == end:
            continue
        count_document(token_ptr[d], token_ptr[d + 1], state.z, document.doc_topic)
        if begin < middle and depth == 2:
            _resample_several(begin, middle, blocks, state, document, priors, rng, 2)
        elif begin < middle:
            _resample_several(
                begin, middle, blocks, state, document, priors, rng, SMALL
            )
        if middle < end:
            weight = document.weight
            _resample_singles(middle, end, blocks, state, single, weight, priors, rng)


@preoptimised_kernel
def _resample_several(begin, end, blocks, state, document, priors, rng, depth):
    """Resample the blocks of two to `depth` tokens of a document."""
    _, _, _, word, first, size = blocks
    for k in range(document.topic.size):
        small.set_ratios(k, document, depth)
    weighed, beta, sums = -1, np.float32(-1), (0.0, 0.0, 0.0, 0.0)
    for c in range(begin, end):
        prefetch_list(word, c, state)
        n = 2 if depth == 2 else size[c]  # the compiler sees that it is 2
        if n > SMALL:
            continue
        words = small.topics_of(word[c], state, priors)
        if words.beta != beta:
            small.set_base(words.beta, document, depth)
            beta = words.beta
        if word[c] != weighed:
            sums = small.weigh_topics(words, document, depth)
            weighed = word[c]
        block = state.z[first[c] : first[c] + n]
        sums = small.resample_small(block, n, sums, words, document, rng, depth)


@lean_kernel
def _resample_singles(begin, end, blocks, state, document, weight, priors, rng):
    """Resample blocks of one token, as single-site sampling does."""
    _, _, _, word, first, _ = blocks
    ratio_sum = update_ratios(priors, document)
    for c in range(begin, end):
        i = first[c]
        ratio_sum = resample_listed_cell(
            c, word, i, i + 1, state, ratio_sum, priors, document, weight, rng
        )


def sweep_large_blocks(blocks, state, priors, rng, nested):
    """Resample every block of more than four tokens once."""
    doc_topic = np.zeros(state.topic.size, np.int32)
    _sweep_large(blocks, state, doc_topic, priors, rng, nested)


@kernel
def _sweep_large(blocks, state, doc_topic, priors, rng, nested):
    _sweep_large_blocks(blocks, state, doc_topic, priors, rng, nested)


# The result of `topics_of` counts no references: only functions that count none may
# take it.
@lean_kernel
def _sweep_large_blocks(blocks, state, doc_topic, priors, rng, nested):
    doc_ptr, single_ptr, token_ptr, word, first, size = blocks
    for d in range(doc_ptr.size - 1):
        begin, end = doc_ptr[d], single_ptr[d]
        if begin == end or size[begin] <= SMALL:
            continue
        count_document(token_ptr[d], token_ptr[d + 1], state.z, doc_topic)
        for c in range(begin, end):
            if size[c] > SMALL:
                block = state.z[first[c] : first[c] + size[c]]
                words = small.topics_of(word[c], state, priors)
                large.resample_large(
                    block, words, doc_topic, state.topic, priors, rng, nested
                )
