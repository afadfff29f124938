"""The weights of topics in the scores of tasks, given the topics of all tokens.

With zbar_d the topic proportions of a document's tokens, and a_dt and b_dt as in
`labels`, the weights of task t are Gaussian:

    precision  nu I + sum_d b_dt zbar_d zbar_d',  precision * mean  sum_d a_dt zbar_d.

Most proportions are zero, and only the others are listed: O(zeros excluded).
"""

import numpy as np
from numba import njit

from sklda._core.document import count_document


@njit(cache=True, nogil=True)
def shares(corpus, z, n_topics):
    """Return zbar of all documents: proportions, their topics, and where each begins.

    The topics of a document ascend.
    """
    doc_ptr, _, token_ptr = corpus
    first = np.zeros(doc_ptr.size, np.int32)
    topic = np.empty(z.size, np.int32)
    share = np.empty(z.size, np.float64)
    doc_topic = np.zeros(n_topics, np.int32)
    n = 0
    for d in range(doc_ptr.size - 1):
        begin, end = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
        count_document(begin, end, z, doc_topic)
        for k in range(n_topics):
            if doc_topic[k] > 0:
                topic[n], share[n] = k, doc_topic[k] / (end - begin)
                n += 1
        first[d + 1] = n
    return share[:n].copy(), topic[:n].copy(), first


@njit(cache=True, nogil=True, fastmath=True, error_model="numpy")
def redraw_each(
    topic_ptr, doc, share, slope, curvature, prior_precision, order, noise, weights,
    scores,
):  # fmt: skip
    """Redraw one weight after the other, each given the others, for all tasks at once.

    Zheng, 2016, equations 23 and 24. Topic k has the proportions
    share[topic_ptr[k]:topic_ptr[k + 1]] in the documents `doc`. `noise`, (n_topics,
    n_tasks), is standard normal; `weights`, of the same shape, and `scores`, (n_docs,
    n_tasks), are changed in place.
    """
    n_tasks = weights.shape[1]
    precision = np.zeros(n_tasks)
    change = np.zeros(n_tasks)
    for k in order:
        for t in range(n_tasks):
            precision[t] = prior_precision
            change[t] = -prior_precision * weights[k, t]
        for i in range(topic_ptr[k], topic_ptr[k + 1]):
            d, x = doc[i], share[i]
            for t in range(n_tasks):
                precision[t] += curvature[d, t] * x * x
                change[t] += x * (slope[d, t] - curvature[d, t] * scores[d, t])
        for t in range(n_tasks):
            change[t] = change[t] / precision[t] + noise[k, t] / np.sqrt(precision[t])
            weights[k, t] += change[t]
        for i in range(topic_ptr[k], topic_ptr[k + 1]):
            d, x = doc[i], share[i]
            for t in range(n_tasks):
                scores[d, t] += x * change[t]


@njit(cache=True, nogil=True)
def add_precision(doc_ptr, topic, share, curvature, precision):
    """Add sum_d b_d zbar_d zbar_d' of one task to the lower triangle of `precision`.

    The topics of a document ascend.
    """
    for d in range(doc_ptr.size - 1):
        for i in range(doc_ptr[d], doc_ptr[d + 1]):
            row = precision[topic[i]]
            scaled = curvature[d] * share[i]
            for j in range(doc_ptr[d], i + 1):
                row[topic[j]] += scaled * share[j]
