"""What the draw of a block is conditional on: the counts of its document and all.

With a = n_dk + alpha_k and s = n_k + V beta, the p_i of a topic are (a + i) / (s + i)
times (b + i), where b = n_wk + beta alone depends on the word.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import overload

from sklda._core.compile import njit
from sklda._core.document import count_document
from sklda._core.entry import differ, entry
from sklda._core.problem import LANES
from sklda._core.weights import sum_all
from sklda._gibbs.kernels.blocked.cumulants import (
    INLINED,
    SMALL,
    at,
    combined,
    cumulants,
    put,
    steps,
)


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
    beta: np.float32 | np.ndarray  # of all words, or (n_words,)
    beta_sum: np.float32 | np.ndarray  # V beta, or (n_lanes,)
    numbers: np.ndarray  # (3,) float32: beta of the word, scale, beta times scale
    places: np.ndarray  # (SMALL,) int64, of the tokens of a block
    weight: np.ndarray  # (n_columns,) float32
    lane_sum: np.ndarray  # (n_columns + LANES,) float32


def new_given(topic, priors, n_columns, depth):
    """Return room for any document and word, and blocks of so many tokens."""
    alpha, beta, beta_sum = priors
    rooms = [
        tuple(np.zeros(n_columns, np.float32) for _ in range(depth)) for _ in range(3)
    ]
    return Given(
        np.zeros(topic.size, np.int32),
        topic,
        *rooms,
        (np.float32(0),) * depth,
        alpha,
        beta,
        beta_sum,
        np.array([np.ravel(beta)[0], 0, 0], np.float32),
        np.zeros(SMALL, np.int64),
        np.zeros(n_columns, np.float32),
        np.zeros(n_columns + LANES, np.float32),
    )


@njit(cache=True, **INLINED)
def take_beta(w, given):
    """Take beta of word w."""
    if differ(given.beta):
        given.numbers[0] = entry(given.beta, w)


@njit(cache=True, **INLINED)
def enter_blocks(first, last, z, given):
    """Set the counts and ratios of a document."""
    count_document(first, last, z, given.doc_topic)
    numbers = given.numbers
    total = _set_ratios(given)
    # A word with one token would weigh 1.
    numbers[1] = 1 / ((1 + np.float64(numbers[0])) * total)
    numbers[2] = numbers[0] * numbers[1]


@njit(cache=True, **INLINED)
def _set_ratios(given):
    n_lanes = given.alpha.size
    for k in range(n_lanes):
        put(given.ratio, k, ratios_of(k, given.ratio, given))
    return sum_all(given.ratio[0], n_lanes)


def ratios_of(k, ratio, given):
    """Return (a + i) / (s + i) of topic k."""
    a = np.float32(given.doc_topic[k]) + given.alpha[k]
    s = np.float32(given.topic[k]) + entry(given.beta_sum, k)
    return tuple((a + i) / (s + i) for i in range(len(ratio)))


@overload(ratios_of, jit_options=INLINED)
def _(k, ratio, given):
    def two(k, ratio, given):
        a = np.float32(given.doc_topic[k]) + given.alpha[k]
        s = np.float32(given.topic[k]) + entry(given.beta_sum, k)
        one = np.float32(1)
        return a / s, (a + one) / (s + one)

    def four(k, ratio, given):
        a = np.float32(given.doc_topic[k]) + given.alpha[k]
        s = np.float32(given.topic[k]) + entry(given.beta_sum, k)
        one = np.float32(1)
        a1, s1 = a + one, s + one
        a2, s2 = a1 + one, s1 + one
        return a / s, a1 / s1, a2 / s2, (a2 + one) / (s2 + one)

    return two if len(ratio) == 2 else four


@njit(cache=True, **INLINED)
def change_document(k, n, given):
    """Add n tokens of the document to topic k."""
    i = np.uintp(k)
    given.doc_topic[i] += n
    given.topic[i] += n
    put(given.ratio, k, ratios_of(i, given.ratio, given))


@njit(cache=True, **INLINED)
def scaled(given):
    """Return the factor of all p, and beta times it."""
    return given.numbers[1], given.numbers[2]


@njit(cache=True, **INLINED)
def kappa_of(n_wk, ratio, factors):
    """Return the cumulants of a topic, from its ratios and the tokens of the word."""
    scale, beta = factors
    return cumulants(steps(np.float32(n_wk) * scale + beta, ratio, scale))


@njit(cache=True, **INLINED)
def weigh_first(factors, size, given):
    """Weigh so many places for the first token of a block."""
    kappa, weight, zero = given.kappa, given.weight, np.float32(0)
    for j in range(size):
        weight[j] = max(zero, combined(factors, at(kappa, j)))
