"""A topic and its number of tokens in one integer, so that lists take half the room.

The topic is in the lowest bits: as many as the number of topics takes.
"""

import numpy as np

from sklda._core.entry import entry
from sklda._core.problem import LANES
from sklda._simd.compile import inlined_kernel
from sklda._simd.vectors import any_lane, broadcast, first_lane, load

PAIR_BITS = 31  # of an int32 that is not negative


def topic_bits(n_lanes: int) -> int:
    """Return the bits that a topic takes; the number n_lanes means no topic."""
    return int(n_lanes).bit_length()


def pair_type(n_lanes: int, most_tokens: int) -> type:
    """Return the type of pairs of up to `most_tokens`, np.int32 or np.int64."""
    fits = most_tokens < 1 << (PAIR_BITS - topic_bits(n_lanes))
    return np.int32 if fits else np.int64


@inlined_kernel
def topic_of(pair, bits):
    """Return the topic of a pair."""
    return np.int64(pair) & ((1 << bits) - 1)


@inlined_kernel
def tokens_of(pair, bits):
    """Return the number of tokens of a pair."""
    return np.int64(pair) >> bits


@inlined_kernel
def load_topics(pairs, begin, bits):
    """Return the topics of the pairs from `begin` on, a vector of their type."""
    all_bits = broadcast(pairs.dtype.type((1 << bits) - 1), LANES)
    return load(pairs, begin, LANES) & all_bits


@inlined_kernel
def load_tokens(pairs, begin, bits):
    """Return the tokens of the pairs from `begin` on, a vector of their type."""
    return load(pairs, begin, LANES) >> broadcast(pairs.dtype.type(bits), LANES)


@inlined_kernel
def mass(j, n, word_list):
    """Return n_wk, or n_wk + e_kw, of the topic in slot j without n of its tokens."""
    tokens = tokens_of(word_list.pairs[j], word_list.bits)
    return np.float32(tokens - n) + entry(word_list.excess, j)


@inlined_kernel
def is_empty(j, word_list):
    """Return whether the topic in slot j has neither tokens nor excess."""
    return mass(j, 0, word_list) == 0


@inlined_kernel
def find(pairs, bits, size, k):
    """Return the slot of topic k in the list, or `size` if it is absent."""
    wanted = broadcast(pairs.dtype.type(k), LANES)
    for begin in range(0, size, LANES):
        found = load_topics(pairs, begin, bits) == wanted
        if any_lane(found):
            return begin + first_lane(found)
    return size


@inlined_kernel
def fill_gap(pairs, size, j, absent):
    """Move the last topic of a list to the empty slot j; return the new size."""
    size -= 1
    pairs[j] = pairs[size]
    pairs[size] = absent
    return size


def split(pairs, bits):
    """Return the topics and the tokens of an array of pairs."""
    return pairs & ((1 << bits) - 1), pairs >> bits
