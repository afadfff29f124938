"""Blocked collapsed Gibbs sampling over dense rows of word-topic counts."""

from sklda._core.compile import njit
from sklda._core.document import Document, enter_document
from sklda._core.rows import (
    Scratch,
    counts,
    from_topics,
    merge,
    prefetch_row,
    replica,
    replicate,
    resample_each,
    weigh,
)
from sklda._gibbs.kernels.blocked import large, small
from sklda._gibbs.kernels.blocked.cumulants import SMALL
from sklda._gibbs.kernels.blocked.tables import enter_blocks, new_given, sums_of

__all__ = [
    "counts",
    "from_topics",
    "merge",
    "replica",
    "replicate",
    "sweep_blocks",
    "sweep_large_blocks",
]


@njit(cache=True, nogil=True)
def sweep_blocks(blocks, state, priors, rng):
    """Resample every block of up to four tokens once."""
    doc_ptr, single_ptr, token_ptr, word, first, size = blocks
    z, word_topic, topic = state
    given = new_given(topic, priors, topic.size)
    scratch = Scratch(given.weight, given.lane_sum)
    single = Document(given.doc_topic, topic, given.ratio[0])
    for d in range(doc_ptr.size - 1):
        begin, middle, end = doc_ptr[d], single_ptr[d], doc_ptr[d + 1]
        begin_token, end_token = token_ptr[d], token_ptr[d + 1]
        if middle == begin:
            enter_document(begin_token, end_token, z, priors, single)
        else:
            enter_blocks(begin_token, end_token, size[begin], z, given)
        weighed = -1
        sums = (0.0, 0.0, 0.0, 0.0)
        for c in range(begin, middle):
            prefetch_row(word, c, word_topic)
            w, n = word[c], size[c]
            if n > SMALL:
                continue
            row, block = word_topic[w], z[first[c] : first[c] + n]
            if w != weighed:
                sums = sums_of(n, row, given)
            if n == 2:
                moved = small.resample_pair(block, sums, row, given, rng)
            else:
                moved = small.resample(block, sums, row, given, rng)
            weighed = -1 if moved else w
        for c in range(middle, end):
            prefetch_row(word, c, word_topic)
            row, i = word_topic[word[c]], first[c]
            total = weigh(single.ratio, row, priors.topic_word, scratch.weight)
            resample_each(z, i, i + 1, row, total, priors, single, scratch, rng)


@njit(cache=True, nogil=True)
def sweep_large_blocks(blocks, state, priors, rng, nested):
    """Resample every block of more than four tokens once."""
    doc_ptr, single_ptr, token_ptr, word, first, size = blocks
    z, word_topic, topic = state
    given = new_given(topic, priors, topic.size)
    for d in range(doc_ptr.size - 1):
        begin, end = doc_ptr[d], single_ptr[d]
        if begin == end or size[begin] <= SMALL:
            continue
        enter_blocks(token_ptr[d], token_ptr[d + 1], size[begin], z, given)
        for c in range(begin, end):
            if size[c] > SMALL:
                block = z[first[c] : first[c] + size[c]]
                large.resample(block, word_topic[word[c]], given, rng, nested)
