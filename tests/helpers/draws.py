"""Draws from a posterior, made from counts."""

from dataclasses import replace

import numpy as np
from scipy.stats import t as student_t

from sklda._fitted.posterior_draws import PosteriorDraws


def draws_of(doc_topic, doc_topic_prior, learned_alpha=()):
    """Return draws with these document-topic counts, (n_draws, n_docs, n_topics).

    All tokens are of one word.
    """
    doc_topic = np.asarray(doc_topic)
    totals = doc_topic[0].sum(axis=1)
    return PosteriorDraws(
        sweeps=np.arange(len(doc_topic)),
        doc_topic_prior=np.asarray(doc_topic_prior, dtype=np.float64),
        topic_word_prior=0.1,
        learned_alpha=np.reshape(learned_alpha, (-1, doc_topic.shape[-1])),
        _doc_ends=np.cumsum(totals),
        _word_ends=np.array([totals.sum()]),
        _doc_topic=[_cells(counts) for counts in doc_topic],
        _word_topic=[_cells(counts.sum(axis=0)[np.newaxis]) for counts in doc_topic],
    )


def pooled_by_hand(estimates, within, df, level):
    """Pool by the formulas of Rubin, and of Barnard and Rubin.

    Return mean, standard error, degrees of freedom and both ends of the intervals.
    """
    m = len(estimates)
    between = (1 + 1 / m) * estimates.var(axis=0, ddof=1)
    gamma = between / (within + between)
    observed = (df + 1) / (df + 3) * df * (1 - gamma)
    df = 1 / (gamma**2 / (m - 1) + 1 / observed)
    mean, error = estimates.mean(axis=0), np.sqrt(within + between)
    half = student_t.ppf((1 + level) / 2, df) * error
    return mean, error, df, mean - half, mean + half


def named(draws, names):
    """Return draws whose topics have names."""
    return replace(draws, _topic_names=np.array(names, dtype=object))


def _cells(counts):
    rows, topics = np.nonzero(counts)
    return topics.astype(np.uint16), counts[rows, topics]
