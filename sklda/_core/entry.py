"""Numbers that all items share, or that each item has; the compiler knows which.

Kernels are compiled for one number, and again for an array if there is one: so arrays
cost nothing where there are none.

Functions here that return an array count no references, so only functions with
``_nrt=False`` may call them. The exception is `beta_sum`: only functions that count
references may call it.
"""

import numpy as np
from numba import types
from numba.extending import overload

from sklda._simd.compile import INLINED

_INLINED = {"nogil": True, **INLINED}


def entry(numbers, i):
    """Return the i-th of some numbers (or rows), or the one that all share."""
    return numbers[i] if np.ndim(numbers) > 0 else numbers


@overload(entry, jit_options=_INLINED)
def _(numbers, i):
    def read_shared(numbers, i):
        return numbers

    def read_item(numbers, i):
        return numbers[i]

    return read_item if isinstance(numbers, types.Array) else read_shared


def differ(numbers):
    """Return whether each item has a number of its own."""
    return np.ndim(numbers) > 0


@overload(differ, jit_options=_INLINED)
def _(numbers):
    known = isinstance(numbers, types.Array)
    return lambda numbers: known


def priors_of(w, priors):
    """Return the priors with beta of word w."""
    return priors._replace(topic_word=entry(priors.topic_word, w))


@overload(priors_of, jit_options=_INLINED)
def _(w, priors):
    cls = priors.instance_class

    def read_shared(w, priors):
        return priors

    def read_item(w, priors):
        return cls(priors.doc_topic, priors.topic_word[w], priors.topic_word_sum)

    return read_item if isinstance(priors.types[1], types.Array) else read_shared


def beta_sum(n_words, priors):
    """Return the sum of beta over the words: one float64, or (n_lanes,) float32."""
    if differ(priors.topic_word_sum):
        return priors.topic_word_sum
    return np.float64(n_words) * priors.topic_word


@overload(beta_sum, jit_options={"nogil": True})  # it returns an array
def _(n_words, priors):
    def read_shared(n_words, priors):
        return np.float64(n_words) * priors.topic_word

    def read_item(n_words, priors):
        return priors.topic_word_sum

    return read_item if isinstance(priors.types[2], types.Array) else read_shared
