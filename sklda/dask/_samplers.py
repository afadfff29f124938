"""Sweeps on a cluster: collapsed sampling in phases, partially collapsed sampling.

Collapsed sampling runs the phases of `sklda._engine.sharded`. A part holds the
documents of neighbouring shards and, in each phase, the counts of as many shards of the
words. After a phase, each shard of the documents hands its counts to the shard before
it. So a part passes on the counts of its first shard, and keeps the others. One task
adds up the topic totals of all parts. All parts sweep at the same time, each in a task
for each phase.

A part of partially collapsed sampling sweeps with the counts of all parts, and counts
its tokens again.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from dask.delayed import Delayed

from sklda._data.corpus import (
    MAX_32_BITS,
    Corpus,
    Part,
    part_of,
    some_documents,
    take_cells,
)
from sklda._engine.hierarchical_prior import GammaPriors
from sklda._engine.kept_samples import SparseRows
from sklda._engine.sharded import cut_words, parts_of_words, word_shard
from sklda._gibbs import partially_collapsed
from sklda._gibbs.collapsed import collapsed_sampler
from sklda._sampling.doc_topic_counts import word_topic_entries
from sklda._sampling.problem import MAX_TOPICS, Problem, padded, word_tokens
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.schedule import Annealing
from sklda._sampling.threads import Threads
from sklda._tables import rows
from sklda._tables.lists import ListTable
from sklda.dask import _tasks
from sklda.dask._chain import ClusterChain
from sklda.dask._cluster import MOST_TASKS


class ShardDocuments(NamedTuple):
    """The documents of neighbouring shards."""

    corpus: Corpus  # words are numbered from the first one of their shard
    numbers: range  # of the shards
    first: list[int]  # document of each shard, and the number of all
    cuts: np.ndarray  # (n_shards + 1, n_docs) int64, cells before each shard of words
    tokens: list[np.ndarray]  # of each word in each shard: (n_words,) uint16, clipped
    bounds: list[int]  # of the shards of words

    def cells(self, i: int, j: int) -> Part:
        """Return the cells of the i-th of these shards in shard j of the words."""
        doc_ptr, word, token_ptr = _tasks.writable(self.corpus)
        begin, end = (np.require(cut, requirements="W") for cut in self.cuts[j : j + 2])
        part = Part(doc_ptr, begin, end, word, token_ptr)
        return part_of(part, *self.first[i : i + 2])


class ShardStates(NamedTuple):
    """The state of neighbouring shards after a phase."""

    z: np.ndarray  # (n_tokens,) uint16
    stream: np.ndarray  # (n, 2) uint64, state of the random stream of each shard
    topic: np.ndarray  # (n_lanes,) int64, tokens of the shards on each topic
    tables: list[SparseRows]  # counts of the words that each shard had


def word_totals(documents: _tasks.PartDocuments, problem: Problem) -> np.ndarray:
    """Return the number of tokens of each word, (n_words,) float64."""
    return word_tokens(problem._replace(corpus=documents.corpus))


def shard_bounds(n_shards: int, *totals: np.ndarray) -> list[int]:
    """Return the bounds of the shards of words; the last ones may have no words."""
    bounds = cut_words(np.sum(totals, axis=0), n_shards)
    return bounds + bounds[-1:] * (n_shards + 1 - len(bounds))


def cut_documents(
    documents: _tasks.PartDocuments, numbers: range, first: list[int], bounds: list[int]
) -> ShardDocuments:
    """Return documents, cut into shards and by words."""
    corpus, n_words = documents.corpus, bounds[-1]
    first = [document - documents.first for document in first]
    tokens = []
    for documents_of_shard in pairwise(first):
        cells = take_cells(some_documents(corpus, *documents_of_shard))
        shard = Problem(cells, n_words, [], 0)
        tokens.append(np.minimum(word_tokens(shard), MAX_TOPICS).astype(np.uint16))
    ends = [part.end for part in parts_of_words(corpus, bounds)]
    before = np.repeat(bounds[:-1], np.diff(bounds)).astype(np.int32)
    corpus = corpus._replace(word=corpus.word - before[corpus.word])
    cuts = np.array([corpus.begin, *ends])
    return ShardDocuments(corpus, numbers, first, cuts, tokens, bounds)


def begin(
    part: _tasks.PartState, stream: np.ndarray, tables: list[SparseRows], n_lanes: int
) -> ShardStates:
    """Return the states before the first phase."""
    return ShardStates(part.z, stream, np.bincount(part.z, minlength=n_lanes), tables)


def add_topics(*topics: np.ndarray) -> np.ndarray:
    """Return the tokens of all parts on each topic as kernels take them, int32."""
    totals = sum(topics)
    if totals.max() > MAX_32_BITS:
        raise ValueError(
            f"Topic {totals.argmax()} has {totals.max():,} tokens, above the limit of "
            f"{MAX_32_BITS:,} of CollapsedGibbsLDA: use more topics, or "
            f"PartiallyCollapsedGibbsLDA, which has no such limit."
        )
    return totals.astype(np.int32)


class InPhases(NamedTuple):
    """Collapsed sampling of the shards of a part in a phase, on threads."""

    blocking: str | None
    max_block_size: int | None
    n_jobs: int | None

    def sweep(
        self,
        documents: ShardDocuments,
        states: ShardStates,
        passed: SparseRows,
        totals: np.ndarray,
        problem: Problem,
        phase: int,
    ) -> ShardStates:
        """Return the shards after a phase of a sweep.

        `passed` has the counts from the first shard of the next part, and `totals` the
        tokens of all parts on each topic.
        """
        # Dask may repeat a task, so its arguments must not change.
        z, stream = states.z.copy(), states.stream.copy()
        n_topics = problem.n_topics
        sampler = collapsed_sampler(n_topics, self.blocking, self.max_block_size)
        in_rows = sampler.tables is rows.tables
        n_shards = len(documents.bounds) - 1
        most_words = int(np.diff(documents.bounds).max())

        def sweep(i, block):
            j = word_shard(documents.numbers[i], phase, n_shards)
            shard = problem._replace(corpus=documents.cells(i, j))
            shard_topic = totals.copy()
            if in_rows:
                table = _tasks.matrix_of([block], shard.n_lanes).toarray()
                tables = rows.RowCounts(z, table, shard_topic)
            else:
                tokens = documents.tokens[i][slice(*documents.bounds[j : j + 2])]
                tables = _tasks.lists_of(
                    block, tokens, most_words, n_topics, z, shard_topic
                )
            rng = RandomStreams(np.random.SeedSequence(0))
            rng.kernel = stream[i]
            sampler.sweep(shard, sampler.over(tables, shard), rng)
            counts = word_topic_entries(table if in_rows else ListTable(tables))
            (packed,) = _tasks.pack_blocks(counts, [0, block.size.size])
            return packed, shard_topic - totals

        with Threads(self.n_jobs) as threads:
            columns = range(len(documents.numbers)), [*states.tables[1:], passed]
            tables, changes = zip(*threads.map(sweep, *columns), strict=True)
        return ShardStates(z, stream, sum(changes, states.topic), list(tables))


class PhasesChain(ClusterChain):
    """Each sweep has as many phases as there are shards."""

    def _prepare(self) -> None:
        documents, shards = self.partitions.futures, self.partitions.shards
        firsts = np.cumsum([0, *(len(bounds) - 1 for bounds in shards)]).tolist()
        self.n_shards = firsts[-1]
        self._numbers = [range(*bounds) for bounds in pairwise(firsts)]
        totals = self._tasks(word_totals, "words", "part", [documents], self.problem)
        task = self.cluster.task(shard_bounds, "cut-words", self.n_shards, *totals)
        (self.bounds,) = self.cluster.results([task])
        columns = documents, self._numbers, shards
        tasks = self._tasks(cut_documents, "cut", "part", columns, self.bounds)
        self.documents = self.cluster.submit(tasks)
        self.n_tasks = self.n_shards * (3 * len(documents) + 2)

    def start(
        self, rng: RandomStreams, annealing: Annealing, priors: GammaPriors | None
    ) -> None:
        """Give each token a topic at random; each shard gets a random stream."""
        super().start(rng, annealing, priors)
        streams = [rng.kernel]  # a single shard goes on with that of the chain
        if self.n_shards > 1:
            streams = [rng.child(i).kernel for i in range(self.n_shards)]
        streams = [np.array(streams[n.start : n.stop]) for n in self._numbers]
        # Before a sweep, shard i has the words of shard i - 1.
        blocks, n_lanes = self.word_blocks, padded(self.n_topics)
        tables = [[blocks[i - 1] for i in numbers] for numbers in self._numbers]
        columns = self.parts, streams, tables
        tasks = self._tasks(begin, "begin", "part", columns, n_lanes)
        self.parts = self.cluster.submit(tasks)

    def _submit_sweep(self, problem: Problem) -> None:
        for phase in range(self.n_shards):
            number, parts = f"phase-{phase}", [self.parts]
            passed = self._tasks(_tasks.table_of, f"pass-on-{number}", "part", parts, 0)
            topics = self._tasks(getattr, f"topics-{number}", "part", parts, "topic")
            name = f"add-topics-{self.n_sweeps}-{number}"
            totals = self.cluster.task(add_topics, name, *topics)
            columns = self.documents, self.parts, [*passed[1:], passed[0]]
            common = totals, problem, phase
            name, sweep = f"sweep-{number}", self.sampler.sweep
            tasks = self._tasks(sweep, name, "part", columns, *common)
            if phase < self.n_shards - 1:
                self.parts = self.cluster.submit(tasks)
        self._take_up(tasks)

    def _take_up(self, parts: list[Delayed], prefix: str = "") -> None:
        shards = [
            (part, i)
            for part, numbers in zip(parts, self._numbers, strict=True)
            for i in range(len(numbers))
        ]
        # At the end of a sweep, shard i has the words of shard i - 1.
        columns = zip(*shards[1:], shards[0], strict=True)
        blocks = self._tasks(_tasks.table_of, f"{prefix}table", "block", columns)
        self.parts, self.word_blocks = self._submit(parts, blocks)


LEAST_BLOCK = 2**20  # entries of a dense block: smaller ones cost more than they save

# What all parts need: the counts of all documents in blocks, the problem without
# documents, the bounds of the blocks, and the keys of random numbers.
SharedInput = tuple[list[SparseRows], Problem, list[int], partially_collapsed.Keys]


class ExactParts(NamedTuple):
    """Partially collapsed sampling: phi is drawn from all counts, then the topics."""

    n_jobs: int | None

    def sweep(
        self,
        documents: _tasks.PartDocuments,
        part: _tasks.PartState,
        shared: SharedInput,
    ) -> _tasks.PartState:
        """Return the part after a sweep."""
        word_blocks, problem, bounds, keys = shared
        problem = problem._replace(corpus=_tasks.writable(documents.corpus))
        z, n_lanes = part.z.copy(), problem.n_lanes
        counts = _tasks.matrix_of(word_blocks, n_lanes)
        is_empty = counts.sum(axis=0) == 0

        def counts_of(first, last):
            return counts[first:last].toarray()

        with Threads(self.n_jobs) as threads:
            slices, doc_slices = partially_collapsed.slices_of(problem, threads)
            # Every part draws the same phi: it has more bytes than the counts, which
            # are mostly zeros, so it would take longer to receive.
            topics = partially_collapsed.draw_phi(
                keys.phi, is_empty, counts_of, problem, slices, threads
            )
            first, key = documents.first, keys.topics
            partially_collapsed.sweep_documents(
                problem, z, first, topics, key, doc_slices, threads
            )
        table = topics[0].view(np.int32)  # phi is not needed again
        table[:] = 0
        totals = np.zeros(n_lanes, np.int32)
        rows.add_tokens(problem.corpus, rows.RowCounts(z, table, totals))
        return _tasks.PartState(
            z, _tasks.pack_blocks(word_topic_entries(table), bounds)
        )


class CountingChain(ClusterChain):
    """Each part sweeps with the counts of all, and counts its tokens again.

    Its new counts are split into the blocks of words; each block adds up its pieces. So
    no worker receives all counts of all parts.
    """

    _take_up = ClusterChain._add_pieces

    def _prepare(self) -> None:
        n_parts = len(self.documents)
        self.bounds = word_bounds(n_parts, self.partitions.n_words, self.n_topics)
        n_blocks = len(self.bounds) - 1
        self.n_tasks = n_parts * n_blocks + n_parts + n_blocks

    def _submit_sweep(self, problem: Problem) -> None:
        keys = partially_collapsed.draw_keys(self.rng)
        shared = self.word_blocks, problem, self.bounds, keys
        columns = self.documents, self.parts
        self._take_up(self._tasks(self.sampler.sweep, "sweep", "part", columns, shared))


def word_bounds(n_parts: int, n_words: int, n_topics: int) -> list[int]:
    """Return the bounds of blocks of words: as many as parts, or fewer."""
    # A sweep has a task for each part, block and piece; at most five more for each part
    # and block (count, mean, store, load, load the mean); and three for the priors.
    most = (MOST_TASKS - 6 * n_parts - 3) // (n_parts + 6)
    if most < 1:
        raise ValueError(
            f"{n_parts} partitions make more than {MOST_TASKS:,} tasks in a sweep, too "
            f"many for a scheduler: use at most n_partitions={(MOST_TASKS - 9) // 7}, "
            f"with more threads each (n_jobs)."
        )
    most_by_size = 1 + n_words * padded(n_topics) // LEAST_BLOCK
    n_word_blocks = min(n_parts, most, most_by_size, n_words)
    return [n_words * i // n_word_blocks for i in range(n_word_blocks + 1)]
