"""Statistics of the counts of all partitions: priors, log joint, averages.

Partitions return histograms and sums, which are whole numbers: their order of addition
does not matter.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from sklda._core.corpus import document_lengths, tokens_before
from sklda._core.doc_topic_counts import doc_topic_cells
from sklda._core.minka import doc_topic_fixed_point, topic_word_fixed_point
from sklda._core.problem import padded
from sklda._gibbs.chain import doc_likelihood, word_likelihood
from sklda.dask._counts import Packed, topic_totals, unpack
from sklda.dask._parts import Documents, Part, Priors, writable

Histogram = tuple[np.ndarray, np.ndarray]  # values in order, how often each occurs

_SHIFT = 32  # a document-topic pair is one number: topic * 2**32 + count


class OfDocuments(NamedTuple):
    """The document-topic counts above 0, and the lengths of the documents."""

    pairs: Histogram
    lengths: Histogram


class OfWords(NamedTuple):
    """The word-topic counts, and the tokens on each topic."""

    counts: Histogram
    topic: np.ndarray  # (n_topics,) int64


def of_documents(documents: Documents, part: Part, n_topics: int) -> OfDocuments:
    """Return the histograms of a partition."""
    corpus = writable(documents.corpus)
    topics, counts = doc_topic_cells(corpus, part.z.copy(), padded(n_topics))
    pairs = (topics.astype(np.int64) << _SHIFT) + counts
    return OfDocuments(
        np.unique(pairs, return_counts=True),
        np.unique(document_lengths(corpus), return_counts=True),
    )


def of_words(block: Packed, n_topics: int) -> OfWords:
    """Return the histogram of a block."""
    counts = unpack([block])
    values, times = np.unique(counts.count, return_counts=True)
    n_zeros = block.size.size * padded(n_topics) - counts.count.size
    if n_zeros > 0:
        values, times = np.append(0, values), np.append(n_zeros, times)
    return OfWords((values, times), topic_totals(counts, n_topics))


def _together(histograms: list[Histogram]) -> Histogram:
    values, where = np.unique(
        np.concatenate([one[0] for one in histograms]), return_inverse=True
    )
    times = np.zeros(values.size, np.int64)
    np.add.at(times, where, np.concatenate([one[1] for one in histograms]))
    return values, times


def learn(
    priors: Priors,
    documents: list[OfDocuments],
    words: list[OfWords],
    n_words: int,
    symmetric: bool,
) -> Priors:
    """Fit both priors to the counts."""
    pairs, lengths, counts, topic = _of_all(documents, words)
    is_count = counts[0] > 0
    counts = tuple(column[is_count] for column in counts)
    return Priors(
        doc_topic_fixed_point(priors.doc_topic, pairs, lengths, symmetric=symmetric),
        topic_word_fixed_point(priors.topic_word, counts, topic, n_words),
    )


def log_joint(
    priors: Priors, documents: list[OfDocuments], words: list[OfWords], n_words: int
) -> float:
    """Return log p(w, z | alpha, beta)."""
    pairs, lengths, counts, topic = _of_all(documents, words)
    value = doc_likelihood(priors.doc_topic, pairs, lengths)
    return float(value + word_likelihood(priors.topic_word, counts, topic, n_words))


def _of_all(documents, words):
    codes, n_pairs = _together([one.pairs for one in documents])
    topics, counts = np.divmod(codes, 1 << _SHIFT)
    lengths = _together([one.lengths for one in documents])
    totals = np.sum([one.topic for one in words], axis=0)
    histogram = _together([one.counts for one in words])
    return (topics, counts, n_pairs), lengths, histogram, totals


def add_documents(
    total: sparse.csr_array | None, documents: Documents, part: Part, n_topics: int
) -> sparse.csr_array:
    """Add the document-topic counts of a sample, (n_documents, n_topics) int64."""
    corpus = writable(documents.corpus)
    topics, counts = doc_topic_cells(corpus, part.z.copy(), padded(n_topics))
    # The counts of a document add up to its tokens.
    ends = np.searchsorted(np.cumsum(counts), tokens_before(corpus), side="right")
    return _add(total, counts, topics, ends, n_topics)


def add_words(
    total: sparse.csr_array | None, block: Packed, n_topics: int
) -> sparse.csr_array:
    """Add the word-topic counts of a sample, (n_words, n_topics) int64."""
    start, topics, counts = unpack([block])
    return _add(total, counts, topics, start, n_topics)


def _add(total, counts, topics, start, n_topics):
    cells = (counts.astype(np.int64), topics.astype(np.int32), start)
    sample = sparse.csr_array(cells, shape=(start.size - 1, n_topics))
    sample.sort_indices()
    return sample if total is None else total + sample


def doc_topic(
    total: sparse.csr_array, n_kept: int, documents: Documents, priors: Priors
) -> np.ndarray:
    """Return theta, the mean over the kept samples, (n_documents, n_topics)."""
    alpha = priors.doc_topic
    theta = total.toarray().astype(np.float64)
    theta /= n_kept
    theta += alpha
    theta /= (document_lengths(documents.corpus) + alpha.sum())[:, np.newaxis]
    return theta


def topic_assignments(part: Part) -> np.ndarray:
    """Return the topic of each token."""
    return part.z
