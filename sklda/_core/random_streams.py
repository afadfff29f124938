"""Random numbers: independent streams from one seed, inlined in kernels.

The stream of kernels is xoroshiro128++ 1.0 (Blackman & Vigna, "Scrambled linear
pseudorandom number generators", 2021). A draw costs about 2 ns where a call into
`numpy.random.Generator` costs 6 to 11 ns, which is a fifth of a token.
"""

from functools import cached_property

import numpy as np

from sklda._core.compile import njit


class RandomStreams:
    """A tree of independent random numbers that grows from one seed.

    The same child comes back at every call, further along its stream. So shards,
    slices and chains each own a child, and no two threads share a stream.
    """

    def __init__(self, seed: np.random.SeedSequence) -> None:
        self._seed = seed
        self._children: dict[int, RandomStreams] = {}
        self.kernel = new_stream(seed)  # what kernels draw from

    @cached_property
    def generator(self) -> np.random.Generator:
        """NumPy's generator, for what is drawn outside kernels."""
        return np.random.default_rng(self._seed)

    def child(self, i: int) -> "RandomStreams":
        """Return the i-th child, independent of all others and of its parent."""
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


@njit(cache=True)
def _rotate_left(x, n):
    return (x << np.uint64(n)) | (x >> np.uint64(64 - n))


@njit(cache=True)
def next_uint64(rng):
    """Advance the stream and return 64 random bits."""
    s0 = rng[0]
    s1 = rng[1]
    result = _rotate_left(s0 + s1, 17) + s0
    s1 ^= s0
    rng[0] = _rotate_left(s0, 49) ^ s1 ^ (s1 << np.uint64(21))
    rng[1] = _rotate_left(s1, 28)
    return result


@njit(cache=True)
def uniform(rng):
    """Draw from the 2**53 evenly spaced numbers in [0, 1)."""
    return np.float64(next_uint64(rng) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def uniform_float32(rng):
    """Draw from the 2**24 evenly spaced float32 in [0, 1).

    The product with any float32 is less than that.
    """
    return np.float32(next_uint64(rng) >> np.uint64(40)) * np.float32(2.0**-24)


def random_topics(n_tokens: int, n_topics: int, rng: np.ndarray) -> np.ndarray:
    """Return a topic for each token, all topics equally likely: (n_tokens,) uint16.

    Topics drawn given the tokens before them would be sharper from the first sweep on,
    but they settle too early: the chain needs more sweeps to predict as well.
    """
    z = np.empty(n_tokens, np.uint16)
    _draw_topics(z, n_topics, rng)
    return z


@njit(cache=True, nogil=True)
def _draw_topics(z, n_topics, rng):
    for i in range(z.size):
        z[i] = np.int64(uniform(rng) * n_topics)
