"""Tasks that sweep over one part of the documents, and what they return.

What a task returns depends on its arguments alone and never changes afterwards, so Dask
may recompute it if it is lost. Arguments are the documents, the topics of their tokens,
and the counts of all documents as blocks of words. The result is new topics, and the
counts of these documents as pieces of the blocks.
"""

from typing import Any, NamedTuple

import numpy as np

from sklda._core.problem import MAX_TOKENS, Corpus, Problem
from sklda._core.random_streams import RandomStreams, random_topics
from sklda._core.threads import Threads
from sklda._gibbs import partially_collapsed_sampler as partially_collapsed
from sklda._gibbs.rows_or_lists import collapsed_sampler, uses_rows
from sklda.dask._counts import (
    PackedCounts,
    as_lists,
    as_rows,
    own_counts,
    own_counts_after,
    own_counts_by,
    pack_blocks,
    rows_of,
    topic_totals,
    unpack,
)

# What all parts need: the counts of all documents in blocks, the problem without
# documents, the bounds of the blocks, and what the sampler draws for all parts.
SharedInput = tuple[list[PackedCounts], Problem, list[int], Any]


class PartDocuments(NamedTuple):
    """The documents of a part."""

    corpus: Corpus
    first: int  # number of the first document among all


class PartState(NamedTuple):
    """The topics of their tokens after a sweep."""

    z: np.ndarray  # (n_tokens,) uint16
    stream: np.ndarray  # (2,) uint64, state of the random stream of a shard
    pieces: list[PackedCounts] | tuple[()] = ()  # none if it was read from storage


def writable(corpus: Corpus) -> Corpus:
    """Return the corpus as kernels take it: what came from elsewhere is read-only."""
    return Corpus(*(np.require(array, requirements=["C", "W"]) for array in corpus))


def start_part(
    documents: PartDocuments,
    problem: Problem,
    bounds: list[int],
    stream: np.ndarray,
    own_stream: np.ndarray | None,
) -> PartState:
    """Give each token a topic drawn from `stream`; sweeps use `own_stream`, if any."""
    problem = problem._replace(corpus=writable(documents.corpus))
    stream = stream.copy()
    z = random_topics(int(problem.corpus.token_ptr[-1]), problem.n_topics, stream)
    pieces = pack_blocks(own_counts(problem, z), bounds)
    return PartState(z, stream if own_stream is None else own_stream, pieces)


def piece_of(part: PartState, block: int) -> PackedCounts:
    """Return the piece of a block of words."""
    return part.pieces[block]


class AdLda(NamedTuple):
    """Collapsed sampling of a part on its own copy of all counts."""

    sampler: str
    blocking: str | None
    max_block_size: int | None

    def draw(self, rng: RandomStreams) -> None:
        """Return what all parts need in a sweep: nothing."""

    def sweep(
        self, documents: PartDocuments, part: PartState, shared: SharedInput
    ) -> PartState:
        """Return the part after a sweep."""
        blocks, problem, bounds, _ = shared
        problem = problem._replace(corpus=writable(documents.corpus))
        z, counts = part.z.copy(), unpack(blocks)
        in_rows = self.blocking is None and uses_rows(self.sampler, problem)
        sampler = collapsed_sampler(
            self.blocking, self.max_block_size, in_rows, problem.n_topics
        )
        as_tables = as_rows if in_rows else as_lists
        tables = as_tables(counts, problem, z, _checked_totals(counts, problem))
        # Samplers that draw from other streams as well get new ones in each sweep.
        rng = RandomStreams(np.random.SeedSequence(part.stream.tolist()))
        rng.kernel[:] = part.stream
        sampler.sweep(problem, sampler.over(tables, problem), rng)
        if in_rows:
            own = own_counts_by(tables.word_topic, problem, z)
        else:
            before = unpack(part.pieces) if part.pieces else own_counts(problem, part.z)
            own = own_counts_after(before, counts, tables)
        return PartState(z, rng.kernel, pack_blocks(own, bounds))


def _checked_totals(counts, problem) -> np.ndarray:
    """Return the tokens on each topic as kernels take them, (n_lanes,) int32."""
    totals = topic_totals(counts, problem.n_lanes)
    if totals.max() > MAX_TOKENS:
        raise ValueError(
            f"Topic {totals.argmax()} has {totals.max():,} tokens, above the limit of "
            f"{MAX_TOKENS:,} of CollapsedGibbsLDA: use more topics, or "
            f"PartiallyCollapsedGibbsLDA, which has no such limit."
        )
    return totals.astype(np.int32)


class ExactParts(NamedTuple):
    """Partially collapsed sampling: phi is drawn from all counts, then the topics."""

    n_jobs: int | None

    def draw(self, rng: RandomStreams) -> partially_collapsed.Keys:
        """Return what all parts need in a sweep: keys of random numbers."""
        return partially_collapsed.draw_keys(rng)

    def sweep(
        self, documents: PartDocuments, part: PartState, shared: SharedInput
    ) -> PartState:
        """Return the part after a sweep."""
        blocks, problem, bounds, keys = shared
        problem = problem._replace(corpus=writable(documents.corpus))
        z, counts, n_lanes = part.z.copy(), unpack(blocks), problem.n_lanes
        is_empty = topic_totals(counts, n_lanes) == 0

        def counts_of(first, last):
            return rows_of(counts, first, last, n_lanes)

        with Threads(self.n_jobs) as threads:
            words, own_documents = partially_collapsed.slices_of(problem, threads)
            # Every part draws the same phi: it has more bytes than the counts, which
            # are mostly zeros, so it would take longer to receive.
            topics = partially_collapsed.draw_phi(
                keys.phi, is_empty, counts_of, problem, words, threads
            )
            first, key = documents.first, keys.topics
            partially_collapsed.sweep_documents(
                problem, z, first, topics, key, own_documents, threads
            )
        own = own_counts_by(topics[0].view(np.int32), problem, z)
        return PartState(z, part.stream, pack_blocks(own, bounds))
