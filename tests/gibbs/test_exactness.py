"""The samplers draw from the exact posterior: tiny corpora, all assignments listed.

The statistical tests are seeded. A right kernel fails one at p < 0.001 for one seed in
a thousand. The mutants show what the tests find: each is a kernel with one planted
fault, and fails the same test at p < 1e-6, so neither side hangs on its seed.
"""

import itertools
import math

import numpy as np
import pytest

from sklda._gibbs.kernels import single_site_rows as single_site_dense
from sklda._gibbs.kernels import single_site_lists as single_site_sparse
from sklda._gibbs.chain import Chain, log_word_likelihood
from tests.helpers.enumeration import (
    Problem,
    chi_square_pvalue,
    interpreted,
    kernel_priors,
    start,
    state_of,
    stream,
    sweep_exact_draws,
)

KERNELS = {"dense": single_site_dense, "sparse": single_site_sparse}
RIGHT, WRONG = 1e-3, 1e-6

# Documents of (word, count) pairs, words, alpha, beta. Documents share words, cells
# hold up to three tokens, some words never occur, and one document is empty. With
# more than 16 topics the tables take several registers.
PROBLEMS = {
    "1 topic": Problem((((0, 3), (1, 1)), ((0, 1),)), 3, (0.7,), 0.4),
    "2 topics": Problem((((0, 3), (1, 1)), ((0, 1), (2, 2))), 4, (0.3, 0.9), 0.4),
    "3 topics": Problem(
        (((0, 2), (1, 1)), (), ((0, 1), (1, 2))), 3, (0.2, 0.6, 1.1), 0.3
    ),
    "large beta": Problem((((0, 3),), ((0, 1), (1, 2))), 3, (1.5, 0.4, 2.5), 1.7),
    "extreme priors": Problem((((0, 2), (1, 1)), ((0, 2),)), 2, (900, 400, 700), 1e-6),
    "5 topics": Problem(
        (((0, 2),), ((0, 1), (1, 1))), 2, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2
    ),
    "17 topics": Problem((((1, 2),),), 2, tuple(np.linspace(0.1, 1, 17)), 0.5),
    "18 topics": Problem(
        (((0, 2),), ((0, 1),)), 2, tuple(np.linspace(0.05, 0.9, 18)), 0.3
    ),
    "33 topics": Problem(
        (((0, 1),), ((0, 1),)), 1, tuple(np.linspace(1, 0.1, 33)), 0.2
    ),
}


@pytest.fixture(params=KERNELS)
def kernel(request):
    return KERNELS[request.param]


@pytest.fixture(params=PROBLEMS)
def problem(request):
    return PROBLEMS[request.param]


# --- the closed form -------------------------------------------------------------


def test_closed_form_is_the_product_of_conditionals(problem):
    # p(w, z) is the product over tokens of p(z_i, w_i | those before): an urn scheme.
    for z in problem.assignments[::7].tolist():
        logs = []
        for i, (weights, k) in enumerate(problem.urns(z)):
            before = [d for d, _ in problem.tokens[:i]].count(problem.tokens[i][0])
            logs.append(math.log(weights[k] / (before + sum(problem.alpha))))
        assert problem.log_joint(z) == pytest.approx(sum(logs), rel=1e-12)


def test_log_joint_is_the_closed_form(kernel, problem):
    alpha, beta = np.array(problem.alpha), problem.beta
    seed = np.random.SeedSequence(0)
    chain = Chain(kernel, problem.corpus, problem.n_words, alpha, beta, seed)
    step = max(1, len(problem.assignments) // 150)
    for number in range(0, len(problem.assignments), step):
        z = problem.assignments[number]
        chain.state = state_of(kernel, problem, z)
        assert chain.evaluate() == pytest.approx(problem.log_joints[number], rel=1e-12)
        counts = kernel.read_counts(chain.state)
        of_words = log_word_likelihood(counts, beta, problem.n_words, alpha.size)
        assert of_words == pytest.approx(problem.log_word_likelihood(z), rel=1e-12)


# --- the kernels -----------------------------------------------------------------


@pytest.mark.slow
def test_a_sweep_leaves_the_posterior_as_it_is(kernel, problem):
    seen, sound = sweep_exact_draws(kernel, problem, 20_000, seed=1)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


@pytest.mark.slow
def test_all_first_topics_are_as_likely(kernel, problem):
    seen, sound = start(kernel, problem, 10_000, seed=2)
    assert sound
    assert chi_square_pvalue(seen, uniform(problem)) > RIGHT


def uniform(problem):
    n_assignments = len(problem.assignments)
    return np.full(n_assignments, 1 / n_assignments)


def marginals(problem, z):
    """Return for each row of z which tokens share a topic, and n_kw."""
    pairs = itertools.combinations(range(z.shape[1]), 2)
    words = np.array([w for _, w in problem.tokens])
    cells = itertools.product(range(problem.n_topics), np.unique(words))
    return np.column_stack(
        [z[:, i] == z[:, j] for i, j in pairs]
        + [(z[:, words == w] == k).sum(1) for k, w in cells]
    ).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["2 topics", "3 topics", "large beta", "5 topics"])
