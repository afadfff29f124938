"""The choice of the collapsed sampler: over rows, over lists, or of blocks."""

import numpy as np

from sklda._core.corpus import word_cells
from sklda._core.problem import Corpus, Problem, padded
from sklda._core.sampler import Shardable
from sklda._gibbs.blocked_sampler import Blocked
from sklda._gibbs.kernels import (
    single_site_lists,
    single_site_registers,
    single_site_rows,
)

# With as many topics, lists are a tenth faster than rows after 30 sweeps on NIPS and
# KOS. In the first sweeps, when words have nearly all topics, they are slower.
MANY_TOPICS = 64
# With an array of beta, a listed topic costs as much as two numbers of a row.
DOUBLES_PER_LISTED = 2


def collapsed_sampler(
    blocking: str | None, max_block_size: int | None, in_rows: bool, n_topics: int
) -> Shardable:
    """Return the sampler over rows or lists, for a way of blocking."""
    if blocking is not None:
        return Blocked(blocking == "nested", max_block_size)
    if not in_rows:
        return single_site_lists
    few = n_topics <= single_site_registers.MOST_TOPICS
    return single_site_registers if few else single_site_rows


def uses_rows(sampler: str, problem: Problem[Corpus]) -> bool:
    """Return whether a value of the parameter `sampler` means rows."""
    return rows_are_faster(problem) if sampler == "auto" else sampler == "dense"


def rows_are_faster(problem: Problem[Corpus]) -> bool:
    """Return whether rows are faster. An array of beta fills lists from the start."""
    if problem.n_topics < MANY_TOPICS or not problem.has_word_prior:
        return problem.n_topics < MANY_TOPICS
    cells = word_cells(problem)
    n_listed = np.diff(problem.excess.word_ptr)
    mean = n_listed @ cells / max(cells.sum(), 1)
    return bool(DOUBLES_PER_LISTED * mean >= padded(problem.n_topics))
