"""Sums of many numbers have the same bits with every version of NumPy."""

import numpy as np
import pytest

from sklda._sampling.linear_algebra import pairwise_sum

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
    assert pairwise_sum(1 / np.arange(1.0, n + 1)) == float.fromhex(SUMS[n])
