"""Blocked collapsed Gibbs sampling over dense rows of word-topic counts."""

from sklda._core.compile import njit
from sklda._core.document import Document, count_document, enter_document
from sklda._core.problem import LANES
from sklda._core.rows import (
    Scratch,
    counts,
    from_topics,
    kernel_priors,
    prefetch_row,
    resample_each,
)
from sklda._core.rows import weigh as weigh_token
from sklda._gibbs.kernels.blocked import large, small
from sklda._gibbs.kernels.blocked.cumulants import SMALL, wide
from sklda._gibbs.kernels.blocked.given import enter_blocks, new_given
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
    _sweep_blocks(blocks, state, given, priors, rng)


def sweep_large_blocks(blocks, state, priors, rng, nested):
    """Resample every block of more than four tokens once."""
    given = new_given(state.topic, priors, 0, SMALL)
    _sweep_large_blocks(blocks, state, given, rng, nested)


@njit(cache=True, nogil=True, _nrt=False)
def _sweep_blocks(blocks, state, given, priors, rng):
    doc_ptr, single_ptr, token_ptr, word, first, _ = blocks
    z, word_topic, topic = state
    n_lanes = topic.size
    scratch = Scratch(given.weight[:n_lanes], given.lane_sum[: n_lanes + LANES])
    single = Document(given.doc_topic, topic, given.ratio[0][:n_lanes])
    for d in range(doc_ptr.size - 1):
        begin, middle, end = doc_ptr[d], single_ptr[d], doc_ptr[d + 1]
        if begin == end:
            continue
        begin_token, end_token = token_ptr[d], token_ptr[d + 1]
        if middle == begin:
            enter_document(begin_token, end_token, z, priors, single)
        else:
            enter_blocks(begin_token, end_token, z, given)
            _resample_cells(begin, middle, blocks, state, given, rng)
        for c in range(middle, end):
            prefetch_row(word, c, word_topic)
            row, i = word_topic[word[c]], first[c]
            total = weigh_token(single.ratio, row, priors.topic_word, scratch.weight)
            resample_each(z, i, i + 1, row, total, priors, single, scratch, rng)


@njit(inline="always")
def _resample_cells(begin, end, blocks, state, given, rng):
    """Resample the blocks of cells of several tokens."""
    _, _, _, word, first, size = blocks
    z, word_topic, _ = state
    weighed, sums = -1, wide(given.zero)
    for c in range(begin, end):
        prefetch_row(word, c, word_topic)
        w, n = word[c], size[c]
        if n > SMALL:
            continue
        row, block = word_topic[w], z[first[c] : first[c] + n]
        if w != weighed:
            sums = weigh(row, given)
            weighed = w
        sums = small.resample(block, sums, row, given, rng)


@njit(cache=True, nogil=True)
def _sweep_large_blocks(blocks, state, given, rng, nested):
    doc_ptr, single_ptr, token_ptr, word, first, size = blocks
    z, word_topic, _ = state
    for d in range(doc_ptr.size - 1):
        begin, end = doc_ptr[d], single_ptr[d]
        if begin == end or size[begin] <= SMALL:
            continue
        count_document(token_ptr[d], token_ptr[d + 1], z, given.doc_topic)
        for c in range(begin, end):
            if size[c] > SMALL:
                block = z[first[c] : first[c] + size[c]]
                large.resample(block, word_topic[word[c]], given, rng, nested)
