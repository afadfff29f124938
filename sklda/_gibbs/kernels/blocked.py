"""Sweeps over blocks of tokens; joint draws of blocks of up to four, by cumulants.

The counts are in lists. m tokens on topic k multiply the weight of a block by
p_0 p_1 ... p_(m - 1), where p_i = (a + i) (b + i) / (s + i), a = n_dk + alpha_k,
b = n_wk + beta, s = n_k + V beta, without the block. As moments, these products have
cumulants kappa_c; K_c is their sum over all topics. All ways to place n tokens have the
total weight

    H_n = sum_c binomial(n - 1, c - 1) H_(n - c) K_c,    c = 1, ..., n.

With kappa_c of a topic in place of K_c, this sum is the weight of the ways that place
the first token on the topic. doc/blocked_sampling.rst has the proof. Cost of a block:
O(topics of the word). `blocked_large` draws larger blocks, which come first in a sweep.

`depth` is 2 if no block has more tokens, else 4. It is a constant wherever these
functions are inlined, so the compiler leaves out what only larger blocks need.
"""

from typing import NamedTuple

import numpy as np

from sklda._gibbs.kernels import blocked_large
from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import uniform
from sklda._simd.arrays import entries_from, entry, load_at_each, not_negative, zeros
from sklda._simd.compile import kernel, lean_kernel, nested_kernel, preoptimised_kernel
from sklda._simd.vectors import (
    broadcast,
    choose,
    entries,
    load,
    one_hot,
    store,
    to_double,
    to_float,
    total,
)
from sklda._tables.document import Document, count_document, update_ratios
from sklda._tables.lists import (
    SPARE,
    fill_gap,
    find,
    is_empty,
    load_tokens,
    mass,
    pick_listed,
    prefetch_list,
    resample_listed_cell,
    topic_of,
)

SMALL = SPARE  # tokens of the largest block that is drawn by cumulants
# If less than this share of K_1 is left without a block, subtraction has cancelled:
# priors of 1e-10 leave 1e-20.
LEAST_LEFT = 1e-3


class BlockDocument(NamedTuple):
    """Counts of a document with blocks, and cumulants of one of its words.

    All tokens are counted.
    """

    doc_topic: np.ndarray  # (n_lanes,) int32, n_dk
    topic: np.ndarray  # (n_lanes,) int32, n_k
    alpha: np.ndarray  # (n_lanes,) float32
    beta_sum: np.float32 | np.ndarray  # V beta, or (n_lanes,)
    ratio: np.ndarray  # (SMALL, n_lanes + LANES) float64, (a + i) / (s + i)
    base: np.ndarray  # (SMALL,) float64, the K_c of a word without tokens
    kappa: np.ndarray  # (SMALL, n_lanes + LANES) float64, slot by slot
    slots: np.ndarray  # (SMALL,) int64, where the tokens of the block were
    weight: np.ndarray  # (n_lanes + LANES,) float32, of a draw


class TopicList(NamedTuple):
    """The topics that one word has."""

    packed: np.ndarray  # (n_slots,) int32 or int64, topics and n_wk
    bits: int  # of a topic in a packed number
    excess: np.float32 | np.ndarray  # 0; or (n_slots,)
    size: np.ndarray  # (1,) int32, slots in use
    beta: np.float32


@nested_kernel
def _new_document(topic, priors):
    """Return arrays for the counts and cumulants of any document and word."""
    n_lanes = topic.size
    return BlockDocument(
        zeros(n_lanes, np.int32),
        topic,
        priors.doc_topic,
        priors.topic_word_sum,
        zeros((SMALL, n_lanes + LANES), np.float64),
        zeros(SMALL, np.float64),
        zeros((SMALL, n_lanes + LANES), np.float64),
        zeros(SMALL, np.int64),
        zeros(n_lanes + LANES, np.float32),
    )


@preoptimised_kernel
def topics_of(w, state, priors):
    """Return the list of word w."""
    w = not_negative(w)
    first = state.start[w]
    return TopicList(
        entries_from(state.packed, first),
        state.bits,
        entries_from(state.excess, first),
        entries_from(state.size, w),
        entry(priors.topic_word, w),
    )


# --- cumulants: of numbers, or of vectors ------------------------------------------


