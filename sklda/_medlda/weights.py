"""The weights of topics in the scores: kept samples, loss, fitted attributes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sklda._core.problem import Counts, Problem
from sklda._core.sampled_parameters import ResponseModel
from sklda._medlda.losses import Tasks


class SampledWeights(ResponseModel):
    """The weights, which `MaxMargin` draws after the topics of each sweep."""

    def __init__(self, tasks: Tasks, prior_precision: float, n_topics: int) -> None:
        self.tasks, self.prior_precision = tasks, prior_precision
        # Of the present sample.
        self.weights = np.zeros((n_topics, tasks.targets.shape[1]))
        # Of each sweep without the factor 2 C: sum over tasks, mean of documents.
        self.loss: list[float] = []
        self.forget()

    def resample(
        self,
        problem: Problem,
        state: Any,  # of `MaxMargin`
        counts: Callable[[], Counts],
        sweep: int,
    ) -> Problem:
        """Take the weights that the sweep has drawn, and record the loss."""
        self.weights = state.weights
        loss = self.tasks.loss(self.tasks.targets, state.scores)
        self.loss.append(float(loss.sum(axis=1).mean()))
        return problem

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample to the kept ones."""
        self._sum = self._sum + self.weights  # not in place: copies share the array
        self.n_kept += 1

    def forget(self, burn_in: int = 0) -> None:
        """Keep no sample so far."""
        self._sum, self.n_kept = np.zeros(self.weights.shape), 0

    def log_density(self) -> float:
        """Return the log density of weights and losses, up to a constant.

        The constant of the losses is unknown, but the same in all chains of a model.
        """
        loss = 2 * self.tasks.loss.C * self.tasks.targets.shape[0] * self.loss[-1]
        return -loss - self.prior_precision * float((self.weights**2).sum()) / 2

    def scalars(self) -> dict[str, float]:
        """Return what is diagnosed of the present sample."""
        return {"loss": self.loss[-1]}

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of y, of the kept weights and of the loss."""
        return {
            **self.tasks.attributes,
            "coef_": self._sum.T / self.n_kept * self.tasks.loss.unit,
            "loss_": np.array(self.loss),
        }

    def describe(self) -> str:
        """Return the loss of the present sample."""
        return f"loss per document {self.loss[-1]:.4f}"
