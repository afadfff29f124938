"""Logarithms of arrays, the same bits on every processor.

Those of NumPy and SciPy differ in the last bit between processors and systems.
"""

import numpy as np

from sklda._simd.compile import kernel
from sklda._simd.log_gamma import log_gamma
from sklda._simd.vector_math import log_double


def logs(x) -> np.ndarray:
    """Return log(x) of positive normal numbers, to 5e-16 of its value."""
    values = np.array(x, np.float64, order="C")
    _take_logs(values.reshape(-1))
    return values


def log_gammas(x) -> np.ndarray:
    """Return log(Gamma(x)) of normal numbers above 0 and up to 1e305, to 1.5 ulp."""
    values = np.array(x, np.float64, order="C")
    _take_log_gammas(values.reshape(-1))
    return values


@kernel
def _take_logs(values):
    for i in range(values.size):
        values[i] = log_double(values[i])


@kernel
def _take_log_gammas(values):
    for i in range(values.size):
        values[i] = log_gamma(values[i])
