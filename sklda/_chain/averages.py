"""Averages of the kept samples of a chain."""

from copy import copy

import numpy as np

from sklda._core import doc_topic_counts
from sklda._core.corpus import document_lengths
from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.sampled_parameters import SampledPrior


class Averages:
    """The sum of the kept samples: word-topic and document-topic counts."""

    def __init__(self, problem: Problem[Corpus]) -> None:
        n_docs = problem.corpus.doc_ptr.size - 1
        self.word_topic = np.zeros((problem.n_words, problem.n_topics))
        self.doc_topic = np.zeros((n_docs, problem.n_topics))
        self.n_kept = 0

    def add(
        self,
        corpus: Corpus,
        z: np.ndarray,
        counts: Counts,
        alpha_sum: float | np.ndarray | None,
    ) -> None:
        """Add one sample; n_dk / (n_d + alpha_sum) for n_dk where alpha is sampled."""
        self.word_topic += counts.word_topic[:, : self.word_topic.shape[1]]
        if alpha_sum is None:
            doc_topic_counts.add_doc_topic(corpus, z, self.doc_topic)
        else:
            scale = 1 / (document_lengths(corpus) + alpha_sum)
            doc_topic_counts.add_scaled_doc_topic(corpus, z, scale, self.doc_topic)
        self.n_kept += 1

    def copy(self) -> "Averages":
        """Return a copy that shares no array."""
        other = copy(self)
        other.word_topic = self.word_topic.copy()
        other.doc_topic = self.doc_topic.copy()
        return other

    def finish(
        self, problem: Problem[Corpus], prior: SampledPrior | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Turn the sums into means, in place, and return these.

        They are the word-topic counts plus beta, (n_topics, n_words), and theta,
        (n_docs, n_topics). The problem has the means of priors that are sampled.
        """
        components, theta = self.word_topic, self.doc_topic
        components /= self.n_kept
        components.T[...] += problem.beta
        theta /= self.n_kept
        lengths = document_lengths(problem.corpus)
        if prior is not None:
            prior.add_to_proportions(theta, lengths)
        else:
            theta += problem.doc_topic_prior
            theta /= (lengths + problem.doc_topic_prior.sum())[:, np.newaxis]
        return components.T, theta
