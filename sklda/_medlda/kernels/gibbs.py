"""Gibbs sampling of topics that have to explain labels too.

Zhu, Chen, Perkins & Zhang, "Gibbs max-margin topic models with data augmentation",
JMLR 2014. With the token itself taken out of all counts,

    p(z = k | rest) ~ (n_dk + alpha_k) / (n_k + V beta) * (n_wk + beta) * exp(g(k)),

g as in `labels`. A direct computation of g costs O(K tasks) per token. But g depends on
the counts through m_t alone: it loses r_jk = sum_t (b_t / N^2) eta_jt eta_kt by a token
on topic j. So the document keeps g with all tokens counted; a token of topic j is
taken out by adding r_j, a row that is computed once for each topic that the document
comes to, and a move is one subtraction and one addition of rows. Cost: O(K) per token,
and O(K tasks) per document and topic of it. All loops over topics vectorise.
"""

import numpy as np
from numba import njit

from sklda._core.document import count_document, topic_ratio, topic_ratios
from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._core.rows import State, init, pick, read_counts
from sklda._medlda.kernels.labels import (
    exp,
    exponents,
    highest,
    repulsion,
    total_weights,
)

__all__ = ["State", "init", "read_counts", "sweep"]

# Rows r_j that are kept; a document that comes to more topics starts again.
MOST_ROWS = 128
# While no entry of r_j is larger, exp(g) exp(r_j) is as good as exp(g + r_j): where one
# factor leaves the range of float32, the product is next to nothing.
STEEP = np.float32(20)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def _tilt(ratio, exponent, tilted):
    """Set `tilted` to ratio * exp(g), up to a factor; return the logarithm of that."""
    top = highest(exponent)
    for k in range(ratio.size):
        tilted[k] = ratio[k] * exp(exponent[k] - top)
    return top


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _weigh(tilted, factor, row, beta, weight):
    """Weigh all topics, all tokens counted; return the sum."""
    total = np.float32(0)
    for k in range(weight.size):
        value = tilted[k] * factor[k] * (np.float32(row[k]) + beta)
        weight[k] = value
        total += value
    return np.float64(total)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def _weigh_steep(ratio, exponent, lost, row, beta, weight):
    """Do the same where g + r_j has too wide a range; return the sum and its top."""
    top = exponent[0] + lost[0]
    for k in range(weight.size):
        top = max(top, exponent[k] + lost[k])
    total = np.float32(0)
    for k in range(weight.size):
        tilt = exp(exponent[k] + lost[k] - top)
        value = ratio[k] * (np.float32(row[k]) + beta) * tilt
        weight[k] = value
        total += value
    return np.float64(total), top


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def _exponentiate(lost, factor):
    """Set `factor` to exp(r_j); return the largest absolute value of r_j."""
    size = np.float32(0)
    for k in range(lost.size):
        size = max(size, abs(lost[k]))
        factor[k] = exp(min(lost[k], STEEP))
    return size


@njit(cache=True, nogil=True, _nrt=False)
def _row_of(k, weights, curvature, rows, lost, factor, size):
    """Return the place of r_k among the rows, and compute it where it has none.

    rows[k] is that place or -1; the places in use are those of rows[-1] topics, whose
    names stand behind the topics.
    """
    n_lanes = weights.shape[1]
    place = rows[k]
    if place >= 0:
        return place
    if rows[-1] == size.size:
        _forget(rows, n_lanes)
    place = rows[-1]
    rows[-1] += 1
    rows[k] = place
    rows[n_lanes + place] = k
    repulsion(weights, curvature, k, lost[place])
    size[place] = _exponentiate(lost[place], factor[place])
    return place


@njit(cache=True, nogil=True, _nrt=False)
def _forget(rows, n_lanes):
    """Give up all rows."""
    for place in range(rows[-1]):
        rows[rows[n_lanes + place]] = -1
    rows[-1] = 0


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _add(change, row, out):
    for k in range(out.size):
        out[k] += change * row[k]


@njit(cache=True, nogil=True)
def sweep(corpus, state, priors, labels, rng):
    """Redraw every token once."""
    doc_ptr, word, token_ptr = corpus
    z, word_topic, topic = state
    alpha, beta = priors
    weights, slope, curvature = labels
    n_lanes = alpha.size
    word_mass = np.float32(word_topic.shape[0]) * beta
    doc_topic = np.zeros(n_lanes, np.int32)
    total = np.zeros(weights.shape[0])
    ratio = np.zeros(n_lanes, np.float32)
    exponent = np.zeros(n_lanes, np.float32)
    tilted = np.zeros(n_lanes, np.float32)
    weight = np.zeros(n_lanes, np.float32)
    lane_sum = np.zeros(n_lanes + LANES, np.float32)
    n_rows = min(n_lanes, MOST_ROWS)
    lost = np.zeros((n_rows, n_lanes), np.float32)
    factor = np.zeros((n_rows, n_lanes), np.float32)
    size = np.zeros(n_rows, np.float32)
    rows = np.full(n_lanes + n_rows + 1, -1)
    rows[-1] = 0
    for d in range(doc_ptr.size - 1):
        count_document(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]], z, doc_topic)
        topic_ratios(doc_topic, topic, alpha, word_mass, ratio)
        total_weights(weights, doc_topic, total)
        exponents(weights, slope[d], curvature[d], total, exponent)
        _forget(rows, n_lanes)
        top = _tilt(ratio, exponent, tilted)
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            top = _redraw_cell(
                z, token_ptr[c], token_ptr[c + 1], word_topic[word[c]], beta, word_mass,
                doc_topic, topic, alpha, weights, curvature[d], ratio, exponent, tilted,
                top, rows, lost, factor, size, weight, lane_sum, rng,
            )  # fmt: skip


@njit(cache=True, nogil=True, _nrt=False)
def _redraw_cell(
    z, first, last, row, beta, word_mass, doc_topic, topic, alpha, weights, curvature,
    ratio, exponent, tilted, top, rows, lost, factor, size, weight, lane_sum, rng,
):  # fmt: skip
    """Redraw the tokens of a cell; return the new logarithm of the scale of `tilted`.

    The present topic is asked for first: a token that stays writes nothing, and the
    weights serve the next token too, if it has the same topic.
    """
    weighed = -1  # the topic of the token that is taken out of the weights
    others, stay = 0.0, 0.0
    old_ratio = np.float32(0)
    for i in range(first, last):
        old = np.int64(z[i])
        if weighed != old:
            place = _row_of(old, weights, curvature, rows, lost, factor, size)
            lost_old, factor_old = lost[place], factor[place]
            if size[place] > STEEP:
                sum_, high = _weigh_steep(ratio, exponent, lost_old, row, beta, weight)
                tilt = exp(exponent[old] + lost_old[old] - high)
            else:
                sum_ = _weigh(tilted, factor_old, row, beta, weight)
                tilt = exp(exponent[old] - top) * factor_old[old]
            # The weight of the present topic with the token itself taken out.
            old_ratio = topic_ratio(
                doc_topic[old] - 1, topic[old] - 1, alpha[old], word_mass
            )
            stay = np.float64(old_ratio * tilt * (np.float32(row[old] - 1) + beta))
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
        ratio[new] = topic_ratio(doc_topic[new], topic[new], alpha[new], word_mass)
        _add(np.float32(1), lost_old, exponent)
        place = _row_of(new, weights, curvature, rows, lost, factor, size)
        _add(np.float32(-1), lost[place], exponent)
        top = _tilt(ratio, exponent, tilted)
    return top
