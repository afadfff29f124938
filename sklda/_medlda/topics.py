"""The topics of tokens, given factors of the labels: a sampler that can be sharded."""

from typing import NamedTuple

import numpy as np

from sklda._core.corpus import (
    kernel_ranges,
    part_of,
    tokens_before,
    word_tokens,
)
from sklda._core.problem import Corpus, Counts, Problem, ProblemOfCells
from sklda._core.random_streams import RandomStreams
from sklda._core.sampler import SweepInfo
from sklda._medlda.kernels import gibbs, light
from sklda._medlda.kernels.label_factors import LabelFactors
from sklda._tables import rows

# A phase brings the row of a word from memory once, which takes as long as some tokens.
TOKENS_PER_ROW = 4


def word_work(problem: Problem[Corpus]) -> np.ndarray:
    """Return the work that each word is, in tokens."""
    tokens = word_tokens(problem)
    return tokens + TOKENS_PER_ROW * (tokens > 0)


class Labels(NamedTuple):
    """The factors of all documents, which hold for a sweep, and what it counts."""

    factors: LabelFactors
    n_moves: np.ndarray  # (n_docs, 2) int64, proposed and accepted in each kernel call

    def of(self, documents: slice) -> "Labels":
        """Return those of some documents."""
        factors = self.factors._replace(
            slope=self.factors.slope[documents],
            curvature=self.factors.curvature[documents],
        )
        return Labels(factors, self.n_moves[documents])


def no_labels(problem: Problem[Corpus], n_tasks: int) -> Labels:
    """Return labels that say nothing."""
    n_docs = problem.corpus.doc_ptr.size - 1
    factors = LabelFactors(
        weights=np.zeros((n_tasks, problem.n_lanes), np.float32),
        slope=np.zeros((n_docs, n_tasks), np.float32),
        curvature=np.zeros((n_docs, n_tasks), np.float32),
    )
    return Labels(factors, np.zeros((n_docs, 2), np.int64))


class LabelledTables(NamedTuple):
    """The counts and labels of all documents. Labels are set before each sweep."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    counts: rows.RowCounts | light.LightCounts
    labels: Labels
    doc_ptr: np.ndarray  # (n_docs + 1,) int64, of the corpus


class LabelledState(NamedTuple):
    """The counts, and the labels of the documents that a part has cells of."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: LabelledTables
    labels: Labels


class LabelledTopics(NamedTuple):
    """Draw the topic of each token given the others and the labels of its document."""

    n_mh_steps: int | None  # Metropolis-Hastings; None draws topics by Gibbs sampling
    n_tasks: int

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> LabelledState:
        """Return the state in which the tokens have the topics z."""
        return self.over(self.tables(problem, z), problem)

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> LabelledTables:
        """Return the counts of the topics z, and labels that say nothing."""
        kernel = rows if self.n_mh_steps is None else light
        counts = kernel.from_topics(problem, z)
        labels = no_labels(problem, self.n_tasks)
        return LabelledTables(z, counts.topic, counts, labels, problem.corpus.doc_ptr)

    def over(self, tables: LabelledTables, problem: ProblemOfCells) -> LabelledState:
        """Return the state for some cells over counts of all documents."""
        # Cuts between shards come before documents without words.
        first = int(np.searchsorted(tables.doc_ptr, problem.corpus.doc_ptr[0]))
        labels = tables.labels.of(slice(first, first + problem.corpus.begin.size))
        counts = tables.counts._replace(topic=tables.topic)
        tables = tables._replace(counts=counts)
        return LabelledState(tables.z, tables.topic, tables, labels)

    def sweep(
        self, problem: ProblemOfCells, state: LabelledState, rng: RandomStreams
    ) -> LabelledState:
        """Resample every token once."""
        corpus, priors = problem.corpus, rows.kernel_priors(problem)
        n_steps, stream = self.n_mh_steps, rng.kernel
        n_weights = problem.n_lanes if n_steps is None else 4 * n_steps
        n_weights *= self.n_tasks
        for first, last in kernel_ranges(tokens_before(corpus), n_weights):
            factors, n_moves = state.labels.of(slice(first, last))
            arguments = part_of(corpus, first, last), state.tables.counts, priors
            if n_steps is None:
                gibbs.gibbs_sweep(*arguments, factors, stream)
            else:
                light.light_sweep(*arguments, factors, n_steps, n_moves[0], stream)
        return state

    def counts(self, problem: Problem[Corpus], state: LabelledState) -> Counts:
        """Return the count tables."""
        return rows.counts(problem, state.tables.counts)

    def info(self, problem: Problem[Corpus], state: LabelledState) -> SweepInfo:
        """Return what has been done since labels were set.

        A proposal of the present topic is none.
        """
        n_moves = state.tables.labels.n_moves.sum(axis=0)
        return SweepInfo(state.z.size, *n_moves.tolist())
