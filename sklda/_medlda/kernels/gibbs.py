"""Gibbs sampling of topics that have to explain labels too.

Zhu, Chen, Perkins & Zhang, "Gibbs max-margin topic models with data augmentation",
JMLR 2014. With the token itself taken out of all counts,

    p(z = k | rest) ~ (n_dk + alpha_k) / (n_k + V beta) * (n_wk + beta) * exp(g(k)),

g as in `sklda._medlda.kernels.labels`. One more token on topic j takes r_jk =
sum_t (b_t / N^2) eta_jt eta_kt from g(k). So a sweep keeps g of the document with all
tokens counted: adding the row r_j takes out a token of topic j, and a move adds one row
and subtracts another. A row is computed when the document first comes to its topic.
Cost: O(K) per token, O(K tasks) per document and topic of it. All loops over topics
vectorise.
"""

from typing import NamedTuple

import numpy as np

from sklda._medlda.kernels.labels import (
    add_scaled,
    exponents,
    highest,
    repulsion,
    sum_weights,
)
from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import uniform
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel, nested_kernel
from sklda._simd.vector_math import exp
from sklda._simd.vectors import broadcast, load, store, to_float, total
from sklda._tables.document import (
    enter_document,
    new_document,
    ratio_without,
    update_ratio,
)
from sklda._tables.rows import Scratch, pick, sum_all

MOST_ROWS = 128  # r_j in memory; a document that comes to more topics drops them all
# Up to this |r_jk|, exp(g) exp(r_j) serves for exp(g + r_j): where one factor leaves
# the range of float32, the product is negligible.
STEEP = np.float32(20)


class Rows(NamedTuple):
    """The rows r_j that have been computed for the current document."""

    slot: np.ndarray  # (n_lanes,) int64, of the row of each topic; -1 if not computed
    topic: np.ndarray  # (n_slots,) int64, whose row is in each slot
    n_used: np.ndarray  # (1,) int64, slots in use: the first ones
    row: np.ndarray  # (n_slots, n_lanes) float32, r_j
    factor: np.ndarray  # (n_slots, n_lanes) float32, exp(r_j)
    size: np.ndarray  # (n_slots,) float32, largest absolute value of r_j


class Tilt(NamedTuple):
    """How the labels tilt the topics of the current document."""

    weights: np.ndarray  # (n_tasks, n_lanes) float32, eta
    topic_weights: np.ndarray  # (n_lanes, n_tasks) float32, the same
    slope: np.ndarray  # (n_tasks,) float32, a_t / N
    curvature: np.ndarray  # (n_tasks,) float32, b_t / N^2
    total: np.ndarray  # (n_tasks,) m_t when the sweep enters the document
    exponent: np.ndarray  # (n_lanes,) float32, g with all tokens counted
    tilted: np.ndarray  # (n_lanes,) float32, ratio * exp(g - highest g)
    rows: Rows


@lean_kernel
def _update_tilted(ratio, exponent, tilted):
    """Set `tilted` to ratio * exp(g - top), and return top, the highest g."""
    top = highest(exponent)
    for k in range(ratio.size):
        tilted[k] = ratio[k] * exp(exponent[k] - top)
    return top


@inlined_kernel
def _weigh(tilted, factor, row, beta, weight):
    """Weigh all topics, all tokens counted; return the sum."""
    sums, prior = broadcast(np.float32(0), LANES), broadcast(beta, LANES)
    for k in range(0, weight.size, LANES):
        tilt = load(tilted, k, LANES) * load(factor, k, LANES)
        value = tilt * (to_float(load(row, k, LANES)) + prior)
        store(weight, k, value)
        sums = sums + value
    return np.float64(total(sums))


@lean_kernel
def _weigh_steep(ratio, exponent, repelled, row, beta, weight):
    """Weigh all topics where g + r_j has a wide range; return the sum and highest."""
    for k in range(weight.size):
        weight[k] = exponent[k] + repelled[k]
    top = highest(weight)
    for k in range(weight.size):
        tilt = exp(weight[k] - top)
        weight[k] = ratio[k] * (np.float32(row[k]) + beta) * tilt
    return sum_all(weight, weight.size), top


@lean_kernel
def _exponentiate(repelled, factor):
    """Set `factor` to exp(r_j); return the largest absolute value of r_j."""
    for k in range(repelled.size):
        factor[k] = abs(repelled[k])
    size = highest(factor)
    for k in range(repelled.size):
        factor[k] = exp(min(repelled[k], STEEP))
    return size


@inlined_kernel
def _slot_of(k, tilt):
    """Return the slot of r_k, which is computed if it has none."""
    slot = tilt.rows.slot[k]
    return slot if slot >= 0 else _fill_slot(k, tilt)


