"""What tasks compute of parts of the documents and of blocks of words.

What a task returns depends on its arguments alone and never changes afterwards, so Dask
may recompute it if it is lost. Word-topic counts travel in blocks of words; a part
returns those of its documents in pieces, one for each block. Statistics are histograms
and sums of whole numbers, so the order of addition does not matter.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sklda._data.corpus import (
    MAX_32_BITS,
    Corpus,
    document_lengths,
    starts,
    tokens_before,
)
from sklda._engine.chain import doc_likelihood, word_likelihood
from sklda._engine.hierarchical_prior import add_priors, count_tables
from sklda._engine.kept_samples import (
    DocumentSums,
    SparseRows,
    add_document_sample,
    add_to_rows,
    joined,
    narrow_rows,
)
from sklda._sampling.doc_topic_counts import (
    Histogram,
    doc_topic_histogram,
    length_histogram,
    merged,
    unpacked,
)
from sklda._sampling.minka import (
    LearnedPriors,
    doc_topic_fixed_point,
    topic_word_fixed_point,
)
from sklda._sampling.problem import MAX_TOPICS, Problem, padded
from sklda._sampling.random_streams import random_topics
from sklda._tables import lists
from sklda.dask.kernels import sparse_counts

# The entries above 0 of word-topic counts, as kernels take them: those of word w are
# start[w]:start[w + 1], int64; their topics, uint16; and their counts, int32.
CountArrays = tuple[np.ndarray, np.ndarray, np.ndarray]


class PartDocuments(NamedTuple):
    """The documents of a part."""

    corpus: Corpus
    first: int  # number of the first document among all


class PartState(NamedTuple):
    """The topics of the tokens of a part after a sweep."""

    z: np.ndarray  # (n_tokens,) uint16
    tables: list[SparseRows]  # counts of the documents, in blocks of words


# --- counts in parts and blocks ----------------------------------------------------


def pack_blocks(counts: CountArrays, bounds: list[int]) -> list[SparseRows]:
    """Return the counts in blocks of words between the bounds.

    The topics of a word keep their order, in which samplers walk down its list.
    """
    start, *arrays = counts
    return [narrow_rows(start[i : j + 1], *arrays) for i, j in pairwise(bounds)]


def unpack_blocks(blocks: list[SparseRows]) -> CountArrays:
    """Return the counts of neighbouring blocks of words in one piece."""
    size, topic, count = zip(*blocks, strict=True)
    return (
        starts(np.concatenate(size)),
        np.concatenate(topic, dtype=np.uint16),
        np.concatenate(count, dtype=np.int32),
    )


def matrix_of(blocks: list[SparseRows], n_lanes: int) -> sparse.csr_array:
    """Return the counts of neighbouring blocks of words, (n_words, n_lanes) int32."""
    start, topic, count = unpack_blocks(blocks)
    return sparse.csr_array((count, topic, start), shape=(start.size - 1, n_lanes))


def lists_of(
    block: SparseRows, tokens: np.ndarray, most_words: int, n_topics: int, z, topic
) -> lists.ListCounts:
    """Return the counts as lists, with room for a sweep over `tokens` of each word.

    A word gets at most as many new topics as it has tokens. There are `most_words`
    lists: kernels may prefetch that of a word in another shard.
    """
    counts = start, _, count = unpack_blocks([block])
    size = np.diff(start)
    room = np.minimum(size + tokens + lists.SPARE, n_topics)
    room = np.pad(room, (0, most_words - room.size))
    most = int(np.diff(starts(count)[start]).max(initial=0))
    state = lists.empty_lists(z, topic.size, room, most)
    sparse_counts.fill_lists(*counts, state)
    return state._replace(topic=topic, size=size.astype(np.int32))


def add_up(pieces: list[SparseRows]) -> SparseRows:
    """Return the sum of counts of a block of words; topics keep their order."""
    start, *counts = unpack_blocks(pieces)
    first, n_words = np.arange(len(pieces))[:, np.newaxis], pieces[0].size.size
    words = first * n_words + np.arange(n_words + 1)
    total: list[SparseRows] = []
    add_to_rows(total, 0, (start[words], *counts), MAX_TOPICS)
    if total[0].value.max(initial=0) > MAX_32_BITS:
        raise ValueError(
            "A word has more than 2,147,483,647 tokens in one topic, above the limit "
            "of 32-bit integers. Remove the most frequent words "
            "(CountVectorizer(max_df=...))."
        )
    return total[0]


def writable(corpus: Corpus) -> Corpus:
    """Return the corpus as writable arrays; those of another worker are read-only."""
    return Corpus(*(np.require(array, requirements=["C", "W"]) for array in corpus))


def start_part(
    documents: PartDocuments, stream: np.ndarray, problem: Problem, bounds: list[int]
) -> PartState:
    """Give each token a topic drawn from `stream`."""
    problem = problem._replace(corpus=writable(documents.corpus))
    n_tokens = int(problem.corpus.token_ptr[-1])
    z = random_topics(n_tokens, problem.n_topics, stream.copy())
    # In the order of their first tokens, topics stand in lists as on one machine.
    counts = lists.ListTable(lists.from_topics(problem, z)).entries(slice(None))
    return PartState(z, pack_blocks(counts, bounds))


def table_of(part: Any, i: int) -> SparseRows:
    """Return one of the tables of a part."""
    return part.tables[i]


# --- priors and log joint ----------------------------------------------------------


def count_documents(
    documents: PartDocuments, part: Any, n_topics: int
) -> tuple[Histogram, Histogram]:
    """Return histograms of the document-topic counts above 0, and of the lengths."""
    corpus = writable(documents.corpus)
    counts = doc_topic_histogram(corpus, part.z.copy(), padded(n_topics))
    return counts, length_histogram(corpus)


def count_words(block: SparseRows, n_topics: int) -> tuple[Histogram, np.ndarray]:
    """Return a histogram of the word-topic counts, and the tokens on each topic."""
    values, times = np.unique(block.value.astype(np.int64), return_counts=True)
    n_zeros = block.size.size * padded(n_topics) - block.value.size
    if n_zeros > 0:
        values, times = np.append(0, values), np.append(n_zeros, times)
    # Floats are exact: no sum of tokens reaches 2**53.
    totals = np.bincount(block.topic, block.value, n_topics).astype(np.int64)
    return (values, times), totals


def fit_priors(
    problem: Problem, parts: list, blocks: list, learned: LearnedPriors
) -> Problem:
    """Return the problem with the learned priors fitted to the histograms."""
    pairs, lengths, (counts, times), topic = _joined_histograms(parts, blocks)
    alpha, beta = problem.doc_topic_prior, problem.topic_word_prior
    if learned.alpha is not None:
        symmetric = learned.alpha == "symmetric"
        alpha = doc_topic_fixed_point(alpha, pairs, lengths, symmetric=symmetric)
    if learned.beta:
        is_positive = counts > 0
        positive = counts[is_positive], times[is_positive]
        beta = topic_word_fixed_point(beta, positive, topic, problem.n_words)
    return problem._replace(doc_topic_prior=alpha, topic_word_prior=beta)


def log_joint(problem: Problem, parts: list, blocks: list) -> float:
    """Return log p(w, z | alpha, beta), computed from the histograms."""
    pairs, lengths, counts, topic = _joined_histograms(parts, blocks)
    value = doc_likelihood(problem.doc_topic_prior, pairs, lengths)
    beta, n_words = problem.topic_word_prior, problem.n_words
    return float(value + word_likelihood(beta, counts, topic, n_words))


def _joined_histograms(parts, blocks):
    pairs, lengths = map(merged, zip(*parts, strict=True))
    counts, totals = zip(*blocks, strict=True)
    return unpacked(pairs), lengths, merged(counts), np.sum(totals, axis=0)


def count_lengths(documents: PartDocuments) -> Histogram:
    """Return how many documents have each length."""
    return length_histogram(documents.corpus)


def count_part(
    documents: PartDocuments,
    part: Any,
    first_token: int,
    problem: Problem,
    key: np.uint64,
) -> np.ndarray:
    """Return restaurant tables and tokens of each topic, (2, n_topics) int64."""
    # Kernels take writable arrays, but what came from another worker is read-only.
    z, alpha = part.z.copy(), problem.doc_topic_prior.copy()
    before = tokens_before(documents.corpus)
    tables = count_tables(before, z, alpha, key, first_token=first_token)
    return np.array([tables, np.bincount(z, minlength=alpha.size)])


# --- averages ----------------------------------------------------------------------


def add_documents(
    total: list[SparseRows] | None,
    documents: PartDocuments,
    part: Any,
    problem: Problem,
    alpha_sum: float | None,
) -> list[SparseRows]:
    """Add the document-topic counts of a sample, see `KeptSums.add`."""
    total = list(total or [])
    problem = problem._replace(corpus=writable(documents.corpus))
    add_document_sample(total, problem, part.z.copy(), alpha_sum)
    return total


def add_words(
    total: list[SparseRows] | None, block: SparseRows, n_topics: int
) -> list[SparseRows]:
    """Add the word-topic counts of a sample."""
    total = list(total or [])
    add_to_rows(total, 0, unpack_blocks([block]), n_topics)
    return total


def mean_doc_topic(
    total: list[SparseRows],
    documents: PartDocuments,
    n_kept: int,
    problem: Problem,
    alphas: np.ndarray | None,
) -> np.ndarray:
    """Return theta, the mean over the kept samples, (n_documents, n_topics).

    `alphas` has alpha of each sample, if it is sampled.
    """
    lengths = document_lengths(documents.corpus)
    alpha = problem.doc_topic_prior if alphas is None else None
    n_topics = problem.n_topics
    sums = DocumentSums(joined(total), n_kept, n_topics, lengths, alpha, alphas)
    return sums.theta(add_priors)
