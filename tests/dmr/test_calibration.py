"""Ranks of planted weights among those of the chain: simulation-based calibration.

S. Talts, M. Betancourt, D. Simpson, A. Vehtari, A. Gelman, "Validating Bayesian
inference algorithms with simulation-based calibration" (2018). Weights, topics and
words are drawn from the prior. The chain begins at them, so each later sample has the
same distribution, and no topic changes its number.
"""

import numpy as np
import pytest
from scipy import stats

from sklda._covariates.design import CovariateDesign, Scaling
from sklda._dmr.prior import CovariatePrior, NormalPrior
from sklda._engine.chain import Chain
from sklda._gibbs.kernels import single_site_lists, single_site_registers
from sklda._gibbs.partially_collapsed import PartiallyCollapsed
from sklda._sampling.problem import Problem
from sklda._sampling.threads import Threads
from tests.helpers.corpora import corpus_of
from tests.helpers.mutants import streams

N_DOCS, N_WORDS, K, N_WEIGHTS = 40, 30, 3, 3
N_SIMULATIONS, N_SAMPLES, THIN = 150, 19, 6
PRIOR = NormalPrior(np.tile([-1.0, 0, 0], (K, 1)), np.array([0.6, 0.5, 0.5]))
BETA = 0.1
SAMPLERS = {
    "registers": single_site_registers,
    "lists": single_site_lists,
    "partially collapsed": PartiallyCollapsed(Threads()),
}


def planted(seed):
    """Return a chain that begins at planted weights and topics, and the weights."""
    rng = np.random.default_rng(seed)
    covariates = np.column_stack([rng.integers(0, 2, N_DOCS), rng.normal(size=N_DOCS)])
    design, _ = CovariateDesign.of(covariates, N_DOCS)
    scaling = Scaling.of(covariates, design.names)
    prior = CovariatePrior(design, scaling, covariates, PRIOR, None)
    weights = rng.normal(PRIOR.centre, PRIOR.scale)
    alpha = np.exp(prior.rows.x @ weights.T)[prior.rows.row]
    phi = rng.dirichlet(np.full(N_WORDS, BETA), K)
    counts = np.zeros((N_DOCS, K, N_WORDS), np.int64)
    for d in range(N_DOCS):
        topic_counts = rng.multinomial(rng.poisson(25), rng.dirichlet(alpha[d]))
        counts[d] = [rng.multinomial(n, phi[k]) for k, n in enumerate(topic_counts)]
    z = np.concatenate(
        [np.repeat(np.arange(K), n) for n in counts.transpose(0, 2, 1).reshape(-1, K)]
    )
    corpus = corpus_of(counts.sum(axis=1))
    return (
        prior,
        weights,
        Problem(corpus, N_WORDS, np.ones(K), BETA),
        z.astype(np.uint16),
    )


def ranks_of(sampler, seed):
    """Return the rank of each planted weight among those of the chain."""
    prior, weights, problem, z = planted(seed)
    prior.rng = streams(seed)
    prior.weights = weights.copy()
    chain = Chain(sampler, prior.applied(problem), prior.rng, z=z, prior=prior)
    below = np.zeros((K, N_WEIGHTS), np.int64)
    for _ in range(N_SAMPLES):
        for _ in range(THIN):
            chain.sweep()
        below += chain.prior.weights < weights
    return below


@pytest.mark.slow
@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)
def test_ranks_are_uniform(sampler):
    ranks = np.array([ranks_of(sampler, seed) for seed in range(N_SIMULATIONS)])
    # Ranks 0 to 19 in five classes, of intercepts and of weights. Topics of one corpus
    # depend on each other, but hardly: 0.001 is about one false alarm in a thousand.
    for weights in (ranks[..., 0], ranks[..., 1:]):
        seen = np.bincount(weights.ravel() // 4, minlength=5)
        assert stats.chisquare(seen).pvalue > 1e-3
