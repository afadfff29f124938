"""Document-topic counts, made from the topics of the tokens, and histograms."""

from itertools import pairwise

import numpy as np

from sklda._data.corpus import CHUNK_CELLS, document_chunks, document_lengths
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel

Histogram = tuple[np.ndarray, np.ndarray]  # values in order, how often each occurs

_SHIFT = 32  # a topic and a count are packed as topic * 2**32 + count
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
    histograms = []
    for chunk in document_chunks(corpus):
        histograms.append(histogram_of(*doc_topic_cells(chunk, z, n_lanes)))
    return merged(histograms)


def histogram_of(topics, counts) -> Histogram:
    """Return a histogram of topics and counts, packed in one number each."""
    width = int(counts.max(initial=0)) + 1
    n_cells = width * (int(topics.max(initial=0)) + 1)
    if n_cells > _FREQUENT + 8 * counts.size:
        packed = (topics.astype(np.int64) << _SHIFT) + counts
        return np.unique(packed, return_counts=True)
    times = np.bincount(topics.astype(np.int64) * width + counts)
    cells = np.flatnonzero(times)
    topic, count = np.divmod(cells, width)
    return (topic << _SHIFT) + count, times[cells]


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


def doc_topic_cells(corpus, z, n_lanes):
    """Return topic and count of every n_dk > 0, document after document."""
    first, last = corpus.token_ptr[corpus.doc_ptr[[0, -1]]]
    topic, count = np.empty(last - first, np.uint16), np.empty(last - first, np.int32)
    n = _fill_cells(corpus, z, n_lanes, topic, count)
    return topic[:n], count[:n]


@kernel
def _fill_cells(corpus, z, n_lanes, topic, count):
    """Fill in the topics and counts; return their number."""
    doc_ptr, _, token_ptr = corpus
    doc_topic = zeros(n_lanes, np.int32)
    n = 0
    for d in range(doc_ptr.size - 1):
        first = n
        for i in range(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]):
            k = z[i]
            if doc_topic[k] == 0:
                topic[n] = k
                n += 1
            doc_topic[k] += 1
        for j in range(first, n):
            count[j] = doc_topic[topic[j]]
            doc_topic[topic[j]] = 0
    return n


def word_topic_cells(word_topic, n_topics, rows=512):
    """Return topic and count of every n_wk > 0, word after word."""
    topics, counts = [], []
    for first in range(0, word_topic.shape[0], rows):
        table = word_topic[first : first + rows][:, :n_topics]
        cells = np.nonzero(table)
        topics.append(cells[1].astype(np.uint16))
        counts.append(table[cells])
    return np.concatenate(topics), np.concatenate(counts)


def word_topic_histogram(word_topic) -> Histogram:
    """Return a histogram of the counts of a table, or of one that makes its rows."""
    n_words, n_lanes = word_topic.shape
    step = max(1, CHUNK_CELLS // n_lanes)
    ends = [*range(0, n_words, step), n_words]
    return merged(_histogram_of_words(word_topic, *chunk) for chunk in pairwise(ends))


def _histogram_of_words(word_topic, first, last):
    words = slice(first, last)
    if isinstance(word_topic, np.ndarray):
        table = word_topic[words]
        positive = table[table > 0]
    else:
        positive = word_topic.positive(words)
    times = np.bincount(positive[positive < _FREQUENT], minlength=1)
    times[0] = (last - first) * word_topic.shape[1] - positive.size
    occurring = np.flatnonzero(times)
    large = np.unique(positive[positive >= _FREQUENT], return_counts=True)
    return np.append(occurring, large[0]), np.append(times[occurring], large[1])
