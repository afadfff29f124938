"""Joint draws of blocks of up to four tokens, by cumulants.

A block is n tokens of one word in one document. With a = n_dk + alpha_k, b = n_wk +
beta, s = n_k + V beta, the block itself taken out, m tokens of it on topic k multiply
the weight of the block by

    Q_k(m) = p_0 p_1 ... p_(m - 1),    p_i = (a + i) (b + i) / (s + i)

(Zhang & Sisson, arXiv 1608.00945, equation 7). Let H_n be the sum of these weights over
the topics of all n tokens. Then

    sum_n H_n x^n / n! = prod_k sum_m Q_k(m) x^m / m!,

as if Q_k(m) were moments of independent variables and H_n those of their sum. Cumulants
add up for independent variables: with kappa_c those of a topic, and K_c the sums over
all topics,

    H_n = sum_c binomial(n - 1, c - 1) H_(n - c) K_c,    c = 1, ..., n.

With the kappa_c of one topic in place of K_c, this sum is the weight of the blocks
whose first token falls on that topic. The tokens after it are a block again, once the
first is counted.

Only the topics that the word has differ from those of a word without tokens, whose
sums, `base`, are kept for the whole document. Cost of a block: O(topics of the word).
"""

from typing import NamedTuple

import numpy as np

from sklda._core.entry import entry
from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._simd.compile import njit
from sklda._simd.vectors import (
    broadcast,
    choose,
    load,
    load_at,
    one_hot,
    store,
    to_double,
    to_float,
    total,
)
from sklda._tables.lists import SPARE, fill_gap, find, pick

SMALL = SPARE  # tokens of the largest block that is drawn by cumulants
# If less than this share of K_1 is left without the block, subtraction has cancelled.
LEAST_LEFT = 1e-3
NOTHING = (0.0, 0.0, 0.0, 0.0)


class Given(NamedTuple):
    """The document that blocks are in, with all tokens counted, and sums over topics.

    `depth` is 2 if no block has more tokens, else 4.
    """

    doc_topic: np.ndarray  # (n_lanes,) int32, n_dk
    topic: np.ndarray  # (n_lanes,) int32, n_k
    alpha: np.ndarray  # (n_lanes,) float32
    beta_sum: np.float32 | np.ndarray  # V beta, or (n_lanes,)
    ratio: np.ndarray  # (depth, n_lanes + LANES) float64, (a + i) / (s + i)
    base: np.ndarray  # (SMALL,) float64, the K_c of a word without tokens
    kappa: np.ndarray  # (depth, n_lanes + LANES) float64, slot by slot
    slots: np.ndarray  # (SMALL,) int64, of the topics of a block before it is drawn
    weight: np.ndarray  # (n_lanes + LANES,) float32


class TopicList(NamedTuple):
    """The topics that one word has."""

    topics: np.ndarray  # (n_slots,) int32
    counts: np.ndarray  # (n_slots,) int32 or float64, n_wk
    size: np.ndarray  # (1,) int32, slots in use
    beta: np.float32


def new_given(topic, priors, depth):
    """Return room for any document."""
    n_lanes = topic.size
    return Given(
        np.zeros(n_lanes, np.int32),
        topic,
        priors.doc_topic,
        priors.topic_word_sum,
        np.zeros((depth, n_lanes + LANES)),
        np.zeros(SMALL),
        np.zeros((depth, n_lanes + LANES)),
        np.zeros(SMALL, np.int64),
        np.zeros(n_lanes + LANES, np.float32),
    )


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def list_of_word(w, state, priors):
    """Return the list of word w."""
    first, last = state.start[w], state.start[w + 1]
    return TopicList(
        state.list_topic[first:last],
        state.list_count[first:last],
        state.size[w : w + 1],
        entry(priors.topic_word, w),
    )


# --- cumulants -------------------------------------------------------------------


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def cumulants(p0, p1, p2, p3):
    """Return the kappa_c of a topic from its p_0, ..., p_3: numbers, or vectors."""
    twice, square = p0 + p0, p0 * p0
    k2 = p0 * (p1 - p0)
    k3 = p0 * (p1 * (p2 - p0 - twice) + square + square)
    k4 = p1 * (p2 * (p3 - twice - twice) - (p0 + twice) * p1)
    six = (square + square) + (square + square) + (square + square)
    return p0, k2, k3, p0 * (k4 + six * (p1 + p1 - p0))


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def kappa_of(k, n_wk, words, given, depth):
    """Return the cumulants of topic k for a word with n_wk tokens on it."""
    ratio, b = given.ratio, n_wk + np.float64(words.beta)
    p0, p1 = ratio[0, k] * b, ratio[1, k] * (b + 1)
    if depth == 2:
        return p0, p0 * (p1 - p0), 0.0, 0.0
    return cumulants(p0, p1, ratio[2, k] * (b + 2), ratio[3, k] * (b + 3))


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def moved(sums, before, after):
    """Return sums in which some terms have taken the place of others."""
    return (
        sums[0] + (after[0] - before[0]),
        sums[1] + (after[1] - before[1]),
        sums[2] + (after[2] - before[2]),
        sums[3] + (after[3] - before[3]),
    )


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def combined(factors, terms):
    """Return the sum of the products."""
    return (
        factors[0] * terms[0]
        + factors[1] * terms[1]
        + factors[2] * terms[2]
        + factors[3] * terms[3]
    )


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def normaliser(n, sums):
    """Return H_n from K_1, ..., K_4, and the factors of K_1, ..., K_4 in it."""
    k1, k2, k3, k4 = sums
    if n == 1:
        return k1, (1.0, 0.0, 0.0, 0.0)
    h2 = k1 * k1 + k2
    if n == 2:
        return h2, (k1, 1.0, 0.0, 0.0)
    h3 = k1 * h2 + 2 * k2 * k1 + k3
    if n == 3:
        return h3, (h2, 2 * k1, 1.0, 0.0)
    return k1 * h3 + 3 * k2 * h2 + 3 * k3 * k1 + k4, (h3, 3 * h2, 3 * k1, 1.0)


