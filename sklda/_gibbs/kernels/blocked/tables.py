"""The counts of one word in a row or in a list, with one name for what both can do.

`words` is either the row n_wk of a word, an array, or `Listed`. The compiler sees which
and takes the function for it.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from sklda._core.compile import njit
from sklda._core.document import count_document
from sklda._core.lists import fill_gap, find
from sklda._core.problem import LANES
from sklda._core.rows import pick
from sklda._gibbs.kernels.blocked.cumulants import (
    SMALL,
    combined,
    cumulants,
    set_ratios,
    steps,
)

_LIGHT = {"nogil": True, "_nrt": False, "forceinline": True}


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def padded(n):
    """Return the smallest multiple of LANES that is at least n."""
    return (n + LANES - 1) // LANES * LANES


class Listed(NamedTuple):
    """The topics that a word has, and what all topics weigh for a word without any."""

    topics: np.ndarray  # (n_slots,) int32
    counts: np.ndarray  # (n_slots,) int32
    size: np.ndarray  # (1,) int32, slots in use
    base: np.ndarray  # (SMALL,) float64, K_c of a word without tokens
    ratio: np.ndarray  # (SMALL, n_columns) float32, those of the topics in the slots
    no_tokens: np.ndarray  # (n_columns,) int32, zeros


class Given(NamedTuple):
    """What the draw of a block is conditional on, and what it needs room for."""

    doc_topic: np.ndarray  # (n_lanes,) int32, n_dk
    topic: np.ndarray  # (n_lanes,) int32, n_k
    ratio: np.ndarray  # (SMALL, n_lanes or more) float32, as `steps` takes it
    alpha: np.ndarray  # (n_lanes,) float32
    numbers: np.ndarray  # (4,) float32: beta, V beta, scale, beta times scale
    depth: np.ndarray  # (1,) int64, rows of `ratio` that are in use
    weight: np.ndarray  # (n_lanes or more,) float32
    lane_sum: np.ndarray  # (n_lanes + LANES or more,) float32


@njit(inline="always")
def new_given(topic, priors, n_columns):
    """Return room for any document, with `n_columns` of ratios."""
    numbers = np.zeros(4, np.float32)
    numbers[0], numbers[1] = priors.topic_word, priors.topic_word_sum
    return Given(
        np.zeros(topic.size, np.int32),
        topic,
        np.zeros((SMALL, n_columns), np.float32),
        priors.doc_topic,
        numbers,
        np.zeros(1, np.int64),
        np.zeros(n_columns, np.float32),
        np.zeros(n_columns + LANES, np.float32),
    )


@njit(cache=True, nogil=True, _nrt=False)
def enter_blocks(first, last, largest, z, given):
    """Set the counts and ratios of a document whose largest block is given."""
    doc_topic, topic, ratio, alpha, numbers, depth, _, _ = given
    count_document(first, last, z, doc_topic)
    depth[0] = 2 if largest <= 2 else SMALL
    total = set_ratios(depth[0], doc_topic, topic, alpha, numbers[1], ratio)
    # A word with one token would weigh 1.
    numbers[2] = 1 / ((1 + np.float64(numbers[0])) * total)
    numbers[3] = numbers[0] * numbers[2]


@njit(inline="always")
def new_list(n_columns):
    """Return an empty list, with room for what lists need."""
    ratio = np.zeros((SMALL, n_columns), np.float32)
    no_tokens = np.zeros(n_columns, np.int32)
    nothing = no_tokens[:0]
    return Listed(nothing, nothing, nothing, np.zeros(SMALL), ratio, no_tokens)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def list_of(w, state, room):
    """Return the list of word w, with the room of another."""
    first, last = state.start[w], state.start[w + 1]
    topics, counts = state.list_topic[first:last], state.list_count[first:last]
    size = state.size[w : w + 1]
    return Listed(topics, counts, size, room.base, room.ratio, room.no_tokens)


# --- rows ------------------------------------------------------------------------


def _tokens_in_row(k, words):
    return words[k]


def _set_tokens_of_row(words, n_wk):
    n_wk[:] = words


def _change_row(k, n, words, given):
    words[k] += n
    change_document(k, n, given)


def _sums_of_row(n, words, given):
    return _sum_over_row(n, words, given.ratio, given.numbers)


def _draw_from_row(r, n, factors, besides, words, given):
    (a, b, c), row = besides, given.ratio[0]
    of_a, of_b, of_c = row[a], row[b], row[c]
    row[a] = row[b] = row[c] = 0
    _weigh_row(n, factors, words, given.ratio, given.numbers, given.weight)
    row[a], row[b], row[c] = of_a, of_b, of_c
    return pick(given.weight, given.lane_sum, r)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _sum_over_row(n, row, ratio, numbers):
    scale, beta = numbers[2], numbers[3]
    zero = np.float32(0)
    s1, s2, s3, s4 = zero, zero, zero, zero
    if n <= 2:
        for k in range(row.size):
            c1, c2, _, _ = cumulants(steps(k, row[k], ratio, scale, beta))
            s1 += c1
            s2 += c2
    else:
        for k in range(row.size):
            c1, c2, c3, c4 = cumulants(steps(k, row[k], ratio, scale, beta))
            s1 += c1
            s2 += c2
            s3 += c3
            s4 += c4
    return np.float64(s1), np.float64(s2), np.float64(s3), np.float64(s4)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def _weigh_row(n, factors, row, ratio, numbers, weight):
    """Weigh every topic for the first of n tokens; return the sum."""
    scale, beta, zero = numbers[2], numbers[3], np.float32(0)
    total = zero
    f1, f2 = np.float32(factors[0]), np.float32(factors[1])
    f3, f4 = np.float32(factors[2]), np.float32(factors[3])
    if n == 1:
        for k in range(row.size):
            value = steps(k, row[k], ratio, scale, beta)[0]
            weight[k] = value
            total += value
    elif n == 2:
        for k in range(row.size):
            c1, c2, _, _ = cumulants(steps(k, row[k], ratio, scale, beta))
            value = max(zero, f1 * c1 + f2 * c2)
            weight[k] = value
            total += value
    else:
        for k in range(row.size):
            terms = cumulants(steps(k, row[k], ratio, scale, beta))
            value = max(zero, combined((f1, f2, f3, f4), terms))
            weight[k] = value
            total += value
    return np.float64(total)


# --- lists -----------------------------------------------------------------------


def _tokens_in_list(k, words):
    return words.counts[find(words.topics, np.int64(words.size[0]), k)]


def _set_tokens_of_list(words, n_wk):
    n_wk[:] = 0
    for j in range(words.size[0]):
        n_wk[words.topics[j]] = words.counts[j]


def _change_list(k, n, words, given):
    _count_in_list(k, n, words.topics, words.counts, words.size, given.topic.size)
    base, ratio = words.base, given.ratio
    scale, beta = given.numbers[2], given.numbers[3]
    if given.depth[0] <= 2:
        b1, b2, _, _ = cumulants(steps(k, 0, ratio, scale, beta))
        change_document(k, n, given)
        c1, c2, _, _ = cumulants(steps(k, 0, ratio, scale, beta))
    else:
        b1, b2, b3, b4 = cumulants(steps(k, 0, ratio, scale, beta))
        change_document(k, n, given)
        c1, c2, c3, c4 = cumulants(steps(k, 0, ratio, scale, beta))
        base[2] += np.float64(c3) - b3
        base[3] += np.float64(c4) - b4
    base[0] += np.float64(c1) - b1
    base[1] += np.float64(c2) - b2


@njit(cache=True, nogil=True, _nrt=False)
def _count_in_list(k, n, topics, counts, sizes, absent):
    """Add n tokens to topic k of a list."""
    size = np.int64(sizes[0])
    j = find(topics, size, k)
    topics[j] = k
    counts[j] += n
    size = max(size, j + 1)
    if counts[j] == 0:
        size = fill_gap(topics, counts, size, j, absent)
    sizes[0] = size


@njit(cache=True, nogil=True, _nrt=False)
def set_base(words, given):
    """Set what all topics weigh for a word without tokens."""
    base, n_lanes = words.base, given.topic.size
    base[0], base[1], base[2], base[3] = _sum_of_no_tokens(
        given.depth[0], n_lanes, given.ratio, given.numbers
    )


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def _sum_of_no_tokens(depth, n_lanes, ratio, numbers):
    # In double precision: the sums go on growing and shrinking with the topics.
    scale, beta = numbers[2], numbers[3]
    s1, s2, s3, s4 = 0.0, 0.0, 0.0, 0.0
    if depth <= 2:
        for k in range(n_lanes):
            c1, c2, _, _ = cumulants(steps(k, 0, ratio, scale, beta))
            s1 += c1
            s2 += c2
    else:
        for k in range(n_lanes):
            c1, c2, c3, c4 = cumulants(steps(k, 0, ratio, scale, beta))
            s1 += c1
            s2 += c2
            s3 += c3
            s4 += c4
    return s1, s2, s3, s4


def _sums_of_list(n, words, given):
    """Return the sums, and set the ratios of the list."""
    topics, counts, sizes, base, ratio, no_tokens = words
    n_slots = padded(np.int64(sizes[0]))
    for i in range(given.depth[0]):
        for j in range(n_slots):
            ratio[i, j] = given.ratio[i, topics[j]]
    listed = _sum_over_row(n, counts[:n_slots], ratio, given.numbers)
    unlisted = _sum_over_row(n, no_tokens[:n_slots], ratio, given.numbers)
    return (
        base[0] + (listed[0] - unlisted[0]),
        base[1] + (listed[1] - unlisted[1]),
        base[2] + (listed[2] - unlisted[2]),
        base[3] + (listed[3] - unlisted[3]),
    )


def _draw_from_list(r, n, factors, besides, words, given):
    topics, counts, sizes, _, ratio, no_tokens = words
    weight, lane_sum, numbers = given.weight, given.lane_sum, given.numbers
    size = np.int64(sizes[0])
    n_slots = padded(size)
    (a, b, c), row = besides, ratio[0]
    a, b, c = find(topics, size, a), find(topics, size, b), find(topics, size, c)
    of_a, of_b, of_c = row[a], row[b], row[c]
    row[a] = row[b] = row[c] = 0
    total = _weigh_row(n, factors, counts[:n_slots], ratio, numbers, weight)
    row[a], row[b], row[c] = of_a, of_b, of_c
    if r < total:
        return np.int64(topics[pick(weight[:n_slots], lane_sum[: n_slots + LANES], r)])
    n_lanes = given.topic.size
    _weigh_row(n, factors, no_tokens[:n_lanes], given.ratio, numbers, weight)
    for j in range(size):
        weight[topics[j]] = 0
    for j in range(3):
        weight[besides[j]] = 0
    return pick(weight[:n_lanes], lane_sum[: n_lanes + LANES], r - total)


# --- either ----------------------------------------------------------------------


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def change_document(k, n, given):
    """Add n tokens of the document to topic k."""
    doc_topic, topic, ratio, alpha = given[0], given[1], given[2], given[3]
    doc_topic[k] += n
    topic[k] += n
    a, s = np.float32(doc_topic[k]) + alpha[k], np.float32(topic[k]) + given.numbers[1]
    one = np.float32(1)
    ratio[0, k] = a / s
    ratio[1, k] = (a + one) / (s + one)
    if given.depth[0] > 2:
        ratio[2, k] = (a + one + one) / (s + one + one)
        ratio[3, k] = (a + one + one + one) / (s + one + one + one)


def tokens_on(k, words):
    """Return n_wk."""
    return (_tokens_in_list if is_list(words) else _tokens_in_row)(k, words)


def set_tokens(words, n_wk):
    """Set n_wk of all topics."""
    (_set_tokens_of_list if is_list(words) else _set_tokens_of_row)(words, n_wk)


def change(k, n, words, given):
    """Add n tokens to topic k of the word and of the document."""
    (_change_list if is_list(words) else _change_row)(k, n, words, given)


def sums_of(n, words, given):
    """Return K_1, ..., K_n with all tokens counted, and more of no meaning."""
    return (_sums_of_list if is_list(words) else _sums_of_row)(n, words, given)


def draw_from(r, n, factors, besides, words, given):
    """Draw the topic of the first of n tokens, besides three topics.

    r is uniform in the weights of all other topics, which are as they were when the
    sums were taken.
    """
    draw = _draw_from_list if is_list(words) else _draw_from_row
    return draw(r, n, factors, besides, words, given)


def is_list(words):
    """Return whether these are `Listed`, or the type of it."""
    return isinstance(words, Listed | types.BaseNamedTuple)


@overload(tokens_on, jit_options=_LIGHT)
def _(k, words):
    return _tokens_in_list if is_list(words) else _tokens_in_row


@overload(set_tokens)
def _(words, n_wk):
    return _set_tokens_of_list if is_list(words) else _set_tokens_of_row


@overload(change, jit_options=_LIGHT)
def _(k, n, words, given):
    return _change_list if is_list(words) else _change_row


@overload(sums_of, jit_options=_LIGHT)
def _(n, words, given):
    return _sums_of_list if is_list(words) else _sums_of_row


@overload(draw_from, jit_options=_LIGHT)
def _(r, n, factors, besides, words, given):
    return _draw_from_list if is_list(words) else _draw_from_row
