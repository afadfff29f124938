"""The samplers of Xiao & Stibor, which draw the tokens of a cell in groups.

Shortcut sampling makes one draw for all tokens of a cell; dynamic sampling learns how
many to make.
"""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from sklda._core.corpus import kernel_ranges, some_documents, tokens_before
from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._ecgs.kernels import draw_numbers, lists, rows
from sklda._gibbs.rows_or_lists import rows_are_faster


class State(NamedTuple):
    """Counts in rows or lists, and the number of draws for each cell."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: Any
    n_draws: np.ndarray  # (n_cells,) int32, in the last sweep
    draws_made: list[int]  # in each sweep
    weights: draw_numbers.Weights | None  # of the numbers of draws, if dynamic


class Grouped(NamedTuple):
    """Dynamic sampling; shortcut sampling if `damping` is None."""

    kernel: ModuleType
    damping: int | None

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> State:
        """Return the state in which the tokens have the topics z."""
        return self._state(self.kernel.from_topics(problem, z), problem.corpus)

    def _state(self, tables, corpus) -> State:
        n_draws, weights = np.ones(corpus.word.size, np.int32), None
        if self.damping is not None:
            n_draws[:] = np.diff(corpus.token_ptr)
            weights = draw_numbers.init(corpus, self.damping)
        return State(tables.z, tables.topic, tables, n_draws, [], weights)

    def sweep(
        self, problem: Problem[Corpus], state: State, rng: RandomStreams
    ) -> State:
        """Resample every token once, in groups; learn how many to make."""
        corpus, weights, n_draws = problem.corpus, state.weights, state.n_draws
        if weights is not None:
            total = self.damping + len(state.draws_made)
            draw_numbers.draw(weights, total, rng.child(0).kernel, n_draws)
        priors = self.kernel.kernel_priors(problem)
        sweep_groups = self.kernel.sweep_groups
        for documents in kernel_ranges(tokens_before(corpus), problem.n_lanes):
            some = some_documents(corpus, *documents)
            sweep_groups(some, state.tables, priors, n_draws, rng.kernel)
        state.draws_made.append(int(n_draws.sum()))
        if weights is not None:
            weights = draw_numbers.learn(
                corpus.token_ptr, state.z, weights, problem.n_lanes
            )
        return state._replace(weights=weights)

    def counts(self, problem: Problem[Corpus], state: State) -> Counts:
        """Return the count tables."""
        return self.kernel.counts(problem, state.tables)

    def replicate(self, state: State, n: int) -> Any:
        """Return the counts n times over, for n shards of the documents."""
        return self.kernel.replicate(state.tables, n)

    def replica(self, replicas: Any, i: int, problem: Problem[Corpus]) -> State:
        """Return the i-th of them, a state for the documents of `problem`."""
        return self._state(self.kernel.replica(replicas, i, problem), problem.corpus)

    def merge(self, state: State, replicas: Any, first: int, last: int) -> None:
        """Add what the replicas changed of the words from `first` to before `last`."""
        self.kernel.merge(state.tables, replicas, first, last)


def grouped_sampler(problem: Problem[Corpus], damping: int | None) -> Grouped:
    """Return the faster of both kernels."""
    return Grouped(rows if rows_are_faster(problem) else lists, damping)


def draws_made(state: Any) -> np.ndarray:
    """Return the number of draws in each sweep, of all shards if there are any."""
    states = getattr(state, "shards", [state])
    return np.sum([one.draws_made for one in states], axis=0)
