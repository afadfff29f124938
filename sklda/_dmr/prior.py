"""Covariate weights, which a chain samples after each sweep, as the prior of topics.

`draw_all_weights` draws them given the topics of the tokens, by the kernels of
`sklda._dmr.kernels.weights`; `CovariatePrior` holds the present sample and the kept
ones. Inside, covariates are standardised, and documents with the same row of covariates
share alpha; `CovariatePrior.attributes` returns weights in the user's units.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import eigh, matrix_rank

from sklda._covariates.design import CovariateDesign, Scaling
from sklda._data.checks import shown
from sklda._data.corpus import MOST_STEPS, ranges, tokens_before
from sklda._data.notices import warn_user
from sklda._dmr.kernels.weights import (
    SharedTerms,
    Workspace,
    draw_weights_of_each,
    fill_alpha,
    fill_exposures,
    set_shared_curvature,
)
from sklda._engine.estimator import check_unchanged
from sklda._engine.hierarchical_prior import count_tables
from sklda._sampling.linear_algebra import ROWS, logs
from sklda._sampling.problem import Problem, padded
from sklda._sampling.random_streams import PRIORS, RandomStreams, draw_key
from sklda._sampling.sampler import SampledPrior
from sklda._sampling.threads import Threads

_CALLER = Threads(1)  # the calling thread only
_STEPS_PER_EXPOSURE = 100  # of a kernel


class CovariateRows(NamedTuple):
    """The distinct rows of covariates, standardised, and the row of each document."""

    x: np.ndarray  # (n_rows, n_weights) float64, the first column 1: the intercept
    row: np.ndarray  # (n_docs,) int32


class NormalPrior(NamedTuple):
    """The normal prior of the weights, which are independent."""

    centre: np.ndarray  # (n_topics, n_weights), 0 but for the intercept
    scale: np.ndarray  # (n_weights,), standard deviations

    def log_density(self, weights: np.ndarray) -> float:
        """Return the log density of the weights of all topics."""
        squares = ((weights - self.centre) / self.scale) ** 2
        constant = logs(2 * np.pi * self.scale**2).sum() * len(weights)
        return float(-0.5 * (squares.sum() + constant))


def alpha_of(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return alpha of each row of covariates, (n_rows, n_topics).

    It is clipped, because covariates unlike those of fit may exceed its bounds.
    """
    alpha = np.empty((len(x), len(weights)))
    fill_alpha(np.ascontiguousarray(x), np.ascontiguousarray(weights.T), alpha)
    return alpha


def draw_all_weights(
    weights: np.ndarray,
    x: np.ndarray,
    prior: NormalPrior,
    problem: Problem,
    z: np.ndarray,
    rng: RandomStreams,
    threads: Threads = _CALLER,
) -> np.ndarray:
    """Return the next weights of all topics, (n_topics, n_weights); cost O(tokens).

    The problem has the alpha of the present weights; `x`, (n_rows, n_weights), are the
    rows of covariates. Each topic costs O(n_rows n_weights^2).
    """
    stream = rng.child(PRIORS).kernel
    keys = [np.uint64(draw_key(stream)) for _ in range(3)]
    n_tables, exposure = draw_auxiliary(problem, z, keys, threads)
    shared, topic_n_tables = _regressions(x, prior, n_tables, exposure)
    weights = weights.copy()

    def draw(first, last):
        draw_weights_of_each(
            first,
            last,
            weights,
            prior.centre,
            topic_n_tables,
            shared,
            keys[2],
            _workspace(shared),
        )

    _share(threads, draw, len(weights), x.size * x.shape[1])
    return weights


def draw_auxiliary(
    problem: Problem, z: np.ndarray, keys: list[np.uint64], threads: Threads
) -> tuple[np.ndarray, np.ndarray]:
    """Draw restaurant tables of each row and topic, and exposures of each row.

    They are the auxiliary variables of `sklda._dmr.kernels.weights`.
    """
    alpha, row = problem.doc_topic_prior, problem.prior_row
    before, sums = tokens_before(problem.corpus), alpha.sum(axis=1)
    n_tables = count_tables(before, z, alpha, keys[0], row=row, threads=threads)
    exposures = np.empty(row.size)  # of documents

    def fill(first, last):
        fill_exposures(
            before[first : last + 1],
            row[first:last],
            sums,
            keys[1],
            first,
            exposures[first:last],
        )

    _share(threads, fill, row.size, _STEPS_PER_EXPOSURE)
    return n_tables, np.bincount(row, exposures, minlength=len(alpha))


