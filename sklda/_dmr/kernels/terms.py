"""Which documents have which topics, as terms of the likelihood of the weights."""

import numpy as np

from sklda._core.problem import padded
from sklda._simd.compile import njit


@njit(cache=True, nogil=True)
def fill_cells(order, tokens_before, z, doc_ptr, topic, count):
    """Fill in topic and count of every n_dk > 0, document after document in order.

    The cells of the i-th document become doc_ptr[i]:doc_ptr[i + 1].
    """
    doc_topic = np.zeros(np.int64(z.max()) + 1 if z.size > 0 else 1, np.int32)
    n = 0
    for i in range(order.size):
        first = doc_ptr[i] = n
        for j in range(tokens_before[order[i]], tokens_before[order[i] + 1]):
            k = np.int64(z[j])
            if doc_topic[k] == 0:
                topic[n] = k
                n += 1
            doc_topic[k] += 1
        for c in range(first, n):
            count[c] = doc_topic[topic[c]]
            doc_topic[topic[c]] = 0
    doc_ptr[order.size] = n


@njit(cache=True, nogil=True)
def count_terms(rows, doc_ptr, topic, start):
    """Set `start`, (n_topics + 1,), to the first term of each topic, and their number.

    `rows` has the row of each document in order, and ascends. A topic has a term for
    each of its documents and for each of their rows, and fills whole registers.
    """
    n_topics = start.size - 1
    last_row = np.full(n_topics, -1)
    start[:] = 0
    for i in range(rows.size):
        for c in range(doc_ptr[i], doc_ptr[i + 1]):
            k = np.int64(topic[c])
            start[k + 1] += 2 if last_row[k] != rows[i] else 1
            last_row[k] = rows[i]
    for k in range(n_topics):
        start[k + 1] = start[k] + padded(start[k + 1])


@njit(cache=True, nogil=True)
def fill_terms(rows, doc_ptr, topic, count, start, terms):
    """Fill in the terms of each topic: Gamma(alpha_k + n_dk) / Gamma(alpha_k).

    All factors are 0 before, and all n above 0.
    """
    n_topics = start.size - 1
    last_row = np.full(n_topics, -1)
    of_row = np.zeros(n_topics, np.int64)  # the term of the last row
    end = start[:n_topics].copy()
    for i in range(rows.size):
        for c in range(doc_ptr[i], doc_ptr[i + 1]):
            k, r = np.int64(topic[c]), rows[i]
            if last_row[k] != r:
                last_row[k], of_row[k] = r, end[k]
                terms.row[end[k]], terms.n[end[k]] = r, 0.0
                end[k] += 1
            terms.factor[of_row[k]] -= 1
            j = end[k]
            terms.row[j], terms.n[j], terms.factor[j] = r, count[c], 1.0
            end[k] += 1
