"""Word-topic counts on their way between workers, in blocks of neighbouring words."""

from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from sklda._core.corpus import word_tokens
from sklda._core.problem import Corpus, Problem, padded
from sklda._simd.prefetch import aligned_full
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


def _narrow(values):
    return values.astype(np.min_scalar_type(values.max(initial=0)))


def pack_blocks(counts: SparseCounts, bounds: list[int]) -> list[PackedCounts]:
    """Return blocks of the words between the bounds."""
    return [PackedCounts.of(counts, *words) for words in pairwise(bounds)]


def unpack(packed: list[PackedCounts]) -> SparseCounts:
    """Return the counts of neighbouring blocks as one."""
    return SparseCounts(
        starts(np.concatenate([one.size for one in packed], dtype=np.int64)),
        np.concatenate([one.topic for one in packed], dtype=np.uint16),
        np.concatenate([one.count for one in packed], dtype=np.int32),
    )


def starts(sizes) -> np.ndarray:
    """Return where each of neighbouring ranges starts, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _empty(n_words: int, n_entries: int) -> SparseCounts:
    return SparseCounts(
        np.zeros(n_words + 1, np.int64),
        np.empty(n_entries, np.uint16),
        np.empty(n_entries, np.int32),
    )


def own_counts(problem: Problem[Corpus], z: np.ndarray) -> SparseCounts:
    """Return the counts of the documents; topics in the order of their first tokens."""
    state = lists.from_topics(problem, z)
    used = state.list_count > 0
    topic = state.list_topic[used].astype(np.uint16)
    return SparseCounts(starts(state.size), topic, state.list_count[used])


def own_counts_by(table: np.ndarray, problem: Problem[Corpus], z) -> SparseCounts:
    """Return the same by ascending topics, much faster. The table is overwritten."""
    table[:] = 0
    totals = np.zeros(problem.n_lanes, np.int32)
    rows.add_tokens(problem.corpus, rows.RowCounts(z, table, totals))
    counts = _empty(problem.n_words, np.count_nonzero(table))
    sparse_counts.fill_from_rows(table, counts)
    return counts


def own_counts_after(
    own: SparseCounts, before: SparseCounts, state: lists.ListCounts
) -> SparseCounts:
    """Return the counts of the documents after a sweep; topics in the order of `state`.

    `own` are theirs before it, `before` and `state` those of all documents before and
    after it. Counting their tokens would take longer.
    """
    after = _empty(state.size.size, state.size.sum(dtype=np.int64))
    change = np.zeros(_MOST_TOPICS, np.int32)
    sparse_counts.add_changes_of_lists(own, before, state, change, after)
    n = after.start[-1]
    return SparseCounts(after.start, after.topic[:n], after.count[:n])


def add_up(order: PackedCounts | None, packed: list[PackedCounts]) -> PackedCounts:
    """Return the sum of counts of the same words; topics as in `order`, then others."""
    pieces, n_words = unpack(packed), packed[0].size.size
    words = np.arange(len(packed))[:, np.newaxis] * n_words + np.arange(n_words + 1)
    known = _empty(n_words, 0) if order is None else unpack([order])
    total, room = np.zeros(_MOST_TOPICS, np.int64), _empty(n_words, pieces.topic.size)
    if not sparse_counts.add_pieces(known, pieces, pieces.start[words], total, room):
        raise ValueError(
            "A word has more than 2,147,483,647 tokens on one topic, above the limit "
            "of 32-bit integers. Leave out the most frequent words "
            "(CountVectorizer(max_df=...))."
        )
    return PackedCounts.of(room, 0, n_words)


def topic_totals(counts: SparseCounts, n_topics: int) -> np.ndarray:
    """Return the number of tokens on each topic, (n_topics,) int64."""
    # Floats are exact: no sum of tokens reaches 2**53.
    return np.bincount(counts.topic, counts.count, n_topics).astype(np.int64)


def as_lists(
    counts: SparseCounts, problem: Problem[Corpus], z, topic
) -> lists.ListCounts:
    """Return the counts as lists, with room for a sweep over the documents."""
    size = np.diff(counts.start)
    # A word gets at most as many new topics as it has tokens in the documents.
    room = np.minimum(size + word_tokens(problem) + lists.SPARE, problem.n_topics) + 1
    start = starts(padded(room.astype(np.int64)))
    list_topic = aligned_full(start[-1], problem.n_lanes, np.int32)
    list_count = aligned_full(start[-1], 0, np.int32)
    slot = np.repeat(start[:-1] - counts.start[:-1], size) + np.arange(size.sum())
    list_topic[slot], list_count[slot] = counts.topic, counts.count
    return lists.ListCounts(
        z, topic, start, size.astype(np.int32), list_topic, list_count
    )


def as_rows(counts: SparseCounts, problem: Problem[Corpus], z, topic) -> rows.RowCounts:
    """Return the counts as rows."""
    table = rows_of(counts, 0, problem.n_words, problem.n_lanes)
    return rows.RowCounts(z, table, topic)


def rows_of(counts: SparseCounts, first: int, last: int, n_lanes: int) -> np.ndarray:
    """Return the rows of some words, (last - first, n_lanes) int32."""
    table = np.zeros((last - first, n_lanes), np.int32)
    sparse_counts.fill_rows(counts, first, table)
    return table
