"""The log joint of words and topics of LDA, with theta and phi integrated out.

No fit depends on these values, so that SciPy may round them differently by processor.
"""

import numpy as np
from scipy.special import gammaln

from sklda._core import doc_topic_counts
from sklda._core.corpus import document_chunks, document_lengths
from sklda._core.problem import Corpus, Counts, Problem


def log_doc_likelihood(problem: Problem[Corpus], z: np.ndarray) -> float:
    """Return log p(z | alpha), theta integrated out, with all constants."""
    total, first = 0.0, 0
    for chunk in document_chunks(problem.corpus):
        pairs = doc_topic_counts.doc_topic_cells(chunk, z, problem.n_lanes)
        lengths = document_lengths(chunk)
        if problem.prior_row is None:
            total += doc_likelihood(problem.doc_topic_prior, (*pairs, 1), (lengths, 1))
        else:
            alpha = problem.alpha_of(first, first + lengths.size)
            total += _doc_likelihood_by_rows(alpha, *pairs, lengths)
        first += lengths.size
    return total


def _doc_likelihood_by_rows(alpha, topics, tokens, lengths) -> float:
    """Return the same for a row of alpha for each document."""
    ends, sums = np.cumsum(lengths), alpha.sum(axis=1)
    alphas = alpha[np.searchsorted(ends, np.cumsum(tokens) - tokens, "right"), topics]
    length_terms = gammaln(sums) - gammaln(lengths + sums)
    pair_terms = gammaln(tokens + alphas) - gammaln(alphas)
    return length_terms.sum() + pair_terms.sum()


def doc_likelihood(alpha: np.ndarray, pairs, lengths) -> float:
    """Return the same from the document-topic counts above 0 and the lengths.

    They are arrays in parallel, (topic, count, n_documents) and (length, n_documents).
    """
    topics, tokens, n_pairs = pairs
    length, n_docs = lengths
    length_terms = gammaln(alpha.sum()) - gammaln(length + alpha.sum())
    pair_terms = gammaln(tokens + alpha[topics]) - gammaln(alpha)[topics]
    return (n_docs * length_terms).sum() + (n_pairs * pair_terms).sum()


def log_word_likelihood(problem: Problem[Corpus], counts: Counts) -> float:
    """Return log p(w | z, beta), phi integrated out, with all constants."""
    totals = counts.topic[: problem.n_topics]
    if problem.has_word_prior:
        word_terms = _log_rising_by_words(counts.word_topic, problem.beta)
        return _log_topics(problem.beta_sum, totals) + word_terms
    pairs = doc_topic_counts.word_topic_histogram(counts.word_topic)
    return word_likelihood(problem.topic_word_prior, pairs, totals, problem.n_words)


def word_likelihood(beta: float, pairs, totals: np.ndarray, n_words: int) -> float:
    """Return the same from how often each word-topic count occurs: counts, n_pairs."""
    occurring, n_pairs = pairs
    each = gammaln(occurring + beta) - gammaln(beta)
    return _log_topics(n_words * beta, totals) + (n_pairs * each).sum()


def _log_topics(beta_sum, totals) -> float:
    """Return the sum of log(Gamma(beta_sum) / Gamma(n + beta_sum)) over all topics."""
    constant = totals.size * np.mean(gammaln(beta_sum))
    return constant - gammaln(totals + beta_sum).sum()


def _log_rising_by_words(word_topic, beta, rows=512) -> float:
    """Return the sum of log(Gamma(n + beta) / Gamma(beta)), beta of topic and word."""
    total = 0.0
    for first in range(0, word_topic.shape[0], rows):
        counts = word_topic[first : first + rows]
        cells = np.nonzero(counts)
        betas = beta[cells[1], first + cells[0]]
        total += (gammaln(counts[cells] + betas) - gammaln(betas)).sum()
    return total
