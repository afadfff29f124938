"""Sweeps over the blocks of a corpus; the counts are in lists."""

import numpy as np

from sklda._core.problem import LANES
from sklda._gibbs.kernels.blocked import large, small
from sklda._gibbs.kernels.blocked.small import NOTHING, SMALL
from sklda._simd.compile import njit
from sklda._tables.document import Document, count_document, update_ratios
from sklda._tables.lists import prefetch_list, resample_listed_cell


def sweep_blocks(blocks, state, priors, rng, depth):
    """Resample every block of up to `depth` tokens, 2 or 4, once."""
    given = small.new_given(state.topic, priors, depth)
    ratio = np.zeros(state.topic.size + LANES, np.float32)
    single = Document(given.doc_topic, state.topic, ratio)
    _sweep_blocks(blocks, state, given, single, np.zeros_like(ratio), priors, rng)


@njit(cache=True, nogil=True, _nrt=False)
def _sweep_blocks(blocks, state, given, single, weight, priors, rng):
    doc_ptr, single_ptr, token_ptr, _, _, _ = blocks
    for d in range(doc_ptr.size - 1):
        begin, middle, end = doc_ptr[d], single_ptr[d], doc_ptr[d + 1]
        if begin == end:
            continue
        first, last = token_ptr[d], token_ptr[d + 1]
        if begin < middle:
            small.enter_document(first, last, state.z, given)
            _resample_small(begin, middle, blocks, state, given, priors, rng)
        else:
            count_document(first, last, state.z, given.doc_topic)
        if middle < end:
            _resample_singles(middle, end, blocks, state, single, weight, priors, rng)


@njit(cache=True, nogil=True, _nrt=False)
def _resample_small(begin, end, blocks, state, given, priors, rng):
    """Resample the blocks of two to four tokens of a document."""
    _, _, _, word, first, size = blocks
    weighed, beta, sums = -1, np.float32(-1), NOTHING
    for c in range(begin, end):
        prefetch_list(word, c, state)
        if size[c] > SMALL:
            continue
        words = small.words_of(word[c], state, priors)
        if words.beta != beta:
            small.set_base(words, given)
            beta = words.beta
        if word[c] != weighed:
            sums = small.sums_of(words, given)
            weighed = word[c]
        block = state.z[first[c] : first[c] + size[c]]
        sums = small.resample(block, sums, words, given, rng)


@njit(cache=True, nogil=True, _nrt=False)
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
    _sweep_large_blocks(blocks, state, doc_topic, priors, rng, nested)


# What `words_of` returns counts no references: only functions that count none, either,
# may take it.
@njit(cache=True, nogil=True, _nrt=False)
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
                words = small.words_of(word[c], state, priors)
                large.resample(
                    block, words, doc_topic, state.topic, priors, rng, nested
                )
