"""Joint draws for blocks of up to four tokens, by sums over topics instead of tables.

A block is n tokens of one word in one document. With a = n_dk + alpha_k, b = n_wk +
beta, s = n_k + V beta, the block itself taken out, n_k of its tokens on topic k have
the weight prod_k q_k(n_k), where

    q(n + 1) / q(n) = (a + n) (b + n) / ((n + 1) (s + n)),    q(0) = 1

(Zhang & Sisson, arXiv 1608.00945, equation 7), and h(n), the sum of these weights over
all ways to place n tokens, is the coefficient of x^n in prod_k sum_n q_k(n) x^n. The
logarithm turns the product into a sum: with l_k(c) the coefficient of x^c in
log sum_n q_k(n) x^n and L(c) = sum_k l_k(c),

    n h(n) = sum_c c L(c) h(n - c),                       from x H' = H sum_c c L(c) x^c
    E[n_k] = sum_c c l_k(c) h(n - c) / h(n).              the terms of topic k in it

So a token of the block falls on topic k with probability E[n_k] / n; the other n - 1
are a block again, with that token counted. As L is a sum, a topic that changes is one
term, and the part of all topics that word w does not have, b = beta, is kept per
document. In l_k(c) terms cancel, which costs a factor of about c! in accuracy: four
tokens are far from the limit of that, and larger blocks take tables (`large`).
"""

from typing import NamedTuple

import numpy as np

from sklda._core.compile import njit
from sklda._core.lists import find, pick_listed
from sklda._core.random_streams import uniform

SMALL = 4  # tokens of the largest block that is drawn here
LOWEST, HIGHEST = 1e-25, 1e25  # of n! h(n): beyond them float32 is too narrow

_ONE, _TWO, _THREE = np.float32(1), np.float32(2), np.float32(3)
_HALF, _QUARTER = np.float32(1 / 2), np.float32(1 / 4)


class Scratch(NamedTuple):
    """Sums and values that serve a block."""

    value: np.ndarray  # (n_lanes + LANES,) float32, E[n_k] h(n)
    sums: np.ndarray  # (8,) L of words without tokens; what the word's topics add
    without: np.ndarray  # (8,) the same without the tokens of the block


@njit(cache=True, nogil=True, _nrt=False)
def log_coefficients(t0, t1, t2, t3, b):
    """Return l(1), ..., l(4) of a topic, given t_j = (a + j) / (s + j)."""
    q1 = t0 * b
    q2 = q1 * t1 * (b + _ONE) * _HALF
    q3 = q2 * t2 * (b + _TWO) / _THREE
    q4 = q3 * t3 * (b + _THREE) * _QUARTER
    square = q1 * q1
    l2 = q2 - square * _HALF
    l3 = q3 - q1 * (q2 - square / _THREE)
    l4 = q4 - q1 * q3 - q2 * q2 * _HALF + square * (q2 - square * _QUARTER)
    return q1, l2, l3, l4


@njit(cache=True, nogil=True, _nrt=False)
def of_topic(ratio, k, b):
    """Return l(1), ..., l(4) of topic k."""
    return log_coefficients(ratio[0, k], ratio[1, k], ratio[2, k], ratio[3, k], b)


@njit(cache=True, nogil=True, _nrt=False)
def set_ratios(ratio, k, a, s):
    """Set t_j = (a + j) / (s + j) of topic k."""
    ratio[0, k] = a / s
    ratio[1, k] = (a + _ONE) / (s + _ONE)
    ratio[2, k] = (a + _TWO) / (s + _TWO)
    ratio[3, k] = (a + _THREE) / (s + _THREE)


