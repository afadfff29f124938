"""One partition of the documents in one sweep: functions without side effects.

What a task returns depends on its arguments alone and never changes afterwards, so Dask
may compute it again wherever it was lost. Arguments are the documents, the topics of
their tokens, and the counts of all documents as blocks of words; the result is new
topics, and the counts of these documents as pieces of the blocks.
"""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from sklda._core import lists, rows
from sklda._core.corpus import ranges, some_documents, tokens_before, word_cells
from sklda._core.problem import MAX_TOKENS, Corpus, Problem
from sklda._core.random_streams import RandomStreams, random_topics
from sklda._core.threads import Threads
from sklda._gibbs import partially_collapsed_sampler as partially_collapsed
from sklda._gibbs.rows_then_lists import (
    FEW_TOPICS,
    collapsed_samplers,
    compares_after,
    rows_are_faster,
    starts_in_rows,
)
from sklda.dask._counts import (
    Block,
    Piece,
    add_up,
    cut,
    own_counts,
    own_counts_by,
    slots,
    topic_totals,
    unpack,
)
from sklda.dask.kernels import word_lists


class Documents(NamedTuple):
    """The documents of a partition."""

    corpus: Corpus
    first: int  # number of the first document among all


class Part(NamedTuple):
    """The topics of their tokens after a sweep."""

    z: np.ndarray  # (n_tokens,) uint16
    stream: np.ndarray  # (2,) uint64, where the random numbers of the shard are
    in_rows: bool  # the counts were
    pieces: list[Piece]


class Priors(NamedTuple):
    """Both priors."""

    doc_topic: np.ndarray  # (n_topics,) float64
    topic_word: float


class Words(NamedTuple):
    """How the words are cut into blocks."""

    bounds: list[int]

    @property
    def n(self) -> int:
        """Return V."""
        return self.bounds[-1]


def start(
    documents: Documents,
    stream: np.ndarray,
    own_stream: np.ndarray | None,
    priors: Priors,
    words: Words,
) -> Part:
    """Give each token a topic at random; `stream` is where those of this part begin."""
    corpus, stream = writable(documents.corpus), stream.copy()
    problem = Problem(corpus, words.n, *priors)
    z = random_topics(int(corpus.token_ptr[-1]), problem.n_topics, stream)
    cells = word_cells(problem)
    counts = cut(own_counts(problem, z), words.bounds)
    cells = np.split(cells, words.bounds[1:-1])
    pieces = [Piece(c, False, n) for c, n in zip(counts, cells, strict=True)]
    return Part(z, stream if own_stream is None else own_stream, True, pieces)


def piece(part: Part, block: int) -> Piece:
    """Return a piece of the counts."""
    return part.pieces[block]


def reduce(block: Block | None, pieces: list[Piece]) -> Block:
    """Return the counts of some words after a sweep, from the pieces of all parts."""
    order = block.lists if block is not None and pieces[0].keeps_order else None
    total = add_up(order, [one.lists for one in pieces])
    if block is not None:
        return block._replace(lists=total)
    tokens = np.zeros(total.size.size, np.int64)
    word = np.repeat(np.arange(tokens.size), total.size)
    np.add.at(tokens, word, total.count.astype(np.int64))
    return Block(total, sum(one.cells for one in pieces), tokens)


class Shards(NamedTuple):
    """Collapsed sampling of a shard on its own copy of all counts: AD-LDA."""

    sampler: str
    blocking: str | None
    max_block_size: int | None

    def draw(self, rng: RandomStreams, sweep: int) -> int:
        """Return what all partitions need in a sweep: its number, counted from 1."""
        return sweep

    def sweep(
        self,
        documents: Documents,
        part: Part,
        blocks: list[Block],
        priors: Priors,
        words: Words,
        sweep: int,
    ) -> Part:
        """Return the part after a sweep."""
        problem = Problem(writable(documents.corpus), words.n, *priors)
        z, stream = part.z.copy(), part.stream.copy()
        counts = unpack([block.lists for block in blocks])
        in_rows = self._uses_rows(blocks, problem.n_topics, sweep, part.in_rows)
        samplers = collapsed_samplers(
            self.blocking, self.max_block_size, problem.n_topics
        )
        tables = _rows if in_rows else _lists
        replicas = tables(counts, problem, z)
        sampler = samplers[0 if in_rows else 1]
        state = sampler.replica(replicas, 0, problem)
        sampler.sweep(problem, state, SimpleNamespace(kernel=stream))
        if in_rows and not self._may_leave_rows(problem.n_topics, sweep):
            own = own_counts_by(replicas.word_topic[0], problem, z)
        else:
            own = own_counts(problem, z)
        if not in_rows:
            _sort_like(own, replicas, problem)
        pieces = [Piece(c, not in_rows) for c in cut(own, words.bounds)]
        return Part(z, stream, in_rows, pieces)

    def _may_leave_rows(self, n_topics, sweep) -> bool:
        """Return whether the next sweep may be over lists, whose order counts."""
        many = n_topics >= FEW_TOPICS
        return self.sampler == "auto" and many and compares_after(sweep)

    def _uses_rows(self, blocks, n_topics, sweep, in_rows) -> bool:
        """Return whether the counts are in rows: as in `RowsThenLists`."""
        if self.sampler != "auto":
            return self.sampler == "dense"
        if n_topics < FEW_TOPICS:
            return True
        cells = np.concatenate([block.cells for block in blocks])
        if sweep == 1:
            tokens = np.concatenate([block.tokens for block in blocks])
            return starts_in_rows(tokens, cells, n_topics)
        if not in_rows or not compares_after(sweep - 1):
            return in_rows
        sizes = [block.lists.size for block in blocks]
        n_listed = np.concatenate(sizes, dtype=np.int64)
        return rows_are_faster(n_listed, cells, n_topics)


