"""What the tokens of a block weigh together, by cumulants.

A block is n tokens of one word in one document. With a = n_dk + alpha_k, b = n_wk +
beta, s = n_k + V beta, the block itself taken out, m tokens of it on topic k multiply
the weight of the block by

    Q_k(m) = p_0 p_1 ... p_(m - 1),    p_i = (a + i) (b + i) / (s + i)

(Zhang & Sisson, arXiv 1608.00945, equation 7). Let H_n be the sum of these weights over
the topics of all n tokens. Then

    sum_n H_n x^n / n! = prod_k sum_m Q_k(m) x^m / m!,

as if Q_k(m) were moments of independent variables and H_n those of their sum. Cumulants
add up for independent variables: with kappa_c those of a topic, and K_c the sums over
all topics,

    H_n = sum_c binomial(n - 1, c - 1) H_(n - c) K_c,    c = 1, ..., n.

With the kappa_c of one topic in place of K_c, this sum is the weight of the blocks
whose first token falls on that topic. The tokens after it are a block again, for which
p_1, p_2, ... of that topic take the place of p_0, p_1, ...

A factor that all p_i share changes no probability. It keeps numbers in the range of
float32.
"""

import numpy as np
from numba.extending import overload

from sklda._core.compile import njit
from sklda._core.lists import SPARE
from sklda._core.weights import sum_all

SMALL = SPARE  # tokens of the largest block that is drawn by cumulants

# Numba hands `forceinline` of a function down to those that are compiled for it, unless
# they have their own: CALLED says no, as a hundred kilobytes of machine
# code are slower than a few calls. But a call passes every array as seven numbers, so
# what most blocks need is INLINED.
CALLED = {"nogil": True, "_nrt": False, "error_model": "numpy", "forceinline": False}
INLINED = {**CALLED, "forceinline": True}

# The tuples below have two entries, for c = 1, 2, or SMALL: as many as the largest
# block has tokens. The compiler takes the function for what it finds, and so no code
# of larger blocks slows down smaller ones.


def at(arrays, j):
    """Return entry j of each array."""
    return tuple(array[j] for array in arrays)


def put(arrays, j, values):
    """Set entry j of each array."""
    for array, value in zip(arrays, values, strict=True):
        array[j] = value


def wide(values):
    """Return the numbers in double precision."""
    return tuple(np.float64(value) for value in values)


def narrow(values):
    """Return the numbers in single precision."""
    return tuple(np.float32(value) for value in values)


def steps(b, ratio, scale):
    """Return p_0, p_1, ... from the (a + i) / (s + i); b and all p have the factor."""
    return tuple(one * (b + i * scale) for i, one in enumerate(ratio))


def cumulants(p):
    """Return the kappa_c of a topic from its p_0, p_1, ..."""
    return _two_cumulants(p) if len(p) == 2 else _four_cumulants(p)


def moved(sums, before, after):
    """Return sums in which some terms have taken the place of others."""
    return tuple(s + a - b for s, b, a in zip(sums, before, after, strict=True))


def sums_of(arrays, size):
    """Return the sum of the first entries of each array, in double precision."""
    return tuple(sum_all(array, size) for array in arrays)


def combined(factors, terms):
    """Return the sum of the products."""
    return sum(factor * term for factor, term in zip(factors, terms, strict=True))


def first_factors(others, zero):
    """Return the factors of kappa_c where the second token weighs `others`."""
    return (others, 1.0, *wide(zero[2:]))


def last_factors(zero):
    """Return the factors of kappa_c in H_1: those of the last token."""
    return (zero[0] + 1, *zero[1:])


def _two_cumulants(p):
    p0, p1 = p
    return p0, p0 * (p1 - p0)


def _four_cumulants(p):
    p0, p1, p2, p3 = p
    twice, square = p0 + p0, p0 * p0
    c2 = p0 * (p1 - p0)
    c3 = p0 * (p1 * (p2 - p0 - twice) + square + square)
    c4 = p1 * (p2 * (p3 - twice - twice) - (p0 + twice) * p1)
    six = (square + square) + (square + square) + (square + square)
    return p0, c2, c3, p0 * (c4 + six * (p1 + p1 - p0))


