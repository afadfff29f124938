"""One partition of the documents in one sweep: functions without side effects.

What a task returns depends on its arguments alone and never changes afterwards, so Dask
may compute it again wherever it was lost. Arguments are the documents, the topics of
their tokens, and the counts of all documents as blocks of words; the result is new
topics, and the counts of these documents as pieces of the blocks.
"""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from sklda._core.corpus import ranges, some_documents, tokens_before
from sklda._core.problem import MAX_TOKENS, Corpus, Problem
from sklda._core.random_streams import RandomStreams, random_topics
from sklda._core.threads import Threads
from sklda._gibbs import partially_collapsed_sampler as partially_collapsed
from sklda._gibbs.rows_or_lists import collapsed_sampler, uses_rows
from sklda._tables import lists, rows
from sklda.dask._counts import (
    Packed,
    cut,
    own_counts,
    own_counts_after,
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
    pieces: list[Packed]  # none after it was stored


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
    pieces = cut(own_counts(problem, z), words.bounds)
    return Part(z, stream if own_stream is None else own_stream, pieces)


def piece(part: Part, block: int) -> Packed:
    """Return a piece of the counts."""
    return part.pieces[block]


class Shards(NamedTuple):
    """Collapsed sampling of a shard on its own copy of all counts: AD-LDA."""

    sampler: str
    blocking: str | None
    max_block_size: int | None

    def draw(self, rng: RandomStreams) -> None:
        """Return what all partitions need in a sweep: nothing."""

    def sweep(
        self,
        documents: Documents,
        part: Part,
        blocks: list[Packed],
        priors: Priors,
        words: Words,
        _: None,
    ) -> Part:
        """Return the part after a sweep."""
        problem = Problem(writable(documents.corpus), words.n, *priors)
        z, stream = part.z.copy(), part.stream.copy()
        counts = unpack(blocks)
        in_rows = uses_rows(self.sampler, problem)
        sampler = collapsed_sampler(
            self.blocking, self.max_block_size, in_rows, problem.n_topics
        )
        tables = (_rows if in_rows else _lists)(counts, problem, z)
        state = sampler.over(tables, problem)
        sampler.sweep(problem, state, SimpleNamespace(kernel=stream))
        if in_rows:
            own = own_counts_by(tables.word_topic, problem, z)
        else:
            before = unpack(part.pieces) if part.pieces else own_counts(problem, part.z)
            own = own_counts_after(before, counts, tables)
        return Part(z, stream, cut(own, words.bounds))


def _rows(counts, problem, z) -> rows.RowCounts:
    """Return the counts in rows."""
    table = np.zeros((problem.n_words, problem.n_lanes), np.int32)
    word_lists.fill_rows(counts, 0, table)
    return rows.RowCounts(z, table, _topic(counts, problem))


def _lists(counts, problem, z) -> lists.ListCounts:
    """Return the counts in lists."""
    first, size, topic, count = slots(counts, problem)
    return lists.ListCounts(z, _topic(counts, problem), first, size, topic, count)


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


class Partial(NamedTuple):
    """Partially collapsed sampling: phi is drawn from all counts, then the topics."""

    n_jobs: int | None

    def draw(self, rng: RandomStreams) -> partially_collapsed.Keys:
        """Return what all partitions need in a sweep: keys of random numbers."""
        return partially_collapsed.draw_keys(rng)

    def sweep(
        self,
        documents: Documents,
        part: Part,
        blocks: list[Packed],
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
        counts = unpack(blocks)
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
        return Part(z, part.stream, cut(own, words.bounds))


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
