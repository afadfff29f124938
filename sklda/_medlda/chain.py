"""Chains of topics that explain labels: losses, weights, and the loop between them.

A document d pays exp(-loss) for each task t, and the loss is made of hinges of its
score s_dt = sum_k eta_kt zbar_dk. For any x and c > 0 (Polson & Scott, 2011)

    exp(-2 c max(0, x)) = integral over xi of a density proportional to
                          exp(-c x - c^2 xi x^2 / 2) times a function of xi alone,

so given xi a document has the Gaussian factor exp(a s - b s^2 / 2); and given x,
xi is inverse Gaussian with mean 1 / (c |x|) and shape 1. Zhu, Chen, Perkins & Zhang,
"Gibbs max-margin topic models with data augmentation", JMLR 2014.
"""

from copy import copy
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular

from sklda._core.problem import padded
from sklda._core.threads import Threaded
from sklda._gibbs.chain import Chain
from sklda._medlda.kernels import weights as medlda_weights
from sklda._medlda.kernels.labels import Labels

# An inverse Gaussian with mean infinity exceeds this once in 100,000 draws; more would
# only spoil the precision of the weights.
HIGHEST_XI = 1e10


def draw_xi(c_x, rng):
    """Draw from inverse Gaussians with means 1 / c_x and shape 1; c_x may be 0.

    The way of Michael, Schucany & Haas (1976): v, the square of a normal number, has
    two roots, one for each side of the mean. Written in c_x = 1 / mean, the smaller one
    is stable for all values; where the mean is infinite it is 1 / v.
    """
    v = np.maximum(rng.standard_normal(c_x.shape) ** 2, 1 / HIGHEST_XI)
    smaller = 2 / (2 * c_x + v + np.sqrt(v * (4 * c_x + v)))
    is_smaller = rng.random(c_x.shape) * (1 + c_x * smaller) <= 1
    # The product of both is the square of the mean.
    larger = 1 / np.maximum(c_x * (c_x * smaller), 1 / HIGHEST_XI)
    return np.where(is_smaller, smaller, larger)


class Loss(Protocol):
    """What documents pay for their scores; targets and scores are (n_docs, n_tasks)."""

    def augment(self, targets, scores, rng) -> tuple[np.ndarray, np.ndarray]:
        """Draw the auxiliary variables; return a and b of exp(a s - b s^2 / 2)."""

    def __call__(self, targets, scores) -> np.ndarray:
        """Return the loss of each document and task, without the factor 2 C."""


class Hinge(NamedTuple):
    """Loss 2 C max(0, 1 - y s) of targets y = -1 or 1."""

    C: float

    def augment(self, targets, scores, rng):
        """Draw xi given 1 - y s."""
        xi = draw_xi(self.C * abs(1 - targets * scores), rng)
        return self.C * targets * (1 + self.C * xi), self.C**2 * xi

    def __call__(self, targets, scores):
        """Return max(0, 1 - y s)."""
        return np.maximum(0, 1 - targets * scores)


class EpsilonInsensitive(NamedTuple):
    """Loss 2 C max(0, |y - s| - epsilon): a hinge on either side of y."""

    C: float
    epsilon: float

    def augment(self, targets, scores, rng):
        """Draw xi given y - s - epsilon, and the other one given s - y - epsilon.

        The linear terms of both hinges, C s and -C s, cancel.
        """
        low, high = targets - self.epsilon, targets + self.epsilon
        xi_low = draw_xi(self.C * abs(low - scores), rng)
        xi_high = draw_xi(self.C * abs(scores - high), rng)
        slope = self.C**2 * (xi_low * low + xi_high * high)
        return slope, self.C**2 * (xi_low + xi_high)

    def __call__(self, targets, scores):
        """Return max(0, |y - s| - epsilon)."""
        return np.maximum(0, abs(targets - scores) - self.epsilon)


class Settings(NamedTuple):
    """How a supervised chain runs."""

    kernel: object  # of the topics
    kernel_arguments: tuple
    loss: Loss
    prior_precision: float  # nu
    n_weight_steps: int  # passes over the weights; 0 is a joint draw


