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
from sklda._core.rows import pick, pick_summed, sum_lanes
from sklda._gibbs.kernels.blocked.cumulants import (
    SMALL,
    at,
    combined,
    cumulants,
    last_factors,
    moved,
    narrow,
    put,
    steps,
    wide,
)

_SHARED = {"nogil": True, "_nrt": False, "error_model": "numpy", "forceinline": False}
_LIGHT = {"nogil": True, "_nrt": False, "error_model": "numpy", "forceinline": True}


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def padded(n):
    """Return the smallest multiple of LANES that is at least n."""
    return (n + LANES - 1) // LANES * LANES


class Listed(NamedTuple):
    """The topics that a word has, and what all topics weigh for a word without any."""

    topics: np.ndarray  # (n_slots,) int32
    counts: np.ndarray  # (n_slots,) int32
    size: np.ndarray  # (1,) int32, slots in use
    base: tuple  # float64 arrays (1,), the K_c of a word without tokens


class Given(NamedTuple):
    """What the draw of a block is conditional on, and what it needs room for.

    A tuple has one entry, or one float32 array, for each token of the largest block.
    """

    doc_topic: np.ndarray  # (n_lanes,) int32, n_dk
    topic: np.ndarray  # (n_lanes,) int32, n_k
    ratio: tuple  # arrays (n_columns,), (a + i) / (s + i)
    listed: tuple  # the same of the topics of a list, slot by slot
    kappa: tuple  # arrays (n_columns,), of the topics of a row or the slots of a list
    zero: tuple  # zeros
    alpha: np.ndarray  # (n_lanes,) float32
    numbers: np.ndarray  # (4,) float32: beta, V beta, scale, beta times scale
    places: np.ndarray  # (SMALL,) int64, of the tokens of a block
    weight: np.ndarray  # (n_columns,) float32
    lane_sum: np.ndarray  # (n_columns + LANES,) float32


def new_given(topic, priors, n_columns, depth):
    """Return room for any document and word, and blocks of so many tokens."""
    beta, beta_sum = np.float32(priors.topic_word), np.float32(priors.topic_word_sum)
    rooms = [
        tuple(np.zeros(n_columns, np.float32) for _ in range(depth)) for _ in range(3)
    ]
    return Given(
        np.zeros(topic.size, np.int32),
        topic,
        *rooms,
        (np.float32(0),) * depth,
        priors.doc_topic,
        np.array([beta, beta_sum, 0, 0], np.float32),
        np.zeros(SMALL, np.int64),
        np.zeros(n_columns, np.float32),
        np.zeros(n_columns + LANES, np.float32),
    )


def new_list(depth):
    """Return an empty list, with room for the sums of blocks of so many tokens."""
    nothing = np.zeros(0, np.int32)
    return Listed(nothing, nothing, nothing, tuple(np.zeros(1) for _ in range(depth)))


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def list_of(w, state, room):
    """Return the list of word w, with the room of another."""
    first, last = state.start[w], state.start[w + 1]
    topics, counts = state.list_topic[first:last], state.list_count[first:last]
    return Listed(topics, counts, state.size[w : w + 1], room.base)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def enter_blocks(first, last, z, given):
    """Set the counts and ratios of a document."""
    count_document(first, last, z, given.doc_topic)
    numbers = given.numbers
    total = _set_ratios(given)
    # A word with one token would weigh 1.
    numbers[2] = 1 / ((1 + np.float64(numbers[0])) * total)
    numbers[3] = numbers[0] * numbers[2]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True, _nrt=False, forceinline=True)
def _set_ratios(given):
    total = 0.0
    for k in range(given.alpha.size):
        values = ratios_of(k, given.ratio, given)
        put(given.ratio, k, values)
        total += values[0]
    return total


def ratios_of(k, ratio, given):
    """Return (a + i) / (s + i) of topic k."""
    a = np.float32(given.doc_topic[k]) + given.alpha[k]
    s = np.float32(given.topic[k]) + given.numbers[1]
    return tuple((a + i) / (s + i) for i in range(len(ratio)))


