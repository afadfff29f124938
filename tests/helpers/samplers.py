"""All samplers, compiled or as Python runs them."""

import importlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from sklda._core.problem import LANES
from tests.helpers.enumeration import any_groups
from tests.helpers.mutants import Edit, interpreted


class Known(NamedTuple):
    """The module of a sampler, and how it is made from that."""

    module: str
    make: Callable[[ModuleType], Any] = lambda module: module

    def compiled(self) -> Any:
        return self.make(importlib.import_module(self.module))

    def plain(self, edits: Sequence[Edit] = (), *, lanes: int = LANES, **options: Any):
        """Return it as Python runs it, after edits, and the modules of that."""
        loaded = interpreted(self.module, edits, lanes=lanes, **options)
        return loaded.sampler(self.make(loaded.module)), loaded.modules


_KERNELS = "sklda._gibbs.kernels"
# What the estimators choose from.
SAMPLERS = {
    "rows": Known(f"{_KERNELS}.single_site_rows"),
    "lists": Known(f"{_KERNELS}.single_site_lists"),
    "rows then lists": Known(
        "sklda._gibbs.rows_then_lists",
        lambda m: m.RowsThenLists(m.single_site_rows, m.single_site_lists),
    ),
    "nested": Known("sklda._gibbs.blocked_sampler", lambda m: m.Blocked(True, None)),
    "backward": Known("sklda._gibbs.blocked_sampler", lambda m: m.Blocked(False, None)),
    "small blocks": Known("sklda._gibbs.blocked_sampler", lambda m: m.Blocked(True, 4)),
    "uncollapsed": Known(
        "sklda._gibbs.uncollapsed_sampler", lambda m: m.Uncollapsed(m.Threads())
    ),
    "shortcut, rows": Known("sklda._ecgs.samplers", lambda m: m.Grouped(m.rows, None)),
    "shortcut, lists": Known(
        "sklda._ecgs.samplers", lambda m: m.Grouped(m.lists, None)
    ),
    "dynamic, rows": Known("sklda._ecgs.samplers", lambda m: m.Grouped(m.rows, 1)),
    "dynamic, lists": Known("sklda._ecgs.samplers", lambda m: m.Grouped(m.lists, 2)),
}
# Those that can be sharded.
REPLICABLE = [
    name for name, known in SAMPLERS.items() if hasattr(known.compiled(), "replicate")
]
# Groups of tokens in any numbers, which are more than the strategies come to.
GROUPS = {
    "groups, rows": Known("sklda._ecgs.kernels.rows", any_groups),
    "groups, lists": Known("sklda._ecgs.kernels.lists", any_groups),
}
