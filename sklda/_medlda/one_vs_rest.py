"""Chains side by side, one for each task with topics of its own."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from sklda._chain.chain import Chain, describe_proposals
from sklda._chain.hierarchical import GammaPriors
from sklda._core.minka import LearnedPriors
from sklda._core.threads import Threads


class OneVsRest:
    """Independent chains, swept by threads: the shards of each take turns."""

    def __init__(self, chains: Sequence[Chain], threads: Threads) -> None:
        self.chains, self.threads = chains, threads

    @property
    def n_sweeps(self) -> int:
        """Sweeps done."""
        return self.chains[0].n_sweeps

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus."""
        return self.chains[0].n_tokens

    def sweep(self) -> None:
        """Sweep each chain once."""
        self.threads.map(Chain.sweep, self.chains)

    def sample_priors(self, priors: GammaPriors | None, threads: Threads) -> None:
        """Let each sweep sample the priors of each chain, or let these remain."""
        for chain in self.chains:  # which are swept side by side, by the threads
            chain.sample_priors(priors, Threads(1))

    def learn_priors(self, learned: LearnedPriors) -> None:
        """Fit the priors of each chain."""
        self.threads.map(lambda chain: chain.learn_priors(learned), self.chains)

    def evaluate(self) -> None:
        """Enter the log joint of each chain into its trace."""
        self.threads.map(Chain.evaluate, self.chains)

    def keep(self) -> None:
        """Add the present samples to the averages, unless they are there already."""
        self.threads.map(Chain.keep, self.chains)

    def end(self) -> None:
        """End a fit with kept samples, and annealing with a sweep of the posterior."""
        self.threads.map(Chain.end, self.chains)

    def forget_samples(self, burn_in: int = 0) -> None:
        """Leave samples so far, and up to the sweep `burn_in`, out of the results."""
        for chain in self.chains:
            chain.forget_samples(burn_in)

    def describe(self) -> str:
        """Return what a verbose fit prints of the present samples."""
        loss = sum(chain.response.loss[-1] for chain in self.chains)
        return f"loss per document {loss:.4f}" + describe_proposals(self.chains)

    def snapshot(self) -> Self:
        """Return a copy, as if stopped here, that further sweeps do not change."""
        other = copy(self)
        other.chains = self.threads.map(Chain.snapshot, self.chains)
        return other


# Along which axis the arrays of chains follow each other.
_AXES = {
    "coef_": 0,
    "doc_topic_prior_": 0,
    "topic_word_prior_": 0,
}


def joined(fitted: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the fitted attributes of chains as those of one model; losses add up."""
    if len(fitted) == 1:
        return fitted[0]
    attributes = dict(fitted[0])  # also those of y, which are the same in all
    for name, axis in _AXES.items():
        arrays = [chain[name] for chain in fitted]
        attributes[name] = np.concatenate(arrays, axis=axis)
    attributes["loss_"] = sum(chain["loss_"] for chain in fitted)
    return attributes
