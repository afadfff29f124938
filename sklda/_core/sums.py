"""Sums in a fixed order: identical bits with every version of NumPy."""

import numpy as np

_PIECE = 8192  # up to so many numbers, all versions of NumPy agree


def pairwise_sum(values: np.ndarray) -> float:
    """Return the sum of an array, (n,): that of one half plus that of the other.

    NumPy does so from 2.3 on; before, it adds the sums of pieces of `_PIECE` numbers.
    """
    if values.size <= _PIECE:
        return values.sum()
    half = values.size // 16 * 8
    return pairwise_sum(values[:half]) + pairwise_sum(values[half:])
