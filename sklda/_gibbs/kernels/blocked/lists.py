"""Sweeps over the blocks of a corpus; the counts are in lists."""

import numpy as np

from sklda._core.entry import priors_of
from sklda._core.problem import LANES
from sklda._gibbs.kernels.blocked import large, small
from sklda._gibbs.kernels.blocked.small import NOTHING, SMALL
from sklda._simd.compile import njit
from sklda._tables.document import Document, count_document, update_ratios
from sklda._tables.lists import enter_cell, prefetch_list, resample_each


def sweep_blocks(blocks, state, priors, rng, depth):
    """Resample every block of up to `depth` tokens, 2 or 4, once."""
    given = small.new_given(state.topic, priors, depth)
    ratio = np.zeros(state.topic.size + LANES, np.float32)
    single = Document(given.doc_topic, state.topic, ratio)
    _sweep_blocks(blocks, state, given, single, priors, rng)


@njit(cache=True, nogil=True, _nrt=False)
def _sweep_blocks(blocks, state, given, single, priors, rng):
    doc_ptr, single_ptr, token_ptr, _, _, _ = blocks
    for d in range(doc_ptr.size - 1):
        begin, middle, end = doc_ptr[d], single_ptr[d], doc_ptr[d + 1]
        if begin == end:
            continue
        count_document(token_ptr[d], token_ptr[d + 1], state.z, given.doc_topic)
        if begin < middle and given.ratio.shape[0] == 2:
            _resample_pairs(begin, middle, blocks, state, given, priors, rng)
        elif begin < middle:
            _resample_fours(begin, middle, blocks, state, given, priors, rng)
        if middle < end:
            _resample_singles(
                middle, end, blocks, state, single, given.weight, priors, rng
            )


@njit(cache=True, nogil=True, _nrt=False)
def _resample_pairs(begin, end, blocks, state, given, priors, rng):
    """Resample the blocks of a document that has none of more than two tokens."""
    _resample_several(begin, end, blocks, state, given, priors, rng, 2)


@njit(cache=True, nogil=True, _nrt=False)
def _resample_fours(begin, end, blocks, state, given, priors, rng):
    """Resample the blocks of two to four tokens of a document."""
    _resample_several(begin, end, blocks, state, given, priors, rng, SMALL)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _resample_several(begin, end, blocks, state, given, priors, rng, depth):
    _, _, _, word, first, size = blocks
    small.set_all_ratios(given, depth)
    weighed, beta, sums = -1, np.float32(-1), NOTHING
    for c in range(begin, end):
        prefetch_list(word, c, state)
        n = size[c] if depth > 2 else 2
        if n > SMALL:
            continue
        words = small.list_of_word(word[c], state, priors)
        if words.beta != beta:
            small.set_base(words, given, depth)
            beta = words.beta
        if word[c] != weighed:
            sums = small.weigh_topics(words, given, depth)
            weighed = word[c]
        block = state.z[first[c] : first[c] + n]
        sums = small.resample_small(block, n, sums, words, given, rng, depth)


@njit(cache=True, nogil=True, _nrt=False)
def _resample_singles(begin, end, blocks, state, document, weight, priors, rng):
    """Resample blocks of one token, as single-site sampling does."""
    _, _, _, word, first, _ = blocks
    ratio_sum = update_ratios(priors, document)
    for c in range(begin, end):
        word_list, cell = enter_cell(c, word, first, state, ratio_sum, weight, document)
        i, own = first[c], priors_of(word[c], priors)
        cell = resample_each(state.z, i, i + 1, cell, word_list, own, document, rng)
        state.size[word[c]] = cell.size
        ratio_sum = cell.ratio_sum


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
                words = small.list_of_word(word[c], state, priors)
                large.resample(
                    block, words, doc_topic, state.topic, priors, rng, nested
                )