@njit(cache=True, nogil=True, _nrt=False)
def normalisers(sums):
    """Return h(1), ..., h(4) from L, both parts of it."""
    l1, l2 = sums[0] + sums[4], sums[1] + sums[5]
    l3, l4 = sums[2] + sums[6], sums[3] + sums[7]
    h2 = (l1 * l1 + 2 * l2) / 2
    h3 = (l1 * h2 + 2 * l2 * l1 + 3 * l3) / 3
    h4 = (l1 * h3 + 2 * l2 * h2 + 3 * l3 * l1 + 4 * l4) / 4
    return l1, h2, h3, h4


@njit(cache=True, nogil=True, _nrt=False)
def expectation_factors(n, sums):
    """Return n h(n), and the factors c h(n - c) of l_k(c) in it, for c = 1 to 4."""
    h1, h2, h3, h4 = normalisers(sums)
    if n == 1:
        return h1, (1.0, 0.0, 0.0, 0.0)
    if n == 2:
        return 2 * h2, (h1, 2.0, 0.0, 0.0)
    if n == 3:
        return 3 * h3, (h2, 2 * h1, 3.0, 0.0)
    return 4 * h4, (h3, 2 * h2, 3 * h1, 4.0)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def enter_document(priors, document, sums):
    """Set t_j of every topic, and what L is for a word without tokens."""
    doc_topic, topic, ratio = document
    alpha, beta, beta_sum = priors
    for k in range(alpha.size):
        a = np.float32(doc_topic[k]) + alpha[k]
        set_ratios(ratio, k, a, np.float32(topic[k]) + beta_sum)
    s1, s2, s3, s4 = 0.0, 0.0, 0.0, 0.0
    for k in range(alpha.size):
        l1, l2, l3, l4 = of_topic(ratio, k, beta)
        s1 += l1
        s2 += l2
        s3 += l3
        s4 += l4
    sums[0], sums[1], sums[2], sums[3] = s1, s2, s3, s4


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def enter_cell(word_list, size, beta, ratio, sums):
    """Set l(c) of the topics that the word has, and what they add to L."""
    topics, counts, weight = word_list
    for j in range(size):  # gathered first, so that the arithmetic vectorises
        k = topics[j]
        weight[0, j] = ratio[0, k]
        weight[1, j] = ratio[1, k]
        weight[2, j] = ratio[2, k]
        weight[3, j] = ratio[3, k]
    s1, s2, s3, s4 = 0.0, 0.0, 0.0, 0.0
    for j in range(size):
        m1, m2, m3, m4 = of_topic(weight, j, beta)
        l1, l2, l3, l4 = of_topic(weight, j, np.float32(counts[j]) + beta)
        weight[0, j] = l1
        weight[1, j] = l2
        weight[2, j] = l3
        weight[3, j] = l4
        s1 += np.float64(l1) - m1
        s2 += np.float64(l2) - m2
        s3 += np.float64(l3) - m3
        s4 += np.float64(l4) - m4
    sums[4], sums[5], sums[6], sums[7] = s1, s2, s3, s4


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def update_topic(k, priors, document, sums):
    """Set t_j of topic k to what its counts say, and update the sums."""
    doc_topic, topic, ratio = document
    alpha, beta, beta_sum = priors
    m1, m2, m3, m4 = of_topic(ratio, k, beta)
    a = np.float32(doc_topic[k]) + alpha[k]
    set_ratios(ratio, k, a, np.float32(topic[k]) + beta_sum)
    l1, l2, l3, l4 = of_topic(ratio, k, beta)
    sums[0] += np.float64(l1) - m1
    sums[1] += np.float64(l2) - m2
    sums[2] += np.float64(l3) - m3
    sums[3] += np.float64(l4) - m4


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def add(n, k, j, word_list, priors, document, sums):
    """Add n tokens (n < 0: take out) to topic k, in slot j of the list."""
    _, counts, weight = word_list
    document.doc_topic[k] += n
    document.topic[k] += n
    counts[j] += n
    s1, s2, s3, s4 = sums[0], sums[1], sums[2], sums[3]
    update_topic(k, priors, document, sums)
    b = np.float32(counts[j]) + priors.topic_word
    l1, l2, l3, l4 = of_topic(document.ratio, k, b)
    # All that topic k has changed less what changed in the first part of the sums.
    sums[4] += np.float64(l1) - weight[0, j] - (sums[0] - s1)
    sums[5] += np.float64(l2) - weight[1, j] - (sums[1] - s2)
    sums[6] += np.float64(l3) - weight[2, j] - (sums[2] - s3)
    sums[7] += np.float64(l4) - weight[3, j] - (sums[3] - s4)
    weight[0, j], weight[1, j], weight[2, j], weight[3, j] = l1, l2, l3, l4


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def find_or_append(k, word_list, size, beta, ratio):
    """Return the slot of topic k, which goes to the end of the list if it is absent."""
    topics, _, weight = word_list
    j = find(topics, size, k)
    if j == size:
        topics[j] = k
        l1, l2, l3, l4 = of_topic(ratio, k, beta)
        weight[0, j], weight[1, j], weight[2, j], weight[3, j] = l1, l2, l3, l4
    return j


