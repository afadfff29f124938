"""The logarithm of the gamma function, the same bits on every processor.

Nothing branches, so that LLVM makes vectors of loops over arrays; a series has at most
14 terms, because longer ones would stay loops. Where rounding would show in the last
digit, a number is the sum of two parts: its digits, and what they lack (T. J. Dekker,
"A floating-point technique for extending the available precision", 1971).
"""

import numpy as np

from sklda._simd.compile import inlined_kernel

_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_LOG_SERIES = tuple(2 / (2 * i + 1) for i in range(10, 0, -1))
_LARGE = 8.0  # from where on Stirling's series has all digits
_HALF_LOG_TAU = 0.41893853320467274  # log(2 pi) / 2 - 1 / 2
# B_2k / (2k (2k - 1)) for k = 8, ..., 1.
_STIRLING_SERIES = (
    *(-3617 / 122400, 1 / 156, -691 / 360360),
    *(1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12),
)
# log(Gamma(2 + t)) = (1 - Euler's constant) t + sum_k (-1)^k (zeta(k) - 1) t^k / k. The
# first two factors in two parts, then those of k = 28, 26, ..., 4 and 27, 25, ..., 3.
_LINEAR = 0.42278433509846713, 4.942915152430645e-18
_QUADRATIC = 0.3224670334241132, 1.520336175199238e-17
_EVEN_SERIES = (
    1.330476437424449e-10,
    5.731367241678862e-10,
    2.4836745438024785e-09,
    1.0838659214896955e-08,
    4.7698101693639804e-08,
    2.1207184805554665e-07,
    9.55141213040742e-07,
    4.374866789907488e-06,
    2.050721277567069e-05,
    9.945751278180853e-05,
    0.0005096695247430425,
    0.0028905103307415234,
    0.020580808427784546,
)
_ODD_SERIES = (
    -2.7595228851242334e-10,
    -1.1921401405860912e-09,
    -5.183475041970047e-09,
    -2.2711094608943164e-08,
    -1.0043224823968099e-07,
    -4.492469198764566e-07,
    -2.039215753801366e-06,
    -9.439488275268397e-06,
    -4.492623673813314e-05,
    -0.00022315475845357939,
    -0.001192753911703261,
    -0.007385551028673986,
    -0.0673523010531981,
)


@inlined_kernel
def _upper_half(x):
    """Return x with the first 26 of its digits, so that a product of two is exact."""
    return np.int64(np.float64(x).view(np.int64) & -0x8000000).view(np.float64)


@inlined_kernel
def _lost_in_product(x, y, product):
    """Return x * y - product, where product is x * y, rounded."""
    x_high, y_high = _upper_half(x), _upper_half(y)
    x_low, y_low = x - x_high, y - y_high
    return x_high * y_high - product + x_high * y_low + x_low * y_high + x_low * y_low


@inlined_kernel
def _horner_step(x, sum_, factor):
    """Return x * sum_ + factor in two parts, as sum_ and factor are.

    A factor other than 0 must be larger than the product.
    """
    product = x * sum_[0]
    lost = _lost_in_product(x, sum_[0], product) + x * sum_[1]
    total = factor[0] + product
    return total, product - (total - factor[0]) + factor[1] + lost


@inlined_kernel
def _log_parts(x):
    """Return log(x) of a positive normal number, to 1e-17: log(x) and what it lacks.

    x = 2^n (1 + f) with 1 + f between 1 / sqrt(2) and sqrt(2). With s = f / (2 + f),
    log(1 + f) = f - f^2 / 2 + s (f^2 / 2 + 2 s^2 / 3 + 2 s^4 / 5 + ...): the first two
    are added without rounding.
    """
    # n + 1023 in the exponent's place; a conversion would not become vectors.
    bits = np.float64(x).view(np.int64)
    biased = np.int64(bits + 0x95F619980C433) >> 52 & 0x7FF
    n = np.int64(biased | 0x4330000000000000).view(np.float64) - (2.0**52 + 1023)
    f = np.int64(bits - ((biased - 1023) << 52)).view(np.float64) - 1
    s = f / (2 + f)
    t = s * s
    p = 0.0
    for factor in _LOG_SERIES:
        p = (p + factor) * t
    f_high = _upper_half(f)
    half_square = 0.5 * f_high * f_high
    lost_square = 0.5 * (f - f_high) * (f + f_high)
    whole = n * _LN2_HIGH
    first = whole + f
    second = first - half_square
    rest = (f - (first - whole)) + (first - second - half_square) - lost_square
    rest += s * (half_square + lost_square + p) + n * _LN2_LOW
    log = second + rest
    return log, rest - (log - second)


@inlined_kernel
def log_gamma(x):
    """Return log(Gamma(x)) of a normal x above 0 and up to 1e305, to 1.5 ulp.

    So it is near the zeros, 1 and 2, too. From `_LARGE` on it is Stirling's
    series; below, with y from 1.5 to 2.5, it is

        log(Gamma(x)) = log(Gamma(y)) + log((x - 1) ... (x - n)),   x = y + n,
        log(Gamma(x)) = log(Gamma(x + 1)) - log(x),                 x from 0.5 to 1.5,
        log(Gamma(x)) = log(Gamma(x + 2)) - log(x (x + 1)),         x up to 0.5.
    """
    is_large, is_small, is_tiny = x >= _LARGE, x < 1.5, x < 0.5
    product, t = 1.0, x - 2.0
    for i in range(1, 7):
        next_factor = x - i
        is_factor = next_factor >= 1.5
        product *= next_factor if is_factor else 1.0
        t = next_factor - 2.0 if is_factor else t
    t = x - 1.0 if is_small else t
    t = x if is_tiny else t
    above = 1.0 + x
    square = x * above
    lost = (_lost_in_product(x, above, square) + x * (x - (above - 1.0))) / square
    argument = x if is_large or is_small else product
    argument = square if is_tiny else argument
    log, log_lost = _log_parts(argument)
    log_lost += lost if is_tiny else 0.0

    # Stirling: (x - 1/2) (log(x) - 1) + (log(2 pi) - 1) / 2 + series.
    inverse = 1 / x
    squared, p = inverse * inverse, 0.0
    for factor in _STIRLING_SERIES:
        p = p * squared + factor
    half_less, log_less = x - 0.5, log - 1.0
    largest = half_less * log_less
    rest = _lost_in_product(half_less, log_less, largest) + half_less * log_lost
    of_large = largest + (rest + (_HALF_LOG_TAU + p * inverse))

    square, even, odd = t * t, 0.0, 0.0
    for factor in _EVEN_SERIES:
        even = even * square + factor
    for factor in _ODD_SERIES:
        odd = odd * square + factor
    slope = _horner_step(t, (odd + t * even, 0.0), _QUADRATIC)
    near_2, rest = _horner_step(t, _horner_step(t, slope, _LINEAR), (0.0, 0.0))
    log, log_lost = (-log, -log_lost) if is_small else (log, log_lost)
    total = near_2 + log
    back = total - near_2
    lost = (near_2 - (total - back)) + (log - back)
    return of_large if is_large else total + (lost + log_lost + rest)
