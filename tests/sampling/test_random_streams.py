"""Random numbers of kernels, and the tree that they come from."""

import numpy as np
import pytest

from sklda._sampling import random_streams
from tests.helpers.from_python import from_python
from tests.helpers.mutants import streams

hashed = from_python(random_streams.hashed)
uniform = from_python(random_streams.uniform)
hashed_uniform = from_python(random_streams.hashed_uniform)
hashed_uniforms = from_python(random_streams.hashed_uniforms)
enter_stream = from_python(random_streams.enter_stream)


def xoroshiro128pp(s0, s1):
    """Yield the numbers of the generator, from its paper, in unlimited integers."""
    mask = 2**64 - 1

    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    while True:
        yield (rotl((s0 + s1) & mask, 17) + s0) & mask
        s1 ^= s0
        s0, s1 = rotl(s0, 49) ^ s1 ^ ((s1 << 21) & mask), rotl(s1, 28)


@pytest.mark.parametrize("seed", [(1, 2), (2**64 - 1, 2**63 + 5), (0, 1)])
def test_generator_equals_its_definition(seed):
    rng = np.array(seed, np.uint64)
    expected = xoroshiro128pp(*seed)
    found = [int(random_streams.draw_key(rng)) for _ in range(1000)]
    assert found == [next(expected) for _ in range(1000)]
    if seed == (
        1,
        2,
    ):  # test vector of the Rust crate rand_xoshiro
        assert found[:3] == [393217, 669327710093319, 1732421326133921491]


def test_uniform_is_the_upper_53_bits():
    rng, same = (streams(3).kernel for _ in range(2))
    values = [uniform(rng) for _ in range(1000)]
    assert values == [
        (int(random_streams.draw_key(same)) >> 11) / 2**53 for _ in values
    ]
    assert min(values) >= 0
    assert max(values) < 1
    # The mean of 1,000 is within five standard errors, 5 / sqrt(12,000), of 1/2.
    assert abs(np.mean(values) - 0.5) < 0.046


def test_uniform_stays_below_one_and_may_be_zero():
    # With s0 = 0 the first output is rotl(s1, 17).
    assert uniform(np.array([0, 2**64 - 1], np.uint64)) == 1 - 2.0**-53
    assert uniform(np.array([0, 2**47], np.uint64)) == 0


def test_children_differ_and_come_back_where_they_were():
    root, seeds = streams(0), np.random.SeedSequence(0).spawn(200)
    children = [root.child(i) for i in range(200)]
    states = {tuple(stream.kernel.tolist()) for stream in [root, *children]}
    assert len(states) == 201
    assert all(s1 % 2 == 1 for _, s1 in states)  # never all zero
    for child, seed in zip(children, seeds, strict=True):
        np.testing.assert_array_equal(child.kernel, random_streams.new_stream(seed))
    first = {int(random_streams.draw_key(stream.kernel)) for stream in children}
    assert len(first) == 200
    assert [root.child(i) for i in range(200)] == children  # further along
    generators = [root.generator, *(stream.generator for stream in children)]
    assert len({g.integers(2**63) for g in generators}) == 201
    grandchild = streams(0).child(3).child(4)
    other = seeds[3].spawn(5)[4]
    np.testing.assert_array_equal(grandchild.kernel, random_streams.new_stream(other))


def splitmix64(seed):
    """Yield the numbers of the generator, from its paper, in unlimited integers."""
    mask = 2**64 - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        x = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
        yield x ^ (x >> 31)


@pytest.mark.parametrize("key", [0, 1234567, 2**64 - 1])
def test_hashed_numbers_are_those_of_splitmix64(key):
    expected = [next(numbers) for numbers in [splitmix64(key)] for _ in range(100)]
    found = [int(hashed(np.uint64(key), i)) for i in range(100)]
    assert found == expected
    if key == 1234567:  # test vector of the authors' C code
        assert found[:2] == [6457827717110365317, 3203168211198807973]


def test_each_document_enters_a_stream_of_its_own():
    states = set()
    for key in (5, 6):
        for i in range(100):
            rng = np.zeros(2, np.uint64)
            enter_stream(np.uint64(key), i, rng)
            numbers = splitmix64(int(hashed(np.uint64(key), i)))
            assert rng.tolist() == [next(numbers), next(numbers) | 1]
            states.add(tuple(rng.tolist()))
    assert len(states) == 200


def test_hashed_uniforms():
    key = np.uint64(9)
    found = np.array([hashed_uniforms(key, i) for i in range(20_000)], float)
    bits = [int(hashed(key, i)) for i in range(20_000)]
    u = np.array([((b >> 24) + 0.5) / 2**40 for b in bits])
    v = np.array([(b & (2**24 - 1)) / 2**24 for b in bits])
    expected = np.column_stack([u, 1 - u, v])
    np.testing.assert_allclose(found, expected, rtol=1.2e-7)
    assert hashed_uniform(key, 3) == (bits[3] >> 11) / 2**53


@pytest.mark.parametrize("n", [0, 1, 3, 12_345])
def test_advance(n):
    stream = random_streams.new_stream(np.random.SeedSequence(7))
    expected = stream.copy()
    for _ in range(n):
        random_streams.draw_key(expected)
    random_streams.advance(stream, n)
    np.testing.assert_array_equal(stream, expected)
    # Two steps are one long one, where nobody can count.
    random_streams.advance(expected, 10**12 + n)
    for steps in (10**12, n):
        random_streams.advance(stream, steps)
    np.testing.assert_array_equal(stream, expected)
