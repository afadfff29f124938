"""Covariate weights, which a chain samples after each sweep, as the prior of topics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from sklda._base.covariates import CovariateDesign, Scaling
from sklda._core.problem import Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.sampled_parameters import SampledPrior, copy_of
from sklda._core.sampler import SamplerState
from sklda._core.threads import Threads
from sklda._dmr.covariates import distinct_rows, to_units
from sklda._dmr.weights import NormalPrior, alpha_of, draw_all_weights

_CHUNK = 10_000  # documents


class CovariatePrior(SampledPrior):
    """Covariate weights that a chain samples: the present sample and the kept ones."""

    samples_words = False  # beta is fixed
    weights: np.ndarray  # (n_topics, n_weights)

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
        self.kept: list[np.ndarray] = []  # weights

    def check_same(self, covariates: np.ndarray) -> None:
        """Raise ValueError unless covariates are those of the chain."""
        is_same = covariates.shape[1] == len(self.scaling.names)
        rows = distinct_rows(covariates, self.scaling) if is_same else self.rows
        pairs = zip(rows, self.rows, strict=True)
        if not is_same or not all(np.array_equal(a, b) for a, b in pairs):
            raise ValueError(
                "With warm_start=True, fit continues the chain of the last fit, so "
                "covariates must be the same. Pass the same covariates, or start again "
                "with warm_start=False."
            )

    def begun(self, problem: Problem) -> Problem:
        """Begin at the centre of the prior; return the problem with its alpha."""
        self.weights = self.prior.centre.copy()
        return self.applied(problem)

    def applied(self, problem: Problem) -> Problem:
        """Return the problem with alpha of the present weights."""
        alpha = alpha_of(self.rows.x, self.weights)
        return problem._replace(doc_topic_prior=alpha, prior_row=self.rows.row)

    def resample(
        self,
        problem: Problem,
        state: SamplerState,
        counts: Callable[[], Counts],
        sweep: int,
    ) -> Problem:
        """Draw the weights given the topics; return the problem with its new alpha."""
        self.weights = draw_all_weights(
            self.weights,
            self.rows.x,
            self.prior,
            problem,
            state.z,
            self.rng,
            self.threads,
        )
        return self.applied(problem)

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample to the kept ones."""
        self.kept.append(self.weights)

    def forget(self, burn_in: int) -> None:
        """Drop all samples kept so far."""
        self.kept.clear()

    @property
    def kept_weights(self) -> np.ndarray:
        """The weights of the kept samples, (n_kept, n_topics, n_weights)."""
        return np.array(self.kept)

    def mean(self, problem: Problem) -> Problem:
        """Return the problem as it is: beta is fixed, alpha that of the last sample."""
        return problem

    def kept_values(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return distinct covariates, their row of each document, and kept weights."""
        return self.rows.x, self.rows.row, self.kept_weights

    def log_density(self) -> float:
        """Return the log density of the present weights."""
        return self.prior.log_density(self.weights)

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of the kept samples."""
        coef, intercept = to_units(self.kept_weights, self.scaling)
        return {
            "coef_": coef.mean(axis=0),
            "intercept_": intercept.mean(axis=0),
            "coef_draws_": coef,
            "intercept_draws_": intercept,
            "covariate_names_": np.array(self.scaling.names, dtype=str),
            "_covariate_design": self.design._asdict(),
        }

    def for_more_documents(self, problem: Problem) -> Self:
        """Return the present sample, without kept ones. No documents can be added."""
        duplicate = copy_of(self)
        duplicate.kept = []
        return duplicate

    def scalars(self) -> dict[str, float]:
        """Return numbers of the present sample that no order of topics changes."""
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


def mean_alpha(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return alpha of each row of covariates, the mean over samples of weights."""
    alpha = np.zeros((len(x), weights.shape[1]))
    for sample in weights:
        alpha += alpha_of(x, sample)
    return alpha / len(weights)
