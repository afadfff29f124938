"""Stochastic CVB0: topics learned from one minibatch of documents after the other.

Foulds, Boyles, DuBois, Smyth & Welling, "Stochastic collapsed variational Bayesian
inference for latent Dirichlet allocation", KDD 2013. The state is M, the expected
counts of words in topics per document. After n documents, a minibatch of b documents
moves it towards their expected counts S,

    (1)  M <- (1 - r) M + r S / b,    r = (offset + 1 + n / b)^-decay,

where the kernel computes S under the topics

    (2)  phi_kw ~ beta_kw + D M_kw.

D is the number of documents seen, at most that of the whole corpus, so that topics
weigh as the documents that made them. Fewer documents, m < b, move M as m / b of a
minibatch, so it makes little difference how documents are divided into calls:

    (3)  M <- (1 - r)^(m / b) M + (1 - (1 - r)^(m / b)) S / m.
"""

from typing import Any

import numpy as np

from sklda._cvb.kernels.stochastic import add_expected_counts
from sklda._data.corpus import WeightedCorpus
from sklda._fitted.fitted_topics import summable
from sklda._fitted.fold_in import make_topics, renumber
from sklda._sampling.problem import Problem
from sklda._sampling.random_streams import RandomStreams

_UNKNOWN = 10_000  # documents behind probabilities, if nothing says how many
_MOST = 1e12  # documents, as for total_samples
_ROUNDING = 1e-3  # of a sum of float32 probabilities
_LEAST_SCALE = 1e-100
_FIRST_PASSES, _MOST_PASSES = 2, 10
_TOKENS_PER_PASS = 1000  # of a topic


def random_counts(problem: Problem[WeightedCorpus], rng: RandomStreams) -> np.ndarray:
    """Return the counts to start from, (n_topics, n_words), those of one document.

    They differ between topics, because equal topics would stay equal.
    """
    shape = (problem.n_topics, problem.n_words)
    counts = rng.generator.standard_exponential(shape)
    counts *= (_mean_length(problem.corpus) or 1) / counts.sum()
    return counts


def learn(
    problem: Problem[WeightedCorpus],
    counts: np.ndarray,
    n_seen: int | None,
    parameters: Any,
) -> tuple[np.ndarray, int]:
    """Return the word-topic counts after the documents of the problem, and n.

    `counts` are those after `n_seen` documents; None means an unknown number.
    """
    if n_seen is None:
        means, n_seen = _means_of_given(counts, problem.corpus, parameters)
    else:
        means = counts / _weight(n_seen, parameters)
    n_seen = _learn_minibatches(problem, means, n_seen, parameters)
    means *= _weight(n_seen, parameters)
    return means, n_seen


def _weight(n_seen: int, parameters: Any) -> float:
    """Return D of equation 2; the start weighs as one document."""
    return min(max(n_seen, 1), parameters.total_samples or np.inf)


def _mean_length(corpus: WeightedCorpus) -> float:
    return corpus.count.sum(dtype=np.float64) / (corpus.doc_ptr.size - 1)


def _means_of_given(
    counts: np.ndarray, corpus: WeightedCorpus, parameters: Any
) -> tuple[np.ndarray, int]:
    """Return M of given topics, and the number of documents that made them.

    Those documents are taken to be as long as the ones of `corpus`, which has tokens.
    Topics of at most one token each are probabilities; they weigh as the whole corpus.
    """
    counts, length = summable(counts), _mean_length(corpus)
    n_tokens = counts.sum()
    if n_tokens == 0:  # all topics are the prior
        return counts, 0
    n_seen = parameters.total_samples or _UNKNOWN
    if n_tokens > len(counts) * (1 + _ROUNDING):
        n_seen = n_tokens / max(length, n_tokens / _MOST)
    return counts / n_tokens * length, max(round(n_seen), 1)


def _learn_minibatches(
    problem: Problem[WeightedCorpus], means: np.ndarray, n_seen: int, parameters: Any
) -> int:
    """Move M by each minibatch, in place; return how many documents were seen.

    Minibatches without tokens move nothing and are not counted. M is `scale` times
    `means`, so a step writes only the words that occur.
    """
    corpus, beta, scale = problem.corpus, problem.beta, 1.0
    batch_size, totals = parameters.batch_size, means.sum(axis=1)
    for first in range(0, corpus.doc_ptr.size - 1, batch_size):
        doc_ptr = corpus.doc_ptr[first : first + batch_size + 1]
        word, count = (values[doc_ptr[0] : doc_ptr[-1]] for values in corpus[1:])
        words, batch = renumber(WeightedCorpus(doc_ptr - doc_ptr[0], word, count))
        n_docs = batch.doc_ptr.size - 1
        if not batch.count.any():
            continue
        rate = parameters.learning_offset + 1 + n_seen / batch_size
        keep = (1 - rate**-parameters.learning_decay) ** (n_docs / batch_size)
        n_passes = _n_passes(n_seen * scale * totals.mean())
        n_seen += n_docs
        weight = scale * _weight(n_seen, parameters)
        prior = beta[:, words] if problem.has_word_prior else beta
        phi = prior + weight * means[:, words]  # (2)
        phi /= (problem.beta_sum + weight * totals)[:, np.newaxis]
        expected = _expected_counts(batch, phi, problem.doc_topic_prior, n_passes)
        scale *= keep
        if scale < _LEAST_SCALE:
            means *= scale
            totals *= scale
            scale = 1.0
        expected *= (1 - keep) / n_docs / scale  # (3)
        means[:, words] += expected
        totals += expected.sum(axis=1)
    means *= scale
    return n_seen


def _n_passes(n_tokens: float) -> int:
    """Return how often to pass through documents when topics have so many tokens.

    The first passes are soft: they hardly commit a document to topics that are still
    nearly equal. In ten tokens, further passes would commit it to any of them.
    """
    n_passes = _FIRST_PASSES + n_tokens / _TOKENS_PER_PASS
    return int(min(n_passes, _MOST_PASSES))


def _expected_counts(
    corpus: WeightedCorpus, phi: np.ndarray, alpha: np.ndarray, n_passes: int
) -> np.ndarray:
    """Return S, (n_topics, n_words_seen) float64.

    Only the ratios between topics matter. Divided by the largest, a word that is
    improbable in all topics is not rounded to 0 in float32.
    """
    topics = make_topics((phi / phi.max(axis=0)).T, alpha)
    expected = np.zeros_like(topics.word_topic)
    priors = topics.doc_topic_prior
    add_expected_counts(corpus, topics.word_topic, priors, n_passes, expected)
    return expected.T[: topics.n_topics].astype(np.float64)
