"""An array as topic_word_prior, and the function that makes one from seed words."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from sklda import (
    CVBLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    MedLDARegressor,
    seed_word_prior,
)
from sklda.datasets import make_lda_corpus
from tests.helpers.ways_to_fit import GIBBS, given_for

N_WORDS, N_TOPICS = 60, 4
X = make_lda_corpus(150, N_WORDS, N_TOPICS, document_length=40, random_state=0)[0]
MODELS = {
    **GIBBS,
    "auto": CollapsedGibbsLDA(),
    "pairs": CollapsedGibbsLDA(blocking="nested"),
    "shortcut": ECGSLDA(strategy="shortcut"),
    "standard": ECGSLDA(strategy="standard"),
    "gaussian": CVBLDA(tol=0),
    "zero-order": CVBLDA(approximation="zero-order", tol=0),
    "light": MedLDAClassifier(),
    "gibbs": MedLDAClassifier(sampler="gibbs"),
    "regressor": MedLDARegressor(),
}
each = pytest.mark.parametrize("name", MODELS)


def fit(name, prior, **params):
    """Fit the estimator with an array of beta."""
    params = {"n_components": N_TOPICS, "random_state": 0, "max_iter": 20} | params
    model = clone(MODELS[name]).set_params(topic_word_prior=prior, **params)
    return model.fit(X, **given_for(model, 150))


def random_beta():
    return np.random.default_rng(0).gamma(0.5, 1, (N_TOPICS, N_WORDS)) + 1e-3


@each
def test_attributes(name):
    beta = random_beta()
    model = fit(name, beta)
    np.testing.assert_array_equal(model.topic_word_prior_, beta)
    assert model.topic_word_prior_ is not beta
    tokens = (model.components_ - beta).sum()
    assert tokens == pytest.approx(X.sum(), rel=1e-5)
    assert (model.components_ > beta - 1e-4).all()
    theta = model.transform(X[:5])
    np.testing.assert_allclose(theta.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("name", ["auto", "gaussian", "light"])
def test_learned_priors_leave_an_array_as_it_is(name):
    model = fit(name, random_beta(), learn_priors="asymmetric", max_iter=40)
    np.testing.assert_array_equal(model.topic_word_prior_, random_beta())
    assert np.ptp(model.doc_topic_prior_) > 0


def test_minibatches():
    beta = random_beta()
    model = CVBLDA(N_TOPICS, topic_word_prior=beta, random_state=0, total_samples=150)
    for first in range(0, 150, 30):
        model.partial_fit(X[first : first + 30])
    np.testing.assert_array_equal(model.topic_word_prior_, beta)
    assert (model.components_ >= beta).all()
    assert (model.components_ - beta).sum() == pytest.approx(X.sum(), rel=0.1)


NAMES = ["goal", "match", "economy", "economic", "econ*", "Goal"]


def prior_of(seeds, **params):
    params = {"n_components": 3, "weight": 5.0, "base": 0.5} | params
    return seed_word_prior(NAMES, seeds, **params)


def seeds_in(prior, weight=5.0):
    return [[NAMES[w] for w in np.flatnonzero(row == weight)] for row in prior]


def test_words_and_patterns():
    prior = prior_of({0: ["goal", "econ?mic"], 2: ["economy", "goal", "[gm]*"]})
    assert seeds_in(prior) == [["goal", "economic"], [], ["goal", "match", "economy"]]
    a_name_is_no_pattern = prior_of({1: ["econ*"]})
    assert seeds_in(a_name_is_no_pattern) == [[], ["econ*"], []]
    one_word_twice = prior_of({0: ["*y", "economy", "eco*y"]})
    assert seeds_in(one_word_twice) == [["economy"], [], []]
    kept_out = prior_of({1: ["match"]}, weight=1e-6)
    assert seeds_in(kept_out, 1e-6) == [[], ["match"], []]
    assert prior.shape == (3, 6)
    assert set(prior.ravel()) == {5.0, 0.5}


def test_defaults():
    prior = seed_word_prior(NAMES, {np.int64(1): np.array(["goal"])}, n_components=4)
    assert prior[1, 0] == 100
    assert prior[0, 0] == 0.25


def test_names_words_that_are_unknown():
    with pytest.warns(UserWarning, match=r"'score', 'x\*'\.$") as record:
        prior = prior_of({0: ["goal", "score"], 1: ["x*", "match"]})
    assert len(record) == 1
    assert record[0].filename == __file__
    assert seeds_in(prior) == [["goal"], ["match"], []]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prior_of({0: ["goal"], 1: []})
