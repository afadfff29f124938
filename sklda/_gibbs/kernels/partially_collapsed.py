"""Gibbs sampling of the topics of tokens given phi: documents are independent.

Magnusson, Jonsson, Villani & Broman, "Sparse partially collapsed MCMC for parallel
inference in topic models", JCGS 2018, arXiv 1506.03784. A sweep has two steps:

1. Draw phi_k ~ Dirichlet(n_k1 + beta, ..., n_kV + beta) for each topic, as gammas g_kw
   divided by their sum G_k (`sklda._gibbs.partially_collapsed`).
2. Draw the topic of each token of each document, with theta integrated out and the
   token itself taken out of n_dk:

    p(z = k | rest) ~ (n_dk + alpha_k) phi_kw = t_k g_kw,  t_k = (n_dk + alpha_k) / G_k.

This file has the second step. Rows of `phi` hold the g_kw of a word, and `factor` holds
1 / G_k. Weights are computed once per cell. The draw tries the present topic first, and
a token that stays writes nothing. Each document has its own random stream. Cost: O(K)
per cell.
"""

from typing import NamedTuple

import numpy as np

from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import enter_stream, uniform
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel
from sklda._tables.document import count_document, enter_prior
from sklda._tables.rows import pick, prefetch_row, weigh_row


class DocumentGivenPhi(NamedTuple):
    """Counts and ratios of the current document; priors and factors of topics."""

    doc_topic: np.ndarray  # (n_lanes,) int32, n_dk
    ratio: np.ndarray  # (n_lanes,) float32, (n_dk + alpha_k) * factor
    prior: np.ndarray  # (n_lanes,) float32, alpha
    factor: np.ndarray  # (n_lanes,) float32, 1 / sum of the gammas


@inlined_kernel
def _ratio(k, n, document):
    """Return the ratio of topic k without n tokens of the document."""
    doc_topic, _, prior, factor = document
    return (np.float32(doc_topic[k] - n) + prior[k]) * factor[k]


@inlined_kernel
def _resample(z, i, row, total, document, weight, lane_sum, rng):
    """Resample the topic of a token; return the new sum of the weights."""
    doc_topic, ratio, _, _ = document
    old = np.int64(z[i])
    old_ratio = _ratio(old, 1, document)
    stay = old_ratio * row[old]
    other_sum = total - weight[old]
    r = uniform(rng) * (other_sum + stay)
    if r < stay:
        return total
    weight[old] = 0
    new = pick(weight, lane_sum, r - stay)
    z[i] = new
    doc_topic[old] -= 1
    doc_topic[new] += 1
    ratio[old] = old_ratio
    ratio[new] = _ratio(new, 0, document)
    weight[old] = stay
    total = other_sum + stay - weight[new]
    weight[new] = ratio[new] * row[new]
    return total + weight[new]


@kernel
def sweep_tokens(corpus, z, first, phi, prior, alphas, factor, key):
    """Resample every token once; the documents have the numbers `first` and after.

    `phi` is (n_words, n_lanes), 0 in the padding; `prior` and `factor` are (n_lanes,).
    """
    doc_ptr, word, token_ptr = corpus
    n_lanes = factor.size
    doc_topic, ratio = zeros(n_lanes, np.int32), zeros(n_lanes, np.float32)
    prior = prior.copy()  # because threads share it
    document = DocumentGivenPhi(doc_topic, ratio, prior, factor)
    weight = zeros(n_lanes, np.float32)
    lane_sum = zeros(n_lanes + LANES, np.float32)
    rng = zeros(2, np.uint64)
    for d in range(doc_ptr.size - 1):
        begin, end = doc_ptr[d], doc_ptr[d + 1]
        enter_stream(key, first + d, rng)
        enter_prior(first + d, alphas, prior)
        count_document(token_ptr[begin], token_ptr[end], z, doc_topic)
        for k in range(n_lanes):
            ratio[k] = _ratio(k, 0, document)
        for c in range(begin, end):
            prefetch_row(word, c, phi)
            row = phi[word[c]]
            total = np.float64(weigh_row(ratio, row, weight))
            for i in range(token_ptr[c], token_ptr[c + 1]):
                total = _resample(z, i, row, total, document, weight, lane_sum, rng)
