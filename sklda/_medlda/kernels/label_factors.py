"""Factors by which the labels of a document tilt the conditional of its topics.

Given the auxiliary variables, each task t multiplies the probability of a document of N
tokens by a Gaussian factor of its score s_t = sum_k eta_kt n_dk / N:

    exp(a_t s_t - b_t s_t^2 / 2).

With the token itself taken out of m_t = sum_k eta_kt n_dk, these factors multiply the
conditional of topic k by exp(g(k)) (Zhu et al., JMLR 2014; Zheng, 2016), where

    g(k) = sum_t [(a_t / N) eta_kt - (b_t / N^2) (eta_kt^2 / 2 + eta_kt m_t)].
"""

from typing import NamedTuple

import numpy as np

from sklda._core.problem import LANES
from sklda._simd.compile import inlined_kernel, lean_kernel
from sklda._simd.vectors import broadcast, choose, largest, load, total

TASKS = 8  # that are summed at a time


class LabelFactors(NamedTuple):
    """The weights of the topics, and the factors of documents in terms of m_t."""

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
    """Set `exponent` to g of every topic, for m_t as in `total`."""
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