@njit(cache=True, nogil=True, _nrt=False)
def drop_empty(topics, counts, weight, size, absent):
    """Remove topics without tokens from a list, and their columns from `weight`.

    The last of the list fills a gap. Return the new size.
    """
    for j in range(size - 1, -1, -1):
        if counts[j] == 0:
            size -= 1
            topics[j] = topics[size]
            counts[j] = counts[size]
            topics[size] = absent
            counts[size] = 0
            for c in range(weight.shape[0]):
                weight[c, j] = weight[c, size]
    return size


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def value_listed(factors, weight, size, value):
    """Set E[n_k] h(n) of the listed topics, and return the sum."""
    c1, c2, c3, c4 = factors
    total = np.float32(0)
    for j in range(size):
        value[j] = (
            c1 * weight[0, j]
            + c2 * weight[1, j]
            + c3 * weight[2, j]
            + c4 * weight[3, j]
        )
        total += value[j]
    return np.float64(total)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def value_unlisted(factors, beta, ratio, value, n_lanes):
    """Set E[n_k] h(n) of all topics as if the word had no token on them."""
    c1, c2, c3, c4 = factors
    for k in range(n_lanes):
        l1, l2, l3, l4 = of_topic(ratio, k, beta)
        value[k] = c1 * l1 + c2 * l2 + c3 * l3 + c4 * l4


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def draw_slot(x, excluded, factors, word_list, size, priors, document, value):
    """Draw the topic of a token, any but that in slot `excluded` if it is not -1.

    x is uniform in n h(n), less the part of the excluded topic. Return the slot.
    """
    topics, _, weight = word_list
    c1, c2, c3, c4 = factors
    factors = np.float32(c1), np.float32(c2), np.float32(c3), np.float32(c4)
    beta, ratio, n_lanes = priors.topic_word, document.ratio, document.topic.size
    listed = value_listed(factors, weight, size, value)
    if excluded >= 0:
        listed -= value[excluded]
        value[excluded] = 0
    if x < listed:
        return pick_listed(value, size, x)
    value_unlisted(factors, beta, ratio, value, n_lanes)
    for j in range(size):
        value[topics[j]] = 0
    k = pick_listed(value, n_lanes, x - listed)
    if value[k] <= 0:  # every topic is listed, and rounding carried x past them
        value_listed(factors, weight, size, value)
        if excluded >= 0:
            value[excluded] = 0
        return pick_listed(value, size, x)
    return find_or_append(k, word_list, size, beta, ratio)


