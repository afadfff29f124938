"""The chain of exact parts, which count their tokens after each sweep."""

from __future__ import annotations

from typing import Any

from sklda._core.problem import padded
from sklda.dask._chain import ClusterChain
from sklda.dask._cluster import MOST_TASKS
from sklda.dask._parts import PartState

LEAST_BLOCK = 2**20  # entries of a dense block: smaller ones cost more than they save


class CountingChain(ClusterChain):
    """Each part sweeps with the counts of all, and counts its tokens again.

    Its new counts are split into the blocks of words; each block adds up its pieces. So
    no worker receives all counts of all parts.
    """

    kind = PartState

    def _prepare(self) -> None:
        n_parts = len(self.documents)
        self.bounds = word_bounds(n_parts, self.partitions.n_words, self.n_topics)

    def resume(self, stored: dict[str, Any]) -> None:
        """Go on from a stored sweep; raise ValueError if it is of other documents."""
        super().resume(stored)
        for _ in range(self.n_sweeps):
            self.sampler.draw(self.rng)

    @property
    def n_tasks(self) -> int:
        """Tasks of a sweep."""
        n_parts, n_word_blocks = len(self.documents), self.n_word_blocks
        return n_parts * n_word_blocks + n_parts + n_word_blocks

    def _submit_sweeps(self, n: int) -> None:
        draw, problem = self.sampler.draw(self.rng), self.problem
        if self.is_annealed:
            anneal, sweep = self.annealing.problem_of, self.n_sweeps
            task = self.cluster.task(anneal, f"anneal-{sweep}", problem, sweep)
            (problem,) = self.cluster.submit([task])
        shared = (self.word_blocks, problem, self.bounds, draw)
        columns = self.documents, self.parts
        tasks = self._tasks(self.sampler.sweep, "sweep", "part", columns, shared)
        self._reduce(tasks, self.word_blocks)


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
