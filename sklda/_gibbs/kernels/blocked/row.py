"""The tokens of a word on each topic, in a row: the place of a topic is its number."""

import numpy as np

from sklda._core.problem import LANES
from sklda._core.rows import pick
from sklda._gibbs.kernels.blocked.cumulants import (
    at,
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


def place_of(k, words):
    return k


def topic_at(place, words):
    return place


def count_at(place, words):
    return words[place]


def set_tokens(words, n_wk):
    for k in range(words.size):
        n_wk[k] = words[k]


def count(k, n, words, given):
    words[k] += n
    given.doc_topic[k] += n
    given.topic[k] += n


def weigh(words, given):
    ratio, kappa, factor = given.ratio, given.kappa, scaled(given)
    for k in range(words.size):
        put(kappa, k, kappa_of(words[k], at(ratio, k), factor))
    return sums_of(kappa, words.size)


def change(place, n, sums, words, given):
    k = np.uintp(place)
    before = at(given.kappa, k)
    words[k] += n
    change_document(k, n, given)
    after = kappa_of(words[k], at(given.ratio, k), scaled(given))
    put(given.kappa, k, after)
    return moved(sums, before, after)


def drop_empty(place, words, given):
    pass


def draw_first(r, factors, but, words, given):
    size, weight = words.size, given.weight
    weigh_first(narrow(factors), size, given)
    weight[but] = 0
    return pick(weight[:size], given.lane_sum[: size + LANES], r)


def draw_last(r, but, words, given):
    size, weight = words.size, given.kappa[0]
    own = weight[but]
    weight[but] = 0
    k = pick(weight[:size], given.lane_sum[: size + LANES], r)
    weight[but] = own
    return k
