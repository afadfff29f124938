"""Exponentials, logarithms, gammas and angles with the same bits on every processor.

The functions of the C library differ in the last bit by machine, and do not vectorise.
"""

import math

import numpy as np

from sklda._simd.compile import inlined_kernel
from sklda._simd.vectors import lowers

_LOG2_E = np.float32(1.4426950408889634)
_ROUNDING = np.float32(1.5 * 2**23)
# ln 2 in two parts; the first has so few digits that integers times it are exact.
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_EXP_SERIES = tuple(1 / math.factorial(i) for i in range(13, -1, -1))
_LOG_SERIES = tuple(2 / (2 * i + 1) for i in range(10, -1, -1))
_LOG2_E_DOUBLE = 1.4426950408889634
_LN2_HIGH_DOUBLE, _LN2_LOW_DOUBLE = 0.6931471803691238, 1.9082149292705877e-10
_LARGE = 10.0  # from where on Stirling's series has all digits
# B_2k / (2k (2k - 1)) for k = 6, ..., 1, of log(Gamma(x)) - (x - 1/2) log(x) + x.
_LOG_GAMMA_SERIES = (-691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
# pi / 2 in two parts; small integers times the first are exact.
_HALF_PI_HIGH, _HALF_PI_LOW = 1.5707963267341256, 6.077100506506192e-11
_COS_SERIES = tuple((-1) ** i / math.factorial(2 * i) for i in range(9, -1, -1))
_SIN_SERIES = tuple((-1) ** i / math.factorial(2 * i + 1) for i in range(8, -1, -1))


def polynomial(x, factors):
    """Return a polynomial of a float64; the factor of its highest power is the first.

    Its code has no loop: LLVM would have to remove it before it vectorises others.
    """
    value = factors[0]
    for factor in factors[1:]:
        value = value * x + factor
    return value


@lowers(polynomial, lambda x, factors: x(x, factors))
def _(context, builder, sig, args):
    x, factors = args
    value = builder.extract_value(factors, 0)
    for i in range(1, len(sig.args[1])):
        factor = builder.extract_value(factors, i)
        value = builder.fadd(builder.fmul(value, x), factor)
    return value


@inlined_kernel
def exp(x):
    """Return exp(x) of a float32 up to 87, to 5e-7 of its value.

    Below -87 it is exp(-87). exp(x) = 2^n exp(r) with n the integer next to x / ln 2,
    so |r| <= ln(2) / 2: a Taylor polynomial of degree 6 suffices.
    """
    x = max(x, np.float32(-87))
    n = np.floor(x * _LOG2_E + np.float32(0.5))
    r = x - n * _LN2_HIGH - n * _LN2_LOW
    p = np.float32(1 / 720) * r + np.float32(1 / 120)
    p = p * r + np.float32(1 / 24)
    p = p * r + np.float32(1 / 6)
    p = p * r + np.float32(0.5)
    p = p * r + np.float32(1)
    p = p * r + np.float32(1)
    return p * np.int32(np.int32(n + np.float32(127)) << 23).view(np.float32)


@inlined_kernel
def exp2(x):
    """Return 2^x of a float32 from -125 to 125, to 4e-7 of its value.

    2^x = 2^n 2^f with n the integer next to x, to which adding and subtracting 1.5 *
    2^23 rounds. The polynomial of degree 5 meets 2^f at Chebyshev's points. Its
    exponent grows by n, which is in the last bits of the first sum.
    """
    shifted = x + _ROUNDING
    f = x - (shifted - _ROUNDING)
    p = np.float32(0.0013390863366433998) * f + np.float32(0.00967603191832621)
    p = p * f + np.float32(0.05550357114213535)
    p = p * f + np.float32(0.24022107485308009)
    p = p * f + np.float32(0.6931471880262324)
    p = p * f + np.float32(1.0000000754548972)
    n = np.int32(np.float32(shifted).view(np.int32) << 23)
    return np.int32(np.float32(p).view(np.int32) + n).view(np.float32)


@inlined_kernel
def log(x):
    """Return log(x) of a float32 that is normal and positive, to 5e-7 of its value.

    x = 2^n m with m between 1 / sqrt(2) and sqrt(2), and with s = (m - 1) / (m + 1),
    log(m) = 2 (s + s^3 / 3 + s^5 / 5 + ...). Near 1 no digits are lost.
    """
    bits = np.float32(x).view(np.int32)
    n = np.int32(np.int32(bits - 0x3F3504F3) >> 23)  # from the bits of 1 / sqrt(2)
    m = np.int32(bits - (n << 23)).view(np.float32)
    s = (m - np.float32(1)) / (m + np.float32(1))
    t = s * s
    p = np.float32(2 / 9) * t + np.float32(2 / 7)
    p = p * t + np.float32(2 / 5)
    p = p * t + np.float32(2 / 3)
    p = p * t + np.float32(2)
    whole = np.float32(n)
    return whole * _LN2_HIGH + (whole * _LN2_LOW + s * p)


@inlined_kernel
def exp_double(x):
    """Return exp(x) of a float64 up to 709, to 5e-16 of its value; 0 below -708.

    The algorithm is that of `exp`, with a polynomial of degree 13.
    """
    if x < -708:
        return 0.0
    n = np.floor(x * _LOG2_E_DOUBLE + 0.5)
    r = x - n * _LN2_HIGH_DOUBLE - n * _LN2_LOW_DOUBLE
    power = np.int64(np.int64(n + 1023) << 52).view(np.float64)
    return polynomial(r, _EXP_SERIES) * power


@inlined_kernel
def log_double(x):
    """Return log(x) of a float64 that is normal and positive, to 5e-16 of its value.

    The algorithm is that of `log`, with the series up to s^21.
    """
    bits = np.float64(x).view(np.int64)
    n = np.int64(bits - 0x3FE6A09E667F3BCD) >> 52  # from the bits of 1 / sqrt(2)
    m = np.int64(bits - (n << 52)).view(np.float64)
    s = (m - 1) / (m + 1)
    t = s * s
    p = polynomial(t, _LOG_SERIES)
    return n * _LN2_HIGH_DOUBLE + (n * _LN2_LOW_DOUBLE + s * p)


@inlined_kernel
def log1p_double(x):
    """Return log(1 + x) for x above -1, with all digits where x is small.

    By W. Kahan: the rounding of 1 + x changes both factors alike.
    """
    y = 1 + x
    return x if y == 1 else log_double(y) * (x / (y - 1))


@inlined_kernel
def expm1_double(x):
    """Return exp(x) - 1 for x below 709, with all digits where x is small.

    By W. Kahan: x / log(exp(x)) makes up for the rounding of exp(x).
    """
    y = exp_double(x)
    if y == 1:
        return x
    return y - 1 if y < 1e-300 else (y - 1) * (x / log_double(y))


@inlined_kernel
def log_rising(x, n):
    """Return log(Gamma(x + n) / Gamma(x)) for x above 0 and n of 0 or more.

    By Stirling's series from `_LARGE` on; to 1e-14 of its value or of 1.
    """
    # Gamma(x + n) / Gamma(x) = Gamma(x + n + 1) / Gamma(x + 1) * x / (x + n).
    factor = 1.0
    y = x + n
    while x < _LARGE:
        factor *= x / y
        x += 1
        y += 1
    inverse_x, inverse_y = 1 / x, 1 / y
    p = polynomial(inverse_x * inverse_x, _LOG_GAMMA_SERIES)
    q = polynomial(inverse_y * inverse_y, _LOG_GAMMA_SERIES)
    # (y - 1/2) log(y) - (x - 1/2) log(x) - n, without a difference of large numbers.
    between = n * log_double(x) + ((y - 0.5) * log1p_double(n * inverse_x) - n)
    return log_double(factor) + between + (q * inverse_y - p * inverse_x)


@inlined_kernel
def cos_sin(x):
    """Return the cosine and the sine of x from -100 to 100, to 1e-15.

    Taylor polynomials of the distance from x to the next multiple of pi / 2.
    """
    n = np.floor(x * (2 / math.pi) + 0.5)
    r = x - n * _HALF_PI_HIGH - n * _HALF_PI_LOW
    cos, sin = polynomial(r * r, _COS_SERIES), r * polynomial(r * r, _SIN_SERIES)
    quarter = np.int64(n) & 3
    if quarter == 0:
        return cos, sin
    if quarter == 1:
        return -sin, cos
    return (-cos, -sin) if quarter == 2 else (sin, -cos)