@overload(ratios_of, jit_options={**_LIGHT, "fastmath": True, "error_model": "numpy"})
def _(k, ratio, given):
    def two(k, ratio, given):
        a = np.float32(given.doc_topic[k]) + given.alpha[k]
        s = np.float32(given.topic[k]) + given.numbers[1]
        one = np.float32(1)
        return a / s, (a + one) / (s + one)

    def four(k, ratio, given):
        a = np.float32(given.doc_topic[k]) + given.alpha[k]
        s = np.float32(given.topic[k]) + given.numbers[1]
        one = np.float32(1)
        a1, s1 = a + one, s + one
        a2, s2 = a1 + one, s1 + one
        return a / s, a1 / s1, a2 / s2, (a2 + one) / (s2 + one)

    return two if len(ratio) == 2 else four


# --- both ------------------------------------------------------------------------


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def change_document(k, n, given):
    """Add n tokens of the document to topic k."""
    i = np.uintp(k)
    given.doc_topic[i] += n
    given.topic[i] += n
    put(given.ratio, k, ratios_of(i, given.ratio, given))


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def scaled(given):
    """Return the factor of all p, and beta times it."""
    return given.numbers[2], given.numbers[3]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True, _nrt=False, forceinline=True)
def kappa_of(n_wk, ratio, factors):
    """Return the cumulants of a topic, from its ratios and the tokens of the word."""
    scale, beta = factors
    return cumulants(steps(np.float32(n_wk) * scale + beta, ratio, scale))


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True, _nrt=False, forceinline=True)
def _weigh_first(factors, size, given):
    """Weigh so many places for the first token of a block."""
    kappa, weight, zero = given.kappa, given.weight, np.float32(0)
    for j in range(size):
        weight[j] = max(zero, combined(factors, at(kappa, j)))


# --- rows ------------------------------------------------------------------------


def _place_in_row(k, words):
    return k


def _topic_in_row(place, words):
    return place


def _count_in_row(place, words):
    return words[place]


def _set_tokens_of_row(words, n_wk):
    n_wk[:] = words


def _count_to_row(k, n, words, given):
    words[k] += n
    given.doc_topic[k] += n
    given.topic[k] += n


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True, _nrt=False, forceinline=True)
def _weigh_row(row, given):
    ratio, kappa, zero = given.ratio, given.kappa, given.zero
    sums = zero
    factor = scaled(given)
    for k in range(row.size):
        values = kappa_of(row[k], at(ratio, k), factor)
        put(kappa, k, values)
        sums = moved(sums, zero, values)
    return sums


def _sums_of_row(words, given):
    return wide(_weigh_row(words, given))


def _change_row(place, n, sums, words, given):
    k = np.uintp(place)
    before = at(given.kappa, k)
    words[k] += n
    change_document(k, n, given)
    after = kappa_of(words[k], at(given.ratio, k), scaled(given))
    put(given.kappa, k, after)
    return moved(sums, before, after)


def _drop_from_row(place, words, given):
    pass


def _draw_from_row(r, factors, but, words, given):
    size, weight = words.size, given.weight
    _weigh_first(narrow(factors), size, given)
    weight[but] = 0
    return pick(weight[:size], given.lane_sum[: size + LANES], r)


def _draw_last_from_row(r, but, words, given):
    size, weight = words.size, given.kappa[0]
    own = weight[but]
    weight[but] = 0
    k = pick(weight[:size], given.lane_sum[: size + LANES], r)
    weight[but] = own
    return k


# --- lists -----------------------------------------------------------------------


def _place_in_list(k, words):
    return find(words.topics, np.int64(words.size[0]), k)


def _topic_in_list(place, words):
    return np.int64(words.topics[place])


def _count_in_list(place, words):
    return words.counts[place]


def _set_tokens_of_list(words, n_wk):
    n_wk[:] = 0
    for j in range(words.size[0]):
        n_wk[words.topics[j]] = words.counts[j]


