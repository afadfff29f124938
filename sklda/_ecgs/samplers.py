"""The samplers of Xiao & Stibor, which draw the tokens of a cell in groups.

`Shortcut` makes one draw for all tokens of a cell, `Dynamic` learns how many to make.
"""

from typing import Any, NamedTuple

import numpy as np

from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._ecgs.kernels import draw_numbers, lists, rows

MANY_TOPICS = 161  # from here on lists of a word's topics are faster than whole rows


class State(NamedTuple):
    """Counts in rows or lists, and the number of draws for each cell."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: Any
    n_draws: np.ndarray  # (n_cells,) int32, in the last sweep
    draws_made: list[int]  # in each sweep
    gamma: draw_numbers.Gamma | None  # weights of the numbers of draws
    gamma_sum: int  # of each cell


class Shortcut:
    """One draw for all tokens of a cell."""

    def __init__(self, n_topics: int) -> None:
        self.kernel = lists if n_topics >= MANY_TOPICS else rows

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> State:
        """Return the state in which the tokens have the topics z."""
        return self._state(self.kernel.from_topics(problem, z), problem)

    def _state(self, tables, problem) -> State:
        n_draws = np.ones(problem.corpus.word.size, np.int32)
        return State(tables.z, tables.topic, tables, n_draws, [], None, 0)

    def sweep(
        self, problem: Problem[Corpus], state: State, rng: RandomStreams
    ) -> State:
        """Resample every token once, in groups."""
        priors = problem.kernel_priors()
        self.kernel.sweep_groups(
            problem.corpus, state.tables, priors, state.n_draws, rng.kernel
        )
        state.draws_made.append(int(state.n_draws.sum()))
        return state

    def counts(self, state: State) -> Counts:
        """Return the count tables."""
        return self.kernel.counts(state.tables)

    def replicate(self, state: State, n: int) -> Any:
        """Return the counts n times over, for n shards of the documents."""
        return self.kernel.replicate(state.tables, n)

    def replica(self, replicas: Any, i: int, problem: Problem[Corpus]) -> State:
        """Return the i-th of them, a state for the documents of `problem`."""
        return self._state(self.kernel.replica(replicas, i, problem), problem)

    def merge(self, state: State, replicas: Any, first: int, last: int) -> None:
        """Add what the replicas changed of the words from `first` to before `last`."""
        self.kernel.merge(state.tables, replicas, first, last)


class Dynamic(Shortcut):
    """As many draws as topics were drawn in an earlier sweep, chosen at random."""

    def __init__(self, n_topics: int, damping: int) -> None:
        super().__init__(n_topics)
        self.damping = damping

    def _state(self, tables, problem) -> State:
        n_draws = np.diff(problem.corpus.token_ptr).astype(np.int32)
        gamma = draw_numbers.init(problem.corpus, self.damping)
        return State(tables.z, tables.topic, tables, n_draws, [], gamma, self.damping)

    def sweep(
        self, problem: Problem[Corpus], state: State, rng: RandomStreams
    ) -> State:
        """Draw the numbers of draws, resample every token once, and learn from it."""
        gamma, gamma_sum = state.gamma, state.gamma_sum
        draw_numbers.draw(gamma, gamma_sum, rng.child(0).kernel, state.n_draws)
        super().sweep(problem, state, rng)
        token_ptr, z = problem.corpus.token_ptr, state.z
        gamma = draw_numbers.learn(token_ptr, z, gamma, problem.n_lanes)
        return state._replace(gamma=gamma, gamma_sum=gamma_sum + 1)


def draws_made(state: Any) -> np.ndarray:
    """Return the number of draws in each sweep, of all shards if there are any."""
    states = getattr(state, "shards", [state])
    return np.sum([one.draws_made for one in states], axis=0)