def test_a_long_chain_has_the_marginals_of_the_posterior(kernel, name):
    problem = PROBLEMS[name]
    n_batches, batch = 100, 300
    priors, rng = kernel_priors(kernel, problem.alpha, problem.beta), stream(3)
    state = kernel.init(problem.corpus, problem.n_words, priors, rng)
    chain = np.empty((n_batches * batch, state.z.size), np.uint16)
    for z in chain:
        kernel.sweep(problem.corpus, state, priors, rng)
        z[:] = state.z
    expected = problem.posterior @ marginals(problem, problem.assignments)
    means = marginals(problem, chain).reshape(n_batches, batch, -1).mean(1)
    # A batch is far longer than the chain's memory, so its mean is as good as
    # independent of the next. With 99 degrees of freedom, 4.5 standard errors are one
    # false alarm in 50,000 values; a chain has under 30.
    errors = means.std(0, ddof=1) / np.sqrt(n_batches)
    assert (abs(means.mean(0) - expected) < 4.5 * errors).all()
    assert errors.max() < 0.03  # or nothing was tested


# --- mutants ---------------------------------------------------------------------

# Problems on which planted faults show best. They have few assignments, so that a
# fault is not spread thin over many classes, and the interpreted kernels that run
# them have two lanes, so that three topics fill two registers.
SMALL = {
    "cell": Problem((((0, 4),),), 2, (0.5, 0.7, 0.9), 0.05),
    "cell, flat": Problem((((0, 3),),), 1, (2.0, 2.0, 2.0), 0.05),
    "words": Problem((((0, 1), (1, 1), (2, 1)),), 3, (0.2, 0.2), 0.5),
    "two cells": Problem((((0, 2), (1, 1)),), 2, (0.4, 0.4), 0.1),
    "documents": Problem((((0, 3),), ((0, 1),)), 2, (0.3, 0.6, 0.9), 0.3),
    "alone": Problem((((0, 3),), ((1, 1),)), 2, (0.8, 0.8), 0.5),
}

# Fault: problem, draws, and the edit as (old text, new text, occurrences).
EVERYWHERE = {
    "the token stays in n_dk": (
        ("two cells", 4000),
        ("doc_topic[old] - n, topic[old] - n", "doc_topic[old], topic[old] - n", 1),
    ),
    "the token stays in n_k": (
        ("two cells", 4000),
        ("doc_topic[old] - n, topic[old] - n", "doc_topic[old] - n, topic[old]", 1),
    ),
    "alpha is missing": (
        ("documents", 4000),
        ("np.float32(doc_topic) + alpha", "np.float32(doc_topic)", 1),
    ),
}
DENSE = {
    "the token stays in n_wk": (
        ("cell", 4000),
        ("np.float32(row[old] - n)", "np.float32(row[old])", 1),
    ),
    "the current topic is weighed with all tokens": (
        ("cell", 8000),
        (
            "stay = old_ratio * (np.float32(row[old] - n) + beta)",
            "stay = np.float64(weight[old])",
            1,
        ),
    ),
    "V is missing": (
        ("words", 4000),
        ("np.float32(word_topic.shape[0]) * beta", "beta", 1),
    ),
    "beta is missing": (
        ("documents", 4000),
        (
            "value = ratio[k] * (np.float32(row[k]) + beta)",
            "value = ratio[k] * np.float32(row[k])",
            1,
        ),
    ),
    "the new topic's weight is not mended": (
        ("documents", 8000),
        ("weight[new] = ratio[new] * (np.float32(row[new]) + beta)", "pass", 1),
    ),
    "the old topic's weight is not mended": (
        ("cell, flat", 4000),
        ("weight[old] = stay", "pass", 1),
    ),
    "the old topic's ratio is not mended": (
        ("words", 8000),
        ("ratio[old] = old_ratio", "pass", 1),
    ),
    "the new topic's ratio is not mended": (
        ("cell", 4000),
        ("ratio[new] = topic_ratio(", "topic_ratio(", 1),
    ),
    "the sum is not mended": (
        ("cell, flat", 8000),
        ("total = others + stay - weight[new]", "total = total - weight[new]", 1),
    ),
    "the old topic still attracts": (
        ("cell", 4000),
        ("weight[old] = 0\n", "pass\n", 1),
    ),
    "padding attracts": (
        ("cell", 4000),
        (
            "value = ratio[k] * (np.float32(row[k]) + beta)",
            "value = max(ratio[k] * (np.float32(row[k]) + beta), np.float32(0.01))",
            1,
        ),
    ),
    "the second register is not reached": (
        ("cell", 4000),
        ("while k + LANES < n and", "while k + LANES < LANES and", 1),
    ),
    "a lane ends after its first register": (
        ("cell", 4000),
        ("r >= lane_sum[n + lane]", "r >= lane_sum[LANES + lane]", 1),
    ),
}
SPARSE = {
    "the token stays in n_wk": (
        ("alone", 8000),
        ("np.float32(counts[old_j] - n)", "np.float32(counts[old_j])", 1),
    ),
    "the current topic is weighed with all tokens": (
        ("alone", 15_000),
        (
            "old_weight = old_ratio * np.float32(counts[old_j] - n)",
            "old_weight = weight[old_j]",
            1,
        ),
    ),
    "V is missing": (("words", 4000), ("np.float32(sizes.size) * beta", "beta", 1)),
    "beta is missing": (
        ("two cells", 4000),
        ("np.float64(old_weight) + beta * old_ratio", "np.float64(old_weight)", 1),
    ),
    "beta is not taken out of the draw": (
        ("documents", 4000),
        ("(r - listed) / beta", "(r - listed)", 1),
    ),
    "the rest keeps the old topic": (
        ("two cells", 4000),
        ("other_rest = rest - ratio[old]", "other_rest = rest", 1),
    ),
    "the list keeps the old topic": (
        ("documents", 4000),
        ("other_listed = listed - weight[old_j]", "other_listed = listed", 1),
    ),
    "the new topic's weight is not mended": (
        ("two cells", 4000),
        (
            "word_mass)\n    weight[j] = ratio[k] * np.float32(counts[j])",
            "word_mass)",
            1,
        ),
    ),
    "the old topic's weight is not mended": (
        ("cell, flat", 4000),
        ("weight[old_j] = old_weight", "pass", 1),
    ),
    "the old topic's ratio is not mended": (
        ("words", 4000),
        ("ratio[old] = old_ratio", "pass", 1),
    ),
    "the new topic's ratio is not mended": (
        ("cell", 4000),
        ("ratio[k] = topic_ratio(", "topic_ratio(", 1),
    ),
    "the sum of the list is not mended": (
        ("cell, flat", 4000),
        ("listed += weight[j]", "pass", 1),
    ),
    "the sum of the rest is not mended": (
        ("words", 4000),
        ("rest += ratio[k]", "pass", 1),
    ),
    "the topic that fills a gap has no weight": (
        ("cell, flat", 20_000),
        ("weight[j] = weight[size]", "pass", 1),
    ),
    "the topic that fills a gap is lost": (
        ("cell", 8000),
        ("\n    topics[j] = topics[size]", "\n    pass", 1),
    ),
    "a new topic has the weight of another": (
        ("cell, flat", 20_000),
        ("weight[j] = 0", "pass", 1),
    ),
    "the second register is not reached": (
        ("cell", 4000),
        ("while block + LANES < n_lanes", "while block + LANES < LANES", 1),
    ),
}
MUTANTS = {
    (kernel, fault): mutant
    for kernel, faults in (("dense", DENSE), ("sparse", SPARSE))
    for fault, mutant in (EVERYWHERE | faults).items()
}