def _count_to_list(k, n, words, given):
    topics, counts, sizes, _ = words
    given.doc_topic[k] += n
    given.topic[k] += n
    size = np.int64(sizes[0])
    j = find(topics, size, k)
    topics[j] = k
    counts[j] += n
    size = max(size, j + 1)
    if counts[j] == 0:
        size = fill_gap(topics, counts, size, j, given.topic.size)
    sizes[0] = size


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True, _nrt=False, forceinline=True)
def set_base(words, given):
    """Set what all topics weigh for a word without tokens."""
    # In double precision: the sums go on growing and shrinking with the topics.
    sums = wide(given.zero)
    factor = scaled(given)
    for k in range(given.topic.size):
        sums = moved(sums, given.zero, kappa_of(0, at(given.ratio, k), factor))
    put(words.base, 0, sums)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def _gather(n_slots, topics, given):
    """Copy the ratios of the topics of a list: what follows vectorises then."""
    for j in range(n_slots):
        put(given.listed, j, at(given.ratio, np.uint32(topics[j])))


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True, _nrt=False, forceinline=True)
def _weigh_list(n_slots, counts, given):
    """Set the cumulants of the list; return what they add to those of no tokens."""
    kappa, listed = given.kappa, given.listed
    sums = given.zero
    factor = scaled(given)
    for j in range(n_slots):
        ratio = at(listed, j)
        values = kappa_of(counts[j], ratio, factor)
        put(kappa, j, values)
        sums = moved(sums, kappa_of(0, ratio, factor), values)
    return sums


def _sums_of_list(words, given):
    topics, counts, sizes, base = words
    n_slots = padded(np.int64(sizes[0]))
    _gather(n_slots, topics, given)
    return moved(at(base, 0), given.zero, _weigh_list(n_slots, counts, given))


def _change_list(place, n, sums, words, given):
    topics, counts, _, base = words
    ratio, kappa, factor = given.ratio, given.kappa, scaled(given)
    slot = np.uintp(place)
    k = np.uintp(topics[slot])
    unlisted = kappa_of(0, at(ratio, k), factor)
    change_document(k, n, given)
    present = at(ratio, k)
    put(base, 0, moved(at(base, 0), unlisted, kappa_of(0, present, factor)))
    counts[slot] += n
    before, after = at(kappa, slot), kappa_of(counts[slot], present, factor)
    put(kappa, slot, after)
    return moved(sums, before, after)


def _drop_from_list(place, words, given):
    topics, counts, sizes, _ = words
    if place >= sizes[0] or counts[place] > 0:
        return
    size = fill_gap(topics, counts, np.int64(sizes[0]), place, given.topic.size)
    put(given.kappa, place, at(given.kappa, size))
    put(given.kappa, size, given.zero)
    sizes[0] = size


def _draw_from_list(r, factors, but, words, given):
    weight = given.weight[: padded(np.int64(words.size[0]))]
    _weigh_first(narrow(factors), weight.size, given)
    weight[but] = 0
    lane_sum = given.lane_sum[: weight.size + LANES]
    sum_lanes(weight, lane_sum)
    total = _total(lane_sum)
    if r < total:
        return pick_summed(weight, lane_sum, r)
    return _draw_unlisted(r - total, narrow(factors), words, given)


def _draw_last_from_list(r, but, words, given):
    weight = given.kappa[0][: padded(np.int64(words.size[0]))]
    lane_sum = given.lane_sum[: weight.size + LANES]
    own, weight[but] = weight[but], 0
    sum_lanes(weight, lane_sum)
    total = _total(lane_sum)
    place = pick_summed(weight, lane_sum, r) if r < total else -1
    weight[but] = own
    if place >= 0:
        return place
    return _draw_unlisted(r - total, last_factors(given.zero), words, given)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _total(lane_sum):
    """Return the sum of the lanes' totals."""
    total = np.float32(0)
    for j in range(lane_sum.size - LANES, lane_sum.size):
        total += lane_sum[j]
    return np.float64(total)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True, _nrt=False, forceinline=False)
