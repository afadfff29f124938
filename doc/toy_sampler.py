"""Collapsed Gibbs sampling, written as plainly as possible."""

import numpy as np

from sklda._data.corpus import kernel_parts
from sklda._sampling.random_streams import uniform
from sklda._sampling.sampler import info, over
from sklda._simd.arrays import entry
from sklda._simd.compile import kernel
from sklda._tables.document import count_document, enter_prior
from sklda._tables.rows import counts, from_topics, tables

__all__ = ["counts", "from_topics", "info", "over", "sweep", "tables"]


def sweep(problem, state, rng):
    """Resample every token once."""
    priors, alphas = problem.kernel_priors(), problem.kernel_alphas()
    for part in kernel_parts(problem.corpus, problem.n_lanes):
        sweep_tokens(part, state, priors, alphas, rng.kernel)


@kernel
def sweep_tokens(part, state, priors, alphas, rng):
    """Resample every token of a part once."""
    doc_ptr, begin, end, word, token_ptr, first_doc = part
    z, word_topic, topic = state
    alpha, beta, beta_sum = priors
    doc_topic = np.zeros(alpha.size, np.int32)
    summed = np.zeros(alpha.size)
    for d in range(doc_ptr.size - 1):
        enter_prior(first_doc + d, alphas, alpha)
        count_document(token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]], z, doc_topic)
        for c in range(begin[d], end[d]):
            row = word_topic[word[c]]
            for i in range(token_ptr[c], token_ptr[c + 1]):
                _add(-1, z[i], doc_topic, row, topic)
                total = 0.0
                for k in range(alpha.size):
                    in_document = doc_topic[k] + alpha[k]
                    in_topic = (row[k] + beta) / (topic[k] + entry(beta_sum, k))
                    total += in_document * in_topic
                    summed[k] = total
                z[i] = np.searchsorted(summed, uniform(rng) * total, side="right")
                _add(1, z[i], doc_topic, row, topic)


@kernel
def _add(n, k, doc_topic, row, topic):
    """Add n tokens to topic k."""
    doc_topic[k] += n
    row[k] += n
    topic[k] += n
