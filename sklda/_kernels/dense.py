"""The word-topic counts as one dense row per word, and a sequential start.

With t_k = (n_dk + alpha_k) / (n_k + V beta) the conditional of a token is

    p(z = k | rest) ~ t_k (n_wk + beta),

all K weights of a cell in one loop that vectorises.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from sklda._kernels.arrays import LANES, Counts
from sklda._kernels.document import clear, topic_ratio, topic_ratios
from sklda._kernels.draws import uniform


class State(NamedTuple):
    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) int32
    topic: np.ndarray  # (n_lanes,) int32


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _weigh(ratio, row, beta, weight):
    """Weigh every topic for one cell, all its tokens counted; return the sum."""
    total = np.float32(0)
    for k in range(row.size):
        value = ratio[k] * (np.float32(row[k]) + beta)
        weight[k] = value
        total += value
    return np.float64(total)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _pick(weight, lane_sum, r):
    """Return k with probability weight[k] / sum(weight), for r uniform in the sum.

    Running sums down `LANES` separate lanes vectorise where one running sum cannot:
    lane_sum[k] holds the sum of weight[k - 16], weight[k - 32], ... so its last 16
    entries are the lanes' totals. Rounding may carry r past the end: then the last
    topic of positive weight is meant.
    """
    n = weight.size
    lane_sum[:LANES] = 0
    for k in range(n):
        lane_sum[k + LANES] = lane_sum[k] + weight[k]
    lane = 0
    while lane < LANES - 1 and r >= lane_sum[n + lane]:
        r -= lane_sum[n + lane]
        lane += 1
    k = lane
    while k + LANES < n and r >= lane_sum[k + LANES]:
        k += LANES
    while k > 0 and weight[k] <= 0:
        k -= 1
    return k


def init(corpus, n_words, priors, rng):
    """Allocate the state and seat every token."""
    n_lanes = priors.doc_topic.size
    state = State(
        z=np.zeros(corpus.token_ptr[-1], np.uint16),
        word_topic=np.zeros((n_words, n_lanes), np.int32),
        topic=np.zeros(n_lanes, np.int32),
    )
    _seat(corpus, state, priors, rng)
    return state


@njit(cache=True, nogil=True)
def _seat(corpus, state, priors, rng):
    """Draw the topic of each token given the tokens before it."""
    doc_ptr, word, token_ptr = corpus
    z, word_topic, topic = state
    alpha, beta = priors
    word_mass = np.float32(word_topic.shape[0]) * beta
    doc_topic = np.zeros(alpha.size, np.int32)
    ratio = np.zeros(alpha.size, np.float32)
    weight = np.zeros(alpha.size, np.float32)
    lane_sum = np.zeros(alpha.size + LANES, np.float32)
    for d in range(doc_ptr.size - 1):
        clear(doc_topic)
        topic_ratios(doc_topic, topic, alpha, word_mass, ratio)
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            row = word_topic[word[c]]
            total = _weigh(ratio, row, beta, weight)
            for i in range(token_ptr[c], token_ptr[c + 1]):
                k = _pick(weight, lane_sum, uniform(rng) * total)
                z[i] = k
                row[k] += 1
                topic[k] += 1
                doc_topic[k] += 1
                total -= weight[k]
                ratio[k] = topic_ratio(doc_topic[k], topic[k], alpha[k], word_mass)
                weight[k] = ratio[k] * (np.float32(row[k]) + beta)
                total += weight[k]


def read_counts(state):
    """Return the count tables; they are the state's own."""
    return Counts(state.word_topic, state.topic)
