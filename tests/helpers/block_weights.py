"""What the tokens of a block weigh on a topic, in exact rational arithmetic."""

from fractions import Fraction

import numpy as np


def weights(a, b, s, n):
    """Return q(0), ..., q(n) of a topic.

    That is q(n) = prod_i (a + i) (b + i) / ((i + 1) (s + i)) over i < n.
    """
    a, b, s = Fraction(float(a)), Fraction(float(b)), Fraction(float(s))
    q = [Fraction(1)]
    for i in range(n):
        q.append(q[-1] * (a + i) * (b + i) / ((i + 1) * (s + i)))
    return q


def convolved(p, q):
    return [sum(p[i] * q[c - i] for i in range(c + 1)) for c in range(len(p))]


def random_topics(seed, n_topics, scale=1.0):
    """Return a, b and s as floats; b is at most s, as n_wk + beta is."""
    rng = np.random.default_rng(seed)
    a = scale * rng.gamma(0.5, 2, n_topics) + 0.01
    b = scale * rng.gamma(0.3, 2, n_topics) + 0.01
    return a, b, b + scale * rng.gamma(1, 20, n_topics)
