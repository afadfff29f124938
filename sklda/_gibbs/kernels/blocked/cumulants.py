"""What the tokens of a block weigh together, by cumulants.

A block is n tokens of one word in one document. With a = n_dk + alpha_k, b = n_wk +
beta, s = n_k + V beta, the block itself taken out, m tokens of it on topic k multiply
the weight of the block by

    Q_k(m) = p_0 p_1 ... p_(m - 1),    p_i = (a + i) (b + i) / (s + i)

(Zhang & Sisson, arXiv 1608.00945, equation 7). Let H_n be the sum of these weights over
the topics of all n tokens. Then

    sum_n H_n x^n / n! = prod_k sum_m Q_k(m) x^m / m!,

as if Q_k(m) were moments of independent variables and H_n those of their sum. Cumulants
add up for independent variables: with kappa_c those of a topic, and K_c the sums over
all topics,

    H_n = sum_c binomial(n - 1, c - 1) H_(n - c) K_c,    c = 1, ..., n.

With the kappa_c of one topic in place of K_c, this sum is the weight of the blocks
whose first token falls on that topic. The tokens after it are a block again, for which
p_1, p_2, ... of that topic take the place of p_0, p_1, ...

A factor that all p_i share changes no probability. It keeps numbers in the range of
float32.
"""

import numpy as np

from sklda._core.compile import njit

SMALL = 4  # tokens of the largest block that is drawn by cumulants


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def steps(k, n_wk, ratio, scale, scaled_beta):
    """Return p_0, ..., p_3 of topic k, for a word with n_wk tokens on it.

    Row i of `ratio` holds (a + i) / (s + i); `scale` is the factor of all p_i.
    """
    b0 = np.float32(n_wk) * scale + scaled_beta
    b1 = b0 + scale
    b2 = b1 + scale
    b3 = b2 + scale
    return ratio[0, k] * b0, ratio[1, k] * b1, ratio[2, k] * b2, ratio[3, k] * b3


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def cumulants(p):
    """Return kappa_1, ..., kappa_4 of a topic."""
    p0, p1, p2, p3 = p
    twice, square = p0 + p0, p0 * p0
    c2 = p0 * (p1 - p0)
    c3 = p0 * (p1 * (p2 - p0 - twice) + square + square)
    c4 = p1 * (p2 * (p3 - twice - twice) - (p0 + twice) * p1)
    six = (square + square) + (square + square) + (square + square)
    return p0, c2, c3, p0 * (c4 + six * (p1 + p1 - p0))


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def normaliser(n, sums):
    """Return H_n, and the factors of kappa_1, ..., kappa_4 in it."""
    k1, k2, k3, k4 = sums
    if n == 1:
        return k1, (1.0, 0.0, 0.0, 0.0)
    h2 = k1 * k1 + k2
    if n == 2:
        return h2, (k1, 1.0, 0.0, 0.0)
    h3 = k1 * h2 + 2 * k2 * k1 + k3
    if n == 3:
        return h3, (h2, 2 * k1, 1.0, 0.0)
    return k1 * h3 + 3 * k2 * h2 + 3 * k3 * k1 + k4, (h3, 3 * h2, 3 * k1, 1.0)


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def combined(factors, terms):
    """Return the sum of the products."""
    f1, f2, f3, f4 = factors
    c1, c2, c3, c4 = terms
    return f1 * c1 + f2 * c2 + f3 * c3 + f4 * c4


@njit(cache=True, nogil=True, fastmath=True, _nrt=False)
def set_ratios(depth, doc_topic, topic, alpha, beta_sum, ratio):
    """Set the first rows of `ratio` for all topics; return the sum of row 0."""
    total = 0.0
    for i in range(depth):
        row_sum = 0.0
        for k in range(alpha.size):
            a, s = np.float32(doc_topic[k] + i), np.float32(topic[k] + i)
            value = (a + alpha[k]) / (s + beta_sum)
            ratio[i, k] = value
            row_sum += value
        total = row_sum if i == 0 else total
    return total
