"""Stochastic CVB0: the expected counts of a minibatch, without responsibilities.

Foulds, Boyles, DuBois, Smyth & Welling, "Stochastic collapsed variational Bayesian
inference for latent Dirichlet allocation", KDD 2013. The topics stand still while a
document of C tokens is passed through some times; each cell moves the expected
document-topic counts N_k towards what it says of the document,

    gamma_k ~ (alpha_k + N_k) phi_kw,    N <- (1 - r)^c N + (1 - (1 - r)^c) C gamma,

with the step r = (10 + t)^-0.9 at the t-th cell. The last pass sums c gamma, the counts
that the topics will move to.
"""

import numpy as np
from numba import njit

_PASSES = 5
_OFFSET, _DECAY = 10, 0.9


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _weigh(doc, row, alpha, weight):
    total = np.float32(0)
    for k in range(weight.size):
        value = (alpha[k] + doc[k]) * row[k]
        weight[k] = value
        total += value
    return total


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _mix(keep, factor, weight, doc):
    for k in range(weight.size):
        doc[k] = keep * doc[k] + factor * weight[k]


@njit(cache=True, nogil=True)
def expect(doc_ptr, word, count, word_topic, alpha, total):
    """Add the expected counts of these documents to `total`; `word_topic` is phi.

    Both are (n_words, n_lanes) float32, phi positive in the lanes of topics.
    """
    doc = np.zeros(alpha.size, np.float32)
    weight = np.zeros(alpha.size, np.float32)
    for d in range(doc_ptr.size - 1):
        first, last = doc_ptr[d], doc_ptr[d + 1]
        length = count[first:last].sum()
        doc[:] = length * alpha / alpha.sum()
        for i in range(_PASSES):
            for c in range(first, last):
                row = word_topic[word[c]]
                factor = np.float32(1) / _weigh(doc, row, alpha, weight)
                t = i * (last - first) + c - first + 1
                keep = (1 - (_OFFSET + t) ** -_DECAY) ** np.float64(count[c])
                if i == _PASSES - 1:
                    _mix(np.float32(1), count[c] * factor, weight, total[word[c]])
                _mix(np.float32(keep), (1 - keep) * length * factor, weight, doc)
