"""Draws of the covariate weights of topics, given the topics of all tokens.

With n_dk the tokens of document d on topic k, N_d their sum, A_d = sum_k alpha_dk, and
theta integrated out, the topics of a document have the probability

    Gamma(A_d) / Gamma(A_d + N_d)  prod_k Gamma(alpha_dk + n_dk) / Gamma(alpha_dk).  (1)

Two auxiliary variables simplify its factors:

1. Draw m_dk, the number of tables of a Chinese restaurant process with n_dk guests and
   concentration alpha_dk (`sklda._engine.kernels.hierarchical`). Given m_dk, the factor
   of topic k becomes alpha_dk^m_dk.
2. Draw x_d ~ Beta(A_d, N_d) (M. D. Escobar, M. West, "Bayesian density estimation and
   inference using mixtures", JASA 90, 1995). Given x_d, the first factor becomes
   x_d^A_d (`fill_exposures`).

Given both, (1) is proportional to

    prod_k alpha_dk^m_dk x_d^alpha_dk,                                               (2)

the likelihood of Poisson counts m_dk with the means alpha_dk E_d, where E_d = -log x_d
is the exposure. Documents with the same row r of covariates share alpha, so the sums of
m and E over these documents suffice. With eta_r = x_r . lambda = log(alpha_r), the
weights lambda of a topic have the log density

    sum_r [m_r eta_r - E_r exp(eta_r)]  -  sum_j [(lambda_j - c_j) / s_j]^2 / 2.     (3)

`find_mode` finds its mode, and the curvature there, by Newton's method:

1. Start from the centre c, with an intercept that fits the sums of m and E. The start
   must not depend on the present weights.
2. Set the gradient of (3), and the curvature C = X' diag(E exp(eta)) X + diag(1 / s^2).
3. Solve C step = gradient, with C = U' U.
4. If the step gains little, take it and stop: the curvature hardly changes any more.
5. Otherwise halve the step until (3) does not fall, take it, and repeat from 2.

`draw_weights_of_topic` draws the weights by elliptical slice sampling (I. Murray, R. P.
Adams & D. J. C. MacKay, AISTATS 2010; R. Nishihara, I. Murray & R. P. Adams, "Parallel
MCMC with generalized elliptical slice sampling", JMLR 15, 2014). Let p be the density
(3), and N the normal density of that mode and curvature. How close N is to p decides
only how far the weights move. In a draw,

1. find N,
2. draw the distance of the weights from the mode, in their present direction,
3. draw nu from N. The ellipse through the weights and nu around the mode is
   mode + cos(angle) (weights - mode) + sin(angle) (nu - mode),
4. draw a level uniformly below p / N of the weights,
5. draw an angle uniformly, and shrink its range towards the weights, angle 0, until p /
   N of the point on the ellipse is above the level.
"""

import math
from typing import NamedTuple

import numpy as np

from sklda._sampling.linear_algebra import (
    copy_to,
    factorise,
    multiply,
    set_products,
    solve,
    solve_upper,
    sum_of,
)
from sklda._sampling.random_streams import enter_stream, uniform
from sklda._sampling.variates import large_shape, normal
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel, lean_kernel, nested_kernel
from sklda._simd.vector_math import cos_sin, exp_double, log1p_double, log_double


@kernel
def fill_exposures(tokens_before, row, sums, key, first, exposure):
    """Fill in -log(x_d) of each document, (n_docs,), or 0 if it is empty.

    `sums` holds A of each row. The documents have the numbers `first` and after; each
    has its own random stream.
    """
    rng = zeros(2, np.uint64)
    for d in range(row.size):
        exposure[d] = 0.0
        n = tokens_before[d + 1] - tokens_before[d]
        if n == 0:
            continue
        enter_stream(key, first + d, rng)
        a = sums[row[d]]
        # x = G / (G + H) with gamma variates of shapes A and N; G may be tiny.
        log_g = log_double(large_shape(a + 1, rng)) + log_double(1 - uniform(rng)) / a
        ratio = log_double(large_shape(np.float64(n), rng)) - log_g
        exposure[d] = _log1p_exp(ratio)


@lean_kernel
def _log1p_exp(x):
    """Return log(1 + exp(x))."""
    return max(x, 0.0) + log1p_double(exp_double(-abs(x)))


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
    curvature: np.ndarray  # as `Workspace.factor`, X' diag(E) X


class Regression(NamedTuple):
    """The regression of one topic."""

    shared: SharedTerms
    centre: np.ndarray  # (n_weights,), c; 0 but for the intercept
    n_tables: np.ndarray  # (n_rows,), m: numbers of restaurant tables


