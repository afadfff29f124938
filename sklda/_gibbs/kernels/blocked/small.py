"""Joint draws of blocks of up to four tokens, by cumulants.

Many blocks stay as they are: that is tried first, and writes nothing. Otherwise the
tokens are drawn one after the other, each given those before it and summed over those
after it. Of two tokens those that move are drawn first; of more tokens, each tries its
present topic before all others.
"""

import numpy as np
from numba.extending import overload

from sklda._core.compile import njit
from sklda._core.entry import entry
from sklda._core.random_streams import uniform
from sklda._gibbs.kernels.blocked.cumulants import (
    CALLED,
    INLINED,
    at,
    combined,
    cumulants,
    first_factors,
    moved,
    normaliser,
)
from sklda._gibbs.kernels.blocked.words import (
    change,
    count_at,
    draw_first,
    draw_last,
    drop_empty,
    place_of,
    topic_at,
    weigh,
)

# Where less of the weight than this is left without the block, rounding has spoilt it.
LEAST_LEFT = 1e-3


@njit(cache=True, **INLINED)
def step(k, n_wk, i, given):
    """Return p of topic k after i tokens more than it has; or fewer, for i < 0."""
    numbers = given.numbers
    a = np.float64(given.doc_topic[k] + i) + given.alpha[k]
    b = (n_wk + i) + numbers[0]
    s = np.float64(given.topic[k] + i) + entry(given.beta_sum, k)
    return a * b / s * numbers[1]


# --- two tokens ------------------------------------------------------------------


@njit(cache=True, **INLINED)
def resample_pair(block, sums, words, given, rng):
    """Resample two tokens; return the sums, in which they are counted."""
    begin, end, r, others = _moves(block, sums, words, given, rng)
    if begin == end:
        return sums
    places, kappa = given.places, given.kappa
    first, second = places[begin], places[end - 1]
    but, but_second = first, second
    for i in range(begin, end):
        sums = change(places[i], -1, sums, words, given)
    if r < 0:
        but = but_second = given.weight.size - 1  # no place: any topic will do
        sums = weigh(words, given)
        others = sums[0]
        r = uniform(rng) * (others * others + sums[1])
    if end - begin == 2:
        # Not both on the topic of the second, which leaves it.
        of_two, kappa[1][but_second] = kappa[1][but_second], 0
        new = draw_first(r, first_factors(others, given.zero), but, words, given)
        kappa[1][but_second] = of_two
        sums = change(new, 1, sums, words, given)
        block[0] = topic_at(new, words)
    r = uniform(rng) * (sums[0] - kappa[0][but_second])
    new = draw_last(r, but_second, words, given)
    sums = change(new, 1, sums, words, given)
    block[end - 1] = topic_at(new, words)
    # The last place takes that of a topic that is dropped.
    drop_empty(max(first, second), words, given)
    drop_empty(min(first, second), words, given)
    return sums


@njit(cache=True, **INLINED)
def _moves(block, sums, words, given, rng):
    """Return which tokens move: from the first number to before the second.

    If both do, r is uniform in the weights of where to, and `others` is the weight of
    the second on all topics but its own; r is negative where the sums do not tell.
    """
    kappa, places = given.kappa, given.places
    k, other = np.int64(block[0]), np.int64(block[1])
    place = place_of(k, words)
    n_wk = np.float64(count_at(place, words))
    q1, q2 = np.float64(kappa[0][place]), np.float64(kappa[1][place])
    places[0], places[1] = place, place
    if k == other:
        p0, p1 = step(k, n_wk, -2, given), step(k, n_wk, -1, given)
        k1 = sums[0] + (p0 - q1)
        k2 = sums[1] + (p0 * (p1 - p0) - q2)
        stay, first_stays, o0 = p0 * p1, p0 * (k1 - p0), p0
        second_stays = first_stays
    else:
        p0 = step(k, n_wk, -1, given)
        place = place_of(other, words)
        places[1] = place
        n_wk = np.float64(count_at(place, words))
        o0 = step(other, n_wk, -1, given)
        o1, o2 = np.float64(kappa[0][place]), np.float64(kappa[1][place])
        k1 = sums[0] + (p0 - q1) + (o0 - o1)
        k2 = sums[1] + (p0 * (q1 - p0) - q2) + (o0 * (o1 - o0) - o2)
        stay = p0 * o0
        first_stays = p0 * (k1 + q1 - p0) - stay
        second_stays = o0 * (k1 + o1 - o0) - stay
    if k1 < LEAST_LEFT * sums[0]:
        return 0, 2, -1.0, 0.0
    r = uniform(rng) * (k1 * k1 + k2) - stay
    if r < 0:
        return 0, 0, 0.0, 0.0
    r -= first_stays
    if r < 0:
        return 1, 2, 0.0, 0.0
    r -= second_stays
    if r < 0:
        return 0, 1, 0.0, 0.0
    return 0, 2, r, k1 - o0


