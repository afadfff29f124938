"""ECGSLDA: how many draws a cell gets, what the strategies have in common, the rate."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest

from sklda import ECGSLDA, CollapsedGibbsLDA
from sklda._ecgs import estimator
from sklda._ecgs.kernels import draw_numbers
from sklda._gibbs.kernels import single_site_lists
from sklda._sampling.problem import Problem
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit, fitted
from tests.helpers.corpora import corpus_of
from tests.helpers.enumeration import RIGHT, chi_square_pvalue, verdict
from tests.helpers.mutants import interpreted, streams

# Cells of up to a dozen tokens, and an empty document.
X = make_lda_corpus(30, 12, 4, document_length=40, random_state=0)[0].toarray()
X[7] = 0
CELLS, TOKENS = np.count_nonzero(X), X.sum()

in_lists = pytest.mark.usefixtures("_in_lists")


@pytest.fixture
def _in_lists(monkeypatch):
    """Draw single tokens as the kernel of groups does, not in registers."""
    monkeypatch.setattr(
        estimator, "collapsed_sampler", lambda n_topics: single_site_lists
    )


def make(strategy="dynamic", **params):
    params = {"n_components": 4, "max_iter": 12, "random_state": 0, **params}
    return ECGSLDA(strategy=strategy, **params)


def fit(strategy="dynamic", X=X, **params):
    return make(strategy, **params).fit(X)


def assert_same_chain(a, b):
    """Assert that two fits differ in nothing but the sampling rate."""
    a, b = fitted(a), fitted(b)
    for name in a.keys() | b.keys() - {"sampling_rate_"}:
        if name != "sampling_rate_":
            np.testing.assert_equal(a[name], b[name], err_msg=name)


# --- strategies that are each other ----------------------------------------------


@pytest.mark.parametrize("n_topics", [4, 50])
@pytest.mark.parametrize("learn_priors", [None, "asymmetric"])
def test_standard_is_the_collapsed_sampler(learn_priors, n_topics):
    params = {"n_components": n_topics, "learn_priors": learn_priors, "max_iter": 25}
    other = CollapsedGibbsLDA(**params, random_state=0).fit(X)
    assert_same_chain(fit("standard", **params), other)


@in_lists
def test_all_draws_are_made_where_damping_is_large():
    # The chance of another number of draws is 12 sweeps x 100 cells in a billion.
    model = fit(damping=10**9)
    assert model.sampling_rate_.tolist() == [1] * 12
    assert_same_fit(model, fit("standard"))


@in_lists
def test_one_draw_for_a_cell_is_the_shortcut(monkeypatch):
    def all_on_one(*args):
        weights = init(*args)
        return weights._replace(draws=np.ones_like(weights.draws))

    init = draw_numbers.first_draw_weights
    monkeypatch.setattr(draw_numbers, "first_draw_weights", all_on_one)
    monkeypatch.setattr(draw_numbers, "learn_draw_weights", lambda *args: args[-2])
    # Shortcut draws cells of two tokens as one as well, so here are none of them.
    counts = np.where(X == 2, 3, X)
    assert_same_fit(fit(X=counts), fit("shortcut", X=counts))


@in_lists
def test_without_cells_of_several_tokens_all_are_the_same():
    for other in ("shortcut", "dynamic"):
        assert_same_fit(fit(other, X=X > 0), fit("standard", X=X > 0))


# --- the weights of the numbers of draws -----------------------------------------


class Counts(NamedTuple):
    z: np.ndarray
    topic: None


class Forger:
    """In the place of a kernel: gives the tokens of a cell topics as it likes."""

    def __init__(self, seed, n_topics):
        self.rng, self.n_topics = np.random.default_rng(seed), n_topics

    def from_topics(self, problem, z):
        return Counts(z, None)

    def kernel_priors(self, problem):
        return problem.kernel_priors()

    def sweep_groups(self, part, state, priors, alphas, n_draws, rng):
        for first, last in itertools.pairwise(part.token_ptr):
            topics = self.rng.permutation(self.n_topics)[: self.rng.integers(1, 5)]
            state.z[first:last] = self.rng.choice(topics, last - first)


@pytest.fixture
def module(monkeypatch):
    """Return the module of the estimator, in which a test may replace the kernel."""
    monkeypatch.setattr(estimator, "lists", estimator.lists)
    return estimator


def forged(module, seed, counts, n_topics, damping=1):
    """Return a sampler whose kernel is a forger, its problem and its first state."""
    corpus = corpus_of(np.array(counts))
    problem = Problem(corpus, np.shape(counts)[1], np.full(n_topics, 0.2), 0.1)
    module.lists = Forger(seed, n_topics)
    sampler = module.Grouped(damping)
    z = np.zeros(corpus.token_ptr[-1], np.uint16)
    return sampler, problem, sampler.from_topics(problem, z)


def stored(weights):
    """Return the weights of each cell that has some, as a dictionary."""
    pairs = zip(weights.draws.tolist(), weights.weight.tolist(), strict=True)
    pairs = list(pairs)
    return [dict(pairs[a:b]) for a, b in itertools.pairwise(weights.ptr.tolist())]


def mixed_counts():
    """Return documents without tokens, cells of 1, 2, 3 and more, and a large one."""
    counts = np.random.default_rng(0).choice([0, 1, 2, 3, 5, 9], (12, 7))
    counts[[0, 5, 11]] = 0
    counts[3] = [3000, 1, 2, 3, 0, 4, 2]
    return counts


def counts_plainly(module, n_topics, damping):
    """Return whether the weights in 40 sweeps are those of a plain count."""
    sampler, problem, state = forged(module, 2, mixed_counts(), n_topics, damping)
    token_ptr, rng = problem.corpus.token_ptr, streams(1)
    n_tokens = np.diff(token_ptr)
    expected = [{n: damping} for n in n_tokens.tolist() if n >= 3]
    if stored(*state.draw_weights) != expected:
        return False
    for _ in range(40):
        before = iter([set(weights) for weights in expected])
        sampler.sweep(problem, state, rng)
        cells = np.split(state.z, token_ptr[1:-1])
        u = [len(set(z.tolist())) for z in cells if z.size >= 3]
        known = [next(before) if n >= 3 else {n} for n in n_tokens]
        if not all(n in few for n, few in zip(state.n_draws, known, strict=True)):
            return False
        assert sampler.info(problem, state).n_draws == state.n_draws.sum()
        for weights, n in zip(expected, u, strict=True):
            weights[n] = weights.get(n, 0) + 1
        if stored(*state.draw_weights) != expected:
            return False
    assert n_topics == 1 or max(map(len, expected)) == 5
    return True


@pytest.mark.parametrize("damping", [1, 7, 10**9])
@pytest.mark.parametrize("n_topics", [1, 4, 16, 20])
def test_weights_are_those_of_a_plain_count(module, damping, n_topics):
    assert counts_plainly(module, n_topics, damping)


def pvalue_of_numbers(module, n_cells):
    """Return the p-value of the numbers of draws of cells with known weights."""
    weights = {50: 3, 2: 5, 1: 11, 7: 1}
    counts = np.full((n_cells, 1), 50)
    sampler, problem, state = forged(module, 0, counts, 4)
    state.draw_weights[0] = state.draw_weights[0]._replace(
        ptr=np.arange(n_cells + 1) * 4,
        draws=np.tile(np.array([*weights], np.int32), n_cells),
        weight=np.tile(np.array([*weights.values()], np.int32), n_cells),
    )
    sampler.sweep(problem, state, streams(1))
    seen = [(state.n_draws == n).sum() for n in weights]
    assert sum(seen) == n_cells
    return chi_square_pvalue(np.array([*seen, 0]), np.array([*weights.values()]) / 20)


def test_the_number_of_draws_has_the_probabilities_of_the_weights(module):
    assert pvalue_of_numbers(module, 20_000) > RIGHT


def passes(name, problem, edits):
    """Return the verdict on the numbers of draws that Python makes after edits."""
    loaded = interpreted("sklda._ecgs.estimator", edits, compiled_draws=True)
    if problem == "choice":
        return verdict(pvalue_of_numbers(loaded.module, 2000))
    try:
        return counts_plainly(loaded.module, 4, 7)
    except IndexError:
        return False


def test_memory_follows_the_values_seen(module):
    # Cells of 50,000 tokens come to at most four topics: at most five weights each.
    sampler, problem, state = forged(module, 0, [[50_000, 1], [2, 50_000]], 30)
    for _ in range(30):
        sampler.sweep(problem, state, streams(1))
    (weights,) = state.draw_weights
    assert weights.draws.size == weights.weight.size <= 10
    assert sum(array.nbytes for array in weights) < 200
    assert state.n_draws.nbytes == 4 * 4


# --- the sampling rate -----------------------------------------------------------


@in_lists
def test_sampling_rate():
    assert fit("standard").sampling_rate_.tolist() == [1] * 12
    assert fit("shortcut").sampling_rate_.tolist() == [CELLS / TOKENS] * 12
    rate = fit(max_iter=60).sampling_rate_
    assert rate.shape == (60,)
    assert rate.dtype == np.float64
    assert rate[0] == 1  # the only weights are those of all draws
    assert (rate >= CELLS / TOKENS).all()
    assert (rate <= 1).all()
    assert rate[-20:].mean() < 0.9 * rate[:5].mean()
    damped = fit(max_iter=60, damping=1000).sampling_rate_
    assert damped[1:].mean() > rate[1:].mean()
    np.testing.assert_allclose(rate * TOKENS, np.rint(rate * TOKENS))  # of draws


# --- what is fitted --------------------------------------------------------------


def end_of_chains(strategy, X, **params):
    """Return the mean log joint per token, in nats, at the end of three chains."""
    fits = [fit(strategy, X, random_state=seed, **params) for seed in range(3)]
    return np.mean([model.log_joint_[-5:].mean() for model in fits]) / X.sum()


@pytest.mark.slow
def test_dynamic_comes_near_the_exact_chain():
    # Chains differ by 0.005 from seed to seed, and rise by 0.2 from their tenth sweep.
    X = make_lda_corpus(300, 400, 5, document_length=80, random_state=1)[0]
    params = {"n_components": 5, "doc_topic_prior": 0.2, "topic_word_prior": 0.1}
    standard = end_of_chains("standard", X, max_iter=120, **params)
    dynamic = end_of_chains("dynamic", X, max_iter=120, **params)
    assert dynamic == pytest.approx(standard, abs=0.02)