@preoptimised_kernel
def cumulants(p0, p1, p2, p3):
    """Return the kappa_c of a topic from its p_0, ..., p_3."""
    twice, square = p0 + p0, p0 * p0
    k2 = p0 * (p1 - p0)
    k3 = p0 * (p1 * (p2 - p0 - twice) + square + square)
    k4 = p1 * (p2 * (p3 - twice - twice) - (p0 + twice) * p1)
    six = (square + square) + (square + square) + (square + square)
    return p0, k2, k3, p0 * (k4 + six * (p1 + p1 - p0))


@preoptimised_kernel
def kappa_of(ratio, b, unit):
    """Return the kappa_c of a topic from its ratios and b; `unit` is a 1 like b."""
    b1 = b + unit
    b2 = b1 + unit
    return cumulants(ratio[0] * b, ratio[1] * b1, ratio[2] * b2, ratio[3] * (b2 + unit))


@preoptimised_kernel
def moved(sums, before, after):
    """Return the sums after terms `before` have become `after`."""
    return (
        sums[0] + (after[0] - before[0]),
        sums[1] + (after[1] - before[1]),
        sums[2] + (after[2] - before[2]),
        sums[3] + (after[3] - before[3]),
    )


@preoptimised_kernel
def combined(factors, terms, depth):
    """Return the sum of the products."""
    pair = factors[0] * terms[0] + factors[1] * terms[1]
    return pair if depth == 2 else pair + factors[2] * terms[2] + factors[3] * terms[3]


@preoptimised_kernel
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


@preoptimised_kernel
def at(table, j):
    """Return column j of a table."""
    return table[0, j], table[1, j], table[2, j], table[3, j]


@preoptimised_kernel
def set_ratios(k, document, depth):
    """Set the ratios of topic k to what its counts say."""
    a = document.doc_topic[k] + np.float64(document.alpha[k])
    s = document.topic[k] + np.float64(entry(document.beta_sum, k))
    for i in range(depth):
        document.ratio[i, k] = (a + i) / (s + i)


@preoptimised_kernel
def set_base(beta, document, depth):
    """Set `base` to the K_c of a word of this beta that has no tokens."""
    sums = nothing = (0.0, 0.0, 0.0, 0.0)
    for k in range(document.topic.size):
        kappa = kappa_of(at(document.ratio, k), np.float64(beta), 1.0)
        sums = moved(sums, nothing, kappa)
    for c in range(depth):
        document.base[c] = sums[c]


@preoptimised_kernel
def weigh_topics(words, document, depth):
    """Set the cumulants of the topics that a word has; return its K_c."""
    ratio, kappa, base = document.ratio, document.kappa, document.base
    ones, beta = broadcast(1.0, LANES), broadcast(np.float64(words.beta), LANES)
    nothing = ones - ones
    sums = nothing, nothing, nothing, nothing
    packed, bits = words.packed, words.bits
    for begin in range(0, words.size[0], LANES):
        ratios = (
            load_at_each(ratio[0], packed, bits, begin, LANES),
            load_at_each(ratio[1], packed, bits, begin, LANES),
            load_at_each(ratio[2], packed, bits, begin, LANES),
            load_at_each(ratio[3], packed, bits, begin, LANES),
        )
        tokens = to_double(load_tokens(packed, begin, bits))
        b = tokens + to_double(entries(words.excess, begin, LANES)) + beta
        listed = kappa_of(ratios, b, ones)
        for c in range(depth):
            store(kappa[c], begin, listed[c])
        sums = moved(sums, kappa_of(ratios, beta, ones), listed)
    k1, k2, k3, k4 = sums
    first, second = base[0] + total(k1), base[1] + total(k2)
    return first, second, base[2] + total(k3), base[3] + total(k4)


@preoptimised_kernel
def change(j, n, sums, words, document, depth):
    """Add n tokens to the topic in slot j; return the new K_c."""
    k, beta = topic_of(words.packed[j], words.bits), np.float64(words.beta)
    unlisted, listed = kappa_of(at(document.ratio, k), beta, 1.0), at(document.kappa, j)
    words.packed[j] += n << words.bits
    document.doc_topic[k] += n
    document.topic[k] += n
    set_ratios(k, document, depth)
    ratio = at(document.ratio, k)
    changes = moved(kappa_of(ratio, beta, 1.0), unlisted, (0.0, 0.0, 0.0, 0.0))
    changed = kappa_of(ratio, mass(j, 0, words) + beta, 1.0)
    for c in range(depth):
        document.base[c] += changes[c]
        document.kappa[c, j] = changed[c]
    return moved(sums, listed, changed)