# --- up to four tokens -----------------------------------------------------------


def resample(block, sums, words, given, rng):
    """Resample a block of several tokens, two if there are two sums; return the sums.

    All tokens are counted in them.
    """
    two = len(sums) == 2 or block.size == 2
    return (resample_pair if two else _resample)(block, sums, words, given, rng)


@overload(resample, jit_options=INLINED)
def _(block, sums, words, given, rng):
    def two(block, sums, words, given, rng):
        return resample_pair(block, sums, words, given, rng)

    def four(block, sums, words, given, rng):
        if block.size == 2:
            return resample_pair(block, sums, words, given, rng)
        return _resample(block, sums, words, given, rng)

    return two if len(sums) == 2 else four


@njit(cache=True, **CALLED)
def _resample(block, sums, words, given, rng):
    stay, left = 1.0, sums
    for i in range(block.size):
        m = _multiplicity(block, i)
        if m == 0:
            continue
        k = np.int64(block[i])
        place = place_of(k, words)
        n_wk = np.float64(count_at(place, words))
        p0, p1 = step(k, n_wk, -m, given), step(k, n_wk, 1 - m, given)
        p2, p3 = step(k, n_wk, 2 - m, given), step(k, n_wk, 3 - m, given)
        p = p0, p1, p2, p3
        left = moved(left, at(given.kappa, place), cumulants(p))
        for j in range(m):
            stay *= p[j]
    if left[0] < LEAST_LEFT * sums[0]:
        stay = 0.0
    elif uniform(rng) * normaliser(block.size, left)[0] < stay:
        return sums
    return _redraw(block, stay, sums, words, given, rng)


@njit(cache=True, **CALLED)
def _multiplicity(block, i):
    """Return how many tokens have the topic of token i; 0 but for the first of them."""
    n = 1
    for other in range(block.size):
        if block[other] == block[i]:
            if other < i:
                return 0
            n += other > i
    return n


@njit(cache=True, **CALLED)
def _redraw(block, stay, sums, words, given, rng):
    """Draw the topics of all tokens, with less weight by `stay` for those before.

    Return the sums, in which all tokens are counted before and after.
    """
    before, places = sums[0], given.places
    for i in range(block.size):
        places[i] = place_of(np.int64(block[i]), words)
        sums = change(places[i], -1, sums, words, given)
    if sums[0] < LEAST_LEFT * before:
        sums = weigh(words, given)
    for i in range(block.size):
        everything, factors = normaliser(block.size - i, sums)
        place = places[i]
        own = at(given.kappa, place)
        r = uniform(rng) * (everything - stay)
        r -= combined(factors, own) - stay
        if r < 0:
            stay /= own[0]
        else:
            stay = 0.0
            place = draw_first(r, factors, place, words, given)
            block[i] = topic_at(place, words)
        sums = change(place, 1, sums, words, given)
    # From the last on, as the last place takes that of a topic that is dropped.
    for _ in range(block.size):
        i = places[: block.size].argmax()
        drop_empty(places[i], words, given)
        places[i] = -1
    return sums
