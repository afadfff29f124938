"""Draws of the covariate weights of topics by elliptical slice sampling.

I. Murray, R. P. Adams & D. J. C. MacKay, "Elliptical slice sampling", AISTATS 2010; R.
Nishihara, I. Murray & R. P. Adams, "Parallel MCMC with generalized elliptical slice
sampling", JMLR 15, 2014. Let p be the density of the weights of a topic, and N a normal
density close to it. How close N is decides only how far the weights move. In a draw,

1. find the mode of p and the curvature there, which define N
   (`sklda._dmr.kernels.regression`),
2. draw the distance of the weights from the mode, in their present direction,
3. draw nu from N. The ellipse through the weights and nu around the mode is
   mode + cos(angle) (weights - mode) + sin(angle) (nu - mode),
4. draw a level uniformly below p / N of the weights,
5. draw an angle uniformly, and shrink its range towards the weights, angle 0, until p /
   N of the point on the ellipse is above the level.
"""

import math

import numpy as np

from sklda._core.linear_algebra import copy_to, multiply, solve_upper
from sklda._core.random_streams import enter_stream, uniform
from sklda._core.variates import normal
from sklda._dmr.kernels.regression import (
    HIGHEST,
    LOWEST,
    Regression,
    find_mode,
    log_density,
)
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel, lean_kernel, nested_kernel
from sklda._simd.vector_math import cos_sin, exp_double, log_double

_MOST_LOG = math.log(1e9)


@kernel
def fill_alpha(x, weights, alpha):
    """Fill in alpha, (n_rows, n_topics), of rows of covariates, within its bounds.

    Weights are (n_weights, n_topics).
    """
    for r in range(x.shape[0]):
        for k in range(alpha.shape[1]):
            alpha[r, k] = 0.0
        for j in range(x.shape[1]):
            for k in range(alpha.shape[1]):
                alpha[r, k] += weights[j, k] * x[r, j]
        for k in range(alpha.shape[1]):
            alpha[r, k] = exp_double(min(max(alpha[r, k], LOWEST), HIGHEST))


@kernel
def draw_weights_of_each(first, last, weights, centre, n_tables, shared, key, room):
    """Draw the weights of topics `first` to before `last`, in place.

    `weights` is (n_topics, n_weights). Each topic has its own random stream.
    """
    rng = zeros(2, np.uint64)
    for k in range(first, last):
        enter_stream(key, k, rng)
        regression = Regression(shared, centre[k], n_tables[k])
        draw_weights_of_topic(weights[k], regression, room, rng)


@nested_kernel
def draw_weights_of_topic(weights, regression, room, rng):
    """Draw the weights of a topic, (n_weights,), in place.

    Return how often the density was evaluated.
    """
    mode, _, _, factor, distance, noise, trial, eta, _ = room
    find_mode(regression, room)
    for j in range(weights.size):
        noise[j], distance[j] = normal(rng), weights[j] - mode[j]
    # The squared length of U (lambda - mode) along the ellipse, by three products.
    cross_product = distance_square = noise_square = 0.0
    for j in range(weights.size):
        side = 0.0
        for i in range(j, weights.size):
            side += factor[j, i] * distance[i]
        distance_square += side * side
        cross_product += side * noise[j]
        noise_square += noise[j] * noise[j]
    solve_upper(factor, noise)
    x = regression.shared.x
    multiply(x, mode, eta[0])
    multiply(x, distance, eta[1])
    multiply(x, noise, eta[2])
    scale, n_evaluations = _draw_scale(distance_square, regression, room, rng)
    for j in range(weights.size):
        distance[j] *= scale
    for r in range(regression.n_tables.size):
        eta[1, r] *= scale
    lengths = scale * scale * distance_square, scale * cross_product, noise_square
    n_evaluations += _draw_angle(lengths, regression, room, rng)
    copy_to(trial, weights)
    return n_evaluations


@lean_kernel
def _draw_scale(squared, regression, room, rng):
    """Draw a factor of the distance from the mode; return it, and the evaluations.

    Without this step, weights far from the mode would hardly move, because the density
    of N is too small there. The logarithm of the factor is drawn by slice sampling with
    steps of 1 (R. M. Neal, "Slice sampling", 2003). A length from 1e-9 to 1e9 stays
    within these bounds; another length does not change.
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


@lean_kernel
def _on_ray(x, regression, room):
    """Return the log density of x, the logarithm of the factor of the distance."""
    if x > _MOST_LOG:
        return -np.inf
    return _on_ellipse(exp_double(x), 0.0, regression, room) + x * room.mode.size


@lean_kernel
def _draw_angle(lengths, regression, room, rng):
    """Draw a point of the ellipse into `trial`; return the number of evaluations."""
    distance_square, cross_product, noise_square = lengths
    level = log_double(1 - uniform(rng)) + 0.5 * distance_square
    level += _on_ellipse(1.0, 0.0, regression, room)
    angle = 2 * math.pi * uniform(rng)
    low, high, n_evaluations = angle - 2 * math.pi, angle, 1
    while True:
        cos, sin = cos_sin(angle)
        length = cos * cos * distance_square + sin * sin * noise_square
        length += 2 * cos * sin * cross_product
        n_evaluations += 1
        if _on_ellipse(cos, sin, regression, room) + 0.5 * length >= level:
            return n_evaluations
        if angle < 0:
            low = angle
        else:
            high = angle
        angle = low + uniform(rng) * (high - low)


@lean_kernel
def _on_ellipse(cos, sin, regression, room):
    """Write a point of the ellipse into `trial`; return its log density."""
    mode, _, _, _, distance, noise, trial, eta, value = room
    for j in range(mode.size):
        trial[j] = mode[j] + cos * distance[j] + sin * noise[j]
    outside = 0
    for r in range(regression.n_tables.size):
        x = eta[0, r] + cos * eta[1, r] + sin * eta[2, r]
        outside += (x < LOWEST) | (x > HIGHEST)
        value[0, r] = x
    if outside > 0:
        return -np.inf
    return log_density(trial, regression, value)