# --- draws -----------------------------------------------------------------------


@preoptimised_kernel
def resample_small(block, n, sums, words, document, rng, depth):
    """Resample the n tokens of a block by the K_c of its word; return the new K_c.

    The K_c count all tokens, before and after. The draw tries the present topics of the
    whole block first: if they stay, nothing is written.
    """
    # The weight of the present topics, and the K_c without the block.
    stay, left = 1.0, sums
    for i in range(n):
        k, m = np.int64(block[i]), 1
        for later in range(i + 1, n):
            m += block[later] == block[i]
        j = find(words.packed, words.bits, np.int64(words.size[0]), k)
        document.slots[i] = j
        # On its topic, the tokens after token i are out already; now token i goes.
        a = document.doc_topic[k] - m + np.float64(document.alpha[k])
        b = mass(j, m, words) + np.float64(words.beta)
        s = document.topic[k] - m + np.float64(entry(document.beta_sum, k))
        p0, p1, p2 = a * b / s, (a + 1) * (b + 1) / (s + 1), (a + 2) * (b + 2) / (s + 2)
        p3, p4 = (a + 3) * (b + 3) / (s + 3), (a + 4) * (b + 4) / (s + 4)
        stay *= p0
        left = moved(left, cumulants(p1, p2, p3, p4), cumulants(p0, p1, p2, p3))
    if left[0] < LEAST_LEFT * sums[0]:
        stay = 0.0
    elif uniform(rng) * normaliser(n, left)[0] < stay:
        return sums
    return redraw(block, n, stay, sums, words, document, rng, depth)


@preoptimised_kernel
def redraw(block, n, stay, sums, words, document, rng, depth):
    """Resample a block, with its present topics excluded; return the new K_c.

    `stay` is the weight of these topics, or 0 if they are not to be excluded.
    """
    slots, before = document.slots, sums[0]
    for i in range(n):
        sums = change(slots[i], -1, sums, words, document, depth)
    if sums[0] < LEAST_LEFT * before:
        sums = weigh_topics(words, document, depth)
    for i in range(n):
        everything, factors = normaliser(n - i, sums)
        j = slots[i]
        kappa = at(document.kappa, j)
        present = combined(factors, kappa, depth)
        r = uniform(rng) * (everything - stay) - (present - stay)
        if r < 0:
            stay /= kappa[0]
        else:
            # Rounding may leave nothing; infinite weights would draw any topic.
            stay, scale = 0.0, 1 / everything if everything > 0 else 1.0
            j = draw_other(r * scale, scale, factors, j, words, document, depth)
            block[i] = topic_of(words.packed[j], words.bits)
        sums = change(j, 1, sums, words, document, depth)
    for i in range(n):
        drop_empty(slots[i], words, document)
    return sums


@preoptimised_kernel
def draw_other(r, scale, factors, excluded, words, document, depth):
    """Draw the topic of a token, any but that of the slot `excluded`; return its slot.

    All weights times `scale` add up to 1. r is uniform from 0 to the sum of the others.
    """
    size, nothing = np.int64(words.size[0]), broadcast(0.0, LANES)
    sums = nothing
    for begin in range(0, size, LANES):
        weights = nothing
        for c in range(depth):
            factor = broadcast(factors[c] * scale, LANES)
            weights = weights + load(document.kappa[c], begin, LANES) * factor
        weights = choose(one_hot(excluded - begin, LANES), nothing, weights)
        store(document.weight, begin, to_float(weights))
        sums = sums + weights
    listed = total(sums)
    if r < listed:
        return pick_listed(document.weight, size, excluded, r)
    return draw_unlisted(r - listed, scale, factors, words, document, depth)


@preoptimised_kernel
def draw_unlisted(r, scale, factors, words, document, depth):
    """Draw a topic that the word does not have; return its slot, which is new.

    r is uniform from 0 to the sum of their weights. If rounding leaves none of these
    topics, the slot is not new.
    """
    packed, bits, _, size, beta = words
    weight, n_lanes = document.weight, document.topic.size
    for k in range(n_lanes):
        kappa = kappa_of(at(document.ratio, k), np.float64(beta), 1.0)
        weight[k] = scale * combined(factors, kappa, depth)
    for j in range(size[0]):
        weight[topic_of(packed[j], bits)] = 0
    k = pick_listed(weight, n_lanes, -1, r)
    j = find(packed, bits, np.int64(size[0]), k)
    if j == size[0]:
        packed[j] = k
        size[0] += 1
        weigh_topics(words, document, depth)
    return j