def _draw_unlisted(r, factors, words, given):
    """Draw a topic that the word does not have, and list it without tokens."""
    topics, _, sizes, _ = words
    n_lanes, weight, zero = given.topic.size, given.weight, np.float32(0)
    factor = scaled(given)
    for i in range(n_lanes):
        terms = kappa_of(0, at(given.ratio, i), factor)
        weight[i] = max(zero, combined(factors, terms))
    size = np.int64(sizes[0])
    for j in range(size):
        weight[topics[j]] = 0
    k = pick(weight[:n_lanes], given.lane_sum[: n_lanes + LANES], r)
    place = find(topics, size, k)  # listed only where rounding leaves no other topic
    if place == size:
        topics[place] = k
        sizes[0] += 1
        for j in range(place + 1, padded(place + 1)):
            put(given.kappa, j, given.zero)
        put(given.kappa, place, kappa_of(0, at(given.ratio, k), factor))
    return place


# --- either ----------------------------------------------------------------------


def place_of(k, words):
    """Return where topic k is."""
    return (_place_in_list if is_list(words) else _place_in_row)(k, words)


def topic_at(place, words):
    """Return the topic there."""
    return (_topic_in_list if is_list(words) else _topic_in_row)(place, words)


def count_at(place, words):
    """Return n_wk of the topic there."""
    return (_count_in_list if is_list(words) else _count_in_row)(place, words)


def set_tokens(words, n_wk):
    """Set n_wk of all topics."""
    (_set_tokens_of_list if is_list(words) else _set_tokens_of_row)(words, n_wk)


def count(k, n, words, given):
    """Add n tokens to topic k of the word and of the document."""
    (_count_to_list if is_list(words) else _count_to_row)(k, n, words, given)


def weigh(words, given):
    """Set the cumulants of the word; return the K_c with all tokens counted."""
    return (_sums_of_list if is_list(words) else _sums_of_row)(words, given)


def change(place, n, sums, words, given):
    """Add n tokens to the topic of a place; return the sums.

    A list keeps a topic without tokens in its place until `drop_empty`.
    """
    do = _change_list if is_list(words) else _change_row
    return do(place, n, sums, words, given)


def drop_empty(place, words, given):
    """Drop a place of a list if its topic has no tokens; the last takes its place."""
    (_drop_from_list if is_list(words) else _drop_from_row)(place, words, given)


def draw_first(r, factors, but, words, given):
    """Return the place of the first token of a block: any but one.

    r is uniform in the weights of all other topics.
    """
    draw = _draw_from_list if is_list(words) else _draw_from_row
    return draw(r, factors, but, words, given)


def draw_last(r, but, words, given):
    """Return the place of the last token of a block: any but one.

    r is uniform in the weights of all other topics.
    """
    draw = _draw_last_from_list if is_list(words) else _draw_last_from_row
    return draw(r, but, words, given)


def is_list(words):
    """Return whether these are `Listed`, or the type of it."""
    return isinstance(words, Listed | types.BaseNamedTuple)


@overload(place_of, jit_options=_LIGHT)
def _(k, words):
    return _place_in_list if is_list(words) else _place_in_row


@overload(topic_at, jit_options=_LIGHT)
def _(place, words):
    return _topic_in_list if is_list(words) else _topic_in_row


@overload(count_at, jit_options=_LIGHT)
def _(place, words):
    return _count_in_list if is_list(words) else _count_in_row


@overload(set_tokens)
def _(words, n_wk):
    return _set_tokens_of_list if is_list(words) else _set_tokens_of_row


@overload(count, jit_options=_SHARED)
def _(k, n, words, given):
    return _count_to_list if is_list(words) else _count_to_row


@overload(weigh, jit_options=_LIGHT)
def _(words, given):
    return _sums_of_list if is_list(words) else _sums_of_row


@overload(change, jit_options=_LIGHT)
def _(place, n, sums, words, given):
    return _change_list if is_list(words) else _change_row


@overload(drop_empty, jit_options=_LIGHT)
def _(place, words, given):
    return _drop_from_list if is_list(words) else _drop_from_row


@overload(draw_first, jit_options=_LIGHT)
def _(r, factors, but, words, given):
    return _draw_from_list if is_list(words) else _draw_from_row


@overload(draw_last, jit_options=_LIGHT)
def _(r, but, words, given):
    return _draw_last_from_list if is_list(words) else _draw_last_from_row