# --- sums over the topics --------------------------------------------------------


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def set_ratios(k, given, depth):
    """Set the ratios of topic k to what its counts say."""
    a = given.doc_topic[k] + np.float64(given.alpha[k])
    s = given.topic[k] + np.float64(entry(given.beta_sum, k))
    for i in range(depth):
        given.ratio[i, k] = (a + i) / (s + i)


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def set_all_ratios(given, depth):
    """Set the ratios of all topics to what their counts say."""
    for k in range(given.topic.size):
        set_ratios(k, given, depth)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def set_base(words, given, depth):
    """Add up the topics for a word of this beta that has no tokens."""
    sums = NOTHING
    for k in range(given.topic.size):
        sums = moved(sums, NOTHING, kappa_of(k, 0, words, given, depth))
    for c in range(SMALL):
        given.base[c] = sums[c]


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def kappa_of_slots(b, topics, given, depth):
    """Return the cumulants of topics for a word with n_wk + beta = b, as vectors."""
    ratio, one = given.ratio, broadcast(1.0, LANES)
    b1 = b + one
    p0, p1 = load_at(ratio[0], topics) * b, load_at(ratio[1], topics) * b1
    if depth == 2:
        nothing = broadcast(0.0, LANES)
        return p0, p0 * (p1 - p0), nothing, nothing
    b2 = b1 + one
    p2, p3 = load_at(ratio[2], topics) * b2, load_at(ratio[3], topics) * (b2 + one)
    return cumulants(p0, p1, p2, p3)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def weigh_topics(words, given, depth):
    """Set the cumulants of the topics that a word has; return its K_c."""
    beta, nothing = broadcast(np.float64(words.beta), LANES), broadcast(0.0, LANES)
    sums = nothing, nothing, nothing, nothing
    for block in range(0, words.size[0], LANES):
        topics = load(words.topics, block, LANES)
        b = to_double(load(words.counts, block, LANES)) + beta
        own = kappa_of_slots(b, topics, given, depth)
        store(given.kappa[0], block, own[0])
        store(given.kappa[1], block, own[1])
        if depth > 2:
            store(given.kappa[2], block, own[2])
            store(given.kappa[3], block, own[3])
        sums = moved(sums, kappa_of_slots(beta, topics, given, depth), own)
    base, (k1, k2, k3, k4) = given.base, sums
    first, second = base[0] + total(k1), base[1] + total(k2)
    if depth == 2:
        return first, second, 0.0, 0.0
    return first, second, base[2] + total(k3), base[3] + total(k4)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def kappa_at(j, given, depth):
    """Return the cumulants of the topic in slot j."""
    kappa = given.kappa
    if depth == 2:
        return kappa[0, j], kappa[1, j], 0.0, 0.0
    return kappa[0, j], kappa[1, j], kappa[2, j], kappa[3, j]


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def change(j, n, sums, words, given, depth):
    """Add n tokens to the topic in slot j of the list; return the K_c."""
    k, base = np.int64(words.topics[j]), given.base
    before, listed_before = (
        kappa_of(k, 0, words, given, depth),
        kappa_at(j, given, depth),
    )
    words.counts[j] += n
    given.doc_topic[k] += n
    given.topic[k] += n
    set_ratios(k, given, depth)
    after = kappa_of(k, 0, words, given, depth)
    listed = kappa_of(k, words.counts[j], words, given, depth)
    for c in range(depth):
        base[c] += after[c] - before[c]
        given.kappa[c, j] = listed[c]
    return moved(sums, listed_before, listed)


