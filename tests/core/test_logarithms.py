"""Logarithms of arrays, against 50 digits and those of NumPy."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from sklda._core.logarithms import log_gammas, logs

# Bernoulli's numbers B_2, B_4, ..., B_24.
BERNOULLI = """1/6 -1/30 1/42 -1/30 5/66 -691/2730 7/6 -3617/510 43867/798
    -174611/330 854513/138 -236364091/2730""".split()
HALF_LOG_TAU = Decimal("0.91893853320467274178032973640561763986139747363778")
RANGES = [
    *[(1e-300, 1e-10), (1e-10, 0.01), (0.01, 0.5), (0.5, 0.99), (0.99, 1.01)],
    *[(1.01, 1.5), (1.5, 1.99), (1.99, 2.01), (2.01, 2.5), (2.5, 8), (8, 20)],
    *[(20, 1e4), (1e4, 1e15), (1e15, 1e18), (1e18, 1e304)],
]


def log_gamma(x: float) -> Decimal:
    """Return log(Gamma(x)) by Stirling's series from 80 on, to 40 digits."""
    x = Decimal(x)
    factors = Decimal(1)
    while x < 80:
        factors *= x
        x += 1
    result = (x - Decimal("0.5")) * x.ln() - x + HALF_LOG_TAU - factors.ln()
    for k, number in enumerate(map(Fraction, BERNOULLI), 1):
        term = number / (2 * k * (2 * k - 1))
        result += Decimal(term.numerator) / term.denominator / x ** (2 * k - 1)
    return result


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_log_gammas_have_an_error_of_less_than_two_units_in_the_last_place(low, high):
    x = np.geomspace(low, high, 200)
    with localcontext(prec=60):
        exact = [log_gamma(value) for value in x.tolist()]
        found = [Decimal(value) for value in log_gammas(x).tolist()]
    lost = np.array([float(a - b) for a, b in zip(found, exact, strict=True)])
    units = np.spacing(np.abs(np.array(exact, np.float64)))
    assert np.abs(lost / units).max() < 1.5


def test_log_gammas_at_and_beside_their_zeros():
    assert not log_gammas([1.0, 2.0]).any()
    beside = np.array([np.nextafter(1, 0), np.nextafter(1, 2), np.nextafter(2, 3)])
    slopes = np.array([-np.euler_gamma, -np.euler_gamma, 1 - np.euler_gamma])
    expected = slopes * (beside - np.round(beside))
    np.testing.assert_allclose(log_gammas(beside), expected, rtol=1e-15)


@pytest.mark.parametrize("of_array", [logs, log_gammas])
def test_shapes_types_and_the_argument_that_stays(of_array):
    numbers = np.arange(1, 13).reshape(3, 4)
    expected = [[of_array(float(x)) for x in row] for row in numbers]
    for x in (numbers, numbers.astype(np.float32), numbers * 1.0, numbers.T.copy().T):
        x.flags.writeable = False
        np.testing.assert_array_equal(of_array(x), expected)
    assert of_array(np.ones((0, 2))).shape == (0, 2)
    assert of_array(3.0).shape == ()


def test_logs():
    x = np.geomspace(1e-300, 1e300, 50_001)
    np.testing.assert_allclose(logs(x), np.log(x), rtol=1e-15)
