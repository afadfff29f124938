"""The Poisson regression of a topic: its log density, and a normal approximation.

The log density of the weights lambda given m_r and E_r of each row r of covariates
(`sklda._dmr.kernels.exposures`) is, with eta_r = x_r . lambda = log(alpha_r),

    sum_r [m_r eta_r - E_r exp(eta_r)]  -  sum_j [(lambda_j - c_j) / s_j]^2 / 2.     (1)

Newton's method finds the mode of (1) and the curvature there:

1. Start from the centre c, with an intercept that fits the sums of m and E. The start
   must not depend on the present weights.
2. Set the gradient of (1), and the curvature C = X' diag(E exp(eta)) X + diag(1 / s^2).
3. Solve C step = gradient, with C = U' U.
4. If the step gains little, take it and stop: the curvature hardly changes any more.
5. Otherwise halve the step until (1) does not fall, take it, and repeat from 2.
"""

import math
from typing import NamedTuple

import numpy as np

from sklda._core.linear_algebra import (
    copy_to,
    factorise,
    multiply,
    set_products,
    solve,
    sum_of,
)
from sklda._simd.compile import kernel, lean_kernel
from sklda._simd.vector_math import exp_double, log_double

# Bounds of log(alpha): weights beyond them have no prior density.
LOWEST, HIGHEST = math.log(1e-11), math.log(1e11)
_MOST_STEPS = 50  # of Newton's method; it may end anywhere
_MOST_HALVINGS = 20
_LEAST = 1e-12  # squared pivot
_CLOSE = 6.0  # twice the gain of a step with which Newton's method stops


class SharedTerms(NamedTuple):
    """Terms that the regressions of all topics share."""

    x: np.ndarray  # (n_weights or more, n_rows), 1 for the intercept, which is the
    # first; filled up with 0 to whole `ROWS` and registers
    scale: np.ndarray  # (n_weights,), s
    exposure: np.ndarray  # (n_rows,), E
    curvature: np.ndarray  # as `Room.factor`, X' diag(E) X


class Regression(NamedTuple):
    """The regression of one topic."""

    shared: SharedTerms
    centre: np.ndarray  # (n_weights,), c; 0 but for the intercept
    n_tables: np.ndarray  # (n_rows,), m: numbers of restaurant tables


class Room(NamedTuple):
    """Room for a draw."""

    mode: np.ndarray  # (n_weights,)
    step: np.ndarray  # (n_weights,), the last of Newton's method
    gradient: np.ndarray  # (n_weights or more,)
    factor: np.ndarray  # (n_weights, n_weights or more), U of the curvature U' U
    distance: np.ndarray  # (n_weights,), of the present weights from the mode
    noise: np.ndarray  # (n_weights,), a draw from the normal density, minus its mode
    trial: np.ndarray  # (n_weights,)
    eta: np.ndarray  # (3, n_rows), of the mode, the distance and the noise
    value: np.ndarray  # (2, n_rows)


@kernel
def set_shared_curvature(shared):
    """Set X' diag(E) X."""
    for j in range(shared.scale.size):
        set_products(shared.x, j, j, shared.exposure, shared.curvature[j])


@lean_kernel
def log_density(weights, regression, value):
    """Return the log density (1) of weights, whose eta are in value[0].

    Afterwards, value[1] holds the means E exp(eta), and value[0] is overwritten.
    """
    shared, centre, n_tables = regression
    scale, exposure = shared.scale, shared.exposure
    for r in range(n_tables.size):
        x = value[0, r]
        mean = exposure[r] * exp_double(x)
        value[0, r], value[1, r] = n_tables[r] * x - mean, mean
    result = sum_of(value[0])
    for j in range(weights.size):
        result -= 0.5 * ((weights[j] - centre[j]) / scale[j]) ** 2
    return result


@lean_kernel
def find_mode(regression, room):
    """Find the mode, and the factor U of the curvature near it."""
    (x, _, exposure, _), centre, n_tables = regression
    mode, step, _, factor, _, _, trial, _, value = room
    copy_to(centre, mode)
    level = log_double((sum_of(n_tables) + 0.5) / (sum_of(exposure) + 1e-3))
    mode[0] = min(max(level, LOWEST), HIGHEST)
    for r in range(n_tables.size):
        value[0, r] = mode[0]
    before = log_density(mode, regression, value)
    for i in range(_MOST_STEPS):
        _set_curvature(i == 0, regression, room)
        factorise(factor, mode.size, _LEAST)
        gain = solve(factor, step)
        if gain < _CLOSE:
            for j in range(mode.size):
                mode[j] += step[j]
            return
        size, after = 2.0, -np.inf
        for _ in range(_MOST_HALVINGS):
            size *= 0.5
            for j in range(mode.size):
                trial[j] = mode[j] + size * step[j]
            multiply(x, trial, value[0])
            if _within(value[0]):
                after = log_density(trial, regression, value)
            if after >= before:
                break
        if after < before:
            return
        copy_to(trial, mode)
        before = after


@lean_kernel
def _within(eta):
    """Return whether all exp(eta) are finite."""
    outside = 0
    for r in range(eta.size):
        outside += abs(eta[r]) > 500
    return outside == 0


@lean_kernel
def _set_curvature(is_start, regression, room):
    """Set `step` to the gradient, and the upper part of `factor` to the curvature.

    value[1] holds the means at the mode. At the start, only the intercept is not 0, so
    the means are proportional to the exposure.
    """
    (x, scale, _, curvature), centre, n_tables = regression
    mode, step, gradient, factor, _, _, _, _, value = room
    for r in range(n_tables.size):
        value[0, r] = n_tables[r] - value[1, r]
    set_products(x, 0, 0, value[0], gradient)
    level = exp_double(mode[0])
    for j in range(mode.size):
        variance = scale[j] * scale[j]
        step[j] = gradient[j] - (mode[j] - centre[j]) / variance
        if is_start:
            for i in range(j, mode.size):
                factor[j, i] = level * curvature[j, i]
        else:
            set_products(x, j, j, value[1], factor[j])
        factor[j, j] += 1 / variance
