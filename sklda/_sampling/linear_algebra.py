"""Sums, logarithms, products and solutions with the same bits on every processor.

Those of NumPy and BLAS add in an order that depends on the version or the processor,
and their logarithms differ in the last bit. `pairwise_sum` and `logs` are for Python,
all other functions for kernels.
"""

import math

import numpy as np

from sklda._simd.compile import kernel, lean_kernel
from sklda._simd.vector_math import log_double
from sklda._simd.vectors import broadcast, load, store, total

_PIECE = 8192  # up to so many numbers, all versions of NumPy agree


def pairwise_sum(values: np.ndarray) -> float:
    """Return the sum of an array, (n,): that of one half plus that of the other.

    NumPy does so from 2.3 on; before, it adds the sums of pieces of `_PIECE` numbers.
    """
    if values.size <= _PIECE:
        return values.sum()
    half = values.size // 16 * 8
    return pairwise_sum(values[:half]) + pairwise_sum(values[half:])


def logs(x) -> np.ndarray:
    """Return log(x) of positive normal numbers, to 5e-16 of its value."""
    values = np.array(x, np.float64, order="C")
    _take_logs(values.reshape(-1))
    return values


@kernel
def _take_logs(values):
    for i in range(values.size):
        values[i] = log_double(values[i])


ROWS = 4  # rows of a matrix that a loop handles together
WIDTH = 8  # float64 numbers in a 512-bit register


@lean_kernel
def multiply(x, weights, eta):
    """Set eta, (n_rows,), to ``weights @ x``, for x of shape (n_weights, n_rows)."""
    for r in range(eta.size):
        eta[r] = 0.0
    for j in range(weights.size):
        w = weights[j]
        for r in range(eta.size):
            eta[r] += w * x[j, r]


@lean_kernel
def set_products(x, first, i, row_weight, products):
    """Set products[j] to sum_r x[j, r] x[i, r] row_weight[r] for all j from `first` on.

    A loop computes them for `ROWS` rows j together, from a multiple of `ROWS` on.
    """
    n_rows, zeros = row_weight.size, broadcast(row_weight[0] * 0, WIDTH)
    begin = i * n_rows
    for j in range(first - first % ROWS, x.shape[0], ROWS):
        a = b = c = d = zeros
        at = j * n_rows
        for r in range(0, n_rows, WIDTH):
            w = load(x, begin + r, WIDTH) * load(row_weight, r, WIDTH)
            a = a + load(x, at + r, WIDTH) * w
            b = b + load(x, at + n_rows + r, WIDTH) * w
            c = c + load(x, at + 2 * n_rows + r, WIDTH) * w
            d = d + load(x, at + 3 * n_rows + r, WIDTH) * w
        products[j], products[j + 1] = total(a), total(b)
        products[j + 2], products[j + 3] = total(c), total(d)


@lean_kernel
def sum_of(a):
    """Return the sum of some numbers."""
    sums = broadcast(a[0] * 0, WIDTH)
    for r in range(0, a.size, WIDTH):
        sums = sums + load(a, r, WIDTH)
    return total(sums)


@lean_kernel
def factorise(a, n, least):
    """Replace the upper part of a symmetric (n, n) matrix by its factor U: it is U' U.

    Return whether all squared pivots are above `least`. Smaller ones are set to it,
    because rounding may make them negative if columns are collinear. The lower part is
    overwritten. The speed is highest if n is a multiple of `WIDTH`.
    """
    are_above = True
    for first in range(0, n, ROWS):
        last = min(first + ROWS, n)
        n_whole = n - n % WIDTH if last == first + ROWS else 0
        _subtract_products(first, n_whole, a)
        for j in range(first, last):
            for h in range(j):
                begin = max(j, n_whole) if h < first else j
                for i in range(begin, n):
                    a[j, i] -= a[h, j] * a[h, i]
            are_above &= a[j, j] > least
            a[j, j] = math.sqrt(max(a[j, j], least))
            for i in range(j + 1, n):
                a[j, i] /= a[j, j]
    return are_above


@lean_kernel
def _subtract_products(first, n_columns, a):
    """Subtract the products of the rows above from `ROWS` rows, from `first` on.

    Each number has the same sequence of subtractions as in a loop over rows above.
    """
    n = a.shape[1]
    for i in range(first - first % WIDTH, n_columns, WIDTH):
        at = first * n + i
        p, q = load(a, at, WIDTH), load(a, at + n, WIDTH)
        r, s = load(a, at + 2 * n, WIDTH), load(a, at + 3 * n, WIDTH)
        for h in range(first):
            above, row = load(a, h * n + i, WIDTH), a[h]
            p = p - broadcast(row[first], WIDTH) * above
            q = q - broadcast(row[first + 1], WIDTH) * above
            r = r - broadcast(row[first + 2], WIDTH) * above
            s = s - broadcast(row[first + 3], WIDTH) * above
        store(a, at, p)
        store(a, at + n, q)
        store(a, at + 2 * n, r)
        store(a, at + 3 * n, s)


@lean_kernel
def solve(factor, b):
    """Replace b by the solution of U' U y = b; return b . y."""
    solve_lower(factor, b)
    gain = 0.0
    for j in range(b.size):
        gain += b[j] * b[j]
    solve_upper(factor, b)
    return gain


@lean_kernel
def solve_lower(factor, b):
    """Replace b by the solution of U' y = b."""
    for j in range(b.size):
        b[j] /= factor[j, j]
        for i in range(j + 1, b.size):
            b[i] -= factor[j, i] * b[j]


@lean_kernel
def solve_upper(factor, b):
    """Replace b by the solution of U y = b."""
    for j in range(b.size - 1, -1, -1):
        for i in range(j + 1, b.size):
            b[j] -= factor[j, i] * b[i]
        b[j] /= factor[j, j]


@lean_kernel
def copy_to(a, b):
    """Copy the numbers of a to the beginning of b."""
    for j in range(a.size):
        b[j] = a[j]
