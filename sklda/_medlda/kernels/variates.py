"""Normal and inverse Gaussian variates that fill arrays."""

import math

from sklda._core.random_streams import uniform
from sklda._core.variates import normal
from sklda._simd.compile import kernel

# An inverse Gaussian of infinite mean exceeds this once in 100,000 draws; larger values
# would only make the weights inexact.
HIGHEST_XI = 1e10


@kernel
def fill_normal(values, rng):
    """Fill in draws from the standard normal distribution."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            values[i, j] = normal(rng)


@kernel
def fill_xi(c_x, xi, rng):
    """Fill in draws from inverse Gaussians with means 1 / c_x and shape 1.

    Michael, Schucany & Haas (1976): the square of a normal number, v, has a root on
    each side of the mean. Written in c_x, the smaller one is stable, 1 / v for c_x = 0.
    """
    for i in range(c_x.shape[0]):
        for j in range(c_x.shape[1]):
            c, x = c_x[i, j], normal(rng)
            v = max(x * x, 1 / HIGHEST_XI)
            smaller = 2 / (2 * c + v + math.sqrt(v * (4 * c + v)))
            if uniform(rng) * (1 + c * smaller) <= 1:
                xi[i, j] = smaller
            else:  # the product of both is the square of the mean
                xi[i, j] = 1 / max(c * (c * smaller), 1 / HIGHEST_XI)
