"""The posterior mean of theta of a document of few tokens, exactly.

Under fixed phi, the sum over all topics of the tokens of a set S is, up to a factor,

    Z(S) = E prod_{i in S} sum_k g_k phi_ki,    g_k ~ Gamma(alpha_k, 1).          (1)

Sum over the tokens that share a topic with the last token of S. With this token itself,
they are a set T, and the other tokens are as if T did not exist:

    Z(S) = sum_T (|T| - 1)! v(T) Z(S - T),    v(T) = sum_k v_k(T),                (2)
    v_k(T) = alpha_k prod_{i in T} phi_ki,    Z({}) = 1.

The derivative of log Z(all) by the logarithm of row k of phi is the expected number of
tokens of topic k:

    N_k = sum_T |T|! v_k(T) Z(all - T) / Z(all).                                  (3)

All terms are positive, so nothing cancels. The cost for n tokens is O(2^n K + 3^n),
where sums over topics would cost O(K^n). Bit i of the number of a set is token i.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.problem import LANES
from sklda._simd.compile import lean_kernel
from sklda._simd.vectors import broadcast, load, store, to_double, total

MOST_TOKENS = 8
N_SETS = 2**MOST_TOKENS
_FACTORIAL = np.cumprod([1.0, *range(1, MOST_TOKENS + 1)])
_SIZE = np.array([s.bit_count() for s in range(N_SETS)])


class SetScratch(NamedTuple):
    """Room for numbers of all sets of tokens."""

    by_topic: np.ndarray  # (N_SETS * LANES,) float64, v_k of a few topics
    term: np.ndarray  # (N_SETS,) float64, (|T| - 1)! v(T)
    total: np.ndarray  # (N_SETS,) float64, Z


@lean_kernel
def dot(a, b):
    """Return the sum of the products of two arrays of whole registers."""
    sums = broadcast(np.float32(0), LANES)
    for k in range(0, a.size, LANES):
        sums = sums + load(a, k, LANES) * load(b, k, LANES)
    return total(sums)


@lean_kernel
def list_tokens(word, count, word_topic, alpha, token):
    """List the tokens of words that topics have; return their number.

    It is -1 if there are more than MOST_TOKENS tokens, or counts that are not whole.
    """
    n = np.float32(0)
    for c in range(word.size):
        n += count[c]
        if n > MOST_TOKENS or count[c] != np.floor(count[c]):
            return -1
    n_listed = 0
    for c in range(word.size):
        if dot(alpha, word_topic[word[c]]) > 0:
            for _ in range(np.int64(count[c])):
                token[n_listed] = word[c]
                n_listed += 1
    return n_listed


@lean_kernel
def _weigh_sets(token, word_topic, alpha, k, by_topic):
    """Write v_k of all sets, for the topics from k on."""
    store(by_topic, 0, to_double(load(alpha, k, LANES)))
    for i in range(token.size):
        phi = to_double(load(word_topic[token[i]], k, LANES))
        with_i = LANES << i
        for s in range(0, with_i, LANES):
            store(by_topic, with_i + s, load(by_topic, s, LANES) * phi)


@lean_kernel
def _sum_over_sets(n_tokens, term, sums):
    """Write Z of all sets of tokens, equation (2)."""
    sums[0] = 1
    for i in range(n_tokens):
        last = 1 << i
        for others in range(last):
            sum_, t = term[last] * sums[others], others
            while t > 0:  # all sets within `others`, except the empty one
                sum_ += term[last | t] * sums[others ^ t]
                t = (t - 1) & others
            sums[last | others] = sum_


@lean_kernel
def add_expected(token, word_topic, alpha, scratch, mass):
    """Write alpha_k + N_k into `mass`, (n_lanes,) float64."""
    n_sets = 1 << token.size
    by_topic, term, sums = scratch.by_topic, scratch.term, scratch.total
    for t in range(n_sets):
        term[t] = 0
    for k in range(0, alpha.size, LANES):
        _weigh_sets(token, word_topic, alpha, k, by_topic)
        for t in range(1, n_sets):
            sum_ = total(load(by_topic, t * LANES, LANES))
            term[t] += _FACTORIAL[_SIZE[t] - 1] * sum_
    _sum_over_sets(token.size, term, sums)
    for t in range(1, n_sets):
        term[t] = _FACTORIAL[_SIZE[t]] * sums[n_sets - 1 - t] / sums[n_sets - 1]
    for k in range(0, alpha.size, LANES):
        _weigh_sets(token, word_topic, alpha, k, by_topic)
        masses = load(by_topic, 0, LANES)
        for t in range(1, n_sets):
            terms = broadcast(term[t], LANES) * load(by_topic, t * LANES, LANES)
            masses = masses + terms
        store(mass, k, masses)
