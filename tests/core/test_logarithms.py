"""Logarithms of arrays, against those of NumPy."""

import numpy as np

from sklda._sampling.linear_algebra import logs


def test_shapes_types_and_the_argument_that_stays():
    numbers = np.arange(1, 13).reshape(3, 4)
    expected = [[logs(float(x)) for x in row] for row in numbers]
    for x in (numbers, numbers.astype(np.float32), numbers * 1.0, numbers.T.copy().T):
        x.flags.writeable = False
        np.testing.assert_array_equal(logs(x), expected)
    assert logs(np.ones((0, 2))).shape == (0, 2)
    assert logs(3.0).shape == ()


def test_logs():
    x = np.geomspace(1e-300, 1e300, 50_001)
    np.testing.assert_allclose(logs(x), np.log(x), rtol=1e-15)
