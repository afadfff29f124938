"""Label factors of documents, and the weights of topics given them.

Given the auxiliary variables, each task t multiplies the probability of a document of N
tokens by a Gaussian factor of its score s_t = sum_k eta_kt n_dk / N:

    exp(a_t s_t - b_t s_t^2 / 2).                                                    (1)

With the token itself taken out of m_t = sum_k eta_kt n_dk, these factors multiply the
conditional of topic k by exp(g(k)) (Zhu et al., JMLR 2014; Zheng, 2016), where

    g(k) = sum_t [(a_t / N) eta_kt - (b_t / N^2) (eta_kt^2 / 2 + eta_kt m_t)].       (2)

With zbar_d the topic proportions among the tokens of a document, the weights of task t
are Gaussian given the topics of all tokens:

    precision  nu I + sum_d b_dt zbar_d zbar_d',  precision * mean  sum_d a_dt zbar_d.

Only the few proportions above zero are stored, as values, indices and pointers of a
sparse matrix by document or by topic. From top to bottom: variates, the parts of (2)
that `gibbs` and `light` share, and draws of the weights.
"""

import math
from typing import NamedTuple

import numpy as np

from sklda._sampling.linear_algebra import factorise, multiply, solve_lower, solve_upper
from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import uniform
from sklda._sampling.variates import normal
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel
from sklda._simd.vectors import broadcast, choose, largest, load, total
from sklda._tables.document import count_document

# An inverse Gaussian of infinite mean exceeds this once in 100,000 draws; larger values
# would only make the weights inexact.
HIGHEST_XI = 1e10


@kernel
def fill_normal(values, rng):
    """Fill in draws from the standard normal distribution."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            values[i, j] = normal(rng)


@kernel
def fill_xi(c_x, xi, rng):
    """Fill in draws from inverse Gaussians with means 1 / c_x and shape 1.

    Michael, Schucany & Haas (1976): the square of a normal number, v, has a root on
    each side of the mean. Written in c_x, the smaller one is stable, 1 / v for c_x = 0.
    """
    for i in range(c_x.shape[0]):
        for j in range(c_x.shape[1]):
            c, x = c_x[i, j], normal(rng)
            v = max(x * x, 1 / HIGHEST_XI)
            smaller = 2 / (2 * c + v + math.sqrt(v * (4 * c + v)))
            if uniform(rng) * (1 + c * smaller) <= 1:
                xi[i, j] = smaller
            else:  # the product of both is the square of the mean
                xi[i, j] = 1 / max(c * (c * smaller), 1 / HIGHEST_XI)


TASKS = 8  # that are summed at a time


class LabelFactors(NamedTuple):
    """The weights of the topics, and the factors (1) of documents in terms of m_t."""

    weights: np.ndarray  # (n_tasks, n_lanes) float32, eta; 0 in the padding
    slope: np.ndarray  # (n_docs, n_tasks) float32, a_t / N
    curvature: np.ndarray  # (n_docs, n_tasks) float32, b_t / N^2


@inlined_kernel
def add_scaled(factor, row, out):
    """Add a multiple of a row to `out`."""
    for k in range(out.size):
        out[k] += factor * row[k]


@inlined_kernel
def _add_parabola(linear, half, row, out):
    for k in range(out.size):
        out[k] += row[k] * (linear - half * row[k])


@lean_kernel
def sum_weights(topic_weights, doc_topic, total):
    """Set `total` to m_t of all tokens of a document; `topic_weights[k]` is eta_k."""
    for t in range(total.size):
        total[t] = 0
    for k in range(topic_weights.shape[0]):
        if doc_topic[k] > 0:
            for t in range(total.size):
                total[t] += np.float64(doc_topic[k]) * topic_weights[k, t]


@lean_kernel
def exponents(weights, slope, curvature, total, exponent):
    """Set `exponent` to g of every topic, equation (2), for m_t as in `total`."""
    for k in range(exponent.size):
        exponent[k] = 0
    for t in range(total.size):
        linear = np.float32(slope[t] - curvature[t] * total[t])
        half = np.float32(0.5) * curvature[t]
        _add_parabola(linear, half, weights[t], exponent)


@lean_kernel
def repulsion(weights, curvature, k, out):
    """Set `out` to r_k: g(j) falls by r_kj for each more token on topic k."""
    for j in range(out.size):
        out[j] = 0
    for t in range(curvature.size):
        add_scaled(curvature[t] * weights[t, k], weights[t], out)


@inlined_kernel
def gain_of_move(new, old, gradient, half):
    """Return the change of the document's log factor when a token moves.

    That is sum_t (u_t D - (b_t / N^2) D^2 / 2) with D = eta_new,t - eta_old,t and the
    gradient u_t = a_t / N - (b_t / N^2) m_t before the move.
    """
    gain, n_whole = np.float32(0), gradient.size - gradient.size % TASKS
    if n_whole > 0:
        sums = broadcast(gain, TASKS)
        for t in range(0, n_whole, TASKS):
            moved = load(new, t, TASKS) - load(old, t, TASKS)
            slope = load(gradient, t, TASKS) - load(half, t, TASKS) * moved
            sums = sums + moved * slope
        gain = total(sums)
    for t in range(n_whole, gradient.size):
        change = new[t] - old[t]
        gain += change * (gradient[t] - half[t] * change)
    return gain


@lean_kernel
def highest(a):
    """Return the largest entry."""
    value, n_whole = a[0], a.size - a.size % LANES
    if n_whole > 0:
        top = load(a, 0, LANES)
        for k in range(LANES, n_whole, LANES):
            block = load(a, k, LANES)
            top = choose(block > top, block, top)
        value = largest(top)
    for k in range(n_whole, a.size):
        value = max(value, a[k])
    return value


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
    """Add the factors of one task to the Gaussian of its weights.

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
