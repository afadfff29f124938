"""Normal and gamma variates, one at a time."""

import math

from sklda._core.random_streams import uniform
from sklda._simd.compile import lean_kernel
from sklda._simd.vector_math import log_double


@lean_kernel
def normal(rng):
    """Draw from the standard normal distribution, by a ratio of uniforms.

    J. L. Leva, "A fast normal random number generator" (1992).
    """
    while True:
        u = 1 - uniform(rng)
        v = 1.7156 * (uniform(rng) - 0.5)
        x = u - 0.449871
        y = abs(v) + 0.386595
        q = x * x + y * (0.19600 * y - 0.25472 * x)
        if q < 0.27597 or (q < 0.27846 and v * v <= -4 * u * u * log_double(u)):
            return v / u


@lean_kernel
def large_shape(shape, rng):
    """Draw from the gamma distribution of a shape of 1 or more.

    G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables" (2000).
    """
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = normal(rng)
        v = 1 + c * x
        if v <= 0:
            continue
        v = v * v * v
        u = 1 - uniform(rng)
        squared = x * x
        if u < 1 - 0.0331 * squared * squared or log_double(u) < 0.5 * squared + d * (
            1 - v + log_double(v)
        ):
            return d * v
