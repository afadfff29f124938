"""Sums of weights in an array of float32 that fills whole registers."""

import numpy as np

from sklda._core.problem import LANES
from sklda._simd.compile import inlined_kernel, lean_kernel
from sklda._simd.vectors import broadcast, choose, load, one_hot, to_double, total


@inlined_kernel
def load_others(weight, begin, k):
    """Return a register of weights from `begin` on, in which weight k becomes 0."""
    nothing = broadcast(np.float32(0), LANES)
    return choose(one_hot(k - begin, LANES), nothing, load(weight, begin, LANES))


@lean_kernel
def sum_all(weight, size):
    """Return the sum of the first weights, in double precision."""
    sums = broadcast(np.float64(0), LANES)
    for begin in range(0, size, LANES):
        sums = sums + to_double(load(weight, begin, LANES))
    return total(sums)


@lean_kernel
def sum_others(weight, size, k):
    """Return the sum of all weights but weight k.

    Subtracting a dominant weight from the total would lose all digits.
    """
    sums = broadcast(np.float32(0), LANES)
    for begin in range(0, size, LANES):
        sums = sums + load_others(weight, begin, k)
    return total(sums)
