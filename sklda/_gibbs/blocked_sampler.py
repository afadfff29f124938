"""Blocked collapsed Gibbs sampling: the tokens of a block are drawn jointly.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945. A block is a cell of the corpus, or a piece of a large one.
"""

from typing import Any, NamedTuple

import numpy as np

from sklda._core import lists
from sklda._core.corpus import (
    MOST_STEPS,
    document_lengths,
    kernel_ranges,
    some_documents,
    split_cells,
    tokens_before,
)
from sklda._core.problem import MAX_TOKENS, Corpus, Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._gibbs.kernels.blocked.blocks import sweep_blocks


class State(NamedTuple):
    """Lists of topics, and the corpus with a cell for each block."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: lists.State
    blocks: Corpus


class Blocked(NamedTuple):
    """Blocks of up to `max_block_size` tokens, whole cells if None.

    Large blocks are drawn by nested or by backward simulation. Blocks of m tokens in a
    document of N tokens cost O(N m K), so in very long documents they are smaller.
    """

    nested: bool
    max_block_size: int | None

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> State:
        """Return the state in which the tokens have the topics z."""
        return self._state(lists.from_topics(problem, z), problem)

    def _state(self, tables, problem) -> State:
        corpus = problem.corpus
        n_steps = np.maximum(document_lengths(corpus) * problem.n_topics, 1)
        most = np.maximum(MOST_STEPS // n_steps, 1)
        if self.max_block_size is not None:
            most = np.minimum(most, min(self.max_block_size, MAX_TOKENS))
        blocks = split_cells(corpus, np.repeat(most, np.diff(corpus.doc_ptr)))
        return State(tables.z, tables.topic, tables, blocks)

    def sweep(
        self, problem: Problem[Corpus], state: State, rng: RandomStreams
    ) -> State:
        """Resample every block once."""
        blocks, priors = state.blocks, problem.kernel_priors()
        largest = int(np.diff(blocks.token_ptr).max(initial=1))
        for documents in kernel_ranges(
            tokens_before(blocks), largest * problem.n_lanes
        ):
            some = some_documents(blocks, *documents)
            sweep_blocks(some, state.tables, priors, rng.kernel, self.nested)
        return state

    def counts(self, state: State) -> Counts:
        """Return the count tables, made anew from the lists."""
        return lists.counts(state.tables)

    def replicate(self, state: State, n: int) -> Any:
        """Return n lists for each word, for n shards of the documents."""
        return lists.replicate(state.tables, n)

    def replica(self, replicas: Any, i: int, problem: Problem[Corpus]) -> State:
        """Return the i-th of them, a state for the documents of `problem`."""
        return self._state(lists.replica(replicas, i, problem), problem)

    def merge(self, state: State, replicas: Any, first: int, last: int) -> None:
        """Add what the replicas changed of the words from `first` to before `last`."""
        lists.merge(state.tables, replicas, first, last)