def _share(threads: Threads, function: Callable, n: int, n_steps: int) -> None:
    """Call a function on threads for ranges of n items; each call is short."""
    slices = ranges(np.arange(n + 1), max(threads.n, 1 + n * n_steps // MOST_STEPS))
    threads.map(function, *zip(*slices, strict=True))


def _regressions(x, prior, n_tables, exposure) -> tuple[SharedTerms, np.ndarray]:
    """Return what the regressions share, and the numbers of tables of each topic."""
    (n_rows, n_weights), n_lanes = x.shape, padded(len(x))
    n_products = -(-n_weights // ROWS) * ROWS
    wide, exposures = np.zeros((n_products, n_lanes)), np.zeros(n_lanes)
    wide[:n_weights, :n_rows], exposures[:n_rows] = x.T, exposure
    curvature = np.zeros((n_weights, n_products))
    shared = SharedTerms(wide, prior.scale, exposures, curvature)
    set_shared_curvature(shared)
    topic_n_tables = np.zeros((n_tables.shape[1], n_lanes))
    topic_n_tables[:, :n_rows] = n_tables.T
    return shared, topic_n_tables


def _workspace(shared: SharedTerms) -> Workspace:
    (n_products, n_lanes), n_weights = shared.x.shape, shared.scale.size
    mode, step, distance, noise, trial = np.empty((5, n_weights))
    return Workspace(
        mode=mode,
        step=step,
        gradient=np.empty(n_products),
        factor=np.empty_like(shared.curvature),
        distance=distance,
        noise=noise,
        trial=trial,
        eta=np.empty((3, n_lanes)),
        value=np.empty((2, n_lanes)),
    )


def distinct_rows(covariates: np.ndarray, scaling: Scaling) -> CovariateRows:
    """Return the distinct rows of covariates, standardised, with an intercept."""
    rows, row = np.unique(covariates, axis=0, return_inverse=True)
    x = with_intercept(scaling.standardised(rows))
    return CovariateRows(x, row.ravel().astype(np.int32))


def with_intercept(covariates: np.ndarray) -> np.ndarray:
    """Return covariates with a first column of 1, the intercept."""
    return np.column_stack([np.ones(len(covariates)), covariates])


def warn_of_undetermined(covariates: np.ndarray, scaling: Scaling) -> None:
    """Warn of covariates whose weights the documents do not determine."""
    if scaling.constant:
        warn_user(
            f"covariates {scaling.constant} are constant: the documents do not "
            "determine their weights, which follow the prior."
        )
    elif covariates.shape[1] > 0:
        x = scaling.standardised(covariates)
        n, rank = covariates.shape[1], matrix_rank(x)
        if rank < n:
            flat = eigh(x.T @ x)[1][:, : n - rank]  # directions without variance
            names = np.array(scaling.names)[np.abs(flat).max(axis=1) > 1e-6]
            warn_user(
                f"covariates are collinear: {n} columns, of which only {rank} are "
                f"independent, because of {shown(names.tolist())}. The prior "
                "determines how these share an effect: do not report what one of them "
                "changes while the others stay, or leave one of them out."
            )


_CHUNK = 10_000  # documents


class CovariatePrior(SampledPrior):
    """Covariate weights that a chain samples: the present sample and the kept ones."""

    def __init__(
        self,
        design: CovariateDesign,
        scaling: Scaling,
        covariates: np.ndarray,
        prior: NormalPrior,
        rng: RandomStreams,
    ) -> None:
        self.design, self.scaling, self.prior, self.rng = design, scaling, prior, rng
        self.rows = distinct_rows(covariates, scaling)
        self.threads = Threads(1)
        self.weights = prior.centre.copy()  # (n_topics, n_weights)
        self.kept: list[np.ndarray] = []  # weights

    def check_same(self, covariates: np.ndarray) -> None:
        """Raise ValueError unless covariates are those of the chain."""
        is_same = covariates.shape[1] == len(self.scaling.names)
        rows = distinct_rows(covariates, self.scaling) if is_same else self.rows
        pairs = zip(rows, self.rows, strict=True)
        is_same = is_same and all(np.array_equal(a, b) for a, b in pairs)
        check_unchanged(is_same, "covariates")

    def applied(self, problem: Problem) -> Problem:
        """Return the problem with alpha of the present weights."""
        alpha = alpha_of(self.rows.x, self.weights)
        return problem._replace(doc_topic_prior=alpha, prior_row=self.rows.row)

    def resample(self, chain: Any) -> Problem:
        """Draw the weights given the topics; return the problem with its new alpha."""
        topics = chain.problem, chain.state.z
        self.weights = draw_all_weights(
            self.weights, self.rows.x, self.prior, *topics, self.rng, self.threads
        )
        return self.applied(chain.problem)

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample to the kept ones."""
        self.kept.append(self.weights)

    def forget(self, burn_in: int) -> None:
        """Drop all samples kept so far."""
        self.kept.clear()

    def mean(self, problem: Problem) -> Problem:
        """Return the problem as it is: beta is fixed, alpha that of the last sample."""
        return problem

    def kept_values(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return distinct covariates, their row of each document, and kept weights."""
        return self.rows.x, self.rows.row, np.array(self.kept)

    def log_density(self) -> float:
        """Return the log density of the present weights."""
        return self.prior.log_density(self.weights)

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of the kept samples."""
        weights = np.array(self.kept)  # of standardised covariates
        coef = weights[..., 1:] / self.scaling.scale
        intercept = weights[..., 0] - (coef * self.scaling.mean).sum(axis=-1)
        return {
            "coef_": coef.mean(axis=0),
            "intercept_": intercept.mean(axis=0),
            "coef_draws_": coef,
            "intercept_draws_": intercept,
            "covariate_names_": np.array(self.scaling.names, dtype=str),
            "_covariate_design": self.design._asdict(),
        }

    def scalars(self) -> dict[str, float]:
        """Return numbers of the present sample, the same for any order of topics."""
        alpha = alpha_of(self.rows.x, self.weights)
        sums = alpha.sum(axis=1)[self.rows.row]
        effects = self.weights[:, 1:]
        squares = float((effects**2).mean()) if effects.size > 0 else 0.0
        return {
            "doc_concentration": float(sums.mean()),
            "weight_size": squares**0.5,
        }


def add_covariate_priors(theta: np.ndarray, kept: tuple, lengths: np.ndarray) -> None:
    """Add the mean of alpha / (length + sum of alpha) to theta, in place.

    `kept` are the values that `CovariatePrior.kept_values` returns.
    """
    x, rows, samples = kept
    for weights in samples:
        alpha = alpha_of(x, weights)
        sums = alpha.sum(axis=1)
        for first in range(0, len(theta), _CHUNK):
            chunk = slice(first, first + _CHUNK)
            row = rows[chunk]
            scale = len(samples) * (lengths[chunk] + sums[row])
            theta[chunk] += alpha[row] / scale[:, np.newaxis]
