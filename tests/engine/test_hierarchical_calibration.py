"""Simulation-based calibration of the model whose priors are sampled.

Priors, topics and words of a small corpus are drawn from the model, and a chain is run
on the words. If it draws from the posterior, the rank of each true value among its
draws is uniform (Talts et al., "Validating Bayesian inference algorithms with
simulation-based calibration", 2018). The chain begins at the true values, which are a
draw from the posterior themselves, so there is no burn-in. Larger corpora than those
whose assignments can be listed, with more tables, topics and documents.
"""

import numpy as np
import pytest

from sklda._engine.chain import Chain
from sklda._engine.hierarchical_prior import (
    GammaPriors,
    HierarchicalPrior,
    TopicWeights,
)
from sklda._sampling.problem import Problem
from sklda._sampling.threads import Threads
from tests.helpers.corpora import corpus_of
from tests.helpers.enumeration import RIGHT, WRONG, chi_square_pvalue
from tests.helpers.hierarchical import mutant
from tests.helpers.mutants import mutants_of, streams
from tests.helpers.samplers import SAMPLERS

PRIORS = GammaPriors((2.0, 1.0), (3.0, 1.0), (4.0, 4.0))
N_TOPICS, N_WORDS, N_DOCS, MEAN_LENGTH = 5, 8, 8, 10
# Draws of a chain, so the rank of the true value is 0 to 9, and sweeps before each:
# scalars are correlated over 4 to 30 sweeps.
N_DRAWS, THIN = 9, 25


def draw_model(rng):
    """Draw a problem with its priors and weights, and the topics of its tokens."""
    a0, gamma, beta = (rng.gamma(shape, 1 / rate) for shape, rate in PRIORS)
    weights = rng.dirichlet(np.full(N_TOPICS, gamma / N_TOPICS))
    current = TopicWeights(weights, a0, gamma)
    phi = rng.dirichlet(np.full(N_WORDS, beta), N_TOPICS)
    counts, topics = np.zeros((N_DOCS, N_WORDS), int), []
    for row in counts:
        theta = rng.dirichlet(current.alpha)
        z = rng.choice(N_TOPICS, rng.poisson(MEAN_LENGTH), p=theta)
        words = np.array([rng.choice(N_WORDS, p=phi[k]) for k in z], int)
        np.add.at(row, words, 1)
        topics.append(z[np.argsort(words, kind="stable")])
    problem = Problem(corpus_of(counts), N_WORDS, current.alpha, beta)
    return problem, current, np.concatenate(topics).astype(np.uint16)


def scalars(chain):
    weights, a0, gamma = chain.prior.current
    sizes = np.bincount(chain.z, minlength=N_TOPICS)
    return {
        "doc_concentration": a0,
        "weight_concentration": gamma,
        "topic_word_prior": chain.problem.topic_word_prior,
        "largest_weight": weights.max(),
        "second_weight": np.sort(weights)[-2],
        "log_joint": chain.log_probability(chain.counts),
        "largest_topic": sizes.max(),
        "n_nonempty": np.count_nonzero(sizes),
    }


def ranks_of(sampler, seed, cls):
    """Return the ranks of true values among draws; the order of ties is drawn."""
    rng = np.random.default_rng(seed)
    problem, current, z = draw_model(rng)
    chain = Chain(sampler, problem, streams(seed), z=z)
    chain.sample_priors(PRIORS, Threads(1))
    prior = cls(problem, chain.prior.lengths, chain.rng)
    prior.priors, prior.current, chain.prior = PRIORS, current, prior
    true, drawn = scalars(chain), []
    for _ in range(N_DRAWS):
        for _ in range(THIN):
            chain.sweep()
        drawn.append(scalars(chain))
    found = {}
    for name, value in true.items():
        draws = np.array([draw[name] for draw in drawn])
        below, ties = (draws < value).sum(), (draws == value).sum()
        found[name] = int(below + rng.integers(ties + 1))
    return found


def p_values(sampler, n, cls=HierarchicalPrior, until=0.0):
    """Return p-values of chi-square; end early where one is below `until` at a look."""
    found = []
    for seed in range(n):
        found.append(ranks_of(sampler, seed, cls))
        if seed + 1 in (n // 6, n // 3, n // 2, n):
            uniform = np.full(N_DRAWS + 1, 1 / (N_DRAWS + 1))
            result = {
                name: chi_square_pvalue(
                    np.bincount([row[name] for row in found], minlength=N_DRAWS + 2),
                    uniform,
                )
                for name in found[0]
            }
            if min(result.values()) < until:
                break
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["registers", "lists", "nested", "partially collapsed", "uncollapsed"]
)
def test_samplers_are_calibrated(name):
    # 8 p-values, so one false alarm in 10,000 seeds. In 120 ranks it finds what the
    # mutants below do, of which each p-value is below 1e-6. Blocks of another size have
    # the state of nested ones; `test_hierarchical_exactness` has all samplers.
    found = p_values(SAMPLERS[name].compiled(), 120)
    assert min(found.values()) > RIGHT, found


CLEAR = ("each token opens a table", "no Jacobian", "V is missing")
CLEAR += ("K is missing in the weights",)
MUTANTS = {m.fault: m.edits for m in mutants_of("hierarchical") if m.fault in CLEAR}


@pytest.mark.slow
def test_interpreted_priors_are_calibrated():
    found = p_values(SAMPLERS["registers"].compiled(), 60, mutant([]))
    assert min(found.values()) > RIGHT, found


@pytest.mark.slow
@pytest.mark.parametrize("edits", MUTANTS.values(), ids=MUTANTS)
def test_mutants_are_not_calibrated(edits):
    # Four looks at 8 p-values: a right sampler fails for one seed in 30,000.
    sampler = SAMPLERS["registers"].compiled()
    found = p_values(sampler, 120, mutant(edits), until=WRONG)
    assert min(found.values()) < WRONG, found
