"""Chains that also average the weights and record the loss: one, or one per task."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from sklda._chain.annealing import Annealing
from sklda._chain.chain import Chain
from sklda._chain.hierarchical import GammaPriors
from sklda._chain.start import first_topics
from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.threads import Threads
from sklda._medlda.sampler import MaxMargin, MaxMarginState

# A sweep with labels takes longer than one without, so there are fewer than without.
STAGES_OF_MANY = ((0.02, 100), (0.1, 20))


class MedLDAChain(Chain):
    """A chain of topics and of their weights in the scores of tasks."""

    sampler: MaxMargin
    state: MaxMarginState
    of_y: dict[str, Any]  # the fitted attributes that come of the labels alone

    def __init__(
        self,
        sampler: MaxMargin,
        problem: Problem[Corpus],
        rng: RandomStreams,
        init: str | np.ndarray = "random",
        of_y: dict[str, Any] | None = None,
        annealing: Annealing | None = None,
    ) -> None:
        # Each part begins with the weights of the one before it, and so does the chain.
        weights = np.zeros((problem.n_topics, sampler.targets.shape[1]))
        first = sampler._replace(first_weights=weights)

        def of_part(_, some):
            return first._replace(targets=first.targets[some])

        threads = sampler.threads
        z = first_topics(init, problem, of_part, rng, threads, STAGES_OF_MANY)
        super().__init__(first, problem, rng, z=z, annealing=annealing)
        self.sampler = sampler
        self.of_y = of_y or {}
        # Of each sweep without the factor 2 C: sum over tasks, mean of documents.
        self.loss: list[float] = []
        self._weights_sum = np.zeros_like(self.state.weights)

    def continued(self, sampler: MaxMargin, of_y: dict[str, Any]) -> Self:
        """Return the chain with another sampler of the same tasks."""
        self.sampler, self.of_y = sampler, of_y
        return self

    def sweep(self) -> None:
        """Resample every token and all weights once, and record the loss."""
        super().sweep()
        loss = self.sampler.loss(self.sampler.targets, self.state.scores)
        self.loss.append(float(loss.sum(axis=1).mean()))

    def describe(self) -> str:
        """Return what a verbose fit prints of the present sample."""
        return describe_loss(self.loss[-1], [self])

    def log_probability(self, counts: Counts) -> float:
        """Return the log joint of words, topics, weights and losses, up to a constant.

        The constant of the losses is unknown, but the same in all chains of a model.
        """
        sampler, weights = self.sampler, self.state.weights
        loss = 2 * sampler.loss.C * sampler.targets.shape[0] * self.loss[-1]
        prior = sampler.prior_precision * float((weights**2).sum()) / 2
        return super().log_probability(counts) - loss - prior

    def keep(self) -> None:
        """Add the present sample to the averages, unless it is there already."""
        if self.last_kept < self.n_sweeps:
            # Not in place: snapshots share the array.
            self._weights_sum = self._weights_sum + self.state.weights
        super().keep()

    def forget_samples(self, burn_in: int = 0) -> None:
        """Leave samples so far, and up to the sweep `burn_in`, out of the results."""
        super().forget_samples(burn_in)
        self._weights_sum = np.zeros_like(self._weights_sum)

    def coef(self) -> np.ndarray:
        """Return the mean of the kept weights, (n_tasks, n_topics)."""
        return self._weights_sum.T / self.averages.n_kept

    def priors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return alpha, (n_topics,), and beta, (1,) or (n_topics, n_words)."""
        problem = self.mean_problem
        return problem.doc_topic_prior, np.atleast_1d(problem.beta)


