"""Draws of the weights of one topic, a Poisson regression, by elliptical slices.

The log density of the weights lambda given m_r and E_r of each row r of covariates
(`sklda._dmr.kernels.tables`) is, with eta_r = x_r . lambda = log(alpha_r),

    sum_r [m_r eta_r - E_r exp(eta_r)]  -  sum_j [(lambda_j - c_j) / s_j]^2 / 2.

Newton's method finds its mode, from a start that does not depend on the present
weights, and its curvature there: a normal distribution N that is close to it. New
weights are on an ellipse through the present ones and a draw from N (I. Murray, R. P.
Adams & D. J. C. MacKay, "Elliptical slice sampling", AISTATS 2010; R. Nishihara, I.
Murray & R. P. Adams, "Parallel MCMC with generalized elliptical slice sampling", JMLR
15, 2014). How close N is decides only how far they move.
"""

import math
from typing import NamedTuple

import numpy as np

from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._core.variates import normal
from sklda._simd.compile import njit
from sklda._simd.vector_math import cos_sin, exp_double, log_double
from sklda._simd.vectors import broadcast, load, total

# Bounds of log(alpha): weights beyond them have no prior density.
LOWEST, HIGHEST = math.log(1e-11), math.log(1e11)
_MOST_STEPS = 50  # of Newton's method; it may end anywhere
_MOST_HALVINGS = 20
_MOST_LOG = math.log(1e9)
_CLOSE = 0.5  # twice the log density that the mode may still gain


class Regression(NamedTuple):
    """The rows of covariates and the prior; m and E are of the topic at hand."""

    x: np.ndarray  # (n_weights, n_rows), 1 for the intercept, which is the first;
    # rows are filled up with 0 to whole registers
    centre: np.ndarray  # (n_weights,), c
    scale: np.ndarray  # (n_weights,), s
    tables: np.ndarray  # (n_rows,), m
    exposure: np.ndarray  # (n_rows,), E


class Room(NamedTuple):
    """Room for a draw."""

    mode: np.ndarray  # (n_weights,)
    gradient: np.ndarray  # (n_weights,), then the step to the mode
    factor: np.ndarray  # (n_weights, n_weights), L of the curvature L L'
    distance: np.ndarray  # (n_weights,), of the present weights from the mode
    noise: np.ndarray  # (n_weights,), a draw from N less its mode
    trial: np.ndarray  # (n_weights,)
    eta: np.ndarray  # (3, n_rows), of the mode, the distance and the noise
    value: np.ndarray  # (3, n_rows)


@njit(cache=True, nogil=True)
def fill_logs(values, logs):
    """Fill in the logarithms of some numbers."""
    for i in range(values.size):
        logs[i] = log_double(values[i])


@njit(cache=True, nogil=True)
def fill_alpha(x, weights, alpha):
    """Fill in alpha, (n_rows, n_topics), of rows of covariates, within its bounds."""
    for r in range(x.shape[0]):
        for k in range(weights.shape[0]):
            eta = 0.0
            for j in range(x.shape[1]):
                eta += weights[k, j] * x[r, j]
            alpha[r, k] = exp_double(min(max(eta, LOWEST), HIGHEST))


@njit(cache=True, nogil=True)
def draw_weights_of_topic(weights, regression, room, rng):
    """Draw the weights of a topic, (n_weights,), in place; return the evaluations."""
    mode, _, factor, distance, noise, trial, eta, _ = room
    _find_mode(regression, room)
    for j in range(weights.size):
        noise[j], distance[j] = normal(rng), weights[j] - mode[j]
    # The squared length of L' (lambda - mode) along the ellipse, by three products.
    of_both = of_distance = of_noise = 0.0
    for j in range(weights.size):
        side = 0.0
        for i in range(j, weights.size):
            side += factor[i, j] * distance[i]
        of_distance += side * side
        of_both += side * noise[j]
        of_noise += noise[j] * noise[j]
    _solve_upper(factor, noise)
    _multiply(regression.x, mode, eta[0])
    _multiply(regression.x, distance, eta[1])
    _multiply(regression.x, noise, eta[2])
    scale, n_evaluations = _draw_scale(of_distance, regression, room, rng)
    for j in range(weights.size):
        distance[j] *= scale
    for r in range(regression.tables.size):
        eta[1, r] *= scale
    lengths = scale * scale * of_distance, scale * of_both, of_noise
    n_evaluations += _draw_angle(lengths, regression, room, rng)
    _copy(trial, weights)
    return n_evaluations


