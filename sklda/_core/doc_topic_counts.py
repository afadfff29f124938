"""Document-topic counts, made from the topics of the tokens when they are needed."""

import numpy as np

from sklda._core.corpus import documents_at_a_time
from sklda._simd.compile import njit

Histogram = tuple[np.ndarray, np.ndarray]  # values in order, how often each occurs

_SHIFT = 32  # a pair is topic * 2**32 + count


@njit(cache=True, nogil=True)
def add_doc_topic(corpus, z, total):
    """Add n_dk of every document to `total`, (n_docs, n_topics) float64, in place."""
    doc_ptr, _, token_ptr = corpus
    for d in range(doc_ptr.size - 1):
        for i in range(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]):
            total[d, z[i]] += 1


def doc_topic_histogram(corpus, z, n_lanes) -> Histogram:
    """Return a histogram of the pairs of a topic and an n_dk > 0, each one number."""
    histograms = []
    for some in documents_at_a_time(corpus):
        histograms.append(histogram_of(*doc_topic_cells(some, z, n_lanes)))
    return merged(histograms)


def histogram_of(topics, counts) -> Histogram:
    """Return the histogram of such pairs."""
    pairs = (topics.astype(np.int64) << _SHIFT) + counts
    return np.unique(pairs, return_counts=True)


def merged(histograms) -> Histogram:
    """Return the sum of histograms."""
    all_values, all_times = map(np.concatenate, zip(*histograms, strict=True))
    values, where = np.unique(all_values, return_inverse=True)
    times = np.zeros(values.size, np.int64)
    np.add.at(times, where, all_times)
    return values, times


def pairs_of(histogram: Histogram) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return topics, counts and numbers of documents of `doc_topic_histogram`."""
    pairs, n_docs = histogram
    return (*np.divmod(pairs, 1 << _SHIFT), n_docs)


def doc_topic_cells(corpus, z, n_lanes):
    """Return topic and count of every n_dk > 0, document after document."""
    first, last = corpus.token_ptr[corpus.doc_ptr[[0, -1]]]
    topic, count = np.empty(last - first, np.uint16), np.empty(last - first, np.int32)
    n = _fill_cells(corpus, z, n_lanes, topic, count)
    return topic[:n], count[:n]


@njit(cache=True, nogil=True)
def _fill_cells(corpus, z, n_lanes, topic, count):
    """Fill in the topics and counts; return their number."""
    doc_ptr, _, token_ptr = corpus
    doc_topic = np.zeros(n_lanes, np.int32)
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
