"""Exact expectations: against enumeration, and as the measure of the others."""

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp, psi

from sklda import CVBLDA
from sklda._data.corpus import WeightedCorpus, split_weights
from sklda.datasets import make_lda_corpus
from tests.cvb.engines import make_engine, responsibilities
from tests.helpers.enumeration import TinyProblem
from tests.helpers.mutants import interpreted

BETAS = np.array([[0.3, 2.5, 1e-3], [1.1, 0.05, 0.4], [0.3, 0.3, 7.0]])
PROBLEMS = [
    TinyProblem("aab bbc a", 3, [0.1, 0.1], 0.1),
    TinyProblem("aac bbb", 4, [0.5, 1.2, 0.2], 0.7),
    TinyProblem("ab - abbbb", 2, [0.05, 2.0], 0.02),
    TinyProblem("aaaaa", 1, [1.0, 1.0], 1.0),
    TinyProblem("aac bbb", 3, [0.5, 1.2, 0.2], BETAS),
    TinyProblem("aab bbc", 3, [0.1, 0.1], np.array([[5, 0.1, 0.1], [0.1, 0.1, 0.1]])),
]
problems = pytest.mark.parametrize("problem", PROBLEMS, ids=range(len(PROBLEMS)))


def exact_engine(problem, *, seed=0, kernel=None):
    """Return an engine of the exact approximation for a tiny problem."""
    doc_ptr, word, token_ptr = problem.corpus
    corpus = WeightedCorpus(doc_ptr, word, np.diff(token_ptr).astype(np.float32))
    corpus, priors = split_weights(corpus), (problem.alpha, problem.beta)
    options = {"seed": seed, "kernel": kernel}
    return make_engine("exact", corpus, problem.n_words, *priors, **options)


def enumerated_bound(problem, gamma):
    """Return E[log p(w, z)] - E[log q(z)], a sum over all assignments."""
    tokens = np.arange(len(problem.tokens))
    q = gamma[tokens, problem.assignments].prod(axis=1)
    total = q @ problem.log_joints
    return total - np.sum(gamma * np.log(np.maximum(gamma, 1e-300)))


@problems
def test_bound_is_its_definition(problem):
    engine = exact_engine(problem)
    rng = np.random.default_rng(0)
    for _ in range(5):
        gamma = rng.dirichlet(np.full(problem.n_topics, 0.7), len(problem.tokens))
        engine.responsibilities[:, : problem.n_topics] = gamma
        expected = enumerated_bound(problem, responsibilities(engine))
        # Float32 responsibilities sum up to 1 with an error of 1e-7.
        assert engine.evaluate() * len(problem.tokens) == pytest.approx(
            expected, abs=1e-5
        )


def update_error(problem, kernel=None):
    """Return how far a sweep is from sums over all assignments.

    gamma_i ~ exp(E[log p(w, z)]), z_i held, over all other z.
    """
    engine = exact_engine(problem, kernel=kernel)
    rng = np.random.default_rng(1)
    shape = (len(problem.tokens), problem.n_topics)
    engine.responsibilities[:, : problem.n_topics] = rng.dirichlet(
        np.ones(shape[1]), shape[0]
    )
    expected = responsibilities(engine)
    tokens = np.arange(shape[0])
    for i in tokens:
        others = np.delete(tokens, i)
        q = expected[others, problem.assignments[:, others]].prod(axis=1)
        value = [
            (q * problem.log_joints)[problem.assignments[:, i] == k].sum()
            for k in range(shape[1])
        ]
        expected[i] = np.exp(value - logsumexp(value))
    engine.sweep()
    return abs(responsibilities(engine) - expected).max()


@problems
def test_update_is_the_expectation_over_all_assignments(problem):
    assert update_error(problem) < 1e-6


