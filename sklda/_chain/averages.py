"""Sums of the kept samples of a chain, from which its estimates are made."""

from collections.abc import Iterator
from copy import copy

import numpy as np
from scipy import sparse

from sklda._base.estimates import DocumentSums, TopicSums
from sklda._core.corpus import document_lengths, ranges, some_documents, tokens_before
from sklda._core.doc_topic_counts import doc_topic_cells
from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.sampled_parameters import SampledPrior
from sklda._core.sparse_sums import SparseSum, narrow, row_chunks

_CHUNK_TOKENS = 2**18  # whose counts are added at a time


class Averages:
    """The sum of the kept samples: word-topic and document-topic counts."""

    def __init__(self, problem: Problem[Corpus]) -> None:
        n_docs = problem.corpus.doc_ptr.size - 1
        self.word_topic = SparseSum(problem.n_words, problem.n_topics)
        self.doc_topic = SparseSum(n_docs, problem.n_topics)
        self.n_kept = 0

    def add(
        self,
        problem: Problem[Corpus],
        z: np.ndarray,
        counts: Counts,
        alpha_sum: float | np.ndarray | None,
    ) -> None:
        """Add one sample; n_dk / (n_d + alpha_sum) for n_dk where alpha is sampled."""
        self.word_topic.add(_word_chunks(counts, problem.n_topics))
        self.doc_topic.add(doc_chunks(problem, z, alpha_sum))
        self.n_kept += 1

    def copy(self) -> "Averages":
        """Return a copy to which samples can be added."""
        other = copy(self)
        other.word_topic, other.doc_topic = (
            self.word_topic.copy(),
            self.doc_topic.copy(),
        )
        return other

    def topic_sums(self, problem: Problem[Corpus]) -> TopicSums:
        """Return the sums by word; a beta that is sampled is its mean."""
        counts, n_topics = self.word_topic.rows(), problem.n_topics
        return TopicSums.of(counts, self.n_kept, n_topics, problem.beta)

    def document_sums(
        self, problem: Problem[Corpus], prior: SampledPrior | None
    ) -> DocumentSums:
        """Return the sums by document."""
        lengths = document_lengths(problem.corpus)
        return DocumentSums(
            counts=self.doc_topic.rows(),
            n_kept=self.n_kept,
            n_topics=problem.n_topics,
            lengths=narrow(lengths, lengths.max(initial=0)),
            alpha=problem.doc_topic_prior if prior is None else None,
            kept_priors=None if prior is None else prior.kept_values(),
        )


def _word_chunks(counts: Counts, n_topics: int) -> Iterator[sparse.csr_array]:
    """Yield the counts of some words at a time."""
    for first, last in row_chunks(len(counts.word_topic), n_topics):
        table = counts.word_topic[first:last]
        yield sparse.csr_array(table[:, :n_topics], dtype=np.float64)


def doc_chunks(problem, z, alpha_sum) -> Iterator[sparse.csr_array]:
    """Yield the counts of some documents at a time, scaled if there is `alpha_sum`."""
    corpus, n_topics = problem.corpus, problem.n_topics
    before = tokens_before(corpus)
    scale = np.ones(before.size - 1)
    if alpha_sum is not None:
        scale = 1 / (document_lengths(corpus) + alpha_sum)
    n_chunks = 1 + int(before[-1]) // _CHUNK_TOKENS
    for first, last in ranges(before, n_chunks):
        chunk = some_documents(corpus, first, last)
        topics, counts = doc_topic_cells(chunk, z, problem.n_lanes)
        # The counts of a document add up to its tokens.
        tokens = before[first : last + 1] - before[first]
        start = np.searchsorted(np.cumsum(counts), tokens, side="right")
        values = counts * np.repeat(scale[first:last], np.diff(start))
        cells = values, topics.astype(np.int32), start
        yield sparse.csr_array(cells, shape=(last - first, n_topics))
