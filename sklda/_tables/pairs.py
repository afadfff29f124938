"""A topic and its number of tokens in one integer, so that lists take half the room.

The topic is in the lowest bits: as many as the number of topics takes.
"""

import numpy as np

from sklda._core.problem import LANES
from sklda._simd.compile import njit
from sklda._simd.vectors import broadcast, load

PAIR_BITS = 31  # of an int32 that is not negative


def topic_bits(n_lanes: int) -> int:
    """Return the bits that a topic takes; n_lanes stands for none."""
    return int(n_lanes).bit_length()


def pair_type(n_lanes: int, most_tokens: int) -> type:
    """Return the type of pairs of up to so many tokens, np.int32 or np.int64."""
    fits = most_tokens < 1 << (PAIR_BITS - topic_bits(n_lanes))
    return np.int32 if fits else np.int64


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def topic_of(pair, bits):
    """Return the topic of a pair."""
    return np.int64(pair) & ((1 << bits) - 1)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def tokens_of(pair, bits):
    """Return the number of tokens of a pair."""
    return np.int64(pair) >> bits


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def load_topics(pairs, block, bits):
    """Return the topics of the pairs from `block` on, a vector of their type."""
    all_bits = broadcast(pairs.dtype.type((1 << bits) - 1), LANES)
    return load(pairs, block, LANES) & all_bits


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def load_tokens(pairs, block, bits):
    """Return the tokens of the pairs from `block` on, a vector of their type."""
    return load(pairs, block, LANES) >> broadcast(pairs.dtype.type(bits), LANES)


def split(pairs, bits):
    """Return the topics and the tokens of an array of pairs."""
    return pairs & ((1 << bits) - 1), pairs >> bits
