"""Minka's fixed point for the parameters of the Dirichlet priors.

T. P. Minka, "Estimating a Dirichlet distribution" (2000), equation 55. With n_dk the
tokens of document d on topic k, n_d their sum and A = sum_k alpha_k,

    alpha_k <- alpha_k sum_d [psi(n_dk + alpha_k) - psi(alpha_k)]
                       / sum_d [psi(n_d + A) - psi(A)],

and the same with words in place of topics for a symmetric beta.
"""

import numpy as np
from scipy.special import psi

LOWEST, HIGHEST = 1e-4, 1e3  # bounds, for corpora that do not determine them
_MAX_STEPS = 50
_TOLERANCE = 1e-4  # relative


def _gain(counts, prior):
    return psi(counts + prior) - psi(prior)


def learn_doc_topic(alpha, topics, counts, lengths, *, symmetric):
    """Return a better alpha, (n_topics,).

    Parameters
    ----------
    alpha : ndarray of shape (n_topics,)
    topics, counts : ndarrays of shape (n_cells,)
        Topic and number of tokens of each document-topic pair that has any.
    lengths : ndarray of shape (n_docs,)
        Tokens per document.
    symmetric : bool
        Whether all topics share one value.

    Returns
    -------
    ndarray of shape (n_topics,)
        Within `LOWEST` and `HIGHEST`; unchanged where there are no tokens.
    """
    if counts.size == 0:
        return alpha
    # Equal pairs are counted, not repeated: there are few distinct ones.
    width = int(counts.max()) + 1
    pairs, n_pairs = np.unique(
        topics.astype(np.int64) * width + counts, return_counts=True
    )
    pairs = (*np.divmod(pairs, width), n_pairs)
    return fit_doc_topic(alpha, pairs, lengths, symmetric=symmetric)


def fit_doc_topic(alpha, pairs, lengths, *, symmetric):
    """Do the same; `pairs` are topics, counts, and how many have both (or expected)."""
    topics, counts, n_pairs = pairs
    lengths, n_docs = np.unique(lengths[lengths > 0], return_counts=True)
    if lengths.size == 0:
        return alpha
    if symmetric:
        alpha = np.full(alpha.size, alpha.mean())
    for _ in range(_MAX_STEPS):
        gain = np.bincount(
            topics, n_pairs * _gain(counts, alpha[topics]), minlength=alpha.size
        )
        if symmetric:
            gain = np.full(alpha.size, gain.mean())
        step = gain / (n_docs * _gain(lengths, alpha.sum())).sum()
        better = np.clip(alpha * step, LOWEST, HIGHEST)
        if np.allclose(better, alpha, rtol=_TOLERANCE, atol=0):
            return better
        alpha = better
    return alpha


def learn_topic_word(beta, histogram, topic_totals, n_words):
    """Return a better symmetric beta.

    Parameters
    ----------
    beta : float
    histogram : ndarray
        How many word-topic pairs have 0, 1, 2, ... tokens.
    topic_totals : ndarray of shape (n_topics,)
        Tokens per topic.
    n_words : int

    Returns
    -------
    float
        Within `LOWEST` and `HIGHEST`; unchanged where there are no tokens.
    """
    counts = np.flatnonzero(histogram)
    counts = counts[counts > 0]
    pairs = (counts, histogram[counts])
    return fit_topic_word(beta, pairs, topic_totals, n_words)


def fit_topic_word(beta, pairs, topic_totals, n_words):
    """Do the same; `pairs` are counts, and how many pairs have each (or expected)."""
    counts, n_pairs = pairs
    if counts.size == 0:
        return beta
    for _ in range(_MAX_STEPS):
        gain = (n_pairs * _gain(counts, beta)).sum()
        most = n_words * _gain(topic_totals, n_words * beta).sum()
        better = float(np.clip(beta * gain / most, LOWEST, HIGHEST))
        if np.isclose(better, beta, rtol=_TOLERANCE, atol=0):
            return better
        beta = better
    return beta