class Workspace(NamedTuple):
    """Arrays that a draw overwrites."""

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
    """Return the log density (3) of weights, whose eta are in value[0].

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
def find_mode(regression, workspace):
    """Find the mode, and the factor U of the curvature near it."""
    (x, _, exposure, _), centre, n_tables = regression
    mode, step, _, factor, _, _, trial, _, value = workspace
    copy_to(centre, mode)
    level = log_double((sum_of(n_tables) + 0.5) / (sum_of(exposure) + 1e-3))
    mode[0] = min(max(level, LOWEST), HIGHEST)
    for r in range(n_tables.size):
        value[0, r] = mode[0]
    before = log_density(mode, regression, value)
    for i in range(_MOST_STEPS):
        _set_curvature(i == 0, regression, workspace)
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
def _set_curvature(is_start, regression, workspace):
    """Set `step` to the gradient, and the upper part of `factor` to the curvature.

    value[1] holds the means at the mode. At the start, only the intercept is not 0, so
    the means are proportional to the exposure.
    """
    (x, scale, _, curvature), centre, n_tables = regression
    mode, step, gradient, factor, _, _, _, _, value = workspace
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
def draw_weights_of_each(
    first, last, weights, centre, n_tables, shared, key, workspace
):
    """Draw the weights of topics `first` to before `last`, in place.

    `weights` is (n_topics, n_weights). Each topic has its own random stream.
    """
    rng = zeros(2, np.uint64)
    for k in range(first, last):
        enter_stream(key, k, rng)
        regression = Regression(shared, centre[k], n_tables[k])
        draw_weights_of_topic(weights[k], regression, workspace, rng)


@nested_kernel
def draw_weights_of_topic(weights, regression, workspace, rng):
    """Draw the weights of a topic, (n_weights,), in place.

    Return how often the density was evaluated.
    """
    mode, _, _, factor, distance, noise, trial, eta, _ = workspace
    find_mode(regression, workspace)
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
    scale, n_evaluations = _draw_scale(distance_square, regression, workspace, rng)
    for j in range(weights.size):
        distance[j] *= scale
    for r in range(regression.n_tables.size):
        eta[1, r] *= scale
    lengths = scale * scale * distance_square, scale * cross_product, noise_square
    n_evaluations += _draw_angle(lengths, regression, workspace, rng)
    copy_to(trial, weights)
    return n_evaluations


@lean_kernel
def _draw_scale(squared, regression, workspace, rng):
    """Draw a factor of the distance from the mode; return it, and the evaluations.

    Without this step, weights far from the mode would hardly move, because the density
    of N is too small there. The logarithm of the factor is drawn by slice sampling with
    steps of 1 (R. M. Neal, "Slice sampling", 2003). A length from 1e-9 to 1e9 stays
    within these bounds; another length does not change.
    """
    if not 1e-18 < squared < 1e18:
        return 1.0, 0
    middle, n_evaluations = -0.5 * log_double(squared), 1
    level = _on_ray(0.0, regression, workspace) + log_double(1 - uniform(rng))
    low = -uniform(rng)
    high = low + 1
    while low > middle - _MOST_LOG and _on_ray(low, regression, workspace) >= level:
        low -= 1
        n_evaluations += 1
    while high < middle + _MOST_LOG and _on_ray(high, regression, workspace) >= level:
        high += 1
        n_evaluations += 1
    low, high = max(low, middle - _MOST_LOG), min(high, middle + _MOST_LOG)
    while True:
        x = low + uniform(rng) * (high - low)
        n_evaluations += 1
        if _on_ray(x, regression, workspace) >= level:
            return exp_double(x), n_evaluations + 2
        if x < 0:
            low = x
        else:
            high = x


@lean_kernel
def _on_ray(x, regression, workspace):
    """Return the log density of x, the logarithm of the factor of the distance."""
    if x > _MOST_LOG:
        return -np.inf
    return (
        _on_ellipse(exp_double(x), 0.0, regression, workspace) + x * workspace.mode.size
    )


@lean_kernel
def _draw_angle(lengths, regression, workspace, rng):
    """Draw a point of the ellipse into `trial`; return the number of evaluations."""
    distance_square, cross_product, noise_square = lengths
    level = log_double(1 - uniform(rng)) + 0.5 * distance_square
    level += _on_ellipse(1.0, 0.0, regression, workspace)
    angle = 2 * math.pi * uniform(rng)
    low, high, n_evaluations = angle - 2 * math.pi, angle, 1
    while True:
        cos, sin = cos_sin(angle)
        length = cos * cos * distance_square + sin * sin * noise_square
        length += 2 * cos * sin * cross_product
        n_evaluations += 1
        if _on_ellipse(cos, sin, regression, workspace) + 0.5 * length >= level:
            return n_evaluations
        if angle < 0:
            low = angle
        else:
            high = angle
        angle = low + uniform(rng) * (high - low)


@lean_kernel
def _on_ellipse(cos, sin, regression, workspace):
    """Write a point of the ellipse into `trial`; return its log density."""
    mode, _, _, _, distance, noise, trial, eta, value = workspace
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
