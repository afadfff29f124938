"""Exact expectations: against enumeration, and as the measure of the others."""

import itertools

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp, psi

from sklda import CVBLDA
from sklda._core.corpus import cut_weights
from sklda._cvb.kernels import exact as cvb_exact
from sklda._cvb.kernels import gaussian as cvb_gaussian
from sklda._cvb.kernels import zero_order as cvb_zero_order
from sklda._core.problem import Weights
from sklda._cvb.engine import Fit
from sklda.datasets import make_lda_corpus
from tests.helpers.enumeration import Problem, interpreted
from tests.cvb.test_kernels import responsibilities

PROBLEMS = [
    Problem((((0, 2), (1, 1)), ((1, 2), (2, 1)), ((0, 1),)), 3, [0.1, 0.1], 0.1),
    Problem((((0, 2), (2, 1)), ((1, 3),)), 4, [0.5, 1.2, 0.2], 0.7),
    Problem((((0, 1), (1, 1)), (), ((0, 1), (1, 4))), 2, [0.05, 2.0], 0.02),
    Problem((((0, 5),),), 1, [1.0, 1.0], 1.0),
]
problems = pytest.mark.parametrize("problem", PROBLEMS, ids=range(len(PROBLEMS)))


def make_fit(problem, kernel=cvb_exact, seed=0):
    doc_ptr, word, token_ptr = problem.corpus
    weights = Weights(doc_ptr, word, np.diff(token_ptr).astype(np.float32))
    alpha, seed = np.array(problem.alpha), np.random.SeedSequence(seed)
    weights = cut_weights(weights) if kernel is cvb_exact else weights
    return Fit(kernel, weights, problem.n_words, alpha, problem.beta, seed, 1)


def enumerated_bound(problem, gamma):
    """Return E[log p(w, z)] - E[log q(z)], a sum over all assignments."""
    tokens = np.arange(len(problem.tokens))
    q = gamma[tokens, problem.assignments].prod(axis=1)
    total = q @ problem.log_joints
    return total - np.sum(gamma * np.log(np.maximum(gamma, 1e-300)))


@problems
def test_bound_is_its_definition(problem):
    fit = make_fit(problem)
    rng = np.random.default_rng(0)
    for _ in range(5):
        gamma = rng.dirichlet(np.full(fit.n_topics, 0.7), len(problem.tokens))
        fit.gamma[:, : fit.n_topics] = gamma
        expected = enumerated_bound(problem, responsibilities(fit))
        # Float32 responsibilities sum up to 1 with an error of 1e-7.
        assert fit.evaluate() * len(problem.tokens) == pytest.approx(expected, abs=1e-5)


def update_error(problem, kernel=cvb_exact):
    """Return how far a sweep is from sums over all assignments.

    gamma_i ~ exp(E[log p(w, z)]), z_i held, over all other z.
    """
    fit = make_fit(problem)
    fit.kernel = kernel
    rng = np.random.default_rng(1)
    shape = (len(problem.tokens), fit.n_topics)
    fit.gamma[:, : fit.n_topics] = rng.dirichlet(np.ones(shape[1]), shape[0])
    expected = responsibilities(fit)
    tokens = np.arange(shape[0])
    for i in tokens:
        others = np.delete(tokens, i)
        q = expected[others, problem.assignments[:, others]].prod(axis=1)
        value = [
            (q * problem.log_joints)[problem.assignments[:, i] == k].sum()
            for k in range(shape[1])
        ]
        expected[i] = np.exp(value - logsumexp(value))
    fit.sweep()
    return abs(responsibilities(fit) - expected).max()


@problems
def test_update_is_the_expectation_over_all_assignments(problem):
    assert update_error(problem) < 1e-6


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("all_p[k, : c + 2], g", "all_p[k, : c + 2], 0.0"),
        ("word_h[w][k], seen[w])", "word_h[w][k], 0)"),
        ("doc_h[k], i)", "doc_h[k], i - 1)"),
        ("n_words * beta)", "beta)"),
        ("seen[w] += 1", "pass"),
        ("gamma[c, k] = value[k]", "pass"),
    ],
)
def test_a_wrong_kernel_is_noticed(old, new):
    assert update_error(PROBLEMS[1], interpreted("cvb_exact")) < 1e-6
    mutant = interpreted("cvb_exact", [(old, new, 1)])
    assert update_error(PROBLEMS[1], mutant) > 1e-3


def log_evidence(problem):
    return logsumexp(problem.log_joints)


@problems
@pytest.mark.parametrize("seed", range(3))
def test_bound_rises_to_below_the_evidence(problem, seed):
    fit = make_fit(problem, seed=seed)
    for _ in range(60):
        fit.sweep()
        fit.evaluate()
    # 1e-6 for responsibilities in float32.
    assert np.diff(fit.bound).min() > -1e-6
    assert fit.bound[-1] * len(problem.tokens) <= log_evidence(problem) + 1e-5