@pytest.mark.slow
@pytest.mark.parametrize("problem", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("name", KERNELS)
def test_interpreted_kernels_pass(name, problem):
    kernel = interpreted(f"single_site_{name}", lanes=2)
    seen, sound = sweep_exact_draws(kernel, problem, 4000, seed=4)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), MUTANTS)
def test_mutants_fail(name, fault):
    (problem, n_draws), edit = MUTANTS[name, fault]
    problem = SMALL[problem]
    mutant = interpreted(f"single_site_{name}", [edit], lanes=2)
    seen, _ = sweep_exact_draws(mutant, problem, n_draws, seed=5)
    assert chi_square_pvalue(seen, problem.posterior) < WRONG


# A topic that a word has lost must leave the list. To leave it there with a count of
# 0 changes no draw for a while; then there is no room for another one.
LIST_MUTANTS = {
    "an empty topic is not dropped": ("if counts[old_j] == 0:", "if False:", 2),
    "the last topic is there twice": (
        "topics[size] = absent\n    counts[size] = 0",
        "pass",
        1,
    ),
    "a dropped topic is still found": ("topics[size] = absent", "pass", 2),
    "the size is forgotten": ("sizes[w] = size", "pass", 1),
}


@pytest.mark.parametrize("edit", LIST_MUTANTS.values(), ids=LIST_MUTANTS)
def test_mutants_of_lists_are_noticed(edit):
    mutant = interpreted("single_site_sparse", [edit], lanes=2)
    _, sound = sweep_exact_draws(mutant, SMALL["documents"], 500, seed=6)
    assert not sound


START_MUTANTS = {
    "a topic is left out": ("uniform(rng) * n_topics", "uniform(rng) * (n_topics - 1)"),
    "the first is as likely as two": (
        "np.int64(uniform(rng) * n_topics)",
        "np.int64(max(uniform(rng) * (n_topics + 1) - 1, 0))",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("edit", START_MUTANTS.values(), ids=START_MUTANTS)
def test_mutants_of_the_first_topics_fail(name, edit):
    problem = SMALL["two cells"]
    mutant = interpreted(f"single_site_{name}", [(*edit, 1)], lanes=2)
    seen, _ = start(mutant, problem, 4000, seed=7)
    assert chi_square_pvalue(seen, uniform(problem)) < WRONG