@njit(cache=True, **INLINED)
def normaliser(n, sums):
    """Return H_n from K_1, ..., K_4, and the factors of kappa_c in it."""
    k1, k2, k3, k4 = sums
    if n == 1:
        return k1, (1.0, 0.0, 0.0, 0.0)
    h2 = k1 * k1 + k2
    if n == 2:
        return h2, (k1, 1.0, 0.0, 0.0)
    h3 = k1 * h2 + 2 * k2 * k1 + k3
    if n == 3:
        return h3, (h2, 2 * k1, 1.0, 0.0)
    return k1 * h3 + 3 * k2 * h2 + 3 * k3 * k1 + k4, (h3, 3 * h2, 3 * k1, 1.0)


# Unsigned numbers are not tested for whether they count from the end.


@overload(at, jit_options=INLINED)
def _(arrays, j):
    def two(arrays, j):
        i = np.uintp(j)
        return arrays[0][i], arrays[1][i]

    def four(arrays, j):
        i = np.uintp(j)
        return arrays[0][i], arrays[1][i], arrays[2][i], arrays[3][i]

    return two if len(arrays) == 2 else four


@overload(put, jit_options=INLINED)
def _(arrays, j, values):
    def two(arrays, j, values):
        i = np.uintp(j)
        arrays[0][i], arrays[1][i] = values

    def four(arrays, j, values):
        i = np.uintp(j)
        arrays[0][i], arrays[1][i], arrays[2][i], arrays[3][i] = values

    return two if len(arrays) == 2 else four


def _converted(kind):
    def two(values):
        return kind(values[0]), kind(values[1])

    def four(values):
        return kind(values[0]), kind(values[1]), kind(values[2]), kind(values[3])

    return two, four


@overload(wide, jit_options=INLINED)
def _(values):
    return _converted(np.float64)[len(values) > 2]


@overload(narrow, jit_options=INLINED)
def _(values):
    return _converted(np.float32)[len(values) > 2]


@overload(first_factors, jit_options=INLINED)
def _(others, zero):
    if len(zero) == 2:
        return lambda others, zero: (others, 1.0)
    return lambda others, zero: (others, 1.0, 0.0, 0.0)


@overload(last_factors, jit_options=INLINED)
def _(zero):
    def two(zero):
        return zero[0] + np.float32(1), zero[1]

    def four(zero):
        return zero[0] + np.float32(1), zero[1], zero[2], zero[3]

    return two if len(zero) == 2 else four


@overload(steps, jit_options=INLINED)
def _(b, ratio, scale):
    def two(b, ratio, scale):
        return ratio[0] * b, ratio[1] * (b + scale)

    def four(b, ratio, scale):
        b1 = b + scale
        b2 = b1 + scale
        return ratio[0] * b, ratio[1] * b1, ratio[2] * b2, ratio[3] * (b2 + scale)

    return two if len(ratio) == 2 else four


@overload(cumulants, jit_options=INLINED)
def _(p):
    return _two_cumulants if len(p) == 2 else _four_cumulants


@overload(sums_of, jit_options=INLINED)
def _(arrays, size):
    def two(arrays, size):
        return sum_all(arrays[0], size), sum_all(arrays[1], size)

    def four(arrays, size):
        return (
            *(sum_all(arrays[0], size), sum_all(arrays[1], size)),
            *(sum_all(arrays[2], size), sum_all(arrays[3], size)),
        )

    return two if len(arrays) == 2 else four


@overload(moved, jit_options=INLINED)
def _(sums, before, after):
    def two(sums, before, after):
        (s1, s2), (b1, b2), (a1, a2) = sums, before, after
        return s1 + a1 - b1, s2 + a2 - b2

    def four(sums, before, after):
        (s1, s2, s3, s4), (b1, b2, b3, b4) = sums, before
        a1, a2, a3, a4 = after
        return s1 + a1 - b1, s2 + a2 - b2, s3 + a3 - b3, s4 + a4 - b4

    return two if len(sums) == 2 else four


@overload(combined, jit_options=INLINED)
def _(factors, terms):
    def two(factors, terms):
        return factors[0] * terms[0] + factors[1] * terms[1]

    def four(factors, terms):
        (f1, f2, f3, f4), (c1, c2, c3, c4) = factors, terms
        return f1 * c1 + f2 * c2 + f3 * c3 + f4 * c4

    return two if len(factors) == 2 else four
