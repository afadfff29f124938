"""The weights of covariates: their prior, and draws given the topics of the tokens."""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from sklda._chain.tables import count_tables
from sklda._core.corpus import MOST_STEPS, ranges, tokens_before
from sklda._core.linear_algebra import ROWS
from sklda._core.logarithms import logs
from sklda._core.problem import Problem, padded
from sklda._core.random_streams import RandomStreams, draw_key
from sklda._core.threads import Threads
from sklda._dmr.kernels.exposures import fill_exposures
from sklda._dmr.kernels.regression import Room, SharedTerms, set_shared_curvature
from sklda._dmr.kernels.weights import draw_weights_of_each, fill_alpha

_CHILD = 2**32 - 2  # number of the random stream of the priors
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

    @classmethod
    def of(
        cls, alpha: np.ndarray, intercept_scale: float, weight_scales: np.ndarray
    ) -> Self:
        """Return the prior with these scales, under which alpha is the median."""
        centre = np.zeros((alpha.size, 1 + weight_scales.size))
        centre[:, 0] = logs(alpha)
        return cls(centre, np.append(intercept_scale, weight_scales))

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
    stream = rng.child(_CHILD).kernel
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
            _room(shared),
        )

    _share(threads, draw, len(weights), x.size * x.shape[1])
    return weights


def draw_auxiliary(
    problem: Problem, z: np.ndarray, keys: list[np.uint64], threads: Threads
) -> tuple[np.ndarray, np.ndarray]:
    """Draw restaurant tables of each row and topic, and exposures of each row.

    They are the auxiliary variables of `sklda._dmr.kernels.exposures`.
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
    """Call a function on threads for ranges of n items; no call takes long."""
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


def _room(shared: SharedTerms) -> Room:
    (n_products, n_lanes), n_weights = shared.x.shape, shared.scale.size
    mode, step, distance, noise, trial = np.empty((5, n_weights))
    return Room(
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
