"""Draws of the weights of one topic by elliptical slice sampling.

D. Mimno & A. McCallum, "Topic models conditioned on arbitrary features with
Dirichlet-multinomial regression", UAI 2008: alpha_dk = exp(x_d . lambda_k) with normal
weights lambda_k. With n_dk the tokens of document d on topic k, N_d their sum, A_d =
sum_k alpha_dk, and theta integrated out, lambda_k has the likelihood

    prod_d  Gamma(A_d) / Gamma(A_d + N_d)  Gamma(alpha_dk + n_dk) / Gamma(alpha_dk).

It is a sum of log gammas of `Terms`: those of A once for all topics, and those of
alpha_k for the documents that have topic k. Documents of the same covariates, a row,
share alpha. I. Murray, R. P. Adams & D. J. C. MacKay, "Elliptical slice sampling",
AISTATS 2010: new weights are on an ellipse through the present ones and a draw from
the prior, so x . lambda_k is, too, for each row.
"""

import math
from typing import NamedTuple

import numpy as np

from sklda._core.problem import LANES
from sklda._core.random_streams import uniform
from sklda._gibbs.kernels.gammas import normal
from sklda._simd.compile import njit
from sklda._simd.places import not_negative
from sklda._simd.vector_math import cos_sin, exp_double, log_double, log_gamma
from sklda._simd.vectors import broadcast, load, total

# Bounds of log(alpha): weights beyond have no prior density. Kernels hold alpha in
# float32, and from 1e6 on all documents have the same proportions.
LOWEST, HIGHEST = math.log(1e-10), math.log(1e6)


class Rows(NamedTuple):
    """The rows of covariates, and alpha of each; prior of the weights."""

    x: np.ndarray  # (n_rows, n_weights), 1 for the intercept, which is the first
    centre: np.ndarray  # (n_weights,), mean of the prior, 0 but for the intercept
    scale: np.ndarray  # (n_weights,), its standard deviations
    log_alpha: np.ndarray  # (n_topics, n_rows)
    alpha: np.ndarray  # (n_topics, n_rows)
    total: np.ndarray  # (n_rows,), A


class Terms(NamedTuple):
    """The sum of factor * log(Gamma(a[row] + n)); its end is filled up with factor 0."""

    row: np.ndarray  # (n_terms,) int32
    n: np.ndarray  # (n_terms,) float64
    factor: np.ndarray  # (n_terms,) float64


class Room(NamedTuple):
    """Room for a draw."""

    step: np.ndarray  # (n_weights,)
    direction: np.ndarray  # (n_rows,)
    alpha: np.ndarray  # (n_rows,)
    total: np.ndarray  # (n_rows,)
    value: np.ndarray  # (n_terms or more,)


@njit(cache=True, nogil=True)
def set_alpha(weights, rows):
    """Set alpha of all topics and rows to that of the weights, (n_topics, n_weights)."""
    rows.total[:] = 0
    for k in range(weights.shape[0]):
        _set_topic(k, weights, rows)
        for r in range(rows.total.size):
            rows.total[r] += rows.alpha[k, r]


@njit(cache=True, nogil=True, _nrt=False)
def _set_topic(k, weights, rows):
    for r in range(rows.total.size):
        rows.log_alpha[k, r] = _product(rows.x, r, weights, k)
    for r in range(rows.total.size):
        rows.alpha[k, r] = exp_double(rows.log_alpha[k, r])


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _product(x, r, weights, k):
    result = 0.0
    for j in range(x.shape[1]):
        result += x[r, j] * weights[k, j]
    return result


@njit(cache=True, nogil=True)
def draw_weights(k, weights, rows, of_documents, of_topic, room, rng):
    """Draw the weights of topic k, in place; return the evaluations of the likelihood.

    The terms `of_documents` are of A, those `of_topic` of alpha_k.
    """
    step, direction, alpha, sums, _ = room
    for j in range(step.size):
        step[j] = rows.scale[j] * normal(rng)
    for r in range(direction.size):
        direction[r] = 0.0
        for j in range(step.size):
            direction[r] += rows.x[r, j] * step[j]
    level = _evaluate(k, 1.0, 0.0, rows, of_documents, of_topic, room)
    level += log_double(1 - uniform(rng))
    angle = 2 * math.pi * uniform(rng)
    low, high, n_evaluations = angle - 2 * math.pi, angle, 1
    while True:
        cos, sin = cos_sin(angle)
        n_evaluations += 1
        if _evaluate(k, cos, sin, rows, of_documents, of_topic, room) >= level:
            break
        if angle < 0:
            low = angle
        else:
            high = angle
        angle = low + uniform(rng) * (high - low)
    for j in range(step.size):
        distance = weights[k, j] - rows.centre[j]
        weights[k, j] = rows.centre[j] + cos * distance + sin * step[j]
    _set_topic(k, weights, rows)
    for r in range(sums.size):
        rows.total[r] = sums[r] - alpha[r] + rows.alpha[k, r]
    return n_evaluations


@njit(cache=True, nogil=True, _nrt=False)
def _evaluate(k, cos, sin, rows, of_documents, of_topic, room):
    """Return the log likelihood at a point of the ellipse; set alpha and A there."""
    _, direction, alpha, sums, value = room
    centre, outside = rows.centre[0], 0
    for r in range(alpha.size):
        x = centre + cos * (rows.log_alpha[k, r] - centre) + sin * direction[r]
        outside += (x < LOWEST) | (x > HIGHEST)
        alpha[r] = x
    if outside > 0:
        return -np.inf
    for r in range(alpha.size):
        alpha[r] = exp_double(alpha[r])
        # Rounding of the difference may leave less than 0.
        sums[r] = max(rows.total[r] - rows.alpha[k, r], 0.0) + alpha[r]
    of_sums = sum_terms(sums, of_documents, value)
    return of_sums + sum_terms(alpha, of_topic, value)


@njit(cache=True, nogil=True, _nrt=False, error_model="numpy")
def sum_terms(a, terms, value):
    """Return the sum of the terms at `a`, in a fixed order."""
    row, n, factor = terms
    for i in range(row.size):
        value[i] = a[not_negative(row[i])] + n[i]
    for i in range(row.size):
        value[i] = factor[i] * log_gamma(value[i])
    sums = broadcast(np.float64(0), LANES)
    for i in range(0, row.size, LANES):
        sums = sums + load(value, i, LANES)
    return total(sums)