class OneVsRest:
    """Independent chains side by side, one for each task with topics of its own."""

    def __init__(
        self,
        sampler: MaxMargin,
        problem: Problem[Corpus],
        rng: RandomStreams,
        init: str | np.ndarray,
        of_y: dict[str, Any],
        annealing: Annealing | None = None,
    ) -> None:
        self.threads = threads = sampler.threads
        self.of_y = of_y  # the fitted attributes that come of the labels alone

        def new_chain(task):
            # Shards of a chain take turns: the threads share the chains.
            targets = sampler.targets[:, [task]]
            own = sampler._replace(targets=targets, threads=Threads(1))
            return MedLDAChain(own, problem, rng.child(task), init, annealing=annealing)

        self.chains = threads.map(new_chain, range(sampler.targets.shape[1]))

    def continued(self, sampler: MaxMargin, of_y: dict[str, Any]) -> Self:
        """Return the chains with the threads of another sampler of the same tasks."""
        self.threads, self.of_y = sampler.threads, of_y
        return self

    @property
    def n_sweeps(self) -> int:
        """Sweeps done."""
        return self.chains[0].n_sweeps

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus."""
        return self.chains[0].n_tokens

    @property
    def is_annealed(self) -> bool:
        """Whether the last sweep was under a larger beta."""
        return self.chains[0].is_annealed

    @property
    def loss(self) -> list[float]:
        """Loss after each sweep: sum over the tasks, mean of the documents."""
        of_chains = (chain.loss for chain in self.chains)
        return [sum(losses) for losses in zip(*of_chains, strict=True)]

    def sweep(self) -> None:
        """Sweep each chain once."""
        self.threads.map(MedLDAChain.sweep, self.chains)

    def sample_priors(self, priors: GammaPriors | None, threads: Threads) -> None:
        """Let each sweep sample the priors of each chain, or let these remain."""
        for chain in self.chains:  # which are swept side by side, by the threads
            chain.sample_priors(priors, Threads(1))

    def learn_priors(self, *, symmetric: bool) -> None:
        """Fit the priors of each chain."""
        self.threads.map(lambda c: c.learn_priors(symmetric=symmetric), self.chains)

    def evaluate(self) -> None:
        """Enter the log joint of each chain into its trace."""
        self.threads.map(MedLDAChain.evaluate, self.chains)

    def keep(self) -> None:
        """Add the present samples to the averages, unless they are there already."""
        self.threads.map(MedLDAChain.keep, self.chains)

    def forget_samples(self, burn_in: int = 0) -> None:
        """Leave samples so far, and up to the sweep `burn_in`, out of the results."""
        for chain in self.chains:
            chain.forget_samples(burn_in)

    def describe(self) -> str:
        """Return what a verbose fit prints of the present samples."""
        return describe_loss(self.loss[-1], self.chains)

    def snapshot(self) -> Self:
        """Return a copy, as if stopped here, that further sweeps do not change."""
        other = copy(self)
        other.chains = self.threads.map(MedLDAChain.snapshot, self.chains)
        return other

    def coef(self) -> np.ndarray:
        """Return the mean of the kept weights, (n_tasks, n_topics)."""
        return np.concatenate([chain.coef() for chain in self.chains])

    def priors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return alpha and beta of all chains, one after the other."""
        alpha, beta = zip(*(chain.priors() for chain in self.chains), strict=True)
        return np.concatenate(alpha), np.concatenate(beta)

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """End the chains; return their components and theta, one after the other."""
        components, theta = zip(*(c.finish() for c in self.chains), strict=True)
        return np.concatenate(components), np.concatenate(theta, axis=1)


def acceptance_rate(chains: Sequence[MedLDAChain]) -> np.ndarray:
    """Return the share of proposals that each sweep accepts; 1 if there are none."""
    info = np.sum([chain.info for chain in chains], axis=0).reshape(-1, 3)
    _, proposed, accepted = info.T
    return np.where(proposed > 0, accepted / np.maximum(proposed, 1), 1.0)


def describe_loss(loss: float, chains: Sequence[MedLDAChain]) -> str:
    """Return what a verbose fit prints of chains: the loss, and the acceptance rate."""
    text = f"loss per document {loss:.4f}"
    if chains[0].info[-1].n_proposed > 0:
        text += f", {acceptance_rate(chains)[-1]:.0%} accepted"
    return text
