"""Functions on vectors do in kernels what they do on arrays of NumPy.

`tests/sampling/test_kernels.py` compares kernels that use the others with Python.
"""

import numpy as np
import pytest
from numba import njit

from sklda._simd.arrays import load_at_each
from sklda._simd.vectors import (
    any_lane,
    broadcast,
    choose,
    entries,
    first_lane,
    get_lane,
    largest,
    load,
    one_hot,
    running_sums,
    store,
    to_double,
    total,
)
from tests.helpers.selection import fast_and_slow

WIDTHS = fast_and_slow([16], [2, 8, 32, 128])


def arithmetic(a, b, n, width, out):
    x, y = load(a, 3, width), load(b, 0, width)
    store(out, 0, (x + y) * x - y / broadcast(np.float32(1.5), width))


def scalars_and_arrays(a, b, n, width, out):
    store(out, 0, entries(b, 2, width) + entries(np.float32(n[0]), 2, width))


def choice(a, b, n, width, out):
    x, y = load(a, 0, width), load(b, 0, width)
    mask = ((x > y) & ~one_hot(n[1], width)) | one_hot(n[0], width)
    store(out, 0, choose(mask, x, y))
    out[width] = first_lane(mask)


def lanes(a, b, n, width, out):
    x = load(a, 0, width)
    before, ends, whole = running_sums(x)
    store(out, 0, (whole - ends) * before)
    out[width] = get_lane(x, n[1] - 1) + largest(x)


def sums(a, b, n, width, out):
    x = load(a, 0, width)
    store(out, 0, running_sums(x)[1])
    out[width] = total(x) + np.float32(total(to_double(x)))


def places(a, b, n, width, out):
    x, of = load(n, 0, width), load(n, 1, width)
    store(out, 0, choose(x == of, load(b, 0, width), load_at_each(a, n, 31, 0, width)))
    nowhere = x == broadcast(np.int32(-1), width)
    out[width] = 3 * any_lane(x == x) + any_lane(nowhere)


FUNCTIONS = [
    *(arithmetic, scalars_and_arrays, choice, lanes, sums, places),
]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_kernels_do_as_numpy_does(function, width):
    compute = njit(function)

    @njit
    def compiled(a, b, n, out):
        compute(a, b, n, width, out)

    rng = np.random.default_rng(0)
    a, b = rng.random((2, width + 5)).astype(np.float32)
    n = rng.integers(1, width + 1, width + 1).astype(np.int32)
    expected, found = np.zeros((2, width + 1), np.float32)
    function(a, b, n, width, expected)
    compiled(a, b, n, found)
    np.testing.assert_array_equal(found, expected)
    assert found.any()


@pytest.mark.parametrize("width", [2, 8, 16])
def test_no_running_sum_is_less_than_the_one_before(width):
    # Ordered draws rest on it. Magnitudes are mixed, so that every sum is rounded.
    @njit
    def compiled(a, out):
        store(out, 0, running_sums(load(a, 0, width))[1])

    rng = np.random.default_rng(0)
    for _ in range(2000):
        a = (rng.random(width) ** 12 * (rng.random(width) < 0.7)).astype(np.float32)
        ends = np.zeros(width, np.float32)
        compiled(a, ends)
        steps = np.diff(ends, prepend=np.float32(0))
        assert (steps >= 0).all()
        assert not steps[a == 0].any()
        np.testing.assert_allclose(ends, np.cumsum(a, dtype=float), rtol=1e-6)
