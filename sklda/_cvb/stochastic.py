"""Stochastic CVB0: topics learned from one minibatch of documents after the other.

Foulds, Boyles, DuBois, Smyth & Welling, "Stochastic collapsed variational Bayesian
inference for latent Dirichlet allocation", KDD 2013.
"""

import numpy as np

from sklda._base.fold_in import prepare
from sklda._core.problem import Problem, WeightedCorpus
from sklda._core.random_streams import RandomStreams
from sklda._cvb.kernels.stochastic import add_expected_counts


def random_counts(
    problem: Problem[WeightedCorpus], scale: float, rng: RandomStreams
) -> np.ndarray:
    """Return counts to start from, (n_topics, n_words); equal topics would stay equal.

    They add up to `scale` times the tokens of the minibatch, or to `scale` without any.
    """
    shape = (problem.n_topics, problem.n_words)
    counts = rng.generator.standard_exponential(shape)
    n_tokens = problem.corpus.count.sum(dtype=np.float64) or 1.0
    counts *= scale * n_tokens / counts.sum()
    return counts


def update_counts(
    problem: Problem[WeightedCorpus], counts: np.ndarray, scale: float, step: float
) -> None:
    """Move the word-topic counts towards those of a minibatch, in place.

    N <- (1 - r) N + r S, where S are the expected counts of the minibatch times
    `scale`, the number of all documents divided by that in the minibatch. A minibatch
    without tokens moves nothing.
    """
    corpus, n_topics = problem.corpus, problem.n_topics
    if not corpus.count.any():
        return
    components = counts + problem.beta
    seen, topics = prepare(corpus, components, problem.doc_topic_prior)
    expected = np.zeros_like(topics.word_topic)  # of the words that occur
    add_expected_counts(seen, topics.word_topic, topics.doc_topic_prior, expected)
    counts *= 1 - step
    counts[:, np.unique(corpus.word)] += step * scale * expected.T[:n_topics]
