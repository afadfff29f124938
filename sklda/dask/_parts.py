"""Tasks on one part of the documents, and what they return; exact sweeps.

What a task returns depends on its arguments alone and never changes afterwards, so Dask
may recompute it if it is lost. Its arguments are the documents of the part, the topics
of their tokens, and the counts of all documents in blocks of words. It returns new
topics, and the counts of its documents in pieces, one for each block of words.
"""

from typing import Any, NamedTuple

import numpy as np

from sklda._core.problem import Corpus, Problem
from sklda._core.random_streams import RandomStreams, random_topics
from sklda._core.threads import Threads
from sklda._gibbs import partially_collapsed_sampler as partially_collapsed
from sklda.dask._counts import (
    PackedCounts,
    ascending_counts,
    ordered_counts,
    pack_word_blocks,
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
    """The topics of the tokens of a part after a sweep."""

    z: np.ndarray  # (n_tokens,) uint16
    pieces: list[PackedCounts] | tuple[()] = ()  # none if it was read from storage


def writable(corpus: Corpus) -> Corpus:
    """Return the corpus as writable arrays; those of another worker are read-only."""
    return Corpus(*(np.require(array, requirements=["C", "W"]) for array in corpus))


def start_part(
    documents: PartDocuments, problem: Problem, bounds: list[int], stream: np.ndarray
) -> PartState:
    """Give each token a topic drawn from `stream`."""
    problem = problem._replace(corpus=writable(documents.corpus))
    n_tokens = int(problem.corpus.token_ptr[-1])
    z = random_topics(n_tokens, problem.n_topics, stream.copy())
    return PartState(z, pack_word_blocks(ordered_counts(problem, z), bounds))


def piece_of(part: PartState, block: int) -> PackedCounts:
    """Return the piece of a block of words."""
    return part.pieces[block]


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
        word_blocks, problem, bounds, keys = shared
        problem = problem._replace(corpus=writable(documents.corpus))
        z, counts, n_lanes = part.z.copy(), unpack(word_blocks), problem.n_lanes
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
        part_counts = ascending_counts(topics[0].view(np.int32), problem, z)
        return PartState(z, pack_word_blocks(part_counts, bounds))
