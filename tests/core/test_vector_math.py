"""Functions that vectorise, against those of NumPy in double precision."""

import numpy as np

from sklda._core import vector_math
from tests.helpers.from_python import from_python

exp, log = from_python(vector_math.exp), from_python(vector_math.log)


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
