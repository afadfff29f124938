"""The sampler of MedLDA: auxiliary variables, topics and weights in turn.

Given the auxiliary variables of `losses`, the labels of a document are Gaussian factors
of its scores. They tilt the topics of its tokens (`kernels.label_factors`), and make
the weights of the topics Gaussian (`kernels.weights`).
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from sklda._core.corpus import (
    document_lengths,
    kernel_ranges,
    some_documents,
    tokens_before,
)
from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.sampler import SweepInfo
from sklda._medlda.kernels import gibbs, light
from sklda._medlda.kernels.label_factors import LabelFactors
from sklda._medlda.kernels.weights import (
    add_precision,
    fill_proportions,
    resample_one_by_one,
)
from sklda._medlda.losses import Loss
from sklda._tables import rows


class MaxMarginState(NamedTuple):
    """The topics with their counts, the weights of the topics, and the scores."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: rows.RowCounts | light.LightCounts
    weights: np.ndarray  # (n_topics, n_tasks) float64, eta
    scores: np.ndarray  # (n_docs, n_tasks) float64, of these topics and weights
    n_moves: np.ndarray  # (2,) int64, proposed and accepted in the last sweep


class MaxMargin(NamedTuple):
    """Draw the auxiliary variables, the topics and the weights, each given the others.

    Kernels draw topics from ``rng.kernel``; the rest comes from ``rng.child(0)``.
    """

    prior_precision: float  # nu
    n_weight_steps: int | None  # passes over the weights; None draws them jointly
    n_mh_steps: int | None  # Metropolis-Hastings; None draws topics by Gibbs sampling
    loss: Loss | None = None
    targets: np.ndarray | None = None  # (n_docs, n_tasks) float64

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> MaxMarginState:
        """Return the state in which the tokens have the topics z, and weights are 0."""
        kernel = rows if self.n_mh_steps is None else light
        tables = kernel.from_topics(problem, z)
        weights = np.zeros((problem.n_topics, self.targets.shape[1]))
        scores, n_moves = np.zeros(self.targets.shape), np.zeros(2, np.int64)
        return MaxMarginState(z, tables.topic, tables, weights, scores, n_moves)

    def sweep(
        self, problem: Problem[Corpus], state: MaxMarginState, rng: RandomStreams
    ) -> MaxMarginState:
        """Resample the auxiliary variables, then every token, then the weights."""
        noise = rng.child(0).generator
        slope, curvature = self.loss.augment(self.targets, state.scores, noise)
        self._resample_topics(problem, state, slope, curvature, rng.kernel)
        self.resample_weights(problem, state, slope, curvature, noise)
        return state

    def counts(self, problem: Problem[Corpus], state: MaxMarginState) -> Counts:
        """Return the count tables."""
        return rows.counts(problem, state.tables)

    def info(self, problem: Problem[Corpus], state: MaxMarginState) -> SweepInfo:
        """Return what the last sweep did; a proposal of the present topic is none."""
        return SweepInfo(state.z.size, *state.n_moves.tolist())

    def _resample_topics(self, problem, state, slope, curvature, rng) -> None:
        corpus, priors = problem.corpus, rows.kernel_priors(problem)
        factors = _label_factors(problem, state.weights, slope, curvature)
        n_steps = self.n_mh_steps
        n_weights = problem.n_lanes if n_steps is None else 4 * n_steps
        n_weights *= factors.weights.shape[0]
        state.n_moves[:] = 0
        for first, last in kernel_ranges(tokens_before(corpus), n_weights):
            documents = some_documents(corpus, first, last)
            own = factors._replace(
                slope=factors.slope[first:last], curvature=factors.curvature[first:last]
            )
            arguments = documents, state.tables, priors, own
            if n_steps is None:
                gibbs.gibbs_sweep(*arguments, rng)
            else:
                light.light_sweep(*arguments, n_steps, state.n_moves, rng)

    def resample_weights(
        self,
        problem: Problem[Corpus],
        state: MaxMarginState,
        slope: np.ndarray,
        curvature: np.ndarray,
        noise: np.random.Generator,
    ) -> None:
        """Resample the weights given the topics, and update the scores, in place.

        Each score s has the factor exp(slope s - curvature s^2 / 2).
        """
        zbar = token_proportions(problem, state.z)
        if self.n_weight_steps is None:
            self._draw_jointly(zbar, state.weights, slope, curvature, noise)
        state.scores[:] = zbar @ state.weights
        by_topic = zbar.tocsc()
        for _ in range(self.n_weight_steps or 0):
            resample_one_by_one(
                (by_topic.data, by_topic.indices, by_topic.indptr),
                slope,
                curvature,
                self.prior_precision,
                noise.permutation(problem.n_topics),
                noise.standard_normal(state.weights.shape),
                state.weights,
                state.scores,
            )

    def _draw_jointly(self, zbar, weights, slope, curvature, noise) -> None:
        """Draw all weights of each task from their Gaussian."""
        by_doc = zbar.data, zbar.indices, zbar.indptr
        linear = zbar.T @ slope
        normal = noise.standard_normal(weights.shape)
        for t in range(weights.shape[1]):
            precision = self.prior_precision * np.eye(weights.shape[0])
            add_precision(by_doc, np.ascontiguousarray(curvature[:, t]), precision)
            # With L L' the precision: L'^-1 (L^-1 linear + noise).
            try:
                root = cholesky(precision, lower=True)
            except LinAlgError as error:
                raise ValueError(
                    f"prior_precision={self.prior_precision:g} is lost in rounding "
                    f"beside the loss, so the weights cannot be drawn jointly. "
                    f"Increase it, or set n_weight_steps=2."
                ) from error
            whitened = solve_triangular(root, linear[:, t], lower=True)
            weights[:, t] = solve_triangular(
                root, whitened + normal[:, t], lower=True, trans="T"
            )


def token_proportions(problem: Problem[Corpus], z: np.ndarray) -> sparse.csr_array:
    """Return zbar, (n_docs, n_topics): the proportions of topics among the tokens."""
    n_docs = problem.corpus.doc_ptr.size - 1
    value, topic = np.empty(z.size), np.empty(z.size, np.int32)
    ptr = np.empty(n_docs + 1, np.int32)
    n = fill_proportions(problem.corpus, z, problem.n_topics, value, topic, ptr)
    arrays = (value[:n], topic[:n], ptr)
    return sparse.csr_array(arrays, shape=(n_docs, problem.n_topics))


def _label_factors(problem, weights, slope, curvature) -> LabelFactors:
    """Return the factors of m_t = N s_t, as kernels take them."""
    by_task = np.zeros((weights.shape[1], problem.n_lanes), np.float32)
    by_task[:, : problem.n_topics] = weights.T
    lengths = document_lengths(problem.corpus)
    n_tokens = np.maximum(lengths, 1)[:, np.newaxis]
    return LabelFactors(
        weights=by_task,
        slope=(slope / n_tokens).astype(np.float32),
        curvature=(curvature / n_tokens**2).astype(np.float32),
    )
