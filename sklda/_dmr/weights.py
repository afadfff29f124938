"""The weights of covariates: their prior, and draws given the topics of the tokens."""

from typing import NamedTuple, Self

import numpy as np

from sklda._core.corpus import kernel_ranges, tokens_before
from sklda._core.problem import Corpus, padded
from sklda._core.random_streams import RandomStreams, next_uint64
from sklda._dmr.kernels.tables import add_exposures, add_tables_of_rows
from sklda._dmr.kernels.weights import (
    Regression,
    Room,
    draw_weights_of_topic,
    fill_alpha,
    fill_logs,
)

_CHILD = 2**32 - 2  # the child of the random streams that is for the priors


class CovariateRows(NamedTuple):
    """The distinct rows of covariates, standardised, and the row of each document."""

    x: np.ndarray  # (n_rows, n_weights) float64, the first column 1: the intercept
    row: np.ndarray  # (n_docs,) int32


class NormalPrior(NamedTuple):
    """The normal prior of the weights, which are independent."""

    centre: np.ndarray  # (n_topics, n_weights), 0 but for the intercept
    scale: np.ndarray  # (n_weights,), standard deviations

    @classmethod
    def of(cls, alpha: np.ndarray, intercept: float, others: np.ndarray) -> Self:
        """Return that of given scales, in which alpha is the median."""
        centre = np.zeros((alpha.size, 1 + others.size))
        logs = np.empty(alpha.size)
        fill_logs(alpha, logs)
        centre[:, 0] = logs
        return cls(centre, np.append(intercept, others))

    def log_density(self, weights: np.ndarray) -> float:
        """Return the log density of the weights of all topics."""
        squares = ((weights - self.centre) / self.scale) ** 2
        constant = np.log(2 * np.pi * self.scale**2).sum() * len(weights)
        return float(-0.5 * (squares.sum() + constant))


def alpha_of(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return alpha of each row of covariates, (n_rows, n_topics).

    Covariates that no document of the fit had may lead beyond the bounds.
    """
    alpha = np.empty((len(x), len(weights)))
    fill_alpha(np.ascontiguousarray(x), weights, alpha)
    return alpha


def draw_all_weights(
    weights: np.ndarray,
    design: CovariateRows,
    prior: NormalPrior,
    corpus: Corpus,
    z: np.ndarray,
    rng: RandomStreams,
) -> np.ndarray:
    """Return the next weights of all topics, (n_topics, n_weights); cost O(tokens).

    The cost for each topic is O(n_rows n_weights^2).
    """
    own = rng.child(_CHILD).kernel
    keys = [np.uint64(next_uint64(own)) for _ in range(2)]
    alpha = alpha_of(design.x, weights)
    tables, exposure = draw_tables(alpha, design.row, corpus, z, keys)
    (n_rows, n_weights), n_lanes = design.x.shape, tables.shape[1]
    x = np.zeros((n_weights, n_lanes))
    x[:, :n_rows] = design.x.T
    room = _room(n_weights, n_lanes)
    weights = weights.copy()
    for k, of_topic in enumerate(weights):
        given = Regression(x, prior.centre[k], prior.scale, tables[k], exposure)
        draw_weights_of_topic(of_topic, given, room, own)
    return weights


def draw_tables(
    alpha: np.ndarray, row: np.ndarray, corpus: Corpus, z: np.ndarray, keys: list
) -> tuple[np.ndarray, np.ndarray]:
    """Draw tables of topics and rows, and exposures of rows, filled up with zeros."""
    n_rows, n_topics = alpha.shape
    tables, exposure = np.zeros((n_topics, padded(n_rows))), np.zeros(padded(n_rows))
    before, sums = tokens_before(corpus), alpha.sum(axis=1)
    for first, last in kernel_ranges(before, 1):
        some, rows = before[first : last + 1], row[first:last]
        add_tables_of_rows(some, z, rows, alpha, keys[0], tables)
        add_exposures(some, rows, sums, keys[1], first, exposure)
    return tables, exposure


def _room(n_weights: int, n_lanes: int) -> Room:
    of_weights = [np.empty(n_weights) for _ in range(5)]
    mode, gradient, *others = of_weights
    square = np.zeros((n_weights, n_weights))
    of_rows = np.empty((3, n_lanes)), np.empty((3, n_lanes))
    return Room(mode, gradient, square, *others, *of_rows)
