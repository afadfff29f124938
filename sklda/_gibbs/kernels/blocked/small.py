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
from sklda._simd.vectors import broadcast, load, load_at, to_double, total
from sklda._tables.document import count_document
from sklda._tables.lists import SPARE, fill_gap, find

SMALL = SPARE  # tokens of the largest block that is drawn by cumulants
# Where less of the weight than this is left without the block, rounding has spoilt it.
LEAST_LEFT = 1e-3
NOTHING = (0.0, 0.0, 0.0, 0.0)


class Given(NamedTuple):
    """The document that blocks are in, with all tokens counted, and its topics' sums.

    `depth` is 2 if no block has more tokens, else 4.
    """

    doc_topic: np.ndarray  # (n_lanes,) int32, n_dk
    topic: np.ndarray  # (n_lanes,) int32, n_k
    alpha: np.ndarray  # (n_lanes,) float32
    beta_sum: np.float32 | np.ndarray  # V beta, or (n_lanes,)
    ratio: np.ndarray  # (depth, n_lanes + LANES) float64, (a + i) / (s + i)
    base: np.ndarray  # (SMALL,) float64, the K_c of a word without tokens
    weight: np.ndarray  # (n_lanes,) float64


class Words(NamedTuple):
    """The tokens of one word: the list of the topics that it has."""

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
        np.zeros(n_lanes),
    )


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def words_of(w, state, priors):
    """Return the list of word w."""
    first, last = state.start[w], state.start[w + 1]
    return Words(
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
def kappa(k, n_wk, words, given):
    """Return the cumulants of topic k for a word with n_wk tokens on it."""
    ratio, b = given.ratio, n_wk + np.float64(words.beta)
    p0, p1 = ratio[0, k] * b, ratio[1, k] * (b + 1)
    if ratio.shape[0] == 2:
        return p0, p0 * (p1 - p0), 0.0, 0.0
    return cumulants(p0, p1, ratio[2, k] * (b + 2), ratio[3, k] * (b + 3))


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def kappa_without(m, k, n_wk, words, given):
    """Return them with m of the tokens taken out that the tables count."""
    a = given.doc_topic[k] - m + np.float64(given.alpha[k])
    b = n_wk - m + np.float64(words.beta)
    s = given.topic[k] - m + np.float64(entry(given.beta_sum, k))
    p0, p1 = a * b / s, (a + 1) * (b + 1) / (s + 1)
    if given.ratio.shape[0] == 2:
        return p0, p0 * (p1 - p0), 0.0, 0.0
    p2, p3 = (a + 2) * (b + 2) / (s + 2), (a + 3) * (b + 3) / (s + 3)
    return cumulants(p0, p1, p2, p3)


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


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def set_ratios(k, given):
    """Set the ratios of topic k to what its counts say."""
    a = given.doc_topic[k] + np.float64(given.alpha[k])
    s = given.topic[k] + np.float64(entry(given.beta_sum, k))
    for i in range(given.ratio.shape[0]):
        given.ratio[i, k] = (a + i) / (s + i)


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy")
def enter_document(first, last, z, given):
    """Set the counts and ratios of a document, whose first token is `first`."""
    count_document(first, last, z, given.doc_topic)
    for k in range(given.topic.size):
        set_ratios(k, given)


@njit(cache=True, nogil=True, _nrt=False)
def set_base(words, given):
    """Add up the topics for a word of this beta that has no tokens."""
    sums = NOTHING
    for k in range(given.topic.size):
        sums = moved(sums, NOTHING, kappa(k, 0, words, given))
    for c in range(SMALL):
        given.base[c] = sums[c]


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def kappa_of_all(b, topics, given):
    """Return the cumulants of topics for a word with n_wk + beta = b, as vectors."""
    ratio, one = given.ratio, broadcast(1.0, LANES)
    b1 = b + one
    p0, p1 = load_at(ratio[0], topics) * b, load_at(ratio[1], topics) * b1
    if ratio.shape[0] == 2:
        nothing = broadcast(0.0, LANES)
        return p0, p0 * (p1 - p0), nothing, nothing
    b2 = b1 + one
    p2, p3 = load_at(ratio[2], topics) * b2, load_at(ratio[3], topics) * (b2 + one)
    return cumulants(p0, p1, p2, p3)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def sums_of(words, given):
    """Return the K_c of a word."""
    beta, nothing = broadcast(np.float64(words.beta), LANES), broadcast(0.0, LANES)
    sums = nothing, nothing, nothing, nothing
    for block in range(0, words.size[0], LANES):
        topics = load(words.topics, block, LANES)
        b = to_double(load(words.counts, block, LANES)) + beta
        empty = kappa_of_all(beta, topics, given)
        sums = moved(sums, empty, kappa_of_all(b, topics, given))
    base, (k1, k2, k3, k4) = given.base, sums
    first, second = base[0] + total(k1), base[1] + total(k2)
    return first, second, base[2] + total(k3), base[3] + total(k4)


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def change(j, n, words, given):
    """Add n tokens to the topic in slot j of the list."""
    k, base = np.int64(words.topics[j]), given.base
    before = kappa(k, 0, words, given)
    words.counts[j] += n
    given.doc_topic[k] += n
    given.topic[k] += n
    set_ratios(k, given)
    sums = base[0], base[1], base[2], base[3]
    sums = moved(sums, before, kappa(k, 0, words, given))
    base[0], base[1], base[2], base[3] = sums


# --- draws -----------------------------------------------------------------------


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def resample(block, sums, words, given, rng):
    """Resample the tokens of a block, from the K_c of its word; return these.

    The K_c count all tokens, before and after. The tokens are drawn one after the
    other, each given those before it and summed over those after it. It tries its
    present topic before all others: as long as tokens stay, nothing is written.
    """
    left = without(block, sums, words, given)
    if left[0] < LEAST_LEFT * sums[0]:
        return redraw(block, 0, False, left, words, given, rng)
    for i in range(block.size):
        everything, factors = normaliser(block.size - i, left)
        k, m = np.int64(block[i]), n_alike(block, i)
        n_wk = words.counts[find(words.topics, np.int64(words.size[0]), k)]
        own = kappa_without(m, k, n_wk, words, given)
        if uniform(rng) * everything >= combined(factors, own):
            return redraw(block, i, True, left, words, given, rng)
        left = moved(left, own, kappa_without(m - 1, k, n_wk, words, given))
    return sums


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy")
def redraw(block, first, moves, left, words, given, rng):
    """Resample the tokens from `first` on, given those before; return the K_c.

    `left` are the K_c without these tokens. If the first one `moves`, it gets another
    topic; if not, `left` is spoilt.
    """
    for i in range(first, block.size):
        k = np.int64(block[i])
        change(find(words.topics, np.int64(words.size[0]), k), -1, words, given)
    if not moves:
        left = sums_of(words, given)
    for i in range(first, block.size):
        everything, factors = normaliser(block.size - i, left)
        k = np.int64(block[i])
        j = find(words.topics, np.int64(words.size[0]), k)
        own = kappa(k, words.counts[j], words, given)
        stay = combined(factors, own)
        r = uniform(rng) * (everything - stay if moves else everything)
        if moves or r >= stay:
            j = draw_other(r if moves else r - stay, factors, j, words, given)
            k = np.int64(words.topics[j])
            own = kappa(k, words.counts[j], words, given)
            block[i] = k
        change(j, 1, words, given)
        left = moved(left, own, kappa(k, words.counts[j], words, given))
        moves = False
    drop_empty(words, given)
    return left


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def n_alike(block, i):
    """Return how many tokens from token i on have its topic."""
    n = 1
    for other in range(i + 1, block.size):
        n += block[other] == block[i]
    return n


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy", forceinline=True)
def without(block, sums, words, given):
    """Return the K_c without the block."""
    for i in range(block.size):
        k, is_first = np.int64(block[i]), True
        for other in range(i):
            is_first = is_first and block[other] != block[i]
        if is_first:
            n_wk = words.counts[find(words.topics, np.int64(words.size[0]), k)]
            after = kappa_without(n_alike(block, i), k, n_wk, words, given)
            sums = moved(sums, kappa(k, n_wk, words, given), after)
    return sums


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def draw_other(r, factors, but, words, given):
    """Return the slot of the topic of a token: any but that of the slot `but`.

    r is uniform in the weights of all others.
    """
    for j in range(words.size[0]):
        if j != but:
            k = np.int64(words.topics[j])
            terms = kappa(k, words.counts[j], words, given)
            r -= max(0.0, combined(factors, terms))
            if r < 0:
                return np.int64(j)
    return draw_unlisted(r, factors, but, words, given)


@njit(cache=True, nogil=True, _nrt=False)
def draw_unlisted(r, factors, but, words, given):
    """Draw a topic that the word does not have; return its slot, which is new.

    r is uniform in their weights. Return the slot `but` if rounding leaves none.
    """
    topics, _, size, _ = words
    weight, new = given.weight, -1
    for k in range(weight.size):
        weight[k] = max(0.0, combined(factors, kappa(k, 0, words, given)))
    for j in range(size[0]):
        weight[topics[j]] = 0
    for block in range(0, weight.size, LANES):
        part = total(load(weight, block, LANES))
        if r >= part and block + LANES < weight.size:
            r -= part
            continue
        for k in range(block, block + LANES):
            if weight[k] > 0 and (r >= 0 or new < 0):
                new = k
                r -= weight[k]
        break
    if new < 0:
        return but
    topics[size[0]] = new
    size[0] += 1
    return np.int64(size[0]) - 1


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def drop_empty(words, given):
    """Drop the topics of which the word has no token any more."""
    topics, counts, size, _ = words
    for j in range(size[0] - 1, -1, -1):
        if counts[j] == 0:
            size[0] = fill_gap(topics, counts, np.int64(size[0]), j, given.topic.size)
