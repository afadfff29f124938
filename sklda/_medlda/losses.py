"""The losses of documents as Gaussian factors of their scores, and their trace.

A document d has the factor exp(-loss) for each task t. The loss is a sum of hinges of
the score s_dt = sum_k eta_kt zbar_dk. For any x and c > 0 (Polson & Scott, 2011)

    exp(-2 c max(0, x)) = integral over xi of exp(-c x - c^2 xi x^2 / 2) f(xi).

So given xi, a document has the Gaussian factor exp(a s - b s^2 / 2); given x, xi is
inverse Gaussian with mean 1 / (c |x|) and shape 1. Zhu, Chen, Perkins & Zhang, "Gibbs
max-margin topic models with data augmentation", JMLR 2014.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sklda._core.problem import Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.sampled_parameters import SampledParameters
from sklda._medlda.kernels.variates import fill_xi


class Hinge(NamedTuple):
    """Loss 2 C w max(0, 1 - y s) of targets w y, with y = -1 or 1 and w > 0."""

    C: float
    unit = 1.0  # of scores

    def augment(
        self, targets: np.ndarray, scores: np.ndarray, rng: RandomStreams
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw xi given 1 - y s; return a and b of exp(a s - b s^2 / 2)."""
        y, C = np.sign(targets), self.C * abs(targets)
        xi = draw_xi(C * abs(1 - y * scores), rng)
        return C * y * (1 + C * xi), C**2 * xi

    def __call__(self, targets: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return w max(0, 1 - y s), without the factor 2 C."""
        return abs(targets) * np.maximum(0, 1 - np.sign(targets) * scores)


class EpsilonInsensitive(NamedTuple):
    """Loss 2 C max(0, |y - s| - epsilon): a hinge on either side of y."""

    C: float
    epsilon: float
    unit: float = 1.0  # of y and s, in that of the numbers to predict

    def augment(
        self, targets: np.ndarray, scores: np.ndarray, rng: RandomStreams
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw xi of both hinges, whose linear terms cancel; return a and b."""
        low, high = targets - self.epsilon, targets + self.epsilon
        xi_low = draw_xi(self.C * abs(low - scores), rng)
        xi_high = draw_xi(self.C * abs(scores - high), rng)
        slope = self.C**2 * (xi_low * low + xi_high * high)
        return slope, self.C**2 * (xi_low + xi_high)

    def __call__(self, targets: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return max(0, |y - s| - epsilon), without the factor 2 C."""
        return np.maximum(0, abs(targets - scores) - self.epsilon)


Loss = Hinge | EpsilonInsensitive  # targets and scores are (n_docs, n_tasks)


class Tasks(NamedTuple):
    """What a fit makes of y."""

    loss: Loss
    targets: np.ndarray  # (n_docs, n_tasks) float64
    attributes: dict[str, Any]  # fitted attributes that depend on y alone

    def of(self, documents: np.ndarray) -> "Tasks":
        """Return the tasks of some documents."""
        return self._replace(targets=self.targets[documents])

    def single(self, task: int) -> "Tasks":
        """Return one of the tasks."""
        return self._replace(targets=self.targets[:, [task]])


def draw_xi(c_x: np.ndarray, rng: RandomStreams) -> np.ndarray:
    """Draw from inverse Gaussians with means 1 / c_x and shape 1; c_x may be 0."""
    xi = np.empty(c_x.shape)
    fill_xi(np.ascontiguousarray(c_x), xi, rng.kernel)
    return xi


class SampledWeights(SampledParameters):
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