class SupervisedChain(Chain):
    """A chain that draws topics, weights and the auxiliary variables in turn."""

    def __init__(self, settings: Settings, targets, *start):
        super().__init__(settings.kernel, *start)
        *_, seed = start
        self.settings = settings
        self.targets = targets
        self._noise = np.random.default_rng(seed.spawn(1)[0])
        n_tasks = targets.shape[1]
        self.weights = np.zeros((self.n_topics, n_tasks))
        self.scores = np.zeros(targets.shape)
        self.loss: list[float] = []  # of each sweep: sum over tasks, mean of documents
        self._weights_sum = np.zeros((self.n_topics, n_tasks))
        self._augment()

    def _augment(self) -> None:
        loss = self.settings.loss
        self.slope, self.curvature = loss.augment(
            self.targets, self.scores, self._noise
        )

    def _redraw(self) -> None:
        kernel_priors, labels = self._kernel_priors(), self._labels()
        arguments = self.settings.kernel_arguments
        self.kernel.sweep(
            self.corpus, self.state, kernel_priors, labels, *arguments, self.rng
        )
        self._redraw_weights()
        self._augment()
        loss = self.settings.loss(self.targets, self.scores)
        self.loss.append(float(loss.sum(axis=1).mean()))

    def _labels(self) -> Labels:
        n_tasks = self.targets.shape[1]
        weights = np.zeros((n_tasks, padded(self.n_topics)), np.float32)
        weights[:, : self.n_topics] = self.weights.T
        n_tokens = np.maximum(self.lengths, 1)[:, np.newaxis]
        slope = (self.slope / n_tokens).astype(np.float32)
        return Labels(weights, slope, (self.curvature / n_tokens**2).astype(np.float32))

    def shares(self) -> sparse.csr_array:
        """Return zbar, (n_docs, n_topics): the shares of topics in documents."""
        shape = (self.lengths.size, self.n_topics)
        cells = medlda_weights.shares(self.corpus, self.state.z, self.n_topics)
        return sparse.csr_array(cells, shape=shape)

    def _redraw_weights(self) -> None:
        shares = self.shares()
        if self.settings.n_weight_steps == 0:
            self._redraw_jointly(shares)
            return
        self.scores = shares @ self.weights
        by_topic = shares.tocsc()
        for _ in range(self.settings.n_weight_steps):
            medlda_weights.redraw_each(
                by_topic.indptr,
                by_topic.indices,
                by_topic.data,
                self.slope,
                self.curvature,
                self.settings.prior_precision,
                self._noise.permutation(self.n_topics),
                self._noise.standard_normal(self.weights.shape),
                self.weights,
                self.scores,
            )

    def _redraw_jointly(self, shares) -> None:
        """Draw all weights of each task from their Gaussian."""
        linear = shares.T @ self.slope
        noise = self._noise.standard_normal(self.weights.shape)
        for t, curvature in enumerate(self.curvature.T):
            precision = self.settings.prior_precision * np.eye(self.n_topics)
            medlda_weights.add_precision(
                shares.indptr,
                shares.indices,
                shares.data,
                np.ascontiguousarray(curvature),
                precision,
            )
            # With L L' the precision: L'^-1 (L^-1 linear + noise).
            root = cholesky(precision, lower=True)
            whitened = solve_triangular(root, linear[:, t], lower=True)
            self.weights[:, t] = solve_triangular(
                root, whitened + noise[:, t], lower=True, trans="T"
            )
        self.scores = shares @ self.weights

    def evaluate(self) -> None:
        """Do nothing: the trace of the loss has an entry for each sweep."""

    def keep(self) -> None:
        """Add the present sample to the averages."""
        super().keep()
        # Not in place: a glimpse of the chain shares the array, and adds to it too.
        self._weights_sum = self._weights_sum + self.weights

    def coef(self) -> np.ndarray:
        """Return the average of the kept weights, (n_tasks, n_topics)."""
        return self._weights_sum.T / self.n_kept


class OneVsRest(Threaded):
    """Chains of one task each, independent of each other, that sweep side by side."""

    def __init__(self, settings: Settings, targets, *start, n_jobs=None):
        *start, seed = start
        self._use_threads(n_jobs, targets.shape[1])

        def new_chain(task, own):
            return SupervisedChain(settings, targets[:, [task]], *start, own)

        tasks, seeds = range(targets.shape[1]), seed.spawn(targets.shape[1])
        with self.threads():
            self.chains = list(self._map(new_chain, tasks, seeds))

    def _each(self, method: str, **arguments) -> list:
        def call(chain):
            return getattr(chain, method)(**arguments)

        return list(self._map(call, self.chains))

    @property
    def n_sweeps(self) -> int:
        """Sweeps done."""
        return self.chains[0].n_sweeps

    @property
    def loss(self) -> list[float]:
        """Sum over the tasks, as that of one chain with all of them."""
        return [
            sum(losses) for losses in zip(*(c.loss for c in self.chains), strict=True)
        ]

    def sweep(self) -> None:
        """Sweep each chain once."""
        self._each("sweep")

    def learn_priors(self, *, symmetric: bool) -> None:
        """Fit the priors of each chain."""
        self._each("learn_priors", symmetric=symmetric)

    def evaluate(self) -> None:
        """Do nothing: the trace of the loss has an entry for each sweep."""

    def keep(self) -> None:
        """Add the present samples to the averages."""
        self._each("keep")

    def keep_last(self) -> None:
        """Keep the present samples unless that has been done."""
        self._each("keep_last")

    def glimpse(self) -> "OneVsRest":
        """Return a copy, as if stopped here, while these chains go on."""
        other = copy(self)
        other.chains = self._each("glimpse")
        return other
