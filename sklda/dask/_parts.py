"""Parts of the documents, and word-topic counts on their way between workers.

What a task returns depends on its arguments alone and never changes afterwards, so Dask
may recompute it if it is lost. Counts of all documents travel in blocks of words; a
part returns those of its documents in pieces, one for each block.
"""

from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from sklda._core.corpus import starts
from sklda._core.problem import Corpus, Problem
from sklda._core.random_streams import random_topics
from sklda._tables import lists, rows
from sklda.dask.kernels import sparse_counts
from sklda.dask.kernels.sparse_counts import SparseCounts

_MOST_TOPICS = 2**16


class PackedCounts(NamedTuple):
    """The counts of some words, in the narrowest types that hold them."""

    size: np.ndarray  # (n_words,), topics of each word
    topic: np.ndarray  # (n_entries,) uint16
    count: np.ndarray  # (n_entries,)

    @classmethod
    def of(cls, counts: SparseCounts, first: int, last: int) -> Self:
        """Pack the words from `first` to before `last`."""
        entries = slice(counts.start[first], counts.start[last])
        size = np.diff(counts.start[first : last + 1])
        return cls(
            _narrow(size), counts.topic[entries].copy(), _narrow(counts.count[entries])
        )


class PartDocuments(NamedTuple):
    """The documents of a part."""

    corpus: Corpus
    first: int  # number of the first document among all


class PartState(NamedTuple):
    """The topics of the tokens of a part after a sweep."""

    z: np.ndarray  # (n_tokens,) uint16
    pieces: list[PackedCounts] | tuple[()] = ()  # none if it was read from storage


def _narrow(values):
    return values.astype(np.min_scalar_type(values.max(initial=0)))


def pack_word_blocks(counts: SparseCounts, bounds: list[int]) -> list[PackedCounts]:
    """Return the counts in blocks of words between the bounds."""
    return [PackedCounts.of(counts, *words) for words in pairwise(bounds)]


def unpack(packed: list[PackedCounts]) -> SparseCounts:
    """Return the counts of neighbouring blocks of words in one piece."""
    return SparseCounts(
        starts(np.concatenate([block.size for block in packed])),
        np.concatenate([block.topic for block in packed], dtype=np.uint16),
        np.concatenate([block.count for block in packed], dtype=np.int32),
    )


def _empty(n_words: int, n_entries: int) -> SparseCounts:
    return SparseCounts(
        np.zeros(n_words + 1, np.int64),
        np.empty(n_entries, np.uint16),
        np.empty(n_entries, np.int32),
    )


def ordered_counts(problem: Problem[Corpus], z: np.ndarray) -> SparseCounts:
    """Return the counts of the documents, topics in the order of their first tokens."""
    return _counts_of_lists(lists.from_topics(problem, z))


def ascending_counts(table: np.ndarray, problem: Problem[Corpus], z) -> SparseCounts:
    """Return the counts of the documents, topics in ascending order.

    This is much faster than `ordered_counts`, and overwrites `table`.
    """
    table[:] = 0
    totals = np.zeros(problem.n_lanes, np.int32)
    rows.add_tokens(problem.corpus, rows.RowCounts(z, table, totals))
    return counts_of_rows(table)


def counts_of_rows(table: np.ndarray) -> SparseCounts:
    """Return the entries of a table above 0."""
    counts = _empty(len(table), np.count_nonzero(table))
    sparse_counts.fill_from_rows(table, counts)
    return counts


def add_up(packed: list[PackedCounts]) -> PackedCounts:
    """Return the sum of counts of a block of words; topics keep their order."""
    pieces, n_words = unpack(packed), packed[0].size.size
    words = np.arange(len(packed))[:, np.newaxis] * n_words + np.arange(n_words + 1)
    total, room = np.zeros(_MOST_TOPICS, np.int64), _empty(n_words, pieces.topic.size)
    if not sparse_counts.add_pieces(pieces, pieces.start[words], total, room):
        raise ValueError(
            "A word has more than 2,147,483,647 tokens in one topic, above the limit "
            "of 32-bit integers. Remove the most frequent words "
            "(CountVectorizer(max_df=...))."
        )
    return PackedCounts.of(room, 0, n_words)


def topic_totals(counts: SparseCounts, n_topics: int) -> np.ndarray:
    """Return the number of tokens on each topic, (n_topics,) int64."""
    # Floats are exact: no sum of tokens reaches 2**53.
    return np.bincount(counts.topic, counts.count, n_topics).astype(np.int64)


def as_lists(
    packed: PackedCounts, tokens, most_words: int, n_topics: int, z, topic
) -> lists.ListCounts:
    """Return the counts as lists, with room for a sweep over `tokens` of each word.

    There are `most_words` lists: kernels may prefetch that of a word in another shard.
    """
    counts, n_lanes = unpack([packed]), topic.size
    size, room = np.empty(packed.size.size, np.int32), np.zeros(most_words, np.int64)
    most = sparse_counts.measure_lists(counts, tokens, n_topics, size, room)
    state = lists.empty_lists(z, n_lanes, room, most)
    sparse_counts.fill_lists(counts, state)
    return state._replace(topic=topic, size=size)


def as_rows(packed: PackedCounts, n_lanes: int, z, topic) -> rows.RowCounts:
    """Return the counts as rows."""
    table = rows_of(unpack([packed]), 0, packed.size.size, n_lanes)
    return rows.RowCounts(z, table, topic)


def pack_lists(state: lists.ListCounts) -> PackedCounts:
    """Pack lists; topics stay in their order."""
    return PackedCounts.of(_counts_of_lists(state), 0, state.size.size)


def _counts_of_lists(state: lists.ListCounts) -> SparseCounts:
    counts = _empty(state.size.size, state.size.sum(dtype=np.int64))
    sparse_counts.fill_from_lists(state, counts)
    return counts


def pack_rows(state: rows.RowCounts) -> PackedCounts:
    """Pack rows; topics ascend."""
    return PackedCounts.of(counts_of_rows(state.word_topic), 0, len(state.word_topic))


def rows_of(counts: SparseCounts, first: int, last: int, n_lanes: int) -> np.ndarray:
    """Return the rows of some words, (last - first, n_lanes) int32."""
    table = np.zeros((last - first, n_lanes), np.int32)
    sparse_counts.fill_rows(counts, first, table)
    return table


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
    return PartState(z, pack_word_blocks(ordered_counts(problem, z), bounds))


def piece_of(part: PartState, block: int) -> PackedCounts:
    """Return the piece of a block of words."""
    return part.pieces[block]
