"""Kernels of collapsed variational Bayes, against slow and obvious NumPy."""

import numpy as np
import pytest

from sklda._data.corpus import WeightedCorpus
from tests.cvb.engines import (
    assert_moments_are_sums,
    make_engine,
    random_corpus,
    responsibilities,
)
from tests.helpers.mutants import interpreted

each_kernel = pytest.mark.parametrize("name", ["zero-order", "gaussian"])


def engine_of(name, corpus, n_words, n_topics, seed=0, alpha=0.3, beta=0.2, **params):
    alpha = alpha * np.random.default_rng(seed).uniform(0.5, 1.5, n_topics)
    return make_engine(name, corpus, n_words, alpha, beta, seed=seed, **params)


def plain_update(engine, gamma, c, name):
    """Return the new gamma of a cell by equation 18, all sums made from nothing."""
    problem, document = engine.problem, engine.document
    _, word, count = problem.corpus
    removed = np.zeros(count.size)
    removed[c] = min(count[c], 1)
    alpha, shape = problem.doc_topic_prior, (problem.n_topics, problem.n_words)
    betas = np.broadcast_to(problem.beta, shape)
    beta = betas[:, word[c]]
    mean = (count - removed)[:, None] * gamma
    variance = mean * (1 - gamma)
    groups = (document == document[c], word == word[c], np.full(count.size, True))
    prior = (alpha, beta, betas.sum(axis=1))
    a, b, n = (p + mean[g].sum(0) for p, g in zip(prior, groups, strict=True))
    if name == "gaussian":
        va, vb, vn = (variance[g].sum(0) for g in groups)
        # exp E[log(prior + count)], not below the prior: no count is below 0.
        a = np.maximum(a * np.exp(-va / (2 * a**2)), alpha)
        b = np.maximum(b * np.exp(-vb / (2 * b**2)), beta)
        n = np.maximum(n * np.exp(-vn / (2 * n**2)), prior[2])
    value = a * b / n
    return value / value.sum()


def plain_sweep(engine, name):
    gamma, count = responsibilities(engine), engine.problem.corpus.count
    before = gamma.copy()
    for c in range(count.size):
        gamma[c] = plain_update(engine, gamma, c, name)
    return gamma, count @ abs(gamma - before).sum(axis=1) / engine.n_tokens


def sweep_errors(engine, name, n_sweeps=4):
    """Return the largest errors of gamma, and of the changes that sweeps report.

    Each plain sweep starts from where the kernel's last one ended.
    """
    errors = np.zeros((n_sweeps, 2))
    for error in errors:
        expected, change = plain_sweep(engine, name)
        engine.sweep()
        error[0] = abs(responsibilities(engine) - expected).max()
        error[1] = abs(engine.change - change)
    return errors.max(axis=0)


@each_kernel
@pytest.mark.parametrize("n_topics", [1, 3, 16, 21])
@pytest.mark.parametrize("kind", ["whole", "real", "array of beta"])
def test_sweep_is_the_equation(name, n_topics, kind):
    # Counts of float32, about 20, are right to 1e-6, and an error of one update is
    # handed on to those after it: 1e-5 in a sweep. The mutants below are off by 1e-3.
    beta = 0.2
    if kind == "array of beta":
        beta = np.random.default_rng(0).gamma(0.3, 1, (n_topics, 12)) + 0.01
    corpus = random_corpus(n_topics, whole=kind != "real")
    engine = engine_of(name, corpus, 12, n_topics, beta=beta)
    assert (sweep_errors(engine, name) < 1e-5).all()
    assert not engine.responsibilities[:, n_topics:].any()


def passes(name, problem, edits):
    """Return the verdict on a kernel that Python runs after edits."""
    kernel = interpreted(f"sklda._cvb.kernels.{name.replace('-', '_')}", edits).module
    corpus = random_corpus(3, n_docs=8, n_words=6, whole=False)
    with np.errstate(all="ignore"):
        engine = engine_of(name, corpus, 6, 3, kernel=kernel)
        error = sweep_errors(engine, name)[0]
    return error < 1e-5 if not 1e-5 <= error <= 1e-3 else None


@each_kernel
@pytest.mark.parametrize(("whole", "n_shards"), [(True, 1), (False, 1), (False, 4)])
def test_tables_do_not_drift(name, whole, n_shards, monkeypatch):
    # 300 sweeps without a recount. An entry of 200 is changed some 15,000 times, and
    # each change is rounded by up to 8e-6: a random walk of about 1e-3.
    monkeypatch.setattr("sklda._cvb.engine._RECOUNT_INTERVAL", 10**9)
    corpus = random_corpus(1, 60, 20, whole=whole)
    engine = engine_of(name, corpus, 20, 7, n_shards=n_shards)
    for _ in range(300):
        engine.sweep()
    np.testing.assert_allclose(engine.responsibilities.sum(axis=1), 1, atol=1e-6)
    assert_moments_are_sums(engine, rtol=3e-5, atol=1e-3)


@each_kernel
@pytest.mark.parametrize("alpha", [1e-10, 1e10])
@pytest.mark.parametrize("beta", [1e-10, 1e10])
def test_priors_at_the_ends_of_their_range(name, alpha, beta):
    for n_topics in (1, 5, 20):
        corpus = random_corpus(2)
        engine = engine_of(name, corpus, 12, n_topics, alpha=alpha, beta=beta)
        for _ in range(20):
            engine.sweep()
            gamma = engine.responsibilities
            np.testing.assert_allclose(gamma.sum(axis=1), 1, atol=1e-5)
            assert (gamma >= 0).all()


def test_start_gives_each_cell_one_topic():
    corpus = random_corpus(0, n_docs=40)
    gamma = engine_of("zero-order", corpus, 12, 5).responsibilities
    assert (gamma.max(axis=1) == 1).all()
    assert (gamma.sum(axis=1) == 1).all()
    assert (gamma.argmax(axis=1) != gamma[0].argmax()).any()
    other = engine_of("gaussian", corpus, 12, 5)
    np.testing.assert_array_equal(gamma, other.responsibilities)


def test_start_is_drawn_given_the_cells_before_it():
    # Two words in one document: the second joins the first with probability
    # (1 + a) b / (1 + 2b) against a b / 2b, here 0.3 against 0.1.
    corpus = WeightedCorpus(
        np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2, "f")
    )
    same = 0
    for seed in range(2000):
        engine = make_engine("zero-order", corpus, 2, [0.2, 0.2], 0.5, seed=seed)
        same += (engine.responsibilities[0] == engine.responsibilities[1]).all()
    # Five standard errors of 2,000 draws are 0.049.
    assert same / 2000 == pytest.approx(0.75, abs=0.049)
