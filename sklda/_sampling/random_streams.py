"""Random numbers: independent streams from one seed, inlined in kernels.

Kernels draw from xoroshiro128++ 1.0 (Blackman & Vigna, "Scrambled linear pseudorandom
number generators", 2021): 2 ns per number, instead of 6 to 11 ns in NumPy's generator.

Where work may be cut anywhere, a number depends on a key and on counters alone:
`hashed` (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014)
gives each document or word its own stream in about 2 ns, and vectorises.
"""

from functools import cache, cached_property

import numpy as np

from sklda._simd.compile import inlined_kernel, kernel, lean_kernel

# The children of the streams of a chain, or of a shard, by what is drawn from them.
# Shards, slices and tasks have the numbers from 0 on.
PHI, DOCUMENTS = 0, 2  # of uncollapsed sampling
N_DRAWS = 0  # of groups of tokens
WEIGHTS = 0  # of the scores of labels
PRIORS, START = 2**32 - 2, 2**32 - 1


class RandomStreams:
    """A tree of independent random numbers that grows from one seed.

    Each shard, slice or chain owns a child, so no two threads share a stream.
    """

    def __init__(self, seed: np.random.SeedSequence) -> None:
        self._seed = seed
        self._children: dict[int, RandomStreams] = {}
        self.kernel = new_stream(seed)  # what kernels draw from

    @property
    def entropy(self) -> list[int]:
        """The seed, as integers."""
        return self._seed.entropy

    @cached_property
    def generator(self) -> np.random.Generator:
        """NumPy's generator, for what is drawn outside kernels."""
        return np.random.default_rng(self._seed)

    def child(self, i: int) -> "RandomStreams":
        """Return the i-th child: one object, which goes on from call to call."""
        if i not in self._children:
            key = (*self._seed.spawn_key, i)
            seed = np.random.SeedSequence(self._seed.entropy, spawn_key=key)
            self._children[i] = RandomStreams(seed)
        return self._children[i]


def new_stream(seed: np.random.SeedSequence) -> np.ndarray:
    """Return the state of an independent stream: (2,) uint64, never all zero."""
    state = seed.generate_state(2, np.uint64)
    state[1] |= np.uint64(1)
    return state


@lean_kernel
def _rotate_left(x, n):
    return (x << np.uint64(n)) | (x >> np.uint64(64 - n))


@lean_kernel
def next_uint64(rng):
    """Advance the stream and return 64 random bits."""
    s0 = rng[0]
    s1 = rng[1]
    result = _rotate_left(s0 + s1, 17) + s0
    s1 ^= s0
    rng[0] = _rotate_left(s0, 49) ^ s1 ^ (s1 << np.uint64(21))
    rng[1] = _rotate_left(s1, 28)
    return result


@kernel
def draw_key(rng):
    """Return the next 64 random bits to Python, which cannot call steps of kernels."""
    return next_uint64(rng)


def advance(rng: np.ndarray, n: int) -> None:
    """Advance the stream by n draws in O(log n): a draw is linear in its bits."""
    bits = np.unpackbits(rng.view(np.uint8)).astype(np.float32)
    for i in range(int(n).bit_length()):
        if n >> i & 1:
            bits = _advance_by_power(i) @ bits % 2
    rng[:] = np.packbits(bits.astype(np.uint8)).view(np.uint64)


@cache
def _advance_by_power(i: int) -> np.ndarray:
    """Return the linear map of 2**i draws, (128, 128) of 0 and 1."""
    if i > 0:
        half = _advance_by_power(i - 1)
        return half @ half % 2
    states = np.packbits(np.eye(128, dtype=np.uint8), axis=1).view(np.uint64)
    for state in states:
        draw_key(state)
    return np.unpackbits(states.view(np.uint8), axis=1).T.astype(np.float32)


@lean_kernel
def uniform(rng):
    """Draw from the 2**53 evenly spaced numbers in [0, 1)."""
    return np.float64(next_uint64(rng) >> np.uint64(11)) * 2.0**-53


@lean_kernel
def uniform_float32(rng):
    """Draw from the 2**24 evenly spaced float32 in [0, 1).

    Times a positive float32 x, it is less than x.
    """
    return np.float32(next_uint64(rng) >> np.uint64(40)) * np.float32(2.0**-24)


@inlined_kernel
def hashed(key, i):
    """Return 64 random bits that depend on key and i, uint64: splitmix64."""
    x = key + (np.uint64(i) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@inlined_kernel
def enter_stream(key, i, rng):
    """Set `rng` to the start of the i-th stream of a key."""
    stream_key = hashed(key, i)
    rng[0] = hashed(stream_key, 0)
    rng[1] = hashed(stream_key, 1) | np.uint64(1)


@inlined_kernel
def hashed_uniform(key, i):
    """Return a `uniform` number made from `hashed` bits."""
    return np.float64(hashed(key, i) >> np.uint64(11)) * 2.0**-53


@inlined_kernel
def hashed_uniforms(key, i):
    """Return u, 1 - u and v, for u and v uniform in (0, 1) and [0, 1), as float32.

    u has 40 bits, so both it and 1 - u are exact to float32 down to 2**-16; v has 24.
    """
    bits = hashed(key, i)
    high = bits >> np.uint64(24)
    u = (np.float32(np.int64(high)) + np.float32(0.5)) * np.float32(2.0**-40)
    rest = np.int64(high ^ np.uint64(2**40 - 1))
    opposite = (np.float32(rest) + np.float32(0.5)) * np.float32(2.0**-40)
    low = np.int32(bits & np.uint64(2**24 - 1))
    return u, opposite, np.float32(low) * np.float32(2.0**-24)


def random_topics(n_tokens: int, n_topics: int, rng: np.ndarray) -> np.ndarray:
    """Return a topic for each token, all topics equally likely: (n_tokens,) uint16.

    If topics were drawn given the topics of earlier tokens, the chain would settle too
    early, and would need more sweeps to predict as well.
    """
    z = np.empty(n_tokens, np.uint16)
    _draw_topics(z, n_topics, rng)
    return z


@kernel
def _draw_topics(z, n_topics, rng):
    for i in range(z.size):
        z[i] = np.int64(uniform(rng) * n_topics)
