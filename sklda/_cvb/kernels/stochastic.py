"""Stochastic CVB0: the expected counts of a minibatch under fixed topics.

Foulds, Boyles, DuBois, Smyth & Welling, "Stochastic collapsed variational Bayesian
inference for latent Dirichlet allocation", KDD 2013. A cell of word w has

    (4)  gamma_k ~ (alpha_k + N_k) phi_kw,

where N is the sum of c gamma over the cells of the document, without one token of this
cell: CVB0 with the topics fixed. The paper leaves that token in, which saves the
responsibilities of the present document. But in a document of ten tokens, a token that
counts itself stays with any topic, and the topics become worse with every minibatch.

The first pass through a document enters its cells one after the other, and further
passes update them. The last gamma add up to S = sum c gamma. Equations 1 to 3 are those
of `sklda._cvb.stochastic`.
"""

import numpy as np

from sklda._cvb.kernels.moments import update_mean
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel
from sklda._tables.document import clear
from sklda._tables.rows import sum_all

_ZERO, _ONE = np.float32(0), np.float32(1)


@inlined_kernel
def _weigh(removed, responsibilities, doc, row, alpha, weight):
    """Weigh every topic for a cell less a `removed` weight; return the sum."""
    for k in range(weight.size):
        n_dk = max(doc[k] - removed * responsibilities[k], _ZERO)  # rounding
        weight[k] = (alpha[k] + n_dk) * row[k]  # (4)
    return np.float32(sum_all(weight, weight.size))


@kernel
def add_expected_counts(corpus, word_topic, alpha, n_passes, expected):
    """Add the expected word-topic counts of these documents to `expected`.

    `word_topic` is phi, where each word may have its own scale, with a largest value of
    about 1; both are (n_words, n_lanes).
    """
    doc_ptr, word, count = corpus
    n_cells = np.diff(doc_ptr).max()
    responsibilities = zeros((n_cells, alpha.size), np.float32)
    doc, weight = zeros(alpha.size, np.float32), zeros(alpha.size, np.float32)
    for d in range(doc_ptr.size - 1):
        first, last = doc_ptr[d], doc_ptr[d + 1]
        clear(doc)
        for c in range(last - first):
            clear(responsibilities[c])
        for _ in range(n_passes):
            for c in range(first, last):
                cell, w = responsibilities[c - first], word[c]
                removed = min(count[c], _ONE)
                total = _weigh(removed, cell, doc, word_topic[w], alpha, weight)
                update_mean(count[c], _ONE / total, weight, cell, doc, expected[w])
