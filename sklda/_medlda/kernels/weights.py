"""The weights of topics in the scores of tasks, given the topics of all tokens.

With zbar_d the topic proportions among the tokens of a document, and a_dt and b_dt as
in `label_factors`, the weights of task t are Gaussian:

    precision  nu I + sum_d b_dt zbar_d zbar_d',  precision * mean  sum_d a_dt zbar_d.

Only the few proportions above zero are stored, as values, indices and pointers of a
sparse matrix by document or by topic.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.linear_algebra import factorise, multiply, solve_lower, solve_upper
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel
from sklda._tables.document import count_document


class ByTopic(NamedTuple):
    """The proportions above zero of each topic, shard by shard of the documents."""

    value: np.ndarray  # (n_stored,) float64, zbar_dk
    doc: np.ndarray  # (n_stored,) int32, d
    ptr: np.ndarray  # (n_shards, n_topics + 1) int64; those of shard s and topic k


@kernel
def fill_proportions(corpus, z, n_topics, value, topic, ptr):
    """Fill in the proportions of all documents; return their number."""
    doc_ptr, _, token_ptr = corpus
    doc_topic = zeros(n_topics, np.int32)
    n = 0
    ptr[0] = 0
    for d in range(doc_ptr.size - 1):
        first, last = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
        count_document(first, last, z, doc_topic)
        for k in range(n_topics):
            if doc_topic[k] > 0:
                topic[n], value[n] = k, doc_topic[k] / (last - first)
                n += 1
        ptr[d + 1] = n
    return n


@kernel
def resample_one_by_one(
    by_topic, slope, curvature, prior_precision, order, noise, weights, scores
):
    """Resample each weight given the others, for all tasks, in place; update scores.

    Zheng, 2016, equations 23 and 24. `slope`, `curvature` and `scores` are (n_docs,
    n_tasks); `noise`, standard normal, and `weights` are (n_topics, n_tasks).
    """
    n_tasks = weights.shape[1]
    precision = zeros(n_tasks, np.float64)
    change = zeros(n_tasks, np.float64)
    for k in order:
        for t in range(n_tasks):
            precision[t] = prior_precision
            change[t] = -prior_precision * weights[k, t]
        for s in range(by_topic.ptr.shape[0]):
            for i in range(by_topic.ptr[s, k], by_topic.ptr[s, k + 1]):
                d, x = by_topic.doc[i], by_topic.value[i]
                for t in range(n_tasks):
                    precision[t] += curvature[d, t] * x * x
                    change[t] += x * (slope[d, t] - curvature[d, t] * scores[d, t])
        for t in range(n_tasks):
            change[t] = change[t] / precision[t] + noise[k, t] / np.sqrt(precision[t])
            weights[k, t] += change[t]
        for s in range(by_topic.ptr.shape[0]):
            for i in range(by_topic.ptr[s, k], by_topic.ptr[s, k + 1]):
                d, x = by_topic.doc[i], by_topic.value[i]
                for t in range(n_tasks):
                    scores[d, t] += x * change[t]


@kernel
def fill_scores(by_doc, weights, scores):
    """Fill in the scores of documents, (n_docs, n_tasks)."""
    value, topic, ptr = by_doc
    scores[:] = 0
    for d in range(ptr.size - 1):
        for i in range(ptr[d], ptr[d + 1]):
            for t in range(weights.shape[1]):
                scores[d, t] += value[i] * weights[topic[i], t]


@kernel
def fill_scores_of_task(by_topic, weights, scores):
    """Fill in the scores of a task, (n_docs,); proportions are (n_topics, n_docs)."""
    multiply(by_topic, weights, scores)


@kernel
def add_factors(by_doc, slope, curvature, linear, precision):
    """Add what the factors of one task are to the Gaussian of its weights.

    That is sum_d a_d zbar_d to `linear`, and sum_d b_d zbar_d zbar_d' to the upper part
    of `precision`.
    """
    value, topic, ptr = by_doc
    for d in range(ptr.size - 1):
        for i in range(ptr[d], ptr[d + 1]):
            linear[topic[i]] += slope[d] * value[i]
            row = precision[topic[i]]
            scaled = curvature[d] * value[i]
            for j in range(i, ptr[d + 1]):
                row[topic[j]] += scaled * value[j]


@kernel
def draw_gaussian(linear, precision, noise):
    """Turn standard normal noise into weights; return whether rounding permits it.

    With U' U the precision: U^-1 (U'^-1 linear + noise). `linear` and `precision`
    change.
    """
    is_positive = factorise(precision, linear.size, 0.0)
    solve_lower(precision, linear)
    for k in range(linear.size):
        noise[k] += linear[k]
    solve_upper(precision, noise)
    return is_positive
