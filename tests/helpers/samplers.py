"""All samplers, compiled or as Python runs them, and shards without a delay."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sklda._engine.sharded import Sharded
from sklda._sampling.problem import LANES
from tests.helpers.enumeration import any_groups
from tests.helpers.mutants import Edit, interpreted


class Known(NamedTuple):
    """The modules of a sampler, and how it is made from them."""

    module: str
    make: Callable[..., Any] = lambda module: module
    beside: tuple[str, ...] = ()

    def compiled(self) -> Any:
        names = (self.module, *self.beside)
        return self.make(*map(importlib.import_module, names))

    def plain(self, edits: Sequence[Edit] = (), *, lanes: int = LANES, **options: Any):
        """Return it as Python runs it, after edits, and the modules of that."""
        loaded = interpreted(
            self.module, edits, beside=self.beside, lanes=lanes, **options
        )
        beside = (loaded.modules[name] for name in self.beside)
        return loaded.sampler(self.make(loaded.module, *beside)), loaded.modules


_KERNELS = "sklda._gibbs.kernels"


def blocked(nested: bool, most: int | None) -> Known:
    """Return the sampler of blocks."""
    return Known("sklda._gibbs.collapsed", lambda module: module.Blocked(nested, most))


# What the estimators choose from.
SAMPLERS = {
    "registers": Known(f"{_KERNELS}.single_site_registers"),
    "lists": Known(f"{_KERNELS}.single_site_lists"),
    "nested": blocked(True, None),
    "backward": blocked(False, None),
    "small blocks": blocked(True, 4),
    "pairs": blocked(True, 2),
    "uncollapsed": Known(
        "sklda._gibbs.uncollapsed", lambda m: m.Uncollapsed(m.Threads())
    ),
    "partially collapsed": Known(
        "sklda._gibbs.partially_collapsed",
        lambda m: m.PartiallyCollapsed(m.Threads()),
    ),
    "shortcut": Known("sklda._ecgs.estimator", lambda m: m.Grouped(None)),
    "dynamic": Known("sklda._ecgs.estimator", lambda m: m.Grouped(1)),
    "labelled, gibbs": Known(
        "sklda._medlda.sampler", lambda m: m.LabelledTopics(None, 2)
    ),
    "labelled, light": Known("sklda._medlda.sampler", lambda m: m.LabelledTopics(3, 2)),
}
# Those that can be sharded.
SHARDABLE = [
    name for name, known in SAMPLERS.items() if hasattr(known.compiled(), "over")
]
# Groups of tokens with any numbers of draws, not only those of the strategies.
GROUPS = {"groups": Known("sklda._ecgs.kernels.lists", any_groups)}


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