@njit(cache=True, nogil=True, _nrt=False)
def multiplicity(block, i):
    """Return how many tokens have the topic of token i; 0 but for the first."""
    n = 1
    for other in range(block.size):
        if block[other] == block[i]:
            if other < i:
                return 0
            n += other > i
    return n


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def margin_of_staying(r, block, word_list, size, priors, document, scratch):
    """Return the probability that all tokens keep their topics, less r.

    `without` is set to the sums as they are without the block. NaN is returned where
    the numbers leave the range of float32.
    """
    topics, counts, weight = word_list
    doc_topic, topic, _ = document
    alpha, beta, beta_sum = priors
    _, sums, without = scratch
    for c in range(8):
        without[c] = sums[c]
    own = 1.0
    for i in range(block.size):
        n = multiplicity(block, i)
        if n == 0:
            continue
        k = np.int64(block[i])
        j = find(topics, size, k)
        a = np.float64(doc_topic[k] - n) + np.float64(alpha[k])
        b = np.float64(counts[j] - n) + np.float64(beta)
        s = np.float64(topic[k] - n) + np.float64(beta_sum)
        t0, t1, t2, t3 = a / s, (a + 1) / (s + 1), (a + 2) / (s + 2), (a + 3) / (s + 3)
        own *= t0 * b
        own *= t1 * (b + 1) if n > 1 else 1.0
        own *= t2 * (b + 2) if n > 2 else 1.0
        own *= t3 * (b + 3) if n > 3 else 1.0
        l1, l2, l3, l4 = log_coefficients(t0, t1, t2, t3, b)
        without[4] += l1 - weight[0, j]
        without[5] += l2 - weight[1, j]
        without[6] += l3 - weight[2, j]
        without[7] += l4 - weight[3, j]
    total = expectation_factors(block.size, without)[0]
    total *= (1.0, 1.0, 2.0, 6.0)[block.size - 1]  # n! h(n) = (n - 1)! n h(n)
    # An l(c) that is not finite spoils the draw whatever n is: h(4) shows each of them.
    fits = LOWEST < total < HIGHEST and 0 < 24 * normalisers(without)[3] < HIGHEST
    return own / total - r if fits else np.nan


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample(block, word_list, size, priors, document, scratch, rng):
    """Resample the topics of a block, and return the new size of the word's list.

    Return -1, and change nothing, where the numbers leave the range of float32.
    """
    topics, counts, weight = word_list
    r = uniform(rng)
    margin = margin_of_staying(r, block, word_list, size, priors, document, scratch)
    if margin > 0:
        return size
    if not margin <= 0:
        return -1
    for i in range(block.size):
        n = multiplicity(block, i)
        if n > 0:
            k = np.int64(block[i])
            j = find(topics, size, k)
            add(-n, k, j, word_list, priors, document, scratch.sums)
    size = drop_empty(topics, counts, weight, size, document.topic.size)
    return draw_topics(block, r, word_list, size, priors, document, scratch, rng)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def draw_topics(block, r, word_list, size, priors, document, scratch, rng):
    """Draw the topics of tokens that are taken out, given that not all are as before.

    r is uniform from the probability that all are to 1. Token by token, it decides
    whether the topics so far are as before; the first that is not is drawn from the
    other topics, those after it from all.
    """
    topics, counts, weight = word_list
    value, sums, _ = scratch
    same = True
    for i in range(block.size):
        total, factors = expectation_factors(block.size - i, sums)
        c1, c2, c3, c4 = factors
        j = np.int64(-1)
        stay = 0.0
        if same:
            k = np.int64(block[i])
            j = find_or_append(k, word_list, size, priors.topic_word, document.ratio)
            size = max(size, j + 1)
            stay = c1 * weight[0, j] + c2 * weight[1, j]
            stay = (stay + c3 * weight[2, j] + c4 * weight[3, j]) / total
            same = (r < stay and i < block.size - 1) or stay > 1 - 1e-12
            r /= stay
        if not same:
            x = uniform(rng) * (1 - stay) * total
            j = draw_slot(x, j, factors, word_list, size, priors, document, value)
            size = max(size, j + 1)
        k = np.int64(topics[j])
        block[i] = k
        add(1, k, j, word_list, priors, document, sums)
    return drop_empty(topics, counts, weight, size, document.topic.size)
