"""Normal and gamma variates, identical on any thread or machine.

First come single variates, then rows of gamma variates: each word or document has a
row and a random stream of its own. In `draw_rows`, shapes are count + beta, and most
counts are 0. For a shape b below 1 (Ahrens & Dieter, "Computer methods for sampling
from gamma, beta, Poisson and binomial distributions", 1974),

    with probability e / (b + e):  g = u^(1/b), accepted with probability exp(-g);
    else:                          g = 1 - log(u), with probability g^(b - 1).

Most g are tiny, so nearly all are of the first kind and accepted. One loop that
vectorises draws these. A second one draws the others, and shapes of 1 or more.
"""

import math

import numpy as np

from sklda._sampling.random_streams import (
    enter_stream,
    hashed,
    hashed_uniform,
    hashed_uniforms,
    uniform,
)
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel, lean_kernel
from sklda._simd.vector_math import exp, exp_double, log, log1p_double, log_double


@lean_kernel
def first_above(numbers, r):
    """Return the first place in ascending numbers that exceed r, or the size.

    NumPy's search would take half a second to compile.
    """
    first, last = 0, numbers.size
    while first < last:
        middle = (first + last) // 2
        if numbers[middle] > r:
            last = middle
        else:
            first = middle + 1
    return first


@lean_kernel
def normal(rng):
    """Draw from the standard normal distribution, by a ratio of uniforms.

    J. L. Leva, "A fast normal random number generator" (1992).
    """
    while True:
        u = 1 - uniform(rng)
        v = 1.7156 * (uniform(rng) - 0.5)
        x = u - 0.449871
        y = abs(v) + 0.386595
        q = x * x + y * (0.19600 * y - 0.25472 * x)
        if q < 0.27597 or (q < 0.27846 and v * v <= -4 * u * u * log_double(u)):
            return v / u


@lean_kernel
def large_shape(shape, rng):
    """Draw from the gamma distribution of a shape of 1 or more.

    G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables" (2000).
    """
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = normal(rng)
        v = 1 + c * x
        if v <= 0:
            continue
        v = v * v * v
        u = 1 - uniform(rng)
        squared = x * x
        if u < 1 - 0.0331 * squared * squared or log_double(u) < 0.5 * squared + d * (
            1 - v + log_double(v)
        ):
            return d * v


# Smaller variates, below 1e-30, become 0: a topic that has such a variate of a word is
# never drawn, because those of the topics of its tokens are about 1 or more.
LOG_LOWEST = np.float32(-69)  # above -87, the lowest that `exp` knows
_E = math.e


@lean_kernel
def small_shape(shape, rng):
    """Draw from the gamma distribution of a shape below 1; 0 where it is tiny."""
    while True:
        opposite = uniform(rng)
        x, is_accepted = _decide(shape, 1 - opposite, opposite, uniform(rng), rng)
        if is_accepted:
            return x


@lean_kernel
def _decide(shape, u, opposite, v, rng):
    """Return the proposal of u = 1 - `opposite`, and whether v accepts it."""
    v *= (shape + _E) / _E
    if v >= 1:
        x = 1 - log_double(1 - uniform(rng))
        return x, uniform(rng) <= exp_double((shape - 1) * log_double(x))
    y = (log1p_double(-opposite) if opposite < 0.5 else log_double(u)) / shape
    x = exp_double(y) if y > LOG_LOWEST else 0.0
    return x, v <= exp_double(-x)


@lean_kernel
def _propose(key, shape, row):
    """Fill a row with variates of a shape below 1; -1 where float32 is too coarse."""
    inverse = np.float32(1 / shape)
    bound = np.float32((shape + _E) / _E)
    step = np.float32(2.0**-24)
    low, half = np.float32(2.0**-16), np.float32(0.5)
    for k in range(row.size):
        u, opposite, v = hashed_uniforms(key, k)
        # The logarithm makes up for the rounding of u near 1.
        lost = (np.float32(1) - u) - opposite if opposite < half else np.float32(0)
        y = (log(u) + lost / u) * inverse
        x = exp(y) if y > LOG_LOWEST else np.float32(0)
        is_sure = (v + step) * bound < np.float32(1) - x
        is_sure = is_sure and u > low and opposite > low
        row[k] = x if is_sure else np.float32(-1)


@lean_kernel
def _draw_unsure(key, k, shape, rng):
    """Draw a variate that `_propose` left open: its numbers get more digits."""
    u, opposite, v = hashed_uniforms(key, k)
    more = (0.5 - uniform(rng)) * 2.0**-40
    v += uniform(rng) * 2.0**-24
    x, is_accepted = _decide(shape, u + more, opposite - more, v, rng)
    return x if is_accepted else small_shape(shape, rng)


@kernel
def draw_gammas(key, first, shapes):
    """Replace the shapes in rows `first` and after by variates."""
    rng = zeros(2, np.uint64)
    for i in range(shapes.shape[0]):
        enter_stream(np.uint64(hashed(key, first + i)), 0, rng)
        for k in range(shapes.shape[1]):
            x = shapes[i, k]
            shapes[i, k] = small_shape(x, rng) if x < 1 else large_shape(x, rng)


@kernel
def draw_rows(key, first, counts, extra, beta, rows, total):
    """Fill rows with variates of shape count + beta, and `total` with their sums.

    `rows` and `counts`, (n, n_lanes), are of the words `first` and after. Word extra[k]
    counts one more for topic k. The padding of `rows` does not change.
    """
    n_topics = extra.size
    total[:] = 0
    rng = zeros(2, np.uint64)
    for i in range(counts.shape[0]):
        w = first + i
        row = rows[i, :n_topics]
        word_key = np.uint64(hashed(key, w))
        enter_stream(word_key, n_topics, rng)  # the numbers before it are of `_propose`
        if beta < 1:
            _propose(word_key, beta, row)
        for k in range(n_topics):
            count = counts[i, k] + (1 if extra[k] == w else 0)
            if count > 0 or beta >= 1:
                row[k] = large_shape(count + beta, rng)
            elif row[k] < 0:
                row[k] = _draw_unsure(word_key, k, beta, rng)
            total[k] += row[k]


@kernel
def draw_shares(key, n_words, share):
    """Fill `share`, (n_topics,), with uniform numbers that no word uses."""
    for k in range(share.size):
        share[k] = hashed_uniform(key, n_words + k)
