"""Functions that vectorise where those of the C library do not."""

import numpy as np

from sklda._core.compile import njit

_LOG2_E = np.float32(1.4426950408889634)
# ln 2 in two parts; the first has few digits, so an integer times it is exact.
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def exp(x):
    """Return exp(x) of a float32 up to 87, to 5e-7 of its value.

    Below -87 the result stays what it is there. exp(x) = 2^n exp(r) with n the integer
    next to x / ln 2, so |r| <= ln(2) / 2: a Taylor polynomial of degree 6 is enough,
    and n goes into the bits of the exponent.
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
