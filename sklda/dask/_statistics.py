"""Tasks that compute statistics of all parts: priors, log joint, averages.

Parts return histograms and sums, which are whole numbers: the order of addition does
not matter.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from sklda._core.corpus import document_lengths, tokens_before
from sklda._core.doc_topic_counts import doc_topic_cells
from sklda._core.minka import doc_topic_fixed_point, topic_word_fixed_point
from sklda._core.problem import Problem, padded
from sklda._gibbs.chain import doc_likelihood, word_likelihood
from sklda.dask._counts import PackedCounts, topic_totals, unpack
from sklda.dask._parts import PartDocuments, PartState, writable

Histogram = tuple[np.ndarray, np.ndarray]  # values in order, how often each occurs

_SHIFT = 32  # a document-topic pair is one number: topic * 2**32 + count


class PartHistograms(NamedTuple):
    """The document-topic counts above 0, and the lengths of the documents."""

    pairs: Histogram
    lengths: Histogram


class BlockHistogram(NamedTuple):
    """The word-topic counts, and the tokens on each topic."""

    counts: Histogram
    topic: np.ndarray  # (n_topics,) int64


def count_documents(
    documents: PartDocuments, part: PartState, n_topics: int
) -> PartHistograms:
    """Return the histograms of a part."""
    corpus = writable(documents.corpus)
    topics, counts = doc_topic_cells(corpus, part.z.copy(), padded(n_topics))
    pairs = (topics.astype(np.int64) << _SHIFT) + counts
    return PartHistograms(
        np.unique(pairs, return_counts=True),
        np.unique(document_lengths(corpus), return_counts=True),
    )


def count_words(block: PackedCounts, n_topics: int) -> BlockHistogram:
    """Return the histogram of a block of words."""
    counts = unpack([block])
    values, times = np.unique(counts.count, return_counts=True)
    n_zeros = block.size.size * padded(n_topics) - counts.count.size
    if n_zeros > 0:
        values, times = np.append(0, values), np.append(n_zeros, times)
    return BlockHistogram((values, times), topic_totals(counts, n_topics))


def fit_priors(
    problem: Problem,
    parts: list[PartHistograms],
    blocks: list[BlockHistogram],
    symmetric: bool,
) -> Problem:
    """Return the problem with both priors fitted to the counts."""
    pairs, lengths, counts, topic = _of_all(parts, blocks)
    above_0 = tuple(column[counts[0] > 0] for column in counts)
    alpha, beta = problem.doc_topic_prior, problem.topic_word_prior
    return problem._replace(
        doc_topic_prior=doc_topic_fixed_point(
            alpha, pairs, lengths, symmetric=symmetric
        ),
        topic_word_prior=topic_word_fixed_point(beta, above_0, topic, problem.n_words),
    )


def log_joint(
    problem: Problem, parts: list[PartHistograms], blocks: list[BlockHistogram]
) -> float:
    """Return log p(w, z | alpha, beta)."""
    pairs, lengths, counts, topic = _of_all(parts, blocks)
    value = doc_likelihood(problem.doc_topic_prior, pairs, lengths)
    beta, n_words = problem.topic_word_prior, problem.n_words
    return float(value + word_likelihood(beta, counts, topic, n_words))


def _of_all(parts, blocks):
    codes, n_pairs = _merge([one.pairs for one in parts])
    topics, counts = np.divmod(codes, 1 << _SHIFT)
    lengths = _merge([one.lengths for one in parts])
    totals = np.sum([one.topic for one in blocks], axis=0)
    return (
        (topics, counts, n_pairs),
        lengths,
        _merge([b.counts for b in blocks]),
        totals,
    )


def _merge(histograms: list[Histogram]) -> Histogram:
    all_values, all_times = map(np.concatenate, zip(*histograms, strict=True))
    values, where = np.unique(all_values, return_inverse=True)
    times = np.zeros(values.size, np.int64)
    np.add.at(times, where, all_times)
    return values, times


def add_documents(
    total: sparse.csr_array | None,
    documents: PartDocuments,
    part: PartState,
    n_topics: int,
) -> sparse.csr_array:
    """Add the document-topic counts of a sample, (n_documents, n_topics) int64."""
    corpus = writable(documents.corpus)
    topics, counts = doc_topic_cells(corpus, part.z.copy(), padded(n_topics))
    # The counts of a document add up to its tokens.
    ends = np.searchsorted(np.cumsum(counts), tokens_before(corpus), side="right")
    return _add(total, counts, topics, ends, n_topics)


def add_words(
    total: sparse.csr_array | None, block: PackedCounts, n_topics: int
) -> sparse.csr_array:
    """Add the word-topic counts of a sample, (n_words, n_topics) int64."""
    start, topics, counts = unpack([block])
    return _add(total, counts, topics, start, n_topics)


def _add(total, counts, topics, start, n_topics):
    cells = (counts.astype(np.int64), topics.astype(np.int32), start)
    sample = sparse.csr_array(cells, shape=(start.size - 1, n_topics))
    sample.sort_indices()
    return sample if total is None else total + sample


def mean_doc_topic(
    total: sparse.csr_array, documents: PartDocuments, n_kept: int, problem: Problem
) -> np.ndarray:
    """Return theta, the mean over the kept samples, (n_documents, n_topics)."""
    alpha = problem.doc_topic_prior
    theta = total.toarray().astype(np.float64)
    theta /= n_kept
    theta += alpha
    theta /= (document_lengths(documents.corpus) + alpha.sum())[:, np.newaxis]
    return theta
