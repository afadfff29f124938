"""Document-topic counts, made from the topics of the tokens, and histograms."""

import numpy as np

from sklda._data.corpus import CHUNK_CELLS, document_lengths, tokens_before
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel

Histogram = tuple[np.ndarray, np.ndarray]  # values in order, how often each occurs

_SHIFT = 32  # a topic and a count are packed as topic * 2**32 + count
_SMALL = 2**8  # from where on counts of documents are sorted
_FREQUENT = 2**16  # from where on counts are sorted, not tallied in an array


@kernel
def add_doc_topic(corpus, z, total):
    """Add n_dk of every document to `total`, (n_docs, n_topics) float64, in place."""
    doc_ptr, _, token_ptr = corpus
    for d in range(doc_ptr.size - 1):
        for i in range(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]):
            total[d, z[i]] += 1


def doc_topic_histogram(corpus, z, n_lanes) -> Histogram:
    """Return a histogram of the topics and counts of all n_dk > 0, packed."""
    before, times = tokens_before(corpus), np.zeros((n_lanes, _SMALL), np.int64)
    large = np.empty((before[-1] - before[0]) // _SMALL, np.int64)
    n_large = _count_documents(before, z, times, large)
    topic, count = np.nonzero(times)
    values, n_large = np.unique(large[:n_large], return_counts=True)
    values = np.append((topic << _SHIFT) + count, values)
    order = np.argsort(values)
    return values[order], np.append(times[topic, count], n_large)[order]


@kernel
def _count_documents(first, z, times, large):
    """Count into times[k, n] the documents that have n > 0 tokens on topic k.

    If n is too large for `times`, it is packed into `large`; return how many are.
    """
    n_lanes, most = times.shape
    doc_topic, topics = zeros(n_lanes, np.int64), zeros(n_lanes + 1, np.int64)
    n_large = 0
    for d in range(first.size - 1):
        n_topics = 0
        for i in range(first[d], first[d + 1]):
            k = z[i]
            topics[n_topics] = k
            n_topics += doc_topic[k] == 0  # no branch: it could not be predicted
            doc_topic[k] += 1
        for k in topics[:n_topics]:
            n = doc_topic[k]
            doc_topic[k] = 0
            if n < most:
                times[k, n] += 1
            else:
                large[n_large] = (k << _SHIFT) + n
                n_large += 1
    return n_large


def length_histogram(corpus) -> Histogram:
    """Return how many documents have each length."""
    return np.unique(document_lengths(corpus), return_counts=True)


def merged(histograms) -> Histogram:
    """Return the sum of histograms."""
    all_values, all_times = map(np.concatenate, zip(*histograms, strict=True))
    values, where = np.unique(all_values, return_inverse=True)
    times = np.zeros(values.size, np.int64)
    np.add.at(times, where, all_times)
    return values, times


def unpacked(histogram: Histogram) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return topics, counts and numbers of documents of `doc_topic_histogram`."""
    packed, n_docs = histogram
    return (*np.divmod(packed, 1 << _SHIFT), n_docs)


def word_topic_entries(word_topic, words=slice(None)):
    """Return the counts above 0 of a table, or of one that makes its rows.

    These are three arrays: where the entries of each word start, int64, and the topic,
    uint16, and the count of each entry.
    """
    if not isinstance(word_topic, np.ndarray):
        return word_topic.entries(words)
    table = word_topic[words]
    start, most = np.zeros(len(table) + 1, np.int64), np.count_nonzero(table)
    topic, count = np.empty(most + 1, np.uint16), np.empty(most + 1, table.dtype)
    _fill_entries(table, start, topic, count)
    return start, topic[:most], count[:most]


@kernel
def _fill_entries(table, start, topic, count):
    """Fill in the counts of a table that are not 0; there is a place after the last."""
    end = 0
    for row in range(table.shape[0]):
        for k in range(table.shape[1]):
            topic[end], count[end] = k, table[row, k]
            end += table[row, k] != 0  # no branch: it could not be predicted
        start[row + 1] = end


def word_topic_histogram(word_topic) -> Histogram:
    """Return a histogram of the counts of a table, or of one that makes its rows."""
    n_words, n_lanes = word_topic.shape
    step = max(1, CHUNK_CELLS // n_lanes)
    chunks = (slice(first, first + step) for first in range(0, n_words, step))
    return merged(_histogram_of_words(word_topic, words) for words in chunks)


def _histogram_of_words(word_topic, words):
    start, _, positive = word_topic_entries(word_topic, words)
    times = np.bincount(positive[positive < _FREQUENT], minlength=1)
    times[0] = (start.size - 1) * word_topic.shape[1] - positive.size
    occurring = np.flatnonzero(times)
    large = np.unique(positive[positive >= _FREQUENT], return_counts=True)
    return np.append(occurring, large[0]), np.append(times[occurring], large[1])
