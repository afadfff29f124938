"""A sharded sampler whose totals are never out of date."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklda._engine.sharded import Sharded


class OneTotal(NamedTuple):
    """Shards that share one array of totals, so that the chain is exact.

    `prepare` is called with the problem and the first state.
    """

    sharded: Sharded
    prepare: Callable[[Any, Any], None] = lambda problem, state: None

    def from_topics(self, problem, z):
        state = self.sharded.from_topics(problem, z)
        self.prepare(problem, state)

        def share(part):
            cells = problem._replace(corpus=part.part)
            return part._replace(state=self.sharded.sampler.over(state.tables, cells))

        phases = [[share(part) for part in shares] for shares in state.phases]
        return state._replace(phases=phases, topics=[])

    def sweep(self, problem, state, rng):
        self.sharded.sweep(problem, state, rng)

    def counts(self, problem, state):
        return self.sharded.counts(problem, state)
