"""A chain that also averages the weights and records the loss."""

from collections.abc import Sequence

import numpy as np

from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._gibbs.chain import Chain
from sklda._medlda.sampler import MaxMargin, MaxMarginState


class MedLDAChain(Chain):
    """A chain of topics and of their weights in the scores of tasks."""

    sampler: MaxMargin
    state: MaxMarginState

    def __init__(
        self, sampler: MaxMargin, problem: Problem[Corpus], rng: RandomStreams
    ) -> None:
        super().__init__(sampler, problem, rng)
        self.loss: list[float] = []  # of each sweep: sum over tasks, mean of documents
        self._weights_sum = np.zeros_like(self.state.weights)

    def sweep(self) -> None:
        """Resample every token and all weights once, and record the loss."""
        super().sweep()
        self.loss.append(self.sampler.mean_loss(self.state))

    def describe(self) -> str:
        """Return what a verbose fit prints of the present sample."""
        return describe_loss(self.loss[-1], [self])

    def log_probability(self, counts: Counts) -> float:
        """Return the log joint of words, topics, weights and losses, up to a constant.

        A loss is no likelihood, so its constant is unknown; it is the same in all
        chains of a model.
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

    def forget_samples(self) -> None:
        """Leave all samples so far out of the averages."""
        super().forget_samples()
        self._weights_sum = np.zeros_like(self._weights_sum)

    def coef(self) -> np.ndarray:
        """Return the mean of the kept weights, (n_tasks, n_topics)."""
        return self._weights_sum.T / self.averages.n_kept

    def priors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return alpha, (n_topics,), and beta, (1,) or (n_topics, n_words)."""
        problem = self.problem
        beta = problem.beta if problem.has_word_prior else np.array([problem.beta])
        return problem.doc_topic_prior, beta


def acceptance_rate(chains: Sequence[MedLDAChain]) -> np.ndarray:
    """Return the share of proposals of another topic that each sweep accepted.

    It is 1 where the sampler proposes nothing.
    """
    info = np.sum([chain.info for chain in chains], axis=0).reshape(-1, 3)
    _, proposed, accepted = info.T
    return np.where(proposed > 0, accepted / np.maximum(proposed, 1), 1.0)


def describe_loss(loss: float, chains: Sequence[MedLDAChain]) -> str:
    """Return what a verbose fit prints of chains: the loss, and the acceptance rate."""
    text = f"loss per document {loss:.4f}"
    if chains[0].info[-1].n_proposed > 0:
        text += f", {acceptance_rate(chains)[-1]:.0%} accepted"
    return text
