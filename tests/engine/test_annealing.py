"""Annealed starts: beta falls as the schedule says, and changes nothing afterwards."""

import itertools
from math import comb

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.base import clone

import sklda
from sklda._engine.chain import Chain
from sklda._gibbs.collapsed import collapsed_sampler
from sklda._sampling.problem import Problem
from sklda._sampling.schedule import NO_ANNEALING, Annealing
from sklda.datasets import make_lda_corpus
from tests.helpers.callbacks import Recorder
from tests.helpers.corpora import random_corpus
from tests.helpers.mutants import streams
from tests.helpers.ways_to_fit import GIBBS, given_for

K, N_WORDS = 4, 9
X = make_lda_corpus(60, 30, K, document_length=30, random_state=0)[0]
ESTIMATORS = GIBBS | {
    "blocks of two": sklda.CollapsedGibbsLDA(blocking="backward"),
    "covariates": sklda.DMRLDA(),
    "multitask": sklda.MedLDAClassifier(),
    "regression": sklda.MedLDARegressor(),
}
CVB = sklda.CVBLDA(
    K, doc_topic_prior=0.1, topic_word_prior=0.01, max_iter=40, random_state=0
)
each = pytest.mark.parametrize("name", ESTIMATORS)


def fit(name, callbacks=None, **params):
    priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01}
    params = {"n_components": K, "random_state": 0, **priors, **params}
    model = clone(ESTIMATORS[name]).set_params(**params)
    if callbacks is not None:
        model.set_callbacks(callbacks)
    return model.fit(X, **given_for(model, 60))


def problem(beta=0.01):
    return Problem(random_corpus(0, mean=30), N_WORDS, np.full(K, 0.1), beta)


def annealing(most_sweeps=40, beta=0.01):
    n_tokens = problem().corpus.token_ptr[-1]
    return Annealing.of(problem(beta), "annealed", most_sweeps, n_tokens)


def test_beta_falls_to_its_value():
    schedule = annealing(40)
    betas = [schedule.problem_of(problem(), s).topic_word_prior for s in range(1, 61)]
    assert betas[0] > 10 * 0.01
    ratios = np.divide(betas[:39], betas[1:40])
    np.testing.assert_allclose(ratios, ratios[0])
    assert ratios[0] > 1
    assert betas[39:] == [0.01] * 21


@pytest.mark.parametrize("most", [0, 1, 40, 1000])
def test_there_are_250_sweeps_at_most(most):
    schedule = annealing(most)
    assert schedule.n_sweeps == min(most, 250)
    assert (schedule.problem_of(problem(), 1).topic_word_prior > 0.01) == (most > 1)


def test_the_first_beta_does_not_depend_on_the_last():
    first = [annealing(40, beta).factor * beta for beta in (0.001, 0.01)]
    assert first[0] == pytest.approx(first[1])
    assert annealing(40, 100.0).factor == 1  # larger already


@pytest.mark.parametrize("init", ["random", np.ones((K, N_WORDS))])
def test_other_starts_are_not_annealed(init):
    assert Annealing.of(problem(), init, 40, 100) == NO_ANNEALING


@each
def test_every_sampler_has_it(name):
    sweeps = {"max_iter": 8, "burn_in": 6}
    annealed = fit(name, init="annealed", **sweeps)
    plain = fit(name, init="random", **sweeps)
    assert not np.array_equal(annealed.components_, plain.components_)
    assert np.all(annealed.topic_word_prior_ == 0.01)


@pytest.mark.parametrize("approximation", ["zero-order", "gaussian"])
def test_cvb_has_it_and_does_not_end_before_it(approximation):
    cvb = clone(CVB).set_params(approximation=approximation, tol=1e9)
    annealed = cvb.fit(X)
    assert annealed.n_iter_ == 10
    components = annealed.components_
    plain = cvb.set_params(init="random").fit(X)
    assert plain.n_iter_ == 1
    plain.set_params(tol=0, max_iter=10).fit(X)
    assert not np.array_equal(components, plain.components_)


@each
def test_an_array_of_beta_is_not_annealed(name):
    beta = np.linspace(0.01, 0.1, X.shape[1])
    fits = [
        fit(name, init=init, topic_word_prior=beta, max_iter=4)
        for init in ("annealed", "random")
    ]
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)


def test_the_trace_is_under_the_beta_that_is_set():
    chain = Chain(collapsed_sampler(K), problem(), streams(0), annealing=annealing(5))
    chain.sweep()
    chain.evaluate()
    assert chain.is_annealed
    assert chain.problem.topic_word_prior == 0.01
    assert chain.log_joint == [chain.log_probability(chain.counts)]