def _rows(counts, problem, z) -> rows.State:
    """Return the only replica of the counts in rows."""
    table = np.zeros((1, problem.n_words, problem.n_lanes), np.int32)
    word_lists.fill_rows(counts, 0, table[0])
    return rows.State(z, table, _topic(counts, problem)[np.newaxis])


def _lists(counts, problem, z) -> lists.State:
    """Return the only replica of the counts in lists."""
    first, size, topic, count = slots(counts, problem)
    totals = _topic(counts, problem)
    return lists.State(
        z,
        totals[np.newaxis],
        first,
        size[np.newaxis],
        topic[np.newaxis],
        count[np.newaxis],
    )


def _topic(counts, problem) -> np.ndarray:
    """Return the tokens on each topic as kernels take them, (n_lanes,) int32."""
    totals = topic_totals(counts, problem.n_lanes)
    if totals.max() > MAX_TOKENS:
        raise ValueError(
            f"Topic {totals.argmax()} has {totals.max():,} tokens, above the limit of "
            f"{MAX_TOKENS:,} of CollapsedGibbsLDA: use more topics, or "
            f"PartiallyCollapsedGibbsLDA, which has no such limit."
        )
    return totals.astype(np.int32)


def _sort_like(own, replicas: lists.State, problem) -> None:
    """Sort the topics of each word as they are in the lists of the shard."""
    _, _, first, size, topic, _ = replicas
    total = np.zeros(problem.n_lanes, np.int32)
    word_lists.sort_like(own, first, size[0], topic[0], total)


class Partial(NamedTuple):
    """Partially collapsed sampling: phi is drawn from all counts, then the topics."""

    n_jobs: int | None

    def draw(self, rng: RandomStreams, sweep: int) -> partially_collapsed.Keys:
        """Return what all partitions need in a sweep: keys of random numbers."""
        return partially_collapsed.draw_keys(rng)

    def sweep(
        self,
        documents: Documents,
        part: Part,
        blocks: list[Block],
        priors: Priors,
        words: Words,
        keys: partially_collapsed.Keys,
    ) -> Part:
        """Return the part after a sweep.

        Every partition draws all of phi, by the same random numbers. To receive phi
        would take longer: it has more bytes than the counts, which are mostly zeros.
        """
        corpus, z = writable(documents.corpus), part.z.copy()
        problem = Problem(corpus, words.n, *priors)
        counts = unpack([block.lists for block in blocks])
        phi = np.zeros((words.n, problem.n_lanes), np.float32)
        with Threads(self.n_jobs) as threads:
            totals = _draw_phi(counts, problem, phi, keys.phi, threads)
            factor = partially_collapsed.factors(totals)

            def resample(first, last):
                partially_collapsed.sweep_documents(
                    some_documents(corpus, first, last),
                    z,
                    documents.first + first,
                    phi,
                    factor,
                    priors.doc_topic,
                    keys.topics,
                )

            slices = ranges(tokens_before(corpus), _slices(threads))
            threads.map(resample, *zip(*slices, strict=True))
        own = own_counts_by(phi.view(np.int32), problem, z)
        return Part(
            z, part.stream, True, [Piece(c, False) for c in cut(own, words.bounds)]
        )


def _slices(threads) -> int:
    return 8 * threads.n if threads.n > 1 else 1


def _draw_phi(counts, problem, phi, key, threads) -> np.ndarray:
    """Fill the table of gammas; return the sums of its blocks."""
    size, n_words = partially_collapsed.BLOCK, problem.n_words
    n_blocks = -(-n_words // size)
    is_empty = topic_totals(counts, problem.n_lanes) == 0
    extra = partially_collapsed.draw_extra(key, is_empty, problem)
    totals = np.empty((n_blocks, problem.n_topics))

    def draw(first, last):
        for block in range(first, last):
            rows = phi[block * size : (block + 1) * size]
            dense = np.zeros(rows.shape, np.int32)
            word_lists.fill_rows(counts, block * size, dense)
            totals[block] = partially_collapsed.draw_phi_block(
                key, block, dense, extra, problem, rows
            )

    slices = ranges(np.arange(n_blocks + 1), _slices(threads))
    threads.map(draw, *zip(*slices, strict=True))
    return totals


def writable(corpus: Corpus) -> Corpus:
    """Return the corpus as kernels take it: what came from elsewhere is read-only."""
    return Corpus(*(np.require(array, requirements=["C", "W"]) for array in corpus))
