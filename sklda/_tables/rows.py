"""Word-topic counts as one dense row per word, and draws from it.

Where beta is an array, the rows hold n_wk + beta_kw, and the beta of kernels is 0. All
K weights of a cell are in an array of float32 that fills whole registers. First come
sums of weights, then draws, then the state of a sampler.
"""

from typing import NamedTuple

import numpy as np

from sklda._sampling.problem import LANES, Counts, count_type
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel
from sklda._simd.vectors import (
    AHEAD,
    broadcast,
    choose,
    first_lane,
    get_lane,
    load,
    one_hot,
    per_line,
    prefetch,
    running_sums,
    store,
    to_double,
    total,
)


@lean_kernel
def sum_all(weight, size):
    """Return the sum of the first weights, in double precision."""
    sums = broadcast(np.float64(0), LANES)
    for begin in range(0, size, LANES):
        sums = sums + to_double(load(weight, begin, LANES))
    return total(sums)


class Scratch(NamedTuple):
    """The weights of a draw and their sums, which each draw overwrites."""

    weight: np.ndarray  # (n_lanes,) float32
    lane_sum: np.ndarray  # (n_lanes + LANES,) float32


@inlined_kernel
def prefetch_row(word, c, word_topic):
    """Prefetch the row of a cell that comes after cell c."""
    n_lanes = word_topic.shape[1]
    first = np.int64(word[min(c + AHEAD, word.size - 1)]) * n_lanes
    for k in range(first, first + n_lanes, per_line(word_topic)):
        prefetch(word_topic, k)


@inlined_kernel
def weigh_row(ratio, row, weight):
    """Set each weight to a ratio times an entry of a row; return the sum."""
    sums = broadcast(np.float32(0), LANES)
    for k in range(0, row.size, LANES):
        value = load(ratio, k, LANES) * load(row, k, LANES)
        store(weight, k, value)
        sums = sums + value
    return total(sums)


@inlined_kernel
def find_down_lane(lane_sum, lane, r):
    """Return the topic of a lane at which the running sum down the lane exceeds r.

    lane_sum[k] is the sum of the weights of topics k - 16, k - 32, ... The code counts
    the sums up to r: a branch that depends on r could not be predicted.
    """
    most = broadcast(np.float32(r), LANES)
    ones = broadcast(np.int32(1), LANES)
    passed = broadcast(np.int32(0), LANES)
    for k in range(LANES, lane_sum.size - LANES, LANES):
        passed = choose(load(lane_sum, k, LANES) > most, passed, passed + ones)
    return lane + LANES * np.int64(get_lane(passed, lane))


@inlined_kernel
def pick(weight, lane_sum, r):
    """Draw k with probability weight[k] / sum(weight); r is uniform from 0 to that sum.

    Running sums down `LANES` separate lanes vectorise where a single one cannot. Where
    rounding carries r past the end, the last topic of positive weight is drawn.
    """
    sums = broadcast(np.float32(0), LANES)
    store(lane_sum, 0, sums)
    for k in range(0, weight.size, LANES):
        sums = sums + load(weight, k, LANES)
        store(lane_sum, k + LANES, sums)
    _, ends, _ = running_sums(sums)
    above = ends > broadcast(np.float32(r), LANES)
    lane = first_lane(above | one_hot(LANES - 1, LANES))
    k = find_down_lane(lane_sum, lane, r - get_lane(ends - sums, lane))
    while k > 0 and not weight[k] > 0:  # nor NaN
        k -= 1
    return k


class RowCounts(NamedTuple):
    """The topics of the tokens, and a row of counts for each word."""

    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) like `topic`; or float64 with beta
    topic: np.ndarray  # (n_lanes,) int32 or int64


def from_topics(problem, z):
    """Return the state in which the tokens have the topics z."""
    topic = np.zeros(problem.n_lanes, count_type(z.size))
    has_beta = problem.has_word_prior
    shape = problem.n_words, problem.n_lanes
    word_topic = np.zeros(shape, np.float64 if has_beta else topic.dtype)
    if has_beta:
        word_topic[:, : problem.n_topics] = problem.beta.T
    state = RowCounts(z, word_topic, topic)
    add_tokens(problem.corpus, state)
    return state


@kernel
def add_tokens(corpus, state):
    """Count all tokens."""
    _, word, token_ptr = corpus
    z, word_topic, topic = state
    for c in range(word.size):
        for i in range(token_ptr[c], token_ptr[c + 1]):
            word_topic[word[c], z[i]] += 1
            topic[z[i]] += 1


@kernel
def add_tokens_of_words(corpus, z, first, last, word_topic):
    """Count the tokens of the words from `first` to before `last`."""
    doc_ptr, word, token_ptr = corpus
    for d in range(doc_ptr.size - 1):
        end = doc_ptr[d + 1]
        c, cells = doc_ptr[d], end - doc_ptr[d]
        while cells > 0:  # the words of a document ascend: find the first one
            half = cells // 2
            if word[c + half] < first:
                c += half + 1
                cells -= half + 1
            else:
                cells = half
        while c < end and word[c] < last:
            row = word_topic[word[c]]
            for i in range(token_ptr[c], token_ptr[c + 1]):
                row[z[i]] += 1
            c += 1


def kernel_priors(problem):
    """Return the priors as kernels over rows take them."""
    return problem.kernel_priors()


def counts(problem, state):
    """Return the count tables, which are those of the state if beta is one number."""
    word_topic = state.word_topic
    if problem.has_word_prior:
        word_topic = np.zeros(word_topic.shape, state.topic.dtype)
        topics = np.s_[:, : problem.n_topics]
        word_topic[topics] = np.rint(state.word_topic[topics] - problem.beta.T)
    return Counts(word_topic, state.topic)


tables = from_topics  # the state contains count tables only
