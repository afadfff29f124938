"""Several tasks, each with topics of its own: chains that sweep side by side."""

from copy import copy
from typing import Self

import numpy as np

from sklda._core.problem import Corpus, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.threads import Threads
from sklda._medlda.chain import MedLDAChain, describe_loss
from sklda._medlda.sampler import MaxMargin


class OneVsRest:
    """Independent chains, one for each task; the threads change no sample."""

    def __init__(
        self,
        sampler: MaxMargin,
        problem: Problem[Corpus],
        rng: RandomStreams,
        threads: Threads,
    ) -> None:
        self.threads = threads

        def new_chain(task):
            own = sampler._replace(targets=sampler.targets[:, [task]])
            return MedLDAChain(own, problem, rng.child(task))

        self.chains = threads.map(new_chain, range(sampler.targets.shape[1]))

    @property
    def n_sweeps(self) -> int:
        """Sweeps done."""
        return self.chains[0].n_sweeps

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus."""
        return self.chains[0].n_tokens

    @property
    def loss(self) -> list[float]:
        """Loss after each sweep: sum over the tasks, mean of the documents."""
        of_chains = (chain.loss for chain in self.chains)
        return [sum(losses) for losses in zip(*of_chains, strict=True)]

    def sweep(self) -> None:
        """Sweep each chain once."""
        self.threads.map(MedLDAChain.sweep, self.chains)

    def learn_priors(self, *, symmetric: bool) -> None:
        """Fit the priors of each chain."""
        self.threads.map(lambda c: c.learn_priors(symmetric=symmetric), self.chains)

    def evaluate(self) -> None:
        """Enter the log joint of each chain into its trace."""
        self.threads.map(MedLDAChain.evaluate, self.chains)

    def keep(self) -> None:
        """Add the present samples to the averages, unless they are there already."""
        self.threads.map(MedLDAChain.keep, self.chains)

    def forget_samples(self) -> None:
        """Leave all samples so far out of the averages."""
        for chain in self.chains:
            chain.forget_samples()

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
        """End the chains and return their averages: components and theta.

        The topics of each chain follow those of the chain before.
        """
        components, theta = zip(*(c.finish() for c in self.chains), strict=True)
        return np.concatenate(components), np.concatenate(theta, axis=1)
