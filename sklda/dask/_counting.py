"""Partially collapsed sampling: exact parts, whose tokens are counted after a sweep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklda._core.problem import Problem, padded
from sklda._core.sparse_sums import SparseRows
from sklda._core.threads import Threads
from sklda._gibbs import partially_collapsed_sampler as partially_collapsed
from sklda.dask._chain import ClusterChain
from sklda.dask._cluster import MOST_TASKS
from sklda.dask._tasks import (
    PartDocuments,
    PartState,
    count_again,
    rows_of,
    topic_totals,
    unpack_blocks,
    writable,
)

LEAST_BLOCK = 2**20  # entries of a dense block: smaller ones cost more than they save

# What all parts need: the counts of all documents in blocks, the problem without
# documents, the bounds of the blocks, and the keys of random numbers.
SharedInput = tuple[list[SparseRows], Problem, list[int], partially_collapsed.Keys]


class ExactParts(NamedTuple):
    """Partially collapsed sampling: phi is drawn from all counts, then the topics."""

    n_jobs: int | None

    def sweep(
        self, documents: PartDocuments, part: PartState, shared: SharedInput
    ) -> PartState:
        """Return the part after a sweep."""
        word_blocks, problem, bounds, keys = shared
        problem = problem._replace(corpus=writable(documents.corpus))
        z, counts, n_lanes = part.z.copy(), unpack_blocks(word_blocks), problem.n_lanes
        is_empty = topic_totals(counts, n_lanes) == 0

        def counts_of(first, last):
            return rows_of(counts, first, last, n_lanes)

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
        return count_again(topics[0].view(np.int32), problem, z, bounds)


class CountingChain(ClusterChain):
    """Each part sweeps with the counts of all, and counts its tokens again.

    Its new counts are split into the blocks of words; each block adds up its pieces. So
    no worker receives all counts of all parts.
    """

    def _prepare(self) -> None:
        n_parts = len(self.documents)
        self.bounds = word_bounds(n_parts, self.partitions.n_words, self.n_topics)

    @property
    def n_tasks(self) -> int:
        """Tasks of a sweep."""
        n_parts, n_word_blocks = len(self.documents), self.n_word_blocks
        return n_parts * n_word_blocks + n_parts + n_word_blocks

    def _submit_sweeps(self, n: int) -> None:
        keys, problem = partially_collapsed.draw_keys(self.rng), self.problem
        if self.is_annealed:
            anneal, sweep = self.annealing.problem_of, self.n_sweeps
            task = self.cluster.task(anneal, f"anneal-{sweep}", problem, sweep)
            (problem,) = self.cluster.submit([task])
        shared = (self.word_blocks, problem, self.bounds, keys)
        columns = self.documents, self.parts
        tasks = self._tasks(self.sampler.sweep, "sweep", "part", columns, shared)
        self._reduce(tasks)


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