@njit(cache=True, nogil=True, _nrt=False)
def _draw_scale(squared, regression, room, rng):
    """Draw by how much the distance to the mode grows; return the evaluations, too.

    Without this, weights that are far away would hardly move, because N has less of
    its density there. Slice sampling of the logarithm, with steps of 1 (R. M. Neal,
    "Slice sampling", 2003). Lengths from 1e-9 to 1e9 move within these bounds.
    """
    if not 1e-18 < squared < 1e18:
        return 1.0, 0
    middle, n_evaluations = -0.5 * log_double(squared), 1
    level = _on_ray(0.0, regression, room) + log_double(1 - uniform(rng))
    low = -uniform(rng)
    high = low + 1
    while low > middle - _MOST_LOG and _on_ray(low, regression, room) >= level:
        low -= 1
        n_evaluations += 1
    while high < middle + _MOST_LOG and _on_ray(high, regression, room) >= level:
        high += 1
        n_evaluations += 1
    low, high = max(low, middle - _MOST_LOG), min(high, middle + _MOST_LOG)
    while True:
        x = low + uniform(rng) * (high - low)
        n_evaluations += 1
        if _on_ray(x, regression, room) >= level:
            return exp_double(x), n_evaluations + 2
        if x < 0:
            low = x
        else:
            high = x


@njit(cache=True, nogil=True, _nrt=False)
def _on_ray(x, regression, room):
    """Return the log density of x = log(scale)."""
    if x > _MOST_LOG:
        return -np.inf
    return _on_ellipse(exp_double(x), 0.0, regression, room) + x * room.mode.size


@njit(cache=True, nogil=True, _nrt=False)
def _draw_angle(lengths, regression, room, rng):
    """Draw a point of the ellipse, which `trial` becomes; return the evaluations."""
    of_distance, of_both, of_noise = lengths
    level = log_double(1 - uniform(rng)) + 0.5 * of_distance
    level += _on_ellipse(1.0, 0.0, regression, room)
    angle = 2 * math.pi * uniform(rng)
    low, high, n_evaluations = angle - 2 * math.pi, angle, 1
    while True:
        cos, sin = cos_sin(angle)
        length = cos * cos * of_distance + sin * sin * of_noise
        length += 2 * cos * sin * of_both
        n_evaluations += 1
        if _on_ellipse(cos, sin, regression, room) + 0.5 * length >= level:
            return n_evaluations
        if angle < 0:
            low = angle
        else:
            high = angle
        angle = low + uniform(rng) * (high - low)


@njit(cache=True, nogil=True, _nrt=False)
def _on_ellipse(cos, sin, regression, room):
    """Return the log density at a point of the ellipse, which `trial` becomes."""
    mode, _, _, distance, noise, trial, eta, value = room
    for j in range(mode.size):
        trial[j] = mode[j] + cos * distance[j] + sin * noise[j]
    outside = 0
    for r in range(regression.tables.size):
        x = eta[0, r] + cos * eta[1, r] + sin * eta[2, r]
        outside += (x < LOWEST) | (x > HIGHEST)
        value[0, r] = x
    if outside > 0:
        return -np.inf
    return _log_density(trial, regression, value)


@njit(cache=True, nogil=True, _nrt=False)
def _log_density(weights, regression, value):
    """Return the log density of weights whose eta is in value[0]; it changes."""
    _, centre, scale, tables, exposure = regression
    for r in range(tables.size):
        x = value[0, r]
        value[0, r] = tables[r] * x - exposure[r] * exp_double(x)
    result = _sum(value[0])
    for j in range(weights.size):
        result -= 0.5 * ((weights[j] - centre[j]) / scale[j]) ** 2
    return result


