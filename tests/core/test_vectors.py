"""Each function on vectors does in kernels what it does on arrays of NumPy."""

import numpy as np
import pytest
from numba import njit

from sklda._core import vectors
from sklda._core.vectors import (
    any_lane,
    broadcast,
    choose,
    first_lane,
    first_only,
    get_lane,
    last_in_all,
    load,
    load_at,
    one_hot,
    running_sum,
    store,
    to_float,
    total,
)

WIDTHS = [2, 16, 32, 48, 128]


def arithmetic(a, b, n, width, out):
    x, y = load(a, 3, width), load(b, 0, width)
    store(out, 0, (x + y) * x - y / broadcast(np.float32(1.5), width))


def of_integers(a, b, n, width, out):
    x = load(n, 1, width)
    store(out, 0, to_float(x + x * broadcast(np.int32(3), width)))


def of_doubles(a, b, n, width, out):
    store(out, 0, to_float(load(a.astype(np.float64) / 3, 1, width)))


def of_an_array(a, b, n, width, out):
    store(out, 0, broadcast(b, width))


def choice(a, b, n, width, out):
    x, y = load(a, 0, width), load(b, 0, width)
    mask = (x > y) | one_hot(n[0], width)
    only = first_only(mask)
    store(out, 0, choose(mask, choose(only, x + y, x), y))
    out[width] = first_lane(mask)


def lanes(a, b, n, width, out):
    x = load(a, 0, width)
    store(out, 0, last_in_all(x))
    out[width] = get_lane(x, n[1] - 1)


def sums(a, b, n, width, out):
    x = load(a, 0, width)
    store(out, 0, running_sum(x))


def places(a, b, n, width, out):
    x, of = load(n, 0, width), load(n, 1, width)
    store(out, 0, choose(x == of, load(b, 0, width), load_at(a, x)))
    nowhere = x == broadcast(np.int32(-1), width)
    out[width] = 3 * any_lane(x == x) + any_lane(nowhere)


FUNCTIONS = [
    *(arithmetic, of_integers, of_doubles, of_an_array),
    *(choice, lanes, sums, places),
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
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert found.any()


@pytest.mark.parametrize("width", [2, 16, 64])
def test_total(width):
    @njit
    def compiled(a):
        return total(load(a, 0, width))

    a = np.random.default_rng(0).random(width).astype(np.float32)
    assert compiled(a) == pytest.approx(total(a), rel=1e-5)


def test_width_of_registers_follows_the_features_that_numba_compiles_for(monkeypatch):
    monkeypatch.setattr(vectors.config, "CPU_FEATURES", "+avx2,+avx512f")
    assert vectors.are_wide()
    monkeypatch.setattr(vectors.config, "CPU_FEATURES", "+avx2")
    assert not vectors.are_wide()
    monkeypatch.setattr(vectors.config, "CPU_FEATURES", None)
    monkeypatch.setattr(vectors.config, "ENABLE_AVX", 0)
    assert not vectors.are_wide()
