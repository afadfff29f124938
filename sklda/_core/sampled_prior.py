"""The protocol of priors that a chain samples beside the topics of the tokens."""

from collections.abc import Callable
from copy import copy
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from sklda._core.problem import Counts, Problem
from sklda._core.sampler import SamplerState
from sklda._core.threads import Threads


class SampledPrior(Protocol):
    """The present sample of priors, and those that are kept.

    Its lists grow with the chain; `copy_of` copies these, and nothing else changes in
    place.
    """

    threads: Threads  # that share the work of a draw
    kept: list[Any]  # samples

    @property
    def samples_words(self) -> bool:
        """Whether beta is sampled, too."""

    def resample(
        self,
        problem: Problem,
        state: SamplerState,
        counts: Callable[[], Counts],
        sweep: int,
    ) -> Problem:
        """Draw the priors given the topics; return the problem with them."""

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample, which the problem has, to the kept ones."""

    def forget(self, burn_in: int) -> None:
        """Keep no sample so far; sweeps up to `burn_in` do not count."""

    def mean(self, problem: Problem) -> Problem:
        """Return the problem with the means of the priors over the kept samples."""

    def add_to_proportions(self, theta: np.ndarray, lengths: np.ndarray) -> None:
        """Add the mean of alpha / (length + sum of alpha) to theta, in place."""

    def log_density(self) -> float:
        """Return what the present sample adds to the log joint of words and topics."""

    def scalars(self) -> dict[str, float]:
        """Return what is diagnosed of the present sample."""

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of the kept samples."""

    def of_more(self, problem: Problem) -> Self:
        """Return the present sample for more documents; no other is kept."""


P = TypeVar("P", bound=SampledPrior)


def copy_of(prior: P) -> P:
    """Return a copy that later draws do not change."""
    other = copy(prior)
    own = vars(prior).items()
    lists = {name: value.copy() for name, value in own if isinstance(value, list)}
    vars(other).update(lists)
    return other
