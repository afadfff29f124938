"""Sums, logarithms and solutions in a fixed order, against those of NumPy."""

import numpy as np
import pytest

from sklda._sampling import linear_algebra
from tests.helpers.from_python import from_python

factorise, solve, solve_lower, solve_upper = (
    from_python(getattr(linear_algebra, name))
    for name in ("factorise", "solve", "solve_lower", "solve_upper")
)


def in_turn(a):
    """Factorise as `factorise` does, one row after the other."""
    for j in range(len(a)):
        for h in range(j):
            a[j, j:] -= a[h, j] * a[h, j:]
        a[j, j] = np.sqrt(a[j, j])
        a[j, j + 1 :] /= a[j, j]
    return np.triu(a)


@pytest.mark.parametrize("n", [1, 3, 4, 7, 8, 11, 12, 13, 16, 24, 45])
@pytest.mark.parametrize("n_more", [0, 3])
def test_factors_and_solutions(n, n_more):
    rng = np.random.default_rng(n)
    x, b = rng.normal(size=(n + 5, n)), rng.normal(size=n)
    positive, a = x.T @ x, np.full((n, n + n_more), np.nan)
    a[:, :n] = np.triu(positive) - np.tril(
        np.ones((n, n)), -1
    )  # the lower part is free
    assert factorise(a, n, 0.0)
    # Any number of rows at a time gives the same bits.
    np.testing.assert_array_equal(np.triu(a[:, :n]), in_turn(positive.copy()))
    np.testing.assert_allclose(np.triu(a[:, :n]), np.linalg.cholesky(positive).T)
    solution, lower, upper = b.copy(), b.copy(), b.copy()
    gain = solve(a, solution)
    np.testing.assert_allclose(solution, np.linalg.solve(positive, b), rtol=1e-6)
    assert gain == pytest.approx(b @ solution)
    solve_lower(a, lower)
    solve_upper(a, upper)
    factor = np.triu(a[:, :n])
    np.testing.assert_allclose(lower, np.linalg.solve(factor.T, b), rtol=1e-6)
    np.testing.assert_allclose(upper, np.linalg.solve(factor, b), rtol=1e-6)


@pytest.mark.parametrize("n", [2, 12])
def test_pivots_that_are_not_positive(n):
    ones = np.ones((n, n))
    assert not factorise(ones.copy(), n, 0.0)
    found = ones.copy()
    assert not factorise(found, n, 1e-12)
    assert found[1, 1] == 1e-6
    assert factorise(ones + 1e-9 * np.eye(n), n, 1e-12)


# Those of 20,000 and of more numbers differ between NumPy 2.2 and 2.3.
SUMS = {
    0: "0x0.0p+0",
    8193: "0x1.32d373e67a3cap+3",
    20_000: "0x1.4f62202468758p+3",
    22_400: "0x1.53027e01052a0p+3",
    100_000: "0x1.82e27a22f3fb2p+3",
}


@pytest.mark.parametrize("n", SUMS)
def test_sums_have_the_bits_that_are_stored(n):
    assert linear_algebra.pairwise_sum(1 / np.arange(1.0, n + 1)) == float.fromhex(
        SUMS[n]
    )


def test_logs_of_any_shape_and_type():
    numbers = np.arange(1, 13).reshape(3, 4)
    for x in (numbers, numbers.astype(np.float32), numbers * 1.0, numbers.T.copy().T):
        x.flags.writeable = False
        np.testing.assert_allclose(linear_algebra.logs(x), np.log(numbers), rtol=1e-15)
    assert linear_algebra.logs(np.ones((0, 2))).shape == (0, 2)
    assert linear_algebra.logs(3.0).shape == ()
