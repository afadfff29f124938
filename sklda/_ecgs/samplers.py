"""The samplers of Xiao & Stibor, which draw the tokens of a cell in groups.

Shortcut sampling makes one draw for all tokens of a cell; dynamic sampling learns the
number of draws.
"""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from sklda._core.corpus import cells_of, kernel_parts
from sklda._core.problem import Corpus, Counts, Problem, ProblemOfCells
from sklda._core.random_streams import RandomStreams
from sklda._core.sampler import SweepInfo
from sklda._ecgs.kernels import draw_numbers, lists, rows
from sklda._gibbs.rows_or_lists import rows_are_faster


class GroupedState(NamedTuple):
    """Counts and numbers of draws of all documents; draw weights of cells in a part."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: Any  # in rows or lists
    n_draws: np.ndarray  # (n_cells,) int32, in the last sweep
    draw_weights: draw_numbers.DrawWeights | None  # if dynamic


class Grouped(NamedTuple):
    """Dynamic sampling; shortcut sampling if `damping` is None."""

    kernel: ModuleType
    damping: int | None

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> GroupedState:
        """Return the state in which the tokens have the topics z."""
        return self.over(self.tables(problem, z), problem)

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> GroupedState:
        """Return the counts of the topics z and the first numbers of draws."""
        counts, corpus = self.kernel.from_topics(problem, z), problem.corpus
        n_draws = np.ones(corpus.word.size, np.int32)
        if self.damping is not None:
            n_draws[:] = np.diff(corpus.token_ptr)
        return GroupedState(z, counts.topic, counts, n_draws, None)

    def over(self, tables: GroupedState, problem: ProblemOfCells) -> GroupedState:
        """Return the state for some cells over counts of all documents."""
        draw_weights, cells = None, cells_of(problem.corpus)
        if self.damping is not None:
            n_draws, damping = tables.n_draws, self.damping
            draw_weights = draw_numbers.first_draw_weights(cells, n_draws, damping)
        counts = tables.tables._replace(topic=tables.topic)
        return tables._replace(tables=counts, draw_weights=draw_weights)

    def sweep(
        self, problem: ProblemOfCells, state: GroupedState, rng: RandomStreams
    ) -> GroupedState:
        """Resample every token once, in groups; learn their number."""
        corpus, n_draws = problem.corpus, state.n_draws
        draw_weights = state.draw_weights
        if draw_weights is not None:
            draw_numbers.choose_n_draws(draw_weights, rng.child(0).kernel, n_draws)
        priors, alphas = self.kernel.kernel_priors(problem), problem.kernel_alphas()
        for part in kernel_parts(corpus, problem.n_lanes):
            self.kernel.sweep_groups(
                part, state.tables, priors, alphas, n_draws, rng.kernel
            )
        if draw_weights is not None:
            draw_weights = draw_numbers.learn_draw_weights(
                corpus.token_ptr, state.z, draw_weights, problem.n_lanes
            )
        return state._replace(draw_weights=draw_weights)

    def counts(self, problem: Problem[Corpus], state: GroupedState) -> Counts:
        """Return the count tables."""
        return self.kernel.counts(problem, state.tables)

    def info(self, problem: Problem[Corpus], state: GroupedState) -> SweepInfo:
        """Return the number of draws of the last sweep: one for each group."""
        return SweepInfo(n_draws=int(state.n_draws.sum()))


def grouped_sampler(problem: Problem[Corpus], damping: int | None) -> Grouped:
    """Return the sampler of groups with the faster of two kernels, rows or lists."""
    return Grouped(rows if rows_are_faster(problem) else lists, damping)
