"""Stochastic CVB0: the expected counts of a minibatch, without responsibilities.

Foulds, Boyles, DuBois, Smyth & Welling, "Stochastic collapsed variational Bayesian
inference for latent Dirichlet allocation", KDD 2013. Several passes through a document
of C tokens leave the topics as they are. A cell of c tokens moves the expected
document-topic counts N_k towards those that it implies for the whole document,

    (4)  gamma_k ~ (alpha_k + N_k) phi_kw,
    (5)  N <- (1 - r)^c N + (1 - (1 - r)^c) C gamma,    r = (10 + t)^-0.9,

at the t-th cell. The last pass adds up S = sum c gamma. Equations 1 to 3 are those of
`sklda._cvb.stochastic`.
"""

import numpy as np

from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel
from sklda._simd.vector_math import exp_double, log1p_double, log_double
from sklda._tables.rows import sum_all

_PASSES = 5
_OFFSET, _DECAY = 10, 0.9


@inlined_kernel
def _weigh(doc, row, alpha, weight):
    """Weigh every topic for one cell; return the sum of the weights."""
    for k in range(weight.size):
        weight[k] = (alpha[k] + doc[k]) * row[k]  # (4)
    return np.float32(sum_all(weight, weight.size))


@inlined_kernel
def _mix(keep, factor, weight, counts):
    """Set counts to `keep * counts + factor * weight`."""
    for k in range(weight.size):
        counts[k] = keep * counts[k] + factor * weight[k]


@kernel
def add_expected_counts(corpus, word_topic, alpha, expected):
    """Add the expected word-topic counts of these documents to `expected`.

    `word_topic` is phi, where each word may have its own scale, with a largest value of
    about 1; both are (n_words, n_lanes).
    """
    doc_ptr, word, count = corpus
    doc = zeros(alpha.size, np.float32)
    weight = zeros(alpha.size, np.float32)
    prior_mass = alpha.sum()
    for d in range(doc_ptr.size - 1):
        first, last = doc_ptr[d], doc_ptr[d + 1]
        length = count[first:last].sum()
        for k in range(doc.size):  # as an array expression it takes 1.8 s to compile
            doc[k] = length * alpha[k] / prior_mass
        for i in range(_PASSES):
            for c in range(first, last):
                row = word_topic[word[c]]
                factor = np.float32(1) / _weigh(doc, row, alpha, weight)
                t = i * (last - first) + c - first + 1
                step = exp_double(-_DECAY * log_double(_OFFSET + t))
                keep = exp_double(count[c] * log1p_double(-step))
                if i == _PASSES - 1:
                    _mix(np.float32(1), count[c] * factor, weight, expected[word[c]])
                _mix(np.float32(keep), (1 - keep) * length * factor, weight, doc)  # (5)