@preoptimised_kernel
def drop_empty(j, words, document):
    """Fill slot j with the last topic of the list as long as its topic is empty."""
    size = words.size
    while j < size[0] and is_empty(j, words):
        size[0] = fill_gap(words.packed, np.int64(size[0]), j, document.topic.size)
        for c in range(SMALL):
            document.kappa[c, j] = document.kappa[c, size[0]]
            document.kappa[c, size[0]] = 0


@kernel
def sweep_blocks(blocks, state, priors, rng, depth):
    """Resample every block of up to `depth` tokens, 2 or 4, once."""
    document = _new_document(state.topic, priors)
    ratio = zeros(state.topic.size + LANES, np.float32)
    single = Document(document.doc_topic, state.topic, ratio)
    _sweep_blocks(blocks, state, document, single, priors, rng, depth)


@preoptimised_kernel
def _sweep_blocks(blocks, state, document, single, priors, rng, depth):
    doc_ptr, single_ptr, token_ptr, _, _, _ = blocks
    for d in range(doc_ptr.size - 1):
        begin, middle, end = doc_ptr[d], single_ptr[d], doc_ptr[d + 1]
        if begin == end:
            continue
        count_document(token_ptr[d], token_ptr[d + 1], state.z, document.doc_topic)
        if begin < middle and depth == 2:
            _resample_several(begin, middle, blocks, state, document, priors, rng, 2)
        elif begin < middle:
            _resample_several(
                begin, middle, blocks, state, document, priors, rng, SMALL
            )
        if middle < end:
            weight = document.weight
            _resample_singles(middle, end, blocks, state, single, weight, priors, rng)


@preoptimised_kernel
def _resample_several(begin, end, blocks, state, document, priors, rng, depth):
    """Resample the blocks of two to `depth` tokens of a document."""
    _, _, _, word, first, size = blocks
    for k in range(document.topic.size):
        set_ratios(k, document, depth)
    weighed, beta, sums = -1, np.float32(-1), (0.0, 0.0, 0.0, 0.0)
    for c in range(begin, end):
        prefetch_list(word, c, state)
        n = 2 if depth == 2 else size[c]  # the compiler sees that it is 2
        if n > SMALL:
            continue
        words = topics_of(word[c], state, priors)
        if words.beta != beta:
            set_base(words.beta, document, depth)
            beta = words.beta
        if word[c] != weighed:
            sums = weigh_topics(words, document, depth)
            weighed = word[c]
        block = state.z[first[c] : first[c] + n]
        sums = resample_small(block, n, sums, words, document, rng, depth)


@lean_kernel
def _resample_singles(begin, end, blocks, state, document, weight, priors, rng):
    """Resample blocks of one token, as single-site sampling does."""
    _, _, _, word, first, _ = blocks
    ratio_sum = update_ratios(priors, document)
    for c in range(begin, end):
        i = first[c]
        ratio_sum = resample_listed_cell(
            c, word, i, i + 1, state, ratio_sum, priors, document, weight, rng
        )


@kernel
def sweep_large_blocks(blocks, state, priors, rng, nested):
    """Resample every block of more than four tokens once."""
    doc_topic = zeros(state.topic.size, np.int32)
    _sweep_large_blocks(blocks, state, doc_topic, priors, rng, nested)


# The result of `topics_of` counts no references: only functions that count none may
# take it.
@lean_kernel
def _sweep_large_blocks(blocks, state, doc_topic, priors, rng, nested):
    doc_ptr, single_ptr, token_ptr, word, first, size = blocks
    for d in range(doc_ptr.size - 1):
        begin, end = doc_ptr[d], single_ptr[d]
        if begin == end or size[begin] <= SMALL:
            continue
        count_document(token_ptr[d], token_ptr[d + 1], state.z, doc_topic)
        for c in range(begin, end):
            if size[c] > SMALL:
                block = state.z[first[c] : first[c] + size[c]]
                words = topics_of(word[c], state, priors)
                blocked_large.resample_large(
                    block, words, doc_topic, state.topic, priors, rng, nested
                )
