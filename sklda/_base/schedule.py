"""The schedule of a fit: annealing, burn-in, evaluations, kept samples."""

from typing import NamedTuple, Self

import numpy as np

from sklda._base.annealing import Annealing
from sklda._core.minka import LearnedPriors
from sklda._core.problem import Problem

# Topics form better under a large alpha. If it is too large, it falls in a few sweeps;
# if it is too small, it rises slowly.
_FIRST_ALPHA_SUM = 10.0


class Schedule(NamedTuple):
    """When priors are learned, the trace grows and samples are kept.

    Sweeps are counted from 1. If no samples are kept, all sweeps are burn-in.
    """

    max_iter: int
    burn_in: int
    thin: int
    evaluate_every: int
    learned: LearnedPriors | None  # by a fixed point
    is_hierarchical: bool = False  # the chain samples the priors itself
    learning_interval: int = 1  # sweeps from one update of the priors to the next

    @property
    def first_alpha_sum(self) -> float:
        """Return where the sum of alpha begins, if it is learned and not given."""
        return _FIRST_ALPHA_SUM if self.burn_in > 0 else 1.0

    @property
    def n_kept(self) -> int:
        """Return the number of samples that are kept."""
        return -(-(self.max_iter - self.burn_in) // self.thin)

    def annealing(
        self,
        problem: Problem,
        init: str | np.ndarray,
        n_tokens: int,
        *,
        has_covariates: bool = False,
    ) -> Annealing:
        """Return how the start of a chain is annealed, if `init` asks for it.

        Priors that are learned or depend on covariates get the second half of the
        burn-in. Hierarchical priors are not annealed: they would find the number of
        topics later.
        """
        priors_wait = has_covariates or self.learned is not None
        most_sweeps = self.burn_in // 2 if priors_wait else self.burn_in
        most_sweeps *= not self.is_hierarchical
        return Annealing.of(problem, init, most_sweeps, n_tokens)

    def after(self, n_sweeps: int) -> Self:
        """Return the schedule of a chain that has already done `n_sweeps` sweeps."""
        max_iter, burn_in = self.max_iter + n_sweeps, self.burn_in + n_sweeps
        return self._replace(max_iter=max_iter, burn_in=burn_in)

    def learns(self, sweep: int) -> bool:
        """Return whether the priors are learned after a sweep, only during burn-in."""
        wanted = self.learned is not None and sweep <= self.burn_in
        return wanted and sweep % self.learning_interval == 0

    def evaluates(self, sweep: int) -> bool:
        """Return whether the trace gets an entry after a sweep."""
        return self.evaluate_every > 0 and sweep % self.evaluate_every == 0

    def keeps(self, sweep: int) -> bool:
        """Return whether a sweep is kept: every `thin`-th one, back from the last."""
        return sweep > self.burn_in and (self.max_iter - sweep) % self.thin == 0
