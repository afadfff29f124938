"""Document-topic counts, made from the topics of the tokens when they are needed."""

import numpy as np

from sklda._simd.compile import njit


@njit(cache=True, nogil=True)
def add_doc_topic(corpus, z, total):
    """Add n_dk of every document to `total`, (n_docs, n_topics) float64, in place."""
    doc_ptr, _, token_ptr = corpus
    for d in range(doc_ptr.size - 1):
        for i in range(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]):
            total[d, z[i]] += 1


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
