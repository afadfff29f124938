"""An annealed start: beta begins large, and falls to its value while topics form.

Under a large beta, tokens hardly follow each other, so a chain that starts from random
topics settles the most frequent words first and the others later. Under the true beta,
it freezes what the first sweeps happened to find. Beta in sweep s of the first n is

    beta_s = beta f^(1 - s / n),

which is the geometric schedule of simulated annealing (Kirkpatrick, Gelatt & Vecchi,
"Optimization by simulated annealing", Science 1983). From sweep n on, the chain samples
the posterior, so annealing changes only where the chain starts.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from sklda._core.problem import CorpusT, Problem

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
