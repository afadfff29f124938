"""Exponentials and logarithms, against those of NumPy in double precision."""

import math

import numpy as np
import pytest

from sklda._simd import vector_math
from tests.helpers.from_python import from_python

exp, exp2, log = (from_python(getattr(vector_math, n)) for n in ("exp", "exp2", "log"))
DOUBLES = {
    "exp_double": (np.exp, np.linspace(-700, 700, 50_001)),
    "log_double": (np.log, np.geomspace(1e-300, 1e300, 50_001)),
    "log_double near 1": (np.log, np.linspace(0.5, 1.5, 50_001)),
    "log1p_double": (np.log1p, np.geomspace(1e-300, 1e300, 50_001)),
    "log1p_double below 0": (np.log1p, -np.geomspace(1e-300, 0.99, 50_001)),
    "expm1_double": (np.expm1, np.geomspace(1e-300, 700, 50_001)),
    "expm1_double below 0": (np.expm1, -np.geomspace(1e-300, 1e4, 50_001)),
}


@pytest.mark.parametrize("name", DOUBLES)
def test_doubles(name):
    expected, x = DOUBLES[name]
    compiled = from_python(getattr(vector_math, name.split()[0]))
    found = np.array([compiled(value) for value in x])
    np.testing.assert_allclose(found, expected(x), rtol=1e-15, atol=0)


def test_doubles_at_their_ends():
    assert from_python(vector_math.exp_double)(-np.inf) == 0
    assert from_python(vector_math.exp_double)(0.0) == 1
    assert from_python(vector_math.log_double)(1.0) == 0
    assert from_python(vector_math.log1p_double)(0.0) == 0
    assert from_python(vector_math.expm1_double)(0.0) == 0


@pytest.mark.parametrize("x", [1e-20, 1e-4, 0.5, 3.7, 9.999, 10.0, 33.3, 1e6, 1e10])
def test_log_rising(x):
    log_rising = from_python(vector_math.log_rising)
    for n in (0, 1, 2, 9, 10, 1000):
        # The product x (x + 1) ... (x + n - 1) defines it.
        expected = math.fsum(math.log(x + i) for i in range(n))
        assert log_rising(x, n) == pytest.approx(expected, rel=2e-15, abs=2e-15)
    expected = math.lgamma(x + 1e9) - math.lgamma(x)
    assert log_rising(x, 1e9) == pytest.approx(expected, rel=1e-12)


def test_exp():
    x = np.linspace(-80, 80, 200_001).astype(np.float32)
    found = np.array([exp(value) for value in x], np.float64)
    np.testing.assert_allclose(found, np.exp(x.astype(np.float64)), rtol=5e-7)
    assert exp(np.float32(0)) == 1
    assert exp(np.float32(-200)) == exp(np.float32(-87))


def test_log():
    x = np.geomspace(1e-37, 1e37, 200_001).astype(np.float32)
    near = np.float32(1) + np.linspace(-0.4, 0.5, 200_001).astype(np.float32)
    for values in (x, near):
        found = np.array([log(value) for value in values], np.float64)
        expected = np.log(values.astype(np.float64))
        np.testing.assert_allclose(found, expected, rtol=5e-7)
    assert log(np.float32(1)) == 0


def test_exp2():
    x = np.linspace(-125, 125, 200_001).astype(np.float32)
    found = np.array([exp2(value) for value in x], np.float64)
    np.testing.assert_allclose(found, np.exp2(x.astype(np.float64)), rtol=4e-7)