# --- draws -----------------------------------------------------------------------


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def resample_small(block, n, sums, words, given, rng, depth):
    """Resample the n tokens of a block, from the K_c of its word; return these.

    The K_c count all tokens, before and after. The draw tries the present topics of
    all tokens first: if they stay, nothing is written.
    """
    left, stay = without(block, n, sums, words, given, depth)
    if left[0] < LEAST_LEFT * sums[0]:
        stay = 0.0
    elif uniform(rng) * normaliser(n, left)[0] < stay:
        return sums
    return redraw(block, n, stay, sums, words, given, rng, depth)


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def without(block, n, sums, words, given, depth):
    """Return the K_c without the block, and the weight of its present topics."""
    stay = 1.0
    for i in range(n):
        k, m = np.int64(block[i]), n_alike(block, i, n)
        j = find(words.topics, np.int64(words.size[0]), k)
        given.slots[i] = j
        # The tokens after it on its topic are gone, those before are still there.
        a = given.doc_topic[k] - m + np.float64(given.alpha[k])
        b = words.counts[j] - m + np.float64(words.beta)
        s = given.topic[k] - m + np.float64(entry(given.beta_sum, k))
        p0, p1, p2 = a * b / s, (a + 1) * (b + 1) / (s + 1), (a + 2) * (b + 2) / (s + 2)
        stay *= p0
        if depth == 2:
            before, after = (
                (p1, p1 * (p2 - p1), 0.0, 0.0),
                (p0, p0 * (p1 - p0), 0.0, 0.0),
            )
        else:
            p3, p4 = (a + 3) * (b + 3) / (s + 3), (a + 4) * (b + 4) / (s + 4)
            before, after = cumulants(p1, p2, p3, p4), cumulants(p0, p1, p2, p3)
        sums = moved(sums, before, after)
    return sums, stay


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def n_alike(block, i, n):
    """Return how many tokens from token i on have its topic."""
    m = 1
    for other in range(i + 1, n):
        m += block[other] == block[i]
    return m


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def redraw(block, n, stay, sums, words, given, rng, depth):
    """Resample a block of which not all tokens stay; return the K_c.

    All of them staying has weight `stay`, which is excluded.
    """
    slots, before = given.slots, sums[0]
    for i in range(n):
        sums = change(slots[i], -1, sums, words, given, depth)
    if sums[0] < LEAST_LEFT * before:
        sums = weigh_topics(words, given, depth)
    for i in range(n):
        everything, factors = normaliser(n - i, sums)
        j = slots[i]
        own = kappa_at(j, given, depth)
        r = uniform(rng) * (everything - stay) - (combined(factors, own) - stay)
        if r < 0:
            stay /= own[0]
        else:
            stay = 0.0
            j = draw_other(r, everything, factors, j, words, given, depth)
            block[i] = words.topics[j]
        sums = change(j, 1, sums, words, given, depth)
    drop_empty(n, words, given, depth)
    return sums


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def draw_other(r, everything, factors, but, words, given, depth):
    """Return the slot of the topic of a token: any but that of the slot `but`.

    r is uniform in the weights of all others.
    """
    kappa, size, scale = given.kappa, np.int64(words.size[0]), 1 / everything
    nothing = broadcast(0.0, LANES)
    others = nothing
    f0, f1 = broadcast(factors[0] * scale, LANES), broadcast(factors[1] * scale, LANES)
    f2, f3 = broadcast(factors[2] * scale, LANES), broadcast(factors[3] * scale, LANES)
    for block in range(0, size, LANES):
        weights = load(kappa[0], block, LANES) * f0 + load(kappa[1], block, LANES) * f1
        if depth > 2:
            weights = weights + load(kappa[2], block, LANES) * f2
            weights = weights + load(kappa[3], block, LANES) * f3
        weights = choose(one_hot(but - block, LANES), nothing, weights)
        others = others + weights
        store(given.weight, block, to_float(weights))
    r *= scale
    listed = total(others)
    if r < listed:
        return pick(given.weight, size, but, r)
    return draw_unlisted(r - listed, scale, factors, but, words, given, depth)


@njit(cache=True, nogil=True, _nrt=False)
def draw_unlisted(r, scale, factors, but, words, given, depth):
    """Draw a topic that the word does not have; return its slot, which is new.

    r is uniform in their weights. Return another slot if rounding leaves none.
    """
    topics, _, size, _ = words
    weight, n_lanes = given.weight, given.topic.size
    for k in range(n_lanes):
        terms = kappa_of(k, 0, words, given, depth)
        weight[k] = scale * combined(factors, terms)
    for j in range(size[0]):
        weight[topics[j]] = 0
    k = pick(weight, n_lanes, -1, r)
    j = find(topics, np.int64(size[0]), k)
    if j == size[0]:
        topics[j] = k
        size[0] += 1
        terms = kappa_of(k, 0, words, given, depth)
        for c in range(depth):
            for slot in range(j, j + LANES):
                given.kappa[c, slot] = 0
            given.kappa[c, j] = terms[c]
    return j


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def drop_empty(n, words, given, depth):
    """Drop the topics of which the word has no token any more."""
    topics, counts, sizes, _ = words
    slots, kappa, size = given.slots, given.kappa, np.int64(sizes[0])
    for i in range(n):
        j = slots[i]
        while j < size and counts[j] == 0:  # the last one may be empty, too
            size = fill_gap(topics, counts, size, j, given.topic.size)
            for c in range(depth):
                kappa[c, j] = kappa[c, size]
                kappa[c, size] = 0
    sizes[0] = size
