"""The protocol of parameters that a chain samples beside the topics of the tokens."""

from collections.abc import Callable
from copy import copy
from typing import Any, Protocol, Self, TypeVar

from sklda._core.problem import Counts, Problem
from sklda._core.sampler import SamplerState
from sklda._core.threads import Threads


class SampledParameters(Protocol):
    """Parameters that a chain samples: the present sample and the kept ones.

    Only lists change in place, which grow with the chain; `copy_of` copies them.
    """

    def resample(
        self,
        problem: Problem,
        state: SamplerState,
        counts: Callable[[], Counts],
        sweep: int,
    ) -> Problem:
        """Draw the parameters given the topics; return the problem with the priors.

        Parameters that the sampler draws with the topics are read from `state`.
        """

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample, which the problem has, to the kept ones."""

    def forget(self, burn_in: int) -> None:
        """Drop all kept samples; sweeps up to `burn_in` do not count."""

    def log_density(self) -> float:
        """Return what the present sample adds to the log joint of words and topics."""

    def scalars(self) -> dict[str, float]:
        """Return numbers of the present sample for diagnostics of convergence."""

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of the kept samples."""


class SampledPrior(SampledParameters, Protocol):
    """The priors of topics and words, if a chain samples them."""

    threads: Threads  # that share the work of a draw
    kept: list[Any]  # kept samples

    @property
    def samples_words(self) -> bool:
        """Whether beta is also sampled."""

    def mean(self, problem: Problem) -> Problem:
        """Return the problem with the means of the priors over the kept samples."""

    def kept_values(self) -> Any:
        """Return what tells alpha of each kept sample, as arrays."""

    def for_more_documents(self, problem: Problem) -> Self:
        """Return the present sample, without kept ones, for more documents."""


P = TypeVar("P", bound=SampledParameters)


def copy_of(parameters: P) -> P:
    """Return a copy that later draws do not change."""
    duplicate = copy(parameters)
    fields = vars(parameters).items()
    lists = {name: value.copy() for name, value in fields if isinstance(value, list)}
    vars(duplicate).update(lists)
    return duplicate
