"""The choice of the collapsed sampler, over rows, over lists or of blocks; and blocks.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945. `Blocked` draws the tokens of a block jointly. A block is a
cell of the corpus, or a piece of a large one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sklda._data.corpus import (
    MAX_32_BITS,
    MOST_STEPS,
    Corpus,
    Part,
    cells_of,
    document_lengths,
    kernel_ranges,
    split_cells,
    take_cells,
    tokens_before,
)
from sklda._gibbs.kernels import (
    blocked,
    single_site_lists,
    single_site_registers,
    single_site_rows,
)
from sklda._gibbs.kernels.blocked import SMALL
from sklda._sampling.problem import Counts, Problem, ProblemOfCells, padded, word_cells
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.sampler import Shardable, info
from sklda._tables import lists


class Blocks(NamedTuple):
    """The blocks of each document: the largest first, single tokens last."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64; blocks of d: doc_ptr[d]:doc_ptr[d + 1]
    single_ptr: np.ndarray  # (n_docs,) int64, the first single token
    token_ptr: np.ndarray  # (n_docs + 1,) int64; tokens of d
    word: np.ndarray  # (n_blocks,) int32
    first: np.ndarray  # (n_blocks,) int64, the first token
    size: np.ndarray  # (n_blocks,) int32


def make_blocks(corpus: Corpus | Part, most: int | np.ndarray) -> Blocks:
    """Return the cells as blocks, cut where they have more than `most` tokens."""
    cells = take_cells(corpus)
    pieces = split_cells(cells, most)
    count = np.diff(cells.token_ptr)
    n_pieces = np.diff(np.searchsorted(pieces.token_ptr, cells.token_ptr))
    largest = np.repeat(np.minimum(count, most), n_pieces)
    moved = corpus.token_ptr[cells_of(corpus)] - cells.token_ptr[:-1]
    first = pieces.token_ptr[:-1] + np.repeat(moved, n_pieces)
    n_docs = corpus.doc_ptr.size - 1
    document = np.repeat(np.arange(n_docs), np.diff(pieces.doc_ptr))
    size = np.diff(pieces.token_ptr).astype(np.int32)
    is_single = size == 1
    order = np.lexsort((-largest, is_single, document))
    singles = np.bincount(document[is_single], minlength=n_docs)
    return Blocks(
        doc_ptr=pieces.doc_ptr,
        single_ptr=pieces.doc_ptr[1:] - singles,
        token_ptr=tokens_before(corpus),
        word=pieces.word[order],
        first=first[order],
        size=size[order],
    )


class BlockState(NamedTuple):
    """The counts in lists, and the blocks."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: Any
    blocks: Blocks


class Blocked(NamedTuple):
    """Blocks of up to `max_block_size` tokens, whole cells if None.

    Large blocks are drawn by nested or by backward simulation. Blocks of m tokens in a
    document of N tokens cost O(N m K), so in very long documents they are smaller.
    """

    nested: bool
    max_block_size: int | None
    info = staticmethod(info)

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> BlockState:
        """Return the state in which the tokens have the topics z."""
        return self.over(self.tables(problem, z), problem)

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> Any:
        """Return the counts of the topics z."""
        return lists.from_topics(problem, z)

    def over(self, tables: Any, problem: ProblemOfCells) -> BlockState:
        """Return the state for some cells over counts of all documents."""
        corpus = problem.corpus
        n_steps = np.maximum(document_lengths(corpus) * problem.n_topics, 1)
        most = np.maximum(MOST_STEPS // n_steps, 1)
        if self.max_block_size is not None:
            most = np.minimum(most, min(self.max_block_size, MAX_32_BITS))
        blocks = make_blocks(corpus, np.repeat(most, corpus.end - corpus.begin))
        return BlockState(tables.z, tables.topic, tables, blocks)

    def sweep(
        self, problem: ProblemOfCells, state: BlockState, rng: RandomStreams
    ) -> None:
        """Resample every block once: first the large ones, then all others."""
        blocks, priors = state.blocks, lists.kernel_priors(problem)
        tables, stream, n_lanes = state.tables, rng.kernel, problem.n_lanes
        largest = int(blocks.size.max(initial=1))
        if largest > SMALL:
            for part in _in_parts(blocks, largest * n_lanes):
                blocked.sweep_large_blocks(part, tables, priors, stream, self.nested)
        depth = 2 if largest <= 2 else SMALL
        for part in _in_parts(blocks, depth * n_lanes):
            blocked.sweep_blocks(part, tables, priors, stream, depth)

    def counts(self, problem: Problem[Corpus], state: BlockState) -> Counts:
        """Return the count tables."""
        return lists.counts(problem, state.tables)


def _in_parts(blocks: Blocks, n_steps: int) -> Iterator[Blocks]:
    """Yield the blocks of documents that take a kernel a short time."""
    for first, last in kernel_ranges(blocks.token_ptr, n_steps):
        yield blocks._replace(
            doc_ptr=blocks.doc_ptr[first : last + 1],
            single_ptr=blocks.single_ptr[first:last],
            token_ptr=blocks.token_ptr[first : last + 1],
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
