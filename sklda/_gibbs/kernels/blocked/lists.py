"""Blocked collapsed Gibbs sampling over lists of the topics that a word has."""

from sklda._core.compile import njit
from sklda._core.document import Document, count_document, enter_document
from sklda._core.entry import priors_of
from sklda._core.lists import (
    counts,
    enter_cell,
    from_topics,
    kernel_priors,
    prefetch_list,
    resample_each,
)
from sklda._core.problem import LANES
from sklda._gibbs.kernels.blocked import large, small
from sklda._gibbs.kernels.blocked.cumulants import CALLED, SMALL, wide
from sklda._gibbs.kernels.blocked.given import enter_blocks, new_given, take_beta
from sklda._gibbs.kernels.blocked.listed import (
    list_of,
    new_list,
    set_base,
    take_word,
)
from sklda._gibbs.kernels.blocked.words import weigh

__all__ = [
    "counts",
    "from_topics",
    "kernel_priors",
    "sweep_blocks",
    "sweep_large_blocks",
]


def sweep_blocks(blocks, state, priors, rng, depth):
    """Resample every block of up to `depth` tokens once."""
    given = new_given(state.topic, priors, state.topic.size + LANES, depth)
    _sweep_blocks(blocks, state, new_list(state, depth), given, priors, rng)


def sweep_large_blocks(blocks, state, priors, rng, nested):
    """Resample every block of more than four tokens once."""
    given = new_given(state.topic, priors, 0, SMALL)
    _sweep_large_blocks(blocks, state, new_list(state, SMALL), given, rng, nested)


@njit(cache=True, nogil=True, _nrt=False)
def _sweep_blocks(blocks, state, words, given, priors, rng):
    doc_ptr, single_ptr, token_ptr, word, _, _ = blocks
    single = Document(given.doc_topic, state.topic, given.ratio[0])
    for d in range(doc_ptr.size - 1):
        begin, middle, end = doc_ptr[d], single_ptr[d], doc_ptr[d + 1]
        if begin == end:
            continue
        begin_token, end_token = token_ptr[d], token_ptr[d + 1]
        if middle == begin:
            ratio_sum = enter_document(begin_token, end_token, state.z, priors, single)
        else:
            take_beta(word[begin], given)
            enter_blocks(begin_token, end_token, state.z, given)
            set_base(words, given)
            _resample_cells(begin, middle, blocks, state, words, given, rng)
            ratio_sum = words.base[0][0] / given.numbers[2]
        _resample_singles(middle, end, blocks, state, ratio_sum, priors, given, rng)


@njit(inline="always")
def _resample_singles(begin, end, blocks, state, ratio_sum, priors, given, rng):
    """Resample cells of one token, as single-site sampling does."""
    _, _, _, word, first, _ = blocks
    document = Document(given.doc_topic, given.topic, given.ratio[0])
    for c in range(begin, end):
        word_list, cell = enter_cell(
            c, word, first, state, ratio_sum, given.weight, document
        )
        i, own = first[c], priors_of(word[c], priors)
        cell = resample_each(state.z, i, i + 1, cell, word_list, own, document, rng)
        state.size[word[c]] = cell.size
        ratio_sum = cell.ratio_sum


@njit(inline="always")
def _resample_cells(begin, end, blocks, state, words, given, rng):
    """Resample the blocks of cells of several tokens."""
    _, _, _, word, first, size = blocks
    weighed, sums = -1, wide(given.zero)
    for c in range(begin, end):
        prefetch_list(word, c, state)
        w, n = word[c], size[c]
        if n > SMALL:
            continue
        block = state.z[first[c] : first[c] + n]
        if w != weighed:
            words = list_of(w, state, words)
            take_word(w, words, given)
            sums = weigh(words, given)
            weighed = w
        sums = small.resample(block, sums, words, given, rng)


@njit(cache=True, nogil=True)
def _sweep_large_blocks(blocks, state, words, given, rng, nested):
    doc_ptr, single_ptr, token_ptr, _, _, size = blocks
    for d in range(doc_ptr.size - 1):
        begin, end = doc_ptr[d], single_ptr[d]
        if begin == end or size[begin] <= SMALL:
            continue
        count_document(token_ptr[d], token_ptr[d + 1], state.z, given.doc_topic)
        _resample_large(begin, end, blocks, state, words, given, rng, nested)


@njit(cache=True, **CALLED)
def _resample_large(begin, end, blocks, state, words, given, rng, nested):
    _, _, _, word, first, size = blocks
    for c in range(begin, end):
        if size[c] > SMALL:
            words = list_of(word[c], state, words)
            take_beta(word[c], given)
            block = state.z[first[c] : first[c] + size[c]]
            large.resample(block, words, given, rng, nested)
