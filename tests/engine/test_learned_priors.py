"""Priors fitted to the data during burn-in: Minka's fixed point, then frozen."""

import warnings

import numpy as np
import pytest
from scipy.special import psi
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sklda import (
    CVBLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    PartiallyCollapsedGibbsLDA,
    UncollapsedGibbsLDA,
)
from sklda._sampling.doc_topic_counts import word_topic_histogram
from sklda._sampling.minka import drift
from sklda._sampling.schedule import Schedule
from sklda.datasets import make_bars, make_lda_corpus
from tests.helpers.small_fits import X, fit


@pytest.mark.parametrize("learn_priors", ["symmetric", "asymmetric"])
def test_learned_priors_are_frozen_after_burn_in(learn_priors):
    def priors(max_iter, burn_in):
        model = fit(max_iter=max_iter, burn_in=burn_in, learn_priors=learn_priors)
        return [*model.doc_topic_prior_, model.topic_word_prior_]

    at_20 = priors(21, 20)
    assert priors(29, 20) == at_20
    assert priors(60, 20) == at_20
    assert priors(60, 21) != at_20
    with pytest.warns(UserWarning, match="no effect"):
        assert priors(60, 0) == [0.25] * 5  # never


def fixed_point(counts, prior, symmetric):
    """Repeat Minka's equation 55 until it stands still; one row of counts per draw."""
    for _ in range(3000):
        gain = (psi(counts + prior) - psi(prior)).sum(axis=0)
        totals = counts.sum(axis=1)
        most = (psi(totals + prior.sum()) - psi(prior.sum())).sum()
        prior = prior * (gain.mean() if symmetric else gain) / most
    return prior


ALL = [
    CollapsedGibbsLDA,
    ECGSLDA,
    PartiallyCollapsedGibbsLDA,
    UncollapsedGibbsLDA,
    CVBLDA,
]


@pytest.mark.parametrize("cls", ALL)
def test_priors_that_are_none_are_learned(cls):
    lda = cls(4, max_iter=41, random_state=0)
    lda.set_params(**{"tol": 0} if cls is CVBLDA else {"burn_in": 40})

    def priors(**params):
        model = clone(lda).set_params(**params).fit(X)
        return model.doc_topic_prior_.tolist(), model.topic_word_prior_

    alpha, beta = priors()
    assert len(set(alpha)) == 4
    assert beta != 0.25
    assert priors(learn_priors="asymmetric") == (alpha, beta)
    alpha, beta = priors(doc_topic_prior=0.3)
    assert alpha == [0.3] * 4
    assert beta not in (0.25, 0.3)
    alpha, beta = priors(topic_word_prior=0.3)
    assert len(set(alpha)) == 4
    assert beta == 0.3
    fixed = {"doc_topic_prior": [0.1, 0.2, 0.3, 0.4], "topic_word_prior": 0.3}
    assert priors(**fixed) == (fixed["doc_topic_prior"], 0.3)
    assert priors(learn_priors=None) == ([0.25] * 4, 0.25)


@pytest.mark.parametrize("learn_priors", ["symmetric", "asymmetric"])
def test_learned_priors_are_the_fixed_point(learn_priors, monkeypatch):
    monkeypatch.setattr(Schedule, "learns", lambda schedule, sweep: sweep == 10)
    X, _, _ = make_lda_corpus(150, 40, 4, random_state=0)
    params = {"doc_topic_prior": 0.5, "topic_word_prior": 0.5}
    # The counts of sweep 10, at which the priors are learned for the only time.
    at_10 = fit(X, max_iter=10, burn_in=9, **params)
    topic_word = np.rint(at_10.components_ - 0.5)
    doc_topic = np.rint(at_10.doc_topic_ * (100 + 4 * 0.5) - 0.5)  # of 100 tokens
    assert doc_topic.sum() == topic_word.sum() == X.sum()
    model = fit(X, max_iter=11, burn_in=10, learn_priors=learn_priors, **params)
    alpha = fixed_point(doc_topic, np.full(4, 0.5), learn_priors == "symmetric")
    beta = fixed_point(topic_word, np.full(40, 0.5), symmetric=True)
    # The library stops at steps of 1e-4; each is a tenth or more of the way left.
    np.testing.assert_allclose(model.doc_topic_prior_, alpha, rtol=1e-3)
    np.testing.assert_allclose(model.topic_word_prior_, beta[0], rtol=1e-3)
    assert alpha.max() < 0.4  # far from where it began
    assert beta.max() < 0.4


def test_memory_of_a_histogram_does_not_depend_on_the_counts():
    table = np.zeros((3, 16), np.int64)
    table[0, :4] = 2**16 - 1, 2**16, 2**40, 2**40
    values, times = word_topic_histogram(table)
    assert values.tolist() == [0, 2**16 - 1, 2**16, 2**40]
    assert times.tolist() == [44, 1, 1, 2]


def test_a_prior_that_still_changes_is_noticed():
    # Over the last half of the updates by a factor of e, and from quarter to quarter by
    # the root of it.
    rng = np.random.default_rng(0)
    values = np.exp(np.linspace(0, 2, 200) + rng.normal(0, 0.05, 200))
    assert drift(values) == pytest.approx(0.5, abs=0.02)
    assert drift(1 / values) == pytest.approx(-0.5, abs=0.02)
    assert drift(np.full(7, 2.0)) == 0


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.7])
def test_a_prior_that_only_fluctuates_has_arrived(memory):
    rng, found = np.random.default_rng(0), 0
    for _ in range(200):
        logs = np.zeros(100)
        for i in range(1, 100):
            logs[i] = memory * logs[i - 1] + rng.normal(0, 0.05)
        found += drift(np.exp(logs)) != 0
    assert found <= 10


def test_a_fit_says_whether_learned_priors_have_arrived():
    bars, _, _ = make_bars(500, random_state=0)
    with pytest.warns(ConvergenceWarning, match="(alpha|beta) changed by .*burn_in"):
        lda = CollapsedGibbsLDA(10, max_iter=60, random_state=0).fit(bars)
    trace = lda.prior_trace_
    assert trace["sweep"].tolist() == list(range(15, 31))
    assert trace["doc_concentration"][-1] == lda.doc_topic_prior_.sum()
    assert trace["topic_word_prior"][-1] == lda.topic_word_prior_
    settled, _, _ = make_lda_corpus(500, 200, 5, doc_topic_prior=0.1, random_state=0)
    with warnings.catch_warnings(action="error"):
        CollapsedGibbsLDA(5, random_state=0).fit(settled)


def test_few_sweeps_from_old_habits_warn():
    with pytest.warns(ConvergenceWarning, match="max_iter=5 is short for a sampler"):
        lda = CollapsedGibbsLDA(4, max_iter=5, warm_start=True, random_state=0).fit(X)
    with warnings.catch_warnings(action="error"):
        lda.fit(X)  # goes on
        for chosen in ({"burn_in": 2}, {"learn_priors": None}, {"max_iter": 1}):
            CollapsedGibbsLDA(4, **{"max_iter": 5} | chosen).fit(X)