@njit(cache=True, nogil=True, _nrt=False)
def _find_mode(regression, room):
    """Set the mode, and the Cholesky factor of the curvature where it was found."""
    x, centre, _, tables, exposure = regression
    mode, step, factor, _, _, trial, _, value = room
    _copy(centre, mode)
    level = log_double((_sum(tables) + 0.5) / (_sum(exposure) + 1e-3))
    mode[0] = min(max(level, LOWEST), HIGHEST)
    _multiply(x, mode, value[0])
    before = _log_density(mode, regression, value)
    for _ in range(_MOST_STEPS):
        _set_curvature(mode, regression, room)
        _factorise(factor)
        gain = _solve(factor, step)
        size, after = 2.0, -np.inf
        for _ in range(_MOST_HALVINGS):
            size *= 0.5
            for j in range(mode.size):
                trial[j] = mode[j] + size * step[j]
            _multiply(x, trial, value[0])
            if _within(value[0]):
                after = _log_density(trial, regression, value)
            if after >= before:
                break
        if after < before or gain < _CLOSE:
            break
        _copy(trial, mode)
        before = after


@njit(cache=True, nogil=True, _nrt=False)
def _within(eta):
    """Return whether the exponentials of some numbers are finite."""
    outside = 0
    for r in range(eta.size):
        outside += abs(eta[r]) > 500
    return outside == 0


@njit(cache=True, nogil=True, _nrt=False)
def _set_curvature(mode, regression, room):
    """Set the gradient at the mode, and the lower half of the curvature."""
    x, centre, scale, tables, exposure = regression
    _, gradient, factor, _, _, _, _, value = room
    _multiply(x, mode, value[0])
    for r in range(tables.size):
        mean = exposure[r] * exp_double(value[0, r])
        value[0, r], value[1, r] = mean, tables[r] - mean
    for j in range(mode.size):
        variance = scale[j] * scale[j]
        gradient[j] = _dot(x[j], value[1]) - (mode[j] - centre[j]) / variance
        for r in range(tables.size):
            value[2, r] = value[0, r] * x[j, r]
        for i in range(j, mode.size):
            factor[i, j] = _dot(x[i], value[2])
        factor[j, j] += 1 / variance


# --- linear algebra, in a fixed order ----------------------------------------------


@njit(cache=True, nogil=True, _nrt=False)
def _multiply(x, weights, eta):
    """Set eta to the products of each row with the weights."""
    for r in range(eta.size):
        eta[r] = 0.0
    for j in range(weights.size):
        w = weights[j]
        for r in range(eta.size):
            eta[r] += w * x[j, r]


@njit(cache=True, nogil=True, _nrt=False)
def _copy(a, b):
    for j in range(a.size):
        b[j] = a[j]


@njit(cache=True, nogil=True, _nrt=False)
def _sum(a):
    sums = broadcast(np.float64(0), LANES)
    for r in range(0, a.size, LANES):
        sums = sums + load(a, r, LANES)
    return total(sums)


@njit(cache=True, nogil=True, _nrt=False)
def _dot(a, b):
    sums = broadcast(np.float64(0), LANES)
    for r in range(0, a.size, LANES):
        sums = sums + load(a, r, LANES) * load(b, r, LANES)
    return total(sums)


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy")
def _factorise(a):
    """Replace the lower half of a positive matrix by its Cholesky factor."""
    for j in range(a.shape[0]):
        for i in range(j, a.shape[0]):
            value = a[i, j]
            for h in range(j):
                value -= a[i, h] * a[j, h]
            # Rounding may leave no positive pivot where columns are collinear.
            a[i, j] = math.sqrt(max(value, 1e-12)) if i == j else value / a[j, j]


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy")
def _solve(factor, b):
    """Replace b by the solution of L L' y = b; return b . y."""
    gain = 0.0
    for j in range(b.size):
        for h in range(j):
            b[j] -= factor[j, h] * b[h]
        b[j] /= factor[j, j]
        gain += b[j] * b[j]
    _solve_upper(factor, b)
    return gain


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy")
def _solve_upper(factor, b):
    """Replace b by the solution of L' y = b."""
    for j in range(b.size - 1, -1, -1):
        for h in range(j + 1, b.size):
            b[j] -= factor[h, j] * b[h]
        b[j] /= factor[j, j]
