"""The schedule of a fit: an annealed start, burn-in, evaluations, kept samples.

In an annealed start, beta begins large, and falls to its value while topics form. Under
a large beta, tokens hardly follow each other, so a chain that starts from random topics
settles the most frequent words first and the others later. Under the true beta, it
freezes what the first sweeps happened to find. Beta in sweep s of the first n is

    beta_s = beta f^(1 - s / n),

which is the geometric schedule of simulated annealing (Kirkpatrick, Gelatt & Vecchi,
"Optimization by simulated annealing", Science 1983). From sweep n on, the chain samples
the posterior, so annealing changes only where the chain starts.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from sklda._sampling.minka import LearnedPriors
from sklda._sampling.problem import CorpusT, Problem

_MOST_SWEEPS = 250  # with 100, more chains end in a local mode on simulated bars
# Before the first sweep, the sum of beta over the words is the mean number of tokens in
# a topic, times this over the number of sweeps: the fewer there are, the more it helps.
_HEAT = 20


class Annealing(NamedTuple):
    """How beta falls at the start of a chain."""

    n_sweeps: int = 0
    factor: float = 1  # of beta, before the first sweep

    @classmethod
    def of(
        cls,
        problem: Problem,
        init: str | np.ndarray,
        most_sweeps: int,
        n_tokens: float,
        heat: float = _HEAT,
        real: type = float,
    ) -> Self:
        """Return the schedule that `init` asks for, of at most so many sweeps.

        An array of beta says which words topics begin with, so it is left as it is.
        All numbers become `real` first: float32 and float give float64 before NumPy 2.
        """
        if problem.has_word_prior or not isinstance(init, str) or init != "annealed":
            return cls()
        n_sweeps = min(most_sweeps, _MOST_SWEEPS)
        tokens_per_topic = real(n_tokens / problem.n_topics)
        total = real(heat / max(n_sweeps, 1)) * tokens_per_topic
        return cls(n_sweeps, max(real(1), total / real(problem.beta_sum)))

    def includes(self, sweep: int) -> bool:
        """Return whether a sweep, counted from 1, has a larger beta; priors wait."""
        return sweep < self.n_sweeps

    def problem_of(self, problem: Problem[CorpusT], sweep: int) -> Problem[CorpusT]:
        """Return the problem with the beta of a sweep, counted from 1."""
        if not self.includes(sweep):
            return problem
        real = type(self.factor)
        heat = self.factor ** real(1 - sweep / self.n_sweeps)
        beta = heat * real(problem.topic_word_prior)
        return problem._replace(topic_word_prior=beta)


NO_ANNEALING = Annealing()


class Annealed:
    """Base of what sweeps under an annealing: the chains, and the engine of CVB."""

    annealing: Annealing
    n_sweeps: int

    @property
    def is_annealed(self) -> bool:
        """Whether the last sweep was under a larger beta; priors wait for the end."""
        return self.annealing.includes(self.n_sweeps)

    def sweep(self) -> None:
        """Sweep once."""
        raise NotImplementedError

    def end(self) -> None:
        """End annealing with a sweep under the true beta."""
        if self.is_annealed:
            self.annealing = NO_ANNEALING
            self.sweep()


# Topics form better under a large alpha. If it is too large, it falls in a few sweeps;
# if it is too small, it rises slowly. A short burn-in has no time for either.
_HIGHEST_SUM = 10.0
_SWEEPS_OF_SUM = 10  # of burn-in for each 1 of the sum


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
        return min(max(1.0, self.burn_in / _SWEEPS_OF_SUM), _HIGHEST_SUM)

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
