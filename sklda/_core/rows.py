"""The word-topic counts as one dense row per word.

With t_k = (n_dk + alpha_k) / (n_k + V beta) the conditional of a token is

    p(z = k | rest) ~ t_k (n_wk + beta),

all K weights of a cell in one loop that vectorises.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from sklda._core.problem import LANES, Counts, add_changes
from sklda._core.document import topic_ratio
from sklda._core.random_streams import uniform
from sklda._core.prefetch import AHEAD, prefetch
from sklda._core.random_topics import scatter


class State(NamedTuple):
    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) int32
    topic: np.ndarray  # (n_lanes,) int32


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def look_ahead(word, c, word_topic):
    """Ask for the row of a cell that comes after cell c."""
    n_lanes = word_topic.shape[1]
    first = np.int64(word[min(c + AHEAD, word.size - 1)]) * n_lanes
    for k in range(first, first + n_lanes, LANES):
        prefetch(word_topic, k)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def weigh(ratio, row, beta, weight):
    """Weigh every topic for one cell, all its tokens counted; return the sum."""
    total = np.float32(0)
    for k in range(row.size):
        value = ratio[k] * (np.float32(row[k]) + beta)
        weight[k] = value
        total += value
    return np.float64(total)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def pick(weight, lane_sum, r):
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


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def redraw(
    z, first, n, row, total, beta, word_mass, doc_topic, topic, alpha, ratio, weight,
    lane_sum, rng,
):  # fmt: skip
    """Redraw the topic of n tokens of a cell, those from z[first], that move together.

    Return the new sum of the weights. The present topic is asked for first: most tokens
    keep it, and then nothing is written.
    """
    # The weight of the present topic with the tokens themselves taken out.
    old = np.int64(z[first])
    old_ratio = topic_ratio(doc_topic[old] - n, topic[old] - n, alpha[old], word_mass)
    stay = old_ratio * (np.float32(row[old] - n) + beta)
    others = total - weight[old]
    r = uniform(rng) * (others + stay)
    if r < stay:
        return total
    weight[old] = 0
    new = pick(weight, lane_sum, r - stay)
    for i in range(first, first + n):
        z[i] = new
    row[old] -= n
    topic[old] -= n
    doc_topic[old] -= n
    ratio[old] = old_ratio
    weight[old] = stay
    total = others + stay - weight[new]
    row[new] += n
    topic[new] += n
    doc_topic[new] += n
    ratio[new] = topic_ratio(doc_topic[new], topic[new], alpha[new], word_mass)
    weight[new] = ratio[new] * (np.float32(row[new]) + beta)
    return total + weight[new]


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def gather(z, first, n, row, doc_topic, topic):
    """Give n tokens the topic of the first of them; return whether any had another."""
    k = np.int64(z[first])
    moved = 0
    for i in range(first + 1, first + n):
        old = np.int64(z[i])
        if old != k:
            z[i] = k
            row[old] -= 1
            doc_topic[old] -= 1
            topic[old] -= 1
            moved += 1
    row[k] += moved
    doc_topic[k] += moved
    topic[k] += moved
    return moved > 0


def init(corpus, n_words, priors, rng):
    """Give each token a topic, all as likely, and make the state of that."""
    return seat(corpus, n_words, priors, scatter(corpus, priors, rng))


def seat(corpus, n_words, priors, z):
    """Return the state in which the tokens have the topics z."""
    n_lanes = priors.doc_topic.size
    word_topic = np.zeros((n_words, n_lanes), np.int32)
    topic = np.zeros(n_lanes, np.int32)
    state = State(z, word_topic, topic)
    _count(corpus, state)
    return state


@njit(cache=True, nogil=True)
def _count(corpus, state):
    _, word, token_ptr = corpus
    z, word_topic, topic = state
    for c in range(word.size):
        for i in range(token_ptr[c], token_ptr[c + 1]):
            word_topic[word[c], z[i]] += 1
            topic[z[i]] += 1


def read_counts(state):
    """Return the count tables; they are the state's own."""
    return Counts(state.word_topic, state.topic)


def copies(state, n):
    """Return a state of n tables of counts, for n shards of the documents.

    What a shard writes to is far from what others write to: two processors that write
    to one line of the cache wait for each other.
    """
    return State(
        z=state.z,
        word_topic=np.tile(state.word_topic, (n, 1, 1)),
        topic=np.tile(np.pad(state.topic, (0, 2 * LANES)), (n, 1)),
    )


def copy(stack, i):
    """Return the i-th of these, a state that `sweep` takes."""
    n_lanes = stack.word_topic.shape[2]
    return State(stack.z, stack.word_topic[i], stack.topic[i, :n_lanes])


def merge(state, stack, first, last):
    """Add up what the copies changed of the words from `first` to before `last`."""
    add_changes(state.word_topic[first:last], stack.word_topic[:, first:last])
