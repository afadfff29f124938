"""Functions that vectorise, against those of NumPy in double precision."""

import numpy as np

from sklda._core import vector_math


def test_exp():
    x = np.linspace(-80, 80, 200_001).astype(np.float32)
    found = np.array([vector_math.exp(value) for value in x], np.float64)
    np.testing.assert_allclose(found, np.exp(x.astype(np.float64)), rtol=5e-7)
    assert vector_math.exp(np.float32(0)) == 1
    assert vector_math.exp(np.float32(-200)) == vector_math.exp(np.float32(-87))
