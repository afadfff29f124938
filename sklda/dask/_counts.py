"""Word-topic counts on their way between workers, in blocks of neighbouring words."""

from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from sklda._core.problem import Corpus, Problem, padded
from sklda._tables import lists, rows
from sklda.dask.kernels import word_lists
from sklda.dask.kernels.word_lists import WordLists

_MOST_TOPICS = 2**16


class Packed(NamedTuple):
    """The lists of some words, in the narrowest types that hold them."""

    size: np.ndarray  # (n_words,), topics of each word
    topic: np.ndarray  # (n_entries,) uint16
    count: np.ndarray  # (n_entries,)

    @classmethod
    def of(cls, counts: WordLists, first: int, last: int) -> Self:
        """Pack the words from `first` to before `last`."""
        entries = slice(counts.start[first], counts.start[last])
        size = np.diff(counts.start[first : last + 1])
        return cls(
            _narrow(size), counts.topic[entries].copy(), _narrow(counts.count[entries])
        )


def _narrow(values):
    return values.astype(np.min_scalar_type(values.max(initial=0)))


def unpack(packed: list[Packed]) -> WordLists:
    """Return the lists of neighbouring blocks as one."""
    size = np.concatenate([one.size for one in packed], dtype=np.int64)
    return WordLists(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(size)]),
        np.concatenate([one.topic for one in packed], dtype=np.uint16),
        np.concatenate([one.count for one in packed], dtype=np.int32),
    )


def own_counts(problem: Problem[Corpus], z: np.ndarray) -> WordLists:
    """Return the counts of the documents; topics in the order of their first tokens."""
    state = lists.from_topics(problem, z)
    used = state.list_count > 0
    return WordLists(
        np.concatenate([np.zeros(1, np.int64), np.cumsum(state.size, dtype=np.int64)]),
        state.list_topic[used].astype(np.uint16),
        state.list_count[used],
    )


def own_counts_by(table: np.ndarray, problem: Problem[Corpus], z) -> WordLists:
    """Return the same with topics in their own order, which is much faster.

    They are counted in the table, (n_words, n_lanes) int32, whatever it holds.
    """
    table[:] = 0
    rows.add_tokens(
        problem.corpus, rows.RowCounts(z, table, np.zeros(problem.n_lanes, np.int32))
    )
    size = np.empty(problem.n_words, np.int64)
    word_lists.count_topics(table, size)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(size)])
    topic, count = np.empty(start[-1], np.uint16), np.empty(start[-1], np.int32)
    counts = WordLists(start, topic, count)
    word_lists.fill_lists(table, counts)
    return counts


def own_counts_after(
    own: WordLists, before: WordLists, state: lists.ListCounts
) -> WordLists:
    """Return the counts of the documents after a sweep; topics in the order of `state`.

    `own` are theirs before the sweep, `before` and `state` those of all documents
    before and after it: what changed is theirs. To count their tokens takes longer.
    """
    after = WordLists(
        np.zeros_like(own.start),
        np.empty(state.size.sum(dtype=np.int64), np.uint16),
        np.empty(state.size.sum(dtype=np.int64), np.int32),
    )
    change = np.zeros(_MOST_TOPICS, np.int32)
    word_lists.follow(own, before, state, change, after)
    n = after.start[-1]
    return WordLists(after.start, after.topic[:n], after.count[:n])


def cut(counts: WordLists, bounds: list[int]) -> list[Packed]:
    """Return blocks of the words between the bounds."""
    return [Packed.of(counts, *words) for words in pairwise(bounds)]


def add_up(order: Packed | None, packed: list[Packed]) -> Packed:
    """Return the sum of lists of the same words.

    A word's topics keep the order of `order`, if it is given; new ones follow in the
    order of the lists.
    """
    shards, n_words = unpack(packed), packed[0].size.size
    starts = shards.start[
        np.arange(len(packed))[:, np.newaxis] * n_words + np.arange(n_words + 1)
    ]
    known = WordLists(np.zeros(n_words + 1, np.int64), *(a[:0] for a in shards[1:]))
    if order is not None:
        known = unpack([order])
    total = WordLists(
        np.zeros(n_words + 1, np.int64),
        np.empty_like(shards.topic),
        np.empty_like(shards.count),
    )
    if not word_lists.add(
        known, shards, starts, np.zeros(_MOST_TOPICS, np.int64), total
    ):
        raise ValueError(
            "A word has more than 2,147,483,647 tokens on one topic, above the limit "
            "of 32-bit integers. Leave out the most frequent words "
            "(CountVectorizer(max_df=...))."
        )
    return Packed.of(total, 0, n_words)


def topic_totals(counts: WordLists, n_topics: int) -> np.ndarray:
    """Return the number of tokens on each topic, (n_topics,) int64."""
    # Floats are exact: no sum of tokens reaches 2**53.
    return np.bincount(counts.topic, counts.count, n_topics).astype(np.int64)


def slots(counts: WordLists, problem: Problem[Corpus]) -> tuple[np.ndarray, ...]:
    """Return the counts as `lists.ListCounts` stores them, with room for a sweep.

    That is start, size, topics and counts; a word gets at most as many new topics as
    it has tokens in these documents.
    """
    corpus, n_lanes = problem.corpus, problem.n_lanes
    size = np.diff(counts.start)
    tokens = np.bincount(corpus.word, np.diff(corpus.token_ptr), problem.n_words)
    room = np.minimum(size + tokens + lists.SPARE, problem.n_topics) + 1
    room = padded(room.astype(np.int64))
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(room)])
    topic = np.full(start[-1], n_lanes, np.int32)
    count = np.zeros(start[-1], np.int32)
    word_lists.fill_slots(counts, start, topic, count)
    return start, size.astype(np.int32), topic, count
