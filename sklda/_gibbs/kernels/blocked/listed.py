"""The tokens of a word on each topic that it has, in a list: places are its slots."""

from typing import NamedTuple

import numpy as np

from sklda._core.compile import njit
from sklda._core.entry import differ, entry
from sklda._core.lists import fill_gap, find
from sklda._core.problem import LANES, padded
from sklda._core.rows import pick, pick_summed, sum_lanes
from sklda._core.vectors import load, total
from sklda._gibbs.kernels.blocked.cumulants import (
    CALLED,
    INLINED,
    at,
    combined,
    last_factors,
    moved,
    narrow,
    put,
    sums_of,
)
from sklda._gibbs.kernels.blocked.given import (
    change_document,
    kappa_of,
    scaled,
    weigh_first,
)


class Listed(NamedTuple):
    """The topics that a word has, and what all topics weigh for a word without any."""

    topics: np.ndarray  # (n_slots,) int32
    counts: np.ndarray  # (n_slots,) int32 or float64
    size: np.ndarray  # (1,) int32, slots in use
    base: tuple  # float64 arrays (1,), the K_c of a word without tokens


def new_list(state, depth):
    """Return an empty list, with room for the sums of blocks of so many tokens."""
    _, _, _, size, topics, counts = state
    base = tuple(np.zeros(1) for _ in range(depth))
    return Listed(topics[:0], counts[:0], size[:0], base)


@njit(cache=True, **INLINED)
def list_of(w, state, room):
    """Return the list of word w, with the room of another."""
    first, last = state.start[w], state.start[w + 1]
    topics, counts = state.list_topic[first:last], state.list_count[first:last]
    return Listed(topics, counts, state.size[w : w + 1], room.base)


@njit(cache=True, **INLINED)
def set_base(words, given):
    """Set what all topics weigh for a word without tokens."""
    # In double precision: the sums go on growing and shrinking with the topics.
    n_lanes, factor = given.topic.size, scaled(given)
    for k in range(n_lanes):
        put(given.kappa, k, kappa_of(0, at(given.ratio, k), factor))
    put(words.base, 0, sums_of(given.kappa, n_lanes))


@njit(cache=True, **INLINED)
def take_word(w, words, given):
    """Take beta of word w, and what all topics weigh with it, where words differ."""
    if differ(given.beta):
        beta, numbers = entry(given.beta, w), given.numbers
        if beta != numbers[0]:
            numbers[0] = beta
            numbers[2] = beta * numbers[1]
            set_base(words, given)


def place_of(k, words):
    return find(words.topics, np.int64(words.size[0]), k)


def topic_at(place, words):
    return np.int64(words.topics[place])


def count_at(place, words):
    return words.counts[place]


def set_tokens(words, n_wk):
    n_wk[:] = 0
    for j in range(words.size[0]):
        n_wk[words.topics[j]] = words.counts[j]


def count(k, n, words, given):
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


@njit(cache=True, **INLINED)
def _gather(n_slots, topics, given):
    """Copy the ratios of the topics of a list: what follows vectorises then."""
    for j in range(n_slots):
        put(given.listed, j, at(given.ratio, np.uint32(topics[j])))


def weigh(words, given):
    topics, counts, sizes, base = words
    n_slots = padded(np.int64(sizes[0]))
    _gather(n_slots, topics, given)
    kappa, listed, factor = given.kappa, given.listed, scaled(given)
    for j in range(n_slots):
        put(kappa, j, kappa_of(0, at(listed, j), factor))
    unlisted = sums_of(kappa, n_slots)
    for j in range(n_slots):
        put(kappa, j, kappa_of(counts[j], at(listed, j), factor))
    return moved(at(base, 0), unlisted, sums_of(kappa, n_slots))


def change(place, n, sums, words, given):
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


def drop_empty(place, words, given):
    topics, counts, sizes, _ = words
    if place >= sizes[0] or counts[place] > 0:
        return
    size = fill_gap(topics, counts, np.int64(sizes[0]), place, given.topic.size)
    put(given.kappa, place, at(given.kappa, size))
    put(given.kappa, size, given.zero)
    sizes[0] = size


def draw_first(r, factors, but, words, given):
    size, weight = padded(np.int64(words.size[0])), given.weight
    weigh_first(narrow(factors), size, given)
    weight[but] = 0
    lane_sum = given.lane_sum[: size + LANES]
    sum_lanes(weight[:size], lane_sum)
    listed = _total(lane_sum)
    if r < listed:
        return pick_summed(weight[:size], lane_sum, r)
    return _draw_unlisted(r - listed, narrow(factors), words, given)


def draw_last(r, but, words, given):
    size, weight = padded(np.int64(words.size[0])), given.kappa[0]
    lane_sum = given.lane_sum[: size + LANES]
    own, weight[but] = weight[but], 0
    sum_lanes(weight[:size], lane_sum)
    listed = _total(lane_sum)
    place = pick_summed(weight[:size], lane_sum, r) if r < listed else -1
    weight[but] = own
    if place >= 0:
        return place
    return _draw_unlisted(r - listed, last_factors(given.zero), words, given)


@njit(cache=True, **INLINED)
def _total(lane_sum):
    """Return the sum of the lanes' totals."""
    return np.float64(total(load(lane_sum, lane_sum.size - LANES, LANES)))


@njit(cache=True, **CALLED)
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
