"""Joint draws of blocks of up to four tokens, by cumulants.

Most blocks stay as they are: that is tried first, and writes nothing. Otherwise the
tokens are drawn one after the other, each given those before it and summed over those
after it. Each token tries its present topic before all others.
"""

import numpy as np

from sklda._core.compile import njit
from sklda._core.random_streams import uniform
from sklda._gibbs.kernels.blocked.cumulants import (
    combined,
    cumulants,
    normaliser,
    steps,
)
from sklda._gibbs.kernels.blocked.tables import change, draw_from, sums_of, tokens_on

# Where less of the weight than this is left without the block, rounding has spoilt it.
LEAST_LEFT = 1e-3


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def step(k, n_wk, i, given):
    """Return p of topic k after i tokens more than it has; or fewer, for i < 0."""
    numbers = given.numbers
    a = np.float64(given.doc_topic[k] + i) + given.alpha[k]
    b = np.float64(n_wk + i) + numbers[0]
    s = np.float64(given.topic[k] + i) + numbers[1]
    return a * b / s * numbers[2]


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def present_steps(k, n_wk, given):
    """Return p_0, ..., p_3 of topic k with all tokens counted."""
    scale, beta = given.numbers[2], given.numbers[3]
    p0, p1, p2, p3 = steps(k, n_wk, given.ratio, scale, beta)
    return np.float64(p0), np.float64(p1), np.float64(p2), np.float64(p3)


# --- two tokens ------------------------------------------------------------------


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def resample_pair(block, sums, words, given, rng):
    """Resample two tokens; return whether any has moved.

    In the sums all tokens are counted.
    """
    k, other = np.int64(block[0]), np.int64(block[1])
    same = k == other
    n_wk = tokens_on(k, words)
    q0, q1, _, _ = present_steps(k, n_wk, given)
    if same:
        p0, p1 = step(k, n_wk, -2, given), step(k, n_wk, -1, given)
        o0, o1, u1 = 0.0, 0.0, 0.0
    else:
        p0, p1 = step(k, n_wk, -1, given), q0
        n_wk = tokens_on(other, words)
        o1, u1, _, _ = present_steps(other, n_wk, given)
        o0 = step(other, n_wk, -1, given)
    k1 = sums[0] + (p0 - q0) + (o0 - o1)
    k2 = sums[1] + p0 * (p1 - p0) - q0 * (q1 - q0) + o0 * (o1 - o0) - o1 * (u1 - o1)
    if k1 < LEAST_LEFT * sums[0]:
        redraw(block, 0.0, words, given, rng)
        return True
    stay = p0 * (p1 if same else o0)
    r = uniform(rng) * (k1 * k1 + k2) - stay
    if r < 0:
        return False
    # The same number decides, uniform in what is left, where the first token goes.
    steps_of_both = (p0, p1, o0, o1)
    new, new_other = _draw_pair(r, k, other, k1, stay, steps_of_both, words, given, rng)
    block[0], block[1] = new, new_other
    for before, after in ((k, new), (other, new_other)):
        if before != after:
            change(before, -1, words, given)
            change(after, 1, words, given)
    return True


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _draw_pair(r, k, other, k1, stay, steps_of_both, words, given, rng):
    """Draw the topics of two tokens that had k and `other`, and not both again."""
    p0, p1, o0, o1 = steps_of_both
    one, others = (1.0, 0.0, 0.0, 0.0), k1 - p0 - o0
    r -= p0 * (k1 + p1 - p0) - stay
    if r < 0:  # the first token stays, so the second moves
        on_k = 0.0 if k == other else p1
        r = uniform(rng) * (on_k + others) - on_k
        if r < 0:
            return k, k
        return k, draw_from(r, 1, one, (k, other, other), words, given)
    if k == other:
        on_k, on_other, r_of_other = 0.0, p0, 0.0
    else:
        on_k, on_other, r_of_other = p0, o0, o0 * (k1 + o1 - o0)
    if r < r_of_other:
        new, on_other, on_new = other, o1, 0.0
    else:
        factors = (k1, 1.0, 0.0, 0.0)
        new = draw_from(r - r_of_other, 2, factors, (k, other, other), words, given)
        n0, on_new, _, _ = present_steps(new, tokens_on(new, words), given)
        others -= n0
    r = uniform(rng) * (on_other + on_k + on_new + others) - on_other
    if r < 0:
        return new, other
    r -= on_k
    if r < 0:
        return new, k
    r -= on_new
    if r < 0:
        return new, new
    return new, draw_from(r, 1, one, (k, other, new), words, given)


# --- up to four tokens -----------------------------------------------------------


@njit(cache=True, nogil=True, _nrt=False)
def resample(block, sums, words, given, rng):
    """Resample up to four tokens; return whether any has moved.

    In the sums all tokens are counted.
    """
    k1, k2, k3, k4 = sums
    stay = 1.0
    for i in range(block.size):
        m = _multiplicity(block, i)
        if m == 0:
            continue
        k = np.int64(block[i])
        n_wk = tokens_on(k, words)
        c1, c2, c3, c4 = cumulants(present_steps(k, n_wk, given))
        p0, p1 = step(k, n_wk, -m, given), step(k, n_wk, 1 - m, given)
        p2, p3 = step(k, n_wk, 2 - m, given), step(k, n_wk, 3 - m, given)
        w1, w2, w3, w4 = cumulants((p0, p1, p2, p3))
        k1, k2, k3, k4 = k1 + w1 - c1, k2 + w2 - c2, k3 + w3 - c3, k4 + w4 - c4
        stay *= p0
        stay *= p1 if m > 1 else 1.0
        stay *= p2 if m > 2 else 1.0
        stay *= p3 if m > 3 else 1.0
    if k1 < LEAST_LEFT * sums[0]:
        stay = 0.0
    elif uniform(rng) * normaliser(block.size, (k1, k2, k3, k4))[0] < stay:
        return False
    redraw(block, stay, words, given, rng)
    return True


@njit(cache=True, nogil=True, _nrt=False)
def _multiplicity(block, i):
    """Return how many tokens have the topic of token i; 0 but for the first of them."""
    n = 1
    for other in range(block.size):
        if block[other] == block[i]:
            if other < i:
                return 0
            n += other > i
    return n


@njit(cache=True, nogil=True, _nrt=False)
def redraw(block, stay, words, given, rng):
    """Draw the topics of all tokens, with less weight by `stay` for those before."""
    for i in range(block.size):
        change(np.int64(block[i]), -1, words, given)
    for i in range(block.size):
        n, k = block.size - i, np.int64(block[i])
        everything, factors = normaliser(n, sums_of(n, words, given))
        p = present_steps(k, tokens_on(k, words), given)
        r = uniform(rng) * (everything - stay)
        r -= combined(factors, cumulants(p)) - stay
        if r < 0:
            stay /= p[0]
        else:
            stay = 0.0
            k = draw_from(r, n, factors, (k, k, k), words, given)
        block[i] = k
        change(k, 1, words, given)
