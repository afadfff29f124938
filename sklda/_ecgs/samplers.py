"""The samplers of Xiao & Stibor, which draw the tokens of a cell in groups.

Shortcut sampling makes one draw for all tokens of a cell; dynamic sampling learns how
many to make.
"""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from sklda._core.corpus import cells_of, kernel_parts
from sklda._core.problem import Corpus, Counts, Part, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.sampler import SweepInfo
from sklda._ecgs.kernels import draw_numbers, lists, rows
from sklda._gibbs.rows_or_lists import rows_are_faster


class Tables(NamedTuple):
    """Counts in rows or lists, and the number of draws for each cell."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    counts: Any
    n_draws: np.ndarray  # (n_cells,) int32, in the last sweep


class State(NamedTuple):
    """What belongs to all cells, or to those of a part."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: Any  # in rows or lists
    n_draws: np.ndarray  # (n_cells,) int32, of all cells
    weights: draw_numbers.Weights | None  # of the numbers of draws, if dynamic


class Grouped(NamedTuple):
    """Dynamic sampling; shortcut sampling if `damping` is None."""

    kernel: ModuleType
    damping: int | None

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> State:
        """Return the state in which the tokens have the topics z."""
        return self.over(self.tables(problem, z), problem)

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> Tables:
        """Return the counts of the topics z, and as many draws as in the beginning."""
        counts, corpus = self.kernel.from_topics(problem, z), problem.corpus
        n_draws = np.ones(corpus.word.size, np.int32)
        if self.damping is not None:
            n_draws[:] = np.diff(corpus.token_ptr)
        return Tables(z, counts.topic, counts, n_draws)

    def over(self, tables: Tables, problem: Problem[Corpus] | Problem[Part]) -> State:
        """Return the state for some cells over tables of all documents."""
        z, topic, counts, n_draws = tables
        counts = counts._replace(topic=topic)
        weights = None
        if self.damping is not None:
            weights = draw_numbers.init(cells_of(problem.corpus), n_draws, self.damping)
        return State(z, topic, counts, n_draws, weights)

    def sweep(
        self, problem: Problem[Corpus] | Problem[Part], state: State, rng: RandomStreams
    ) -> State:
        """Resample every token once, in groups; learn how many to make."""
        corpus, weights, n_draws = problem.corpus, state.weights, state.n_draws
        if weights is not None:
            draw_numbers.draw(weights, rng.child(0).kernel, n_draws)
        priors = self.kernel.kernel_priors(problem)
        for part in kernel_parts(corpus, problem.n_lanes):
            self.kernel.sweep_groups(part, state.tables, priors, n_draws, rng.kernel)
        if weights is not None:
            weights = draw_numbers.learn(
                corpus.token_ptr, state.z, weights, problem.n_lanes
            )
        return state._replace(weights=weights)

    def counts(self, problem: Problem[Corpus], state: State) -> Counts:
        """Return the count tables."""
        return self.kernel.counts(problem, state.tables)

    def info(self, problem: Problem[Corpus] | Problem[Part], state: State) -> SweepInfo:
        """Return the number of groups of tokens."""
        is_part = isinstance(problem.corpus, Part)
        cells = cells_of(problem.corpus) if is_part else slice(None)
        return SweepInfo(n_draws=int(state.n_draws[cells].sum()))


def grouped_sampler(problem: Problem[Corpus], damping: int | None) -> Grouped:
    """Return the faster of both kernels."""
    return Grouped(rows if rows_are_faster(problem) else lists, damping)
