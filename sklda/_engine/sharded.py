"""A sampler over shards of the documents, which sweep in parallel.

Yan, Xu & Qi, "Parallel inference for latent Dirichlet allocation on graphics processing
units", NIPS 2009. Documents and words are cut into n shards each, and a sweep has n
phases: in phase p, shard i of the documents resamples its tokens of shard i + p of the
words. So all share one table of word-topic counts, but two never use the same row at
the same time. Each has its own copy of the totals n_k, and the changes are added up
after each phase. Only these totals are out of date within a phase: this approximates
the sampler itself.
"""

from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from sklda._data.corpus import Corpus, Part, part_of, ranges, tokens_before
from sklda._sampling.problem import LANES, Counts, Problem, add_changes, word_tokens
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.sampler import Sampler, Shardable, SweepInfo
from sklda._sampling.threads import Threads

MOST_SHARDS = 128  # a document is entered once in each phase


class ShardPart(NamedTuple):
    """The cells that a shard of the documents resamples in a phase."""

    shard: int
    part: Part
    state: Any


class ShardedState(NamedTuple):
    """Counts of all documents, and the phases of a sweep over them."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    topics: list[np.ndarray]  # the copy of each shard
    tables: Any  # shared by all
    phases: list[list[ShardPart]]

    def __deepcopy__(self, memo: dict) -> Self:
        memo.update(zip(map(id, self.topics), _apart(self.topics), strict=True))
        return type(self)(*(deepcopy(field, memo) for field in self))


def _apart(topics: list[np.ndarray]) -> list[np.ndarray]:
    """Return copies of arrays of one length, far apart from each other.

    Two processors that write to one line of the cache wait for each other.
    """
    copies = np.pad(topics, ((0, 0), (0, 2 * LANES)))
    return [copy[: topics[0].size] for copy in copies]


def word_shard(i: int, phase: int, n_shards: int) -> int:
    """Return the shard of the words that shard i of the documents has in a phase."""
    return (i + phase) % n_shards


class Sharded(NamedTuple):
    """A sampler over shards of about equal work, on any number of threads."""

    sampler: Shardable
    n_shards: int
    threads: Threads
    work: Callable[[Problem[Corpus]], np.ndarray] = word_tokens  # of each word

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> ShardedState:
        """Return the state in which the tokens have the topics z."""
        tables, n = self.sampler.tables(problem, z), self.n_shards
        topics = _apart([tables.topic] * n)

        def shard_part(i, part):
            shard_tables = tables._replace(topic=topics[i])
            state = self.sampler.over(shard_tables, problem._replace(corpus=part))
            return ShardPart(i, part, state)

        parts = _parts(problem, n, self.work(problem))
        phases = [
            [
                shard_part(i, shard_parts[j])
                for i, shard_parts in enumerate(parts)
                if (j := word_shard(i, phase, n)) < len(shard_parts)
            ]
            for phase in range(n)
        ]
        return ShardedState(z, tables.topic, topics, tables, phases)

    def sweep(
        self, problem: Problem[Corpus], state: ShardedState, rng: RandomStreams
    ) -> None:
        """Sweep the shards side by side, phase by phase."""
        streams = [rng.child(i) for i in range(self.n_shards)]

        def sweep(shard):
            part = problem._replace(corpus=shard.part)
            self.sampler.sweep(part, shard.state, streams[shard.shard])

        for phase in state.phases:
            self.threads.map(sweep, phase)
            add_changes(state.topic, state.topics)

    def counts(self, problem: Problem[Corpus], state: ShardedState) -> Counts:
        """Return the counts of all documents."""
        return self.sampler.counts(problem, state.phases[0][0].state)

    def info(self, problem: Problem[Corpus], state: ShardedState) -> SweepInfo:
        """Return what the last sweep did in all shards."""
        return self.sampler.info(problem, state.phases[0][0].state)


def _parts(problem, n, work):
    """Return the parts of each shard of documents, one for each shard of the words."""
    corpus = problem.corpus
    word_parts = parts_of_words(corpus, cut_words(work, n))
    return [
        [part_of(part, *documents) for part in word_parts]
        for documents in ranges(tokens_before(corpus), n)
    ]


def cut_words(work: np.ndarray, n: int) -> list[int]:
    """Return the bounds of up to n shards of the words, of about equal work."""
    return [0, *(last for _, last in ranges(np.append(0, np.cumsum(work)), n))]


def parts_of_words(corpus: Corpus, bounds: list[int]) -> list[Part]:
    """Return the cells of the words between the bounds, in all documents."""
    doc_ptr, word, token_ptr = corpus
    cuts = [corpus.begin, *(_cells_until(cut, corpus) for cut in bounds[1:])]
    return [Part(doc_ptr, begin, end, word, token_ptr) for begin, end in pairwise(cuts)]


def _cells_until(cut, corpus):
    """Return the first cell of each document from word `cut` on, by bisection."""
    low, high = corpus.begin, corpus.end
    while (is_open := low < high).any():
        middle = np.where(is_open, (low + high) // 2, 0)
        is_before = corpus.word[middle] < cut
        low = np.where(is_open & is_before, middle + 1, low)
        high = np.where(is_open & ~is_before, middle, high)
    return low


def sharded(
    sampler: Shardable,
    problem: Problem[Corpus],
    n_shards: int,
    threads: Threads,
) -> Sampler:
    """Return the sampler over shards, or the sampler itself for one shard."""
    n_shards = len(shards_of_documents(problem.corpus, n_shards))
    return Sharded(sampler, n_shards, threads) if n_shards > 1 else sampler


def shards_of_documents(corpus: Corpus, n_shards: int) -> list[tuple[int, int]]:
    """Return first and end of the documents of up to n shards; fewer for few documents.

    There are at most `MOST_SHARDS`.
    """
    return list(ranges(tokens_before(corpus), min(n_shards, MOST_SHARDS)))
