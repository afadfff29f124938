"""The word-topic counts as one dense row per word.

With t_k = (n_dk + alpha_k) / (n_k + V beta) the conditional of a token is

    p(z = k | rest) ~ t_k (n_wk + beta),

all K weights of a cell in one loop that vectorises. Where beta is an array, the rows
hold n_wk + beta_kw, and the beta of kernels is 0.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.compile import njit
from sklda._core.document import ratio_without, update_ratio
from sklda._core.prefetch import AHEAD, per_line, prefetch
from sklda._core.problem import LANES, Counts, add_changes
from sklda._core.random_streams import uniform


class State(NamedTuple):
    """The topics of the tokens, and a row of counts for each word."""

    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) int32, or float64: n_wk + beta_kw
    topic: np.ndarray  # (n_lanes,) int32


class Scratch(NamedTuple):
    """What a draw needs room for."""

    weight: np.ndarray  # (n_lanes,) float32
    lane_sum: np.ndarray  # (n_lanes + LANES,) float32


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def prefetch_row(word, c, word_topic):
    """Prefetch the row of a cell that comes after cell c."""
    n_lanes = word_topic.shape[1]
    first = np.int64(word[min(c + AHEAD, word.size - 1)]) * n_lanes
    for k in range(first, first + n_lanes, per_line(word_topic)):
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


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def find_down_lane(lane_sum, lane, r):
    """Return the topic of a lane at which the running sum down the lane exceeds r.

    lane_sum[k] is the sum of the weights of topics k - 16, k - 32, ... A binary search
    would be slower: its steps cannot be predicted.
    """
    k, n = lane, lane_sum.size - LANES
    while k + LANES < n and r >= lane_sum[k + LANES]:
        k += LANES
    return k


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def sum_lanes(weight, lane_sum):
    """Set the running sums down `LANES` separate lanes.

    They vectorise where one running sum cannot; the last 16 entries of `lane_sum` are
    the lanes' totals.
    """
    lane_sum[:LANES] = 0
    for k in range(weight.size):
        lane_sum[k + LANES] = lane_sum[k] + weight[k]


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def pick_summed(weight, lane_sum, r):
    """Return k with probability as its weight, for r uniform in the sum.

    Rounding may carry r past the end: then the last topic of positive weight is meant.
    """
    n = weight.size
    lane = 0
    while lane < LANES - 1 and r >= lane_sum[n + lane]:
        r -= lane_sum[n + lane]
        lane += 1
    k = find_down_lane(lane_sum, lane, r)
    while k > 0 and weight[k] <= 0:
        k -= 1
    return k


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def pick(weight, lane_sum, r):
    """Return k with probability weight[k] / sum(weight), for r uniform in the sum."""
    sum_lanes(weight, lane_sum)
    return pick_summed(weight, lane_sum, r)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample(z, first, n, row, total, priors, document, scratch, rng):
    """Resample the topic of n tokens of a cell, from z[first] on, that move together.

    Return the new sum of the weights. The draw tries the present topic first: most
    tokens keep it, and then nothing is written.
    """
    doc_topic, topic, ratio = document
    weight, lane_sum = scratch
    _, beta, _ = priors
    # The weight of the present topic with the tokens themselves taken out.
    old = np.int64(z[first])
    old_ratio = ratio_without(old, n, priors, document)
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
    weight[new] = update_ratio(new, priors, document) * (np.float32(row[new]) + beta)
    return total + weight[new]


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample_each(z, first, last, row, total, priors, document, scratch, rng):
    """Resample the tokens of a cell one after the other."""
    for i in range(first, last):
        total = resample(z, i, 1, row, total, priors, document, scratch, rng)


def from_topics(problem, z):
    """Return the state in which the tokens have the topics z."""
    kind = np.float64 if problem.has_word_prior else np.int32
    word_topic = np.zeros((problem.n_words, problem.n_lanes), kind)
    if problem.has_word_prior:
        word_topic[:, : problem.n_topics] = problem.beta.T
    state = State(z, word_topic, np.zeros(problem.n_lanes, np.int32))
    add_tokens(problem.corpus, state)
    return state


@njit(cache=True, nogil=True)
def add_tokens(corpus, state):
    """Count all tokens."""
    _, word, token_ptr = corpus
    z, word_topic, topic = state
    for c in range(word.size):
        for i in range(token_ptr[c], token_ptr[c + 1]):
            word_topic[word[c], z[i]] += 1
            topic[z[i]] += 1


def kernel_priors(problem):
    """Return the priors as kernels over rows take them."""
    return problem.kernel_priors()


def counts(problem, state):
    """Return the count tables; they are the state's own where beta is one number."""
    word_topic = state.word_topic
    if problem.has_word_prior:
        word_topic = np.zeros(word_topic.shape, np.int32)
        own = np.s_[:, : problem.n_topics]
        word_topic[own] = np.rint(state.word_topic[own] - problem.beta.T)
    return Counts(word_topic, state.topic)


def replicate(state, n):
    """Return a state of n tables of counts, for n shards of the documents.

    What a shard writes to is far from what others write to: two processors that write
    to one line of the cache wait for each other.
    """
    return State(
        z=state.z,
        word_topic=np.tile(state.word_topic, (n, 1, 1)),
        topic=np.tile(np.pad(state.topic, (0, 2 * LANES)), (n, 1)),
    )


def replica(replicas, i, problem):
    """Return the i-th of them, a state that `sweep` takes."""
    topic = replicas.topic[i, : problem.n_lanes]
    return State(replicas.z, replicas.word_topic[i], topic)


def merge(state, replicas, first, last):
    """Add what the replicas changed of the words from `first` to before `last`."""
    add_changes(state.word_topic[first:last], replicas.word_topic[:, first:last])