LEARNED, SAMPLED = {"learn_priors": "asymmetric"}, {"learn_priors": "hierarchical"}


@pytest.mark.parametrize(
    ("name", "priors", "n_sweeps"),
    [
        ("registers", {"learn_priors": None}, 60),
        ("registers", SAMPLED, 0),
        ("covariates", {}, 30),
        ("registers", LEARNED, 30),
        *((name, LEARNED, 30) for name in ("partially collapsed", "multitask")),
    ],
)
def test_priors_that_change_get_half_of_the_burn_in(name, priors, n_sweeps):
    params = {"max_iter": 61, "burn_in": 60, "warm_start": True, **priors}
    annealed, plain = (
        fit(name, init=init, **params)._stored.chain for init in ("annealed", "random")
    )
    assert annealed.annealing.n_sweeps == n_sweeps
    if priors is LEARNED:
        assert [u.sweep for u in annealed.prior_updates] == list(range(30, 61))
        assert [u.sweep for u in plain.prior_updates] == list(range(1, 61))
        assert annealed.problem.topic_word_prior != 0.01


@each
def test_a_fit_that_ends_under_the_heat_has_a_sample_of_the_posterior(name):
    pytest.importorskip("sklearn.callback")
    seen = Recorder(at=2)
    params = {"max_iter": 40, "thin": 1, "warm_start": True}
    model = fit(name, callbacks=seen, **params)
    chain = model._stored.chain
    assert model.n_iter_ == 3  # the last sweep is under the true beta
    assert chain.annealing == NO_ANNEALING
    assert chain.sums.n_kept == 1
    # What a callback is given under the heat is as if the fit ended there.
    np.testing.assert_array_equal(seen.models[1].components_, model.components_)
    assert seen.models[0].n_iter_ == 2
    model.set_callbacks().set_params(burn_in=0, max_iter=2)
    model.fit(X, **given_for(model, 60))
    assert model._stored.chain.sums.n_kept == 3


@pytest.mark.parametrize("name", ["registers", "covariates", "multitask"])
def test_looks_under_the_heat_do_not_change_samples(name):
    pytest.importorskip("sklearn.callback")
    watched = fit(name, callbacks=Recorder(), max_iter=30)
    alone = fit(name, max_iter=30)
    np.testing.assert_array_equal(watched.components_, alone.components_)


def test_variational_topics_under_the_heat_are_not_handed_out():
    pytest.importorskip("sklearn.callback")
    seen = Recorder(at=2)
    model = clone(CVB).set_callbacks(seen).fit(X)
    assert model.n_iter_ == 3
    np.testing.assert_array_equal(seen.models[1].components_, model.components_)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [sklda.CollapsedGibbsLDA, sklda.UncollapsedGibbsLDA])
def test_samples_after_an_early_end_are_exact(cls):
    # Two documents of one word each, by enumeration: the sum of squares of the counts
    # of the documents. Hot samples were off by eight standard errors or more.
    pytest.importorskip("sklearn.callback")
    alpha, beta, logs, values = 0.5, 0.2, [], []
    for a, b in itertools.product(range(5), repeat=2):
        words = np.array([[a, b, 0], [4 - a, 4 - b, 0]])
        log = gammaln(alpha + np.array([a, 4 - a, b, 4 - b])).sum()
        log += gammaln(words + beta).sum() - gammaln(words.sum(axis=1) + 0.6).sum()
        logs.append(log + np.log(comb(4, a) * comb(4, b)))
        values.append(a**2 + (4 - a) ** 2 + b**2 + (4 - b) ** 2)
    exact = np.average(values, weights=np.exp(logs))
    found = []
    for seed in range(250):
        lda = cls(2, doc_topic_prior=alpha, topic_word_prior=beta, random_state=seed)
        lda.set_params(max_iter=40, thin=1, keep_draws=12, warm_start=True)
        lda.set_callbacks(Recorder(at=2)).fit(np.array([[4, 0, 0], [0, 4, 0]]))
        lda.set_callbacks().set_params(max_iter=15, burn_in=0)
        draws = lda.fit(np.array([[4, 0, 0], [0, 4, 0]])).draws_
        counts = [draws.doc_topic_counts(i).power(2).sum() for i in range(12)]
        found.append(np.mean(counts))
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - exact) < 4 * error
