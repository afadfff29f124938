"""Logarithms of arrays, the same bits on every processor.

Those of NumPy differ in the last bit between processors and systems.
"""

import numpy as np

from sklda._simd.compile import kernel
from sklda._simd.vector_math import log_double


def logs(x) -> np.ndarray:
    """Return log(x) of positive normal numbers, to 5e-16 of its value."""
    values = np.array(x, np.float64, order="C")
    _take_logs(values.reshape(-1))
    return values


@kernel
def _take_logs(values):
    for i in range(values.size):
        values[i] = log_double(values[i])
