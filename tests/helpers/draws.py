"""Draws from a posterior, made from counts."""

from dataclasses import replace

import numpy as np

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


def named(draws, names):
    """Return draws whose topics have names."""
    return replace(draws, _topic_names=np.array(names, dtype=object))


def _cells(counts):
    rows, topics = np.nonzero(counts)
    return topics.astype(np.uint16), counts[rows, topics]
