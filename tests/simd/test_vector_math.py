"""Exponentials and logarithms, against those of NumPy in double precision."""

import math

import numpy as np
import pytest

from sklda._simd import vector_math
from tests.helpers.from_python import from_python

FUNCTIONS = {
    "exp": (np.exp, np.linspace(-80, 80, 200_001).astype(np.float32)),
    "exp2": (np.exp2, np.linspace(-125, 125, 200_001).astype(np.float32)),
    "log": (np.log, np.geomspace(1e-37, 1e37, 200_001).astype(np.float32)),
    "log near 1": (np.log, np.linspace(0.6, 1.5, 200_001).astype(np.float32)),
    "exp_double": (np.exp, np.linspace(-700, 700, 50_001)),
    "log_double": (np.log, np.geomspace(1e-300, 1e300, 50_001)),
    "log_double near 1": (np.log, np.linspace(0.5, 1.5, 50_001)),
    "log1p_double": (np.log1p, np.geomspace(1e-300, 1e300, 50_001)),
    "log1p_double below 0": (np.log1p, -np.geomspace(1e-300, 0.99, 50_001)),
    "expm1_double": (np.expm1, np.geomspace(1e-300, 700, 50_001)),
    "expm1_double below 0": (np.expm1, -np.geomspace(1e-300, 1e4, 50_001)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    expected, x = FUNCTIONS[name]
    compiled = from_python(getattr(vector_math, name.split()[0]))
    found = np.array([compiled(value) for value in x], np.float64)
    rtol = 1e-15 if x.dtype == np.float64 else 4e-7 if name == "exp2" else 5e-7
    np.testing.assert_allclose(found, expected(x.astype(np.float64)), rtol, atol=0)


def test_functions_at_their_ends():
    exp, log = from_python(vector_math.exp), from_python(vector_math.log)
    assert exp(np.float32(0)) == 1
    assert exp(np.float32(-200)) == exp(np.float32(-87))
    assert log(np.float32(1)) == 0
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


def test_cos_sin():
    cos_sin = from_python(vector_math.cos_sin)
    for x in (*np.linspace(-100, 100, 2001).tolist(), 0.0, math.pi / 4, -math.pi / 4):
        assert cos_sin(x) == pytest.approx((math.cos(x), math.sin(x)), abs=1e-15)