@lean_kernel
def _fill_slot(k, tilt):
    """Compute r_k and return its slot."""
    rows = tilt.rows
    if rows.n_used[0] == rows.size.size:
        _clear(rows)
    slot = rows.n_used[0]
    rows.n_used[0] += 1
    rows.slot[k] = slot
    rows.topic[slot] = k
    repulsion(tilt.weights, tilt.curvature, k, rows.row[slot])
    rows.size[slot] = _exponentiate(rows.row[slot], rows.factor[slot])
    return slot


@lean_kernel
def _clear(rows):
    """Drop all rows."""
    for slot in range(rows.n_used[0]):
        rows.slot[rows.topic[slot]] = -1
    rows.n_used[0] = 0


@kernel
def gibbs_sweep(part, state, priors, factors, rng):
    """Resample every token once."""
    n_tasks, n_lanes = factors.weights.shape
    document = new_document(state.topic, n_lanes)
    tilt = Tilt(
        weights=factors.weights,
        topic_weights=np.ascontiguousarray(factors.weights.T),
        slope=zeros(n_tasks, np.float32),
        curvature=zeros(n_tasks, np.float32),
        total=zeros(n_tasks, np.float64),
        exponent=zeros(n_lanes, np.float32),
        tilted=zeros(n_lanes, np.float32),
        rows=_no_rows(n_lanes),
    )
    scratch = Scratch(zeros(n_lanes, np.float32), zeros(n_lanes + LANES, np.float32))
    for d in range(part.begin.size):
        if part.begin[d] == part.end[d]:
            continue
        tilt.slope[:] = factors.slope[d]
        tilt.curvature[:] = factors.curvature[d]
        _sweep_document(d, part, state, priors, document, tilt, scratch, rng)


@inlined_kernel
def _sweep_document(d, part, state, priors, document, tilt, scratch, rng):
    doc_ptr, begin, end, word, token_ptr, _ = part
    z, word_topic, _ = state
    weights, topic_weights, slope, curvature, total, exponent, tilted, rows = tilt
    first, last = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
    enter_document(first, last, z, priors, document)
    sum_weights(topic_weights, document.doc_topic, total)
    exponents(weights, slope, curvature, total, exponent)
    _clear(rows)
    top = _update_tilted(document.ratio, exponent, tilted)
    for c in range(begin[d], end[d]):
        tokens = z[token_ptr[c] : token_ptr[c + 1]]
        row = word_topic[word[c]]
        top = _resample_cell(tokens, row, top, priors, document, tilt, scratch, rng)


@nested_kernel
def _no_rows(n_lanes):
    n_slots = min(n_lanes, MOST_ROWS)
    return Rows(
        slot=np.full(n_lanes, -1),
        topic=zeros(n_slots, np.int64),
        n_used=zeros(1, np.int64),
        row=zeros((n_slots, n_lanes), np.float32),
        factor=zeros((n_slots, n_lanes), np.float32),
        size=zeros(n_slots, np.float32),
    )


@inlined_kernel
def _resample_cell(z, row, top, priors, document, tilt, scratch, rng):
    """Resample the tokens of a cell; return the g that scales `tilted`.

    The draw tries the present topic first, so a token that stays writes nothing.
    """
    doc_topic, topic, ratio = document
    exponent, tilted, rows = tilt.exponent, tilt.tilted, tilt.rows
    weight, lane_sum = scratch
    beta = priors.topic_word
    weighed = -1  # the topic of the token that is taken out of the weights
    others, stay = 0.0, 0.0
    old_ratio = np.float32(0)
    for i in range(z.size):
        old = np.int64(z[i])
        if weighed != old:
            slot = _slot_of(old, tilt)
            old_row, factor = rows.row[slot], rows.factor[slot]
            if rows.size[slot] > STEEP:
                sum_, high = _weigh_steep(ratio, exponent, old_row, row, beta, weight)
                old_tilt = exp(exponent[old] + old_row[old] - high)
            else:
                sum_ = _weigh(tilted, factor, row, beta, weight)
                old_tilt = exp(exponent[old] - top) * factor[old]
            # The weight of the present topic with the token itself taken out.
            old_ratio = ratio_without(old, 1, priors, document)
            stay = np.float64(old_ratio * old_tilt * (np.float32(row[old] - 1) + beta))
            others = sum_ - weight[old]
            weighed = old
        r = uniform(rng) * (others + stay)
        if r < stay:
            continue
        weight[old] = 0
        new = pick(weight, lane_sum, r - stay)
        weighed = -1
        z[i] = new
        for k, change in ((old, -1), (new, 1)):
            row[k] += change
            topic[k] += change
            doc_topic[k] += change
        ratio[old] = old_ratio
        update_ratio(new, priors, document)
        add_scaled(np.float32(1), old_row, exponent)
        add_scaled(np.float32(-1), rows.row[_slot_of(new, tilt)], exponent)
        top = _update_tilted(ratio, exponent, tilted)
    return top
