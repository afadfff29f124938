"""Draws of the weights of covariates, against quadrature over a grid of weights."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.special import gammaln

from sklda._data.corpus import Corpus
from sklda._dmr import prior
from sklda._dmr.prior import NormalPrior
from sklda._engine import hierarchical_prior
from sklda._sampling.problem import Problem
from tests.helpers.enumeration import mean_and_error
from tests.helpers.mutants import interpreted, streams

K = 2
# Topics of the tokens of each document, and its row of covariates. Two documents share
# a row, one is empty.
TOPICS = [[0, 0, 1], [1, 1, 1, 0, 1], [1, 1], [], [0, 0, 0, 0, 1]]
ROW = np.array([0, 1, 1, 0, 2], np.int32)
X = np.array([[1, -1.0], [1, 0.5], [1, 1.5]])
DESIGNS = {"intercepts": X[:, :1], "one covariate": X}
PRIOR = NormalPrior(np.array([[-0.5, 0.0], [0.2, 0.0]]), np.array([0.8, 0.6]))
N_TOKENS = [len(topics) for topics in TOPICS]


def corpus():
    """Return documents of one word."""
    n_cells = np.minimum(N_TOKENS, 1)
    return Corpus(
        doc_ptr=np.append(0, np.cumsum(n_cells)),
        word=np.zeros(n_cells.sum(), np.int32),
        token_ptr=np.append(0, np.cumsum(N_TOKENS))[np.append(True, n_cells > 0)],
    )


def prior_of(x):
    return NormalPrior(*(values[..., : x.shape[1]].copy() for values in PRIOR))


def log_posterior(x, grid):
    """Return it for weights (..., K, n_weights) up to a constant."""
    alpha = np.exp(grid @ x.T)  # (..., K, n_rows)
    counts = np.array([np.bincount(topics, minlength=K) for topics in TOPICS])
    alpha = np.moveaxis(alpha, -1, -2)[..., ROW, :]  # of documents
    sums = alpha.sum(-1)
    value = (gammaln(alpha + counts) - gammaln(alpha)).sum((-1, -2))
    value += (gammaln(sums) - gammaln(sums + counts.sum(1))).sum(-1)
    centre, scale = prior_of(x)
    return value - 0.5 * (((grid - centre) / scale) ** 2).sum((-1, -2))


def moments(sample):
    """Return the weights, their squares and products: (n, n_moments)."""
    flat = sample.reshape(len(sample), -1)
    pairs = itertools.combinations_with_replacement(range(flat.shape[1]), 2)
    return np.column_stack([flat, *(flat[:, i] * flat[:, j] for i, j in pairs)])


@cache
def expected_moments(n_weights, n_points=25):
    """Return the moments of the posterior by quadrature."""
    x = X[:, :n_weights]
    centre, scale = prior_of(x)
    axes = [
        c + s * np.linspace(-5, 5, n_points)
        for row in centre
        for c, s in zip(row, scale, strict=True)
    ]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))
    shape = -1, K, x.shape[1]
    logs = np.concatenate(
        [log_posterior(x, part.reshape(shape)) for part in np.array_split(grid, 40)]
    )
    mass = np.exp(logs - logs.max())
    return mass @ moments(grid) / mass.sum()


def errors_of(module, x, n_draws, rng):
    """Return the errors of the moments of a long chain, in standard errors."""
    x, drawn, sample = np.ascontiguousarray(x), np.zeros((K, x.shape[1])), []
    z = np.concatenate(TOPICS).astype(np.uint16)
    for _ in range(n_draws):
        problem = Problem(corpus(), 1, prior.alpha_of(x, drawn), 0.1, ROW)
        drawn = module.draw_all_weights(drawn, x, prior_of(x), problem, z, rng)
        sample.append(drawn)
    means, errors = mean_and_error(moments(np.array(sample)), 60)
    return (means - expected_moments(x.shape[1])) / errors


@pytest.mark.slow
@pytest.mark.parametrize("x", DESIGNS.values(), ids=DESIGNS)
def test_a_long_chain_has_the_moments_of_the_posterior(x):
    # With 59 degrees of freedom, 4.5 is one false alarm in 30,000 values; here are 19.
    assert abs(errors_of(prior, x, 60_000, streams(1))).max() < 4.5


# --- draws that Python makes, with faults ----------------------------------------

# The module of kernels, what it draws, and where that is called.
PARTS = {
    "tables": ("sklda._engine.kernels.hierarchical", "add_tables", hierarchical_prior),
    "exposures": ("sklda._dmr.kernels.weights", "fill_exposures", prior),
    "weights": ("sklda._dmr.kernels.weights", "draw_weights_of_each", prior),
}


def errors_of_edited(part, design, edits, n_draws):
    """Return the largest error of a chain if Python runs a part, after edits."""
    kernels, name, caller = PARTS[part]
    module = interpreted(kernels, edits, compiled_draws=True).module
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(caller, name, getattr(module, name))
        return abs(errors_of(prior, DESIGNS[design], n_draws, streams(2))).max()


def passes(part, design, edits):
    """Return the verdict on a part of the draws after edits."""
    # With 59 degrees of freedom, 6 is one false alarm in 10 million values. Most faults
    # show in the draws with which the right code passes, the others in more.
    if not edits:
        return bool(errors_of_edited(part, design, [], 600) < 4.5)
    errors = (errors_of_edited(part, design, edits, n) for n in (600, 1800))
    return False if any(error > 6 for error in errors) else None
