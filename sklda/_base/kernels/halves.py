"""Random halves of documents, one to estimate from and one to predict.

Each token tosses a coin. Then random tokens leave the heavier half while that brings
the halves closer. The word of a token has no influence, so halves that differ in words
alone are equally likely. All numbers are integers or plain sums of weights, so every
processor gets the same bits.
"""

import numpy as np

from sklda._core.random_streams import enter_stream, hashed, next_uint64, uniform
from sklda._core.search import first_above
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel, lean_kernel


@kernel
def deal_tokens(doc_ptr, word, count, count_bits, tokens_until, half):
    """Write into `half` how much of each cell is in the first half of its document.

    `count_bits` is `count` viewed as uint32, `tokens_until` is scratch space for an
    int64 per cell of the longest document. Cost: O(1) per cell and per 64 tokens, and
    O(log cells) for each of about sqrt(tokens) that change sides.
    """
    rng = zeros(2, np.uint64)
    for d in range(doc_ptr.size - 1):
        cells = slice(doc_ptr[d], doc_ptr[d + 1])
        until = tokens_until[: cells.stop - cells.start]
        enter_stream(_digest(word[cells], count_bits[cells]), 0, rng)
        lead = _toss(count[cells], rng, half[cells], until)
        _balance(count[cells], until, lead, rng, half[cells])


@lean_kernel
def _digest(word, count_bits):
    """Return the seed of a document: 64 bits that depend on all words and counts.

    If the seed were the row, the halves of a document would depend on earlier rows.
    """
    key = np.uint64(0)
    for c in range(word.size):
        cell = np.uint64(word[c]) | np.uint64(count_bits[c]) << np.uint64(32)
        key = hashed(key, cell)
    return key


@lean_kernel
def _tokens(count):
    """Return the weight of a token, the number of tokens, and the weight left over.

    A token weighs 1, or one unit in the last place of a float32 above 2**24.
    """
    weight = 1.0
    while count > weight * 2**24:
        weight *= 2
    n = np.floor(count / weight)
    return weight, np.int64(n), count - n * weight


@lean_kernel
def _toss(count, rng, half, until):
    """Toss a coin for each token; return by how much the first half is heavier."""
    lead, n_tokens = 0.0, 0
    for c in range(count.size):
        weight, n, last = _tokens(count[c])
        half[c] = _heads(n, rng) * weight
        n_tokens += n
        if last > 0:
            half[c] += _heads(1, rng) * last
            n_tokens += 1
        lead += 2 * half[c] - count[c]
        until[c] = n_tokens
    return lead


@lean_kernel
def _heads(n, rng):
    """Return the number of heads among n fair coins."""
    heads = 0
    while n > 0:
        bits = next_uint64(rng)
        if n < 64:
            bits >>= np.uint64(64 - n)
        heads += _ones(bits)
        n -= 64
    return heads


@lean_kernel
def _ones(bits):
    """Count the ones of 64 bits: first in pairs, then in fours, in bytes, in all."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    fours = np.uint64(0x3333333333333333)
    bits = (bits & fours) + ((bits >> np.uint64(2)) & fours)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@lean_kernel
def _balance(count, until, lead, rng, half):
    """Let random tokens of the heavier half change sides while the lead falls."""
    while lead != 0:
        token = np.int64(uniform(rng) * until[-1])
        c = first_above(until, token)  # the cell of the token
        if c > 0:
            token -= until[c - 1]
        weight, n, last = _tokens(count[c])
        heads = np.floor(half[c] / weight)
        if token < n:  # the tokens of a cell are alike: let the first be the heads
            in_first = token < heads
        else:
            weight, in_first = last, half[c] > heads
        if in_first == (lead > 0):
            if weight >= abs(lead):
                return
            change = weight if in_first else -weight
            half[c] -= change
            lead -= 2 * change