def passes(name, problem, edits):
    """Return the verdict on the kernel that Python runs after edits."""
    kernel = interpreted("sklda._cvb.kernels.exact", edits).module
    error = update_error(PROBLEMS[1], kernel)
    return error < 1e-6 if not 1e-6 <= error <= 1e-3 else None


def log_evidence(problem):
    return logsumexp(problem.log_joints)


@problems
@pytest.mark.parametrize("seed", range(3))
def test_bound_rises_to_below_the_evidence(problem, seed):
    engine = exact_engine(problem, seed=seed)
    for _ in range(60):
        engine.sweep()
        engine.evaluate()
    # 1e-6 for responsibilities in float32.
    assert np.diff(engine.bound).min() > -1e-6
    assert engine.bound[-1] * len(problem.tokens) <= log_evidence(problem) + 1e-5


def gamma_error(name, document_length):
    """Return the largest difference of gamma after one sweep from the same start."""
    X, _, _ = make_lda_corpus(
        6, 5, 2, document_length=document_length, random_state=0, doc_topic_prior=1.0
    )
    X = X.tocsr()
    corpus = WeightedCorpus(
        X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float32)
    )
    corpus = split_weights(corpus)
    gamma = np.random.default_rng(0).dirichlet(np.ones(2), corpus.word.size)
    swept = []
    for each in (name, "exact"):
        engine = make_engine(each, corpus, 5, [0.5, 0.5], 0.5)
        engine.responsibilities[:, :2] = gamma
        engine.moments = engine._count()
        engine.sweep()
        swept.append(engine.responsibilities)
    return abs(swept[0] - swept[1]).max()


def test_gaussian_comes_close_to_exact_as_documents_grow():
    # The first term that the Gaussian form leaves out is of order 1 / n^2 in log
    # gamma, zero-order's of order 1 / n.
    gaussian = np.array([gamma_error("gaussian", n) for n in (10, 40, 150)])
    zero_order = np.array([gamma_error("zero-order", n) for n in (10, 40, 150)])
    assert (gaussian < [0.03, 0.01, 0.001]).all(), gaussian
    assert (gaussian < zero_order / 2).all(), zero_order


def test_size_limit():
    X = np.full((10, 10), 11)
    with pytest.raises(ValueError, match=r"1,000 tokens.*has 1,100.*'gaussian'"):
        CVBLDA(2, approximation="exact").fit(X)
    with pytest.raises(ValueError, match=r"n_shards=1 instead of n_shards=2"):
        CVBLDA(2, approximation="exact", n_shards=2).fit(X // 2)
    with pytest.raises(ValueError, match="whole numbers"):
        CVBLDA(2, approximation="exact").fit(X * 0.01)


def vb_bound(problem, gamma):
    """Run standard VB from these responsibilities; return its bound, equation 13.

    q(theta) and q(phi) are Dirichlet with alpha + E[n_dk] and beta + E[n_kw].
    """
    docs, words = np.array(problem.tokens).T
    alpha, beta = np.array(problem.alpha), np.array(problem.betas)

    def log_norm(a):
        return gammaln(a).sum(-1) - gammaln(a.sum(-1))

    for _ in range(400):
        a = np.tile(alpha, (len(problem.docs), 1))
        np.add.at(a, docs, gamma)
        b = beta.copy()
        np.add.at(b.T, words, gamma)
        bound = (
            (log_norm(a) - log_norm(alpha)).sum()
            + (log_norm(b) - log_norm(beta)).sum()
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
        engine = exact_engine(problem, seed=seed)
        soft = np.random.default_rng(seed).dirichlet(
            np.ones(problem.n_topics), engine.responsibilities[:, 0].size
        )
        engine.responsibilities[:, : problem.n_topics] = soft
        theirs.append(vb_bound(problem, soft))
        for _ in range(100):
            engine.sweep()
        ours.append(engine.evaluate() * len(problem.tokens))
    assert max(ours) > max(theirs) + (1e-3 if problem.n_topics > 1 else -1e-5)
    assert max(theirs) < log_evidence(problem)