def vb_bound(problem, gamma):
    """Run standard VB from these responsibilities; return its bound, equation 13.

    q(theta) and q(phi) are Dirichlet with alpha + E[n_dk] and beta + E[n_kw].
    """
    docs, words = np.array(problem.tokens).T
    alpha, beta = np.array(problem.alpha), problem.beta

    def log_norm(a):
        return gammaln(a).sum(-1) - gammaln(a.sum(-1))

    for _ in range(400):
        a = np.tile(alpha, (len(problem.docs), 1))
        np.add.at(a, docs, gamma)
        b = np.full((alpha.size, problem.n_words), beta)
        np.add.at(b.T, words, gamma)
        bound = (
            (log_norm(a) - log_norm(alpha)).sum()
            + (log_norm(b) - log_norm(np.full(problem.n_words, beta))).sum()
            - (gamma * np.log(np.maximum(gamma, 1e-300))).sum()
        )
        log_theta = psi(a) - psi(a.sum(1, keepdims=True))
        log_phi = psi(b) - psi(b.sum(1, keepdims=True))
        value = log_theta[docs] + log_phi[:, words].T
        gamma = np.exp(value - logsumexp(value, axis=1, keepdims=True))
    return bound


@problems
def test_bound_lies_above_that_of_variational_bayes(problem):
    # For the same q(z) it does, and so for the best q(z) found by each from a start.
    ours, theirs = [], []
    for seed in range(5):
        fit = make_fit(problem, seed=seed)
        soft = np.random.default_rng(seed).dirichlet(
            np.ones(fit.n_topics), fit.gamma[:, 0].size
        )
        fit.gamma[:, : fit.n_topics] = soft
        theirs.append(vb_bound(problem, soft))
        for _ in range(100):
            fit.sweep()
        ours.append(fit.evaluate() * len(problem.tokens))
    assert max(ours) > max(theirs) + (1e-3 if fit.n_topics > 1 else -1e-5)
    assert max(theirs) < log_evidence(problem)


# --- the others against it -------------------------------------------------------


def gamma_errors(kernel, document_length):
    """Return the largest difference of gamma after one sweep from the same start."""
    X, _, _ = make_lda_corpus(
        6, 5, 2, document_length=document_length, random_state=0, doc_topic_prior=1.0
    )
    X = X.tocsr()
    weights = Weights(
        X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float32)
    )
    weights = cut_weights(weights)
    gamma = np.random.default_rng(0).dirichlet(np.ones(2), weights.word.size)
    swept = []
    for each in (kernel, cvb_exact):
        seed = np.random.SeedSequence(0)
        fit = Fit(each, weights, 5, np.full(2, 0.5), 0.5, seed, 1)
        fit.gamma[:, :2] = gamma
        fit.tables = fit._count_anew()
        fit.sweep()
        swept.append(fit.gamma)
    return abs(swept[0] - swept[1]).max()


def test_gaussian_comes_close_to_exact_as_documents_grow():
    # The first term that the Gaussian form leaves out is of order 1 / n^2 in log
    # gamma, zero-order's of order 1 / n.
    gaussian = [gamma_errors(cvb_gaussian, n) for n in (10, 40, 150)]
    zero_order = [gamma_errors(cvb_zero_order, n) for n in (10, 40, 150)]
    assert (np.array(gaussian) < [0.03, 0.01, 0.001]).all(), gaussian
    assert (np.array(gaussian) < np.array(zero_order) / 2).all(), zero_order


def test_estimated_bound_is_close_to_the_exact_one():
    X, _, _ = make_lda_corpus(10, 20, 3, document_length=40, random_state=0)
    params = {"tol": 1e-3, "max_iter": 300, "random_state": 0, "evaluate_every": 1}
    exact = CVBLDA(3, approximation="exact", **params).fit(X)
    for name in ("gaussian", "zero-order"):
        model = CVBLDA(3, approximation=name, **params).fit(X)
        # Nats per token: the optima differ, and the estimate by less than that.
        assert model.bound_[-1] == pytest.approx(exact.bound_[-1], abs=0.02)


def test_size_limit():
    X = np.full((10, 10), 11)
    with pytest.raises(ValueError, match=r"1,000 tokens.*holds 1,100.*'gaussian'"):
        CVBLDA(2, approximation="exact").fit(X)
    with pytest.raises(ValueError, match=r"n_shards=2.*n_shards=1"):
        CVBLDA(2, approximation="exact", n_shards=2).fit(X // 2)
    with pytest.raises(ValueError, match="whole numbers"):
        CVBLDA(2, approximation="exact").fit(X * 0.01)


def test_order_of_the_assignments():
    # What the enumerations above rest on.
    problem = PROBLEMS[0]
    topics = itertools.product(range(2), repeat=len(problem.tokens))
    np.testing.assert_array_equal(problem.assignments, list(topics))
