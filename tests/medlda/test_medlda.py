"""MedLDAClassifier and MedLDARegressor as users meet them."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.multiclass import OneVsRestClassifier

from sklda import MedLDAClassifier, MedLDARegressor
from sklda._fitted.fold_in import MAX_STEPS, doc_topic
from sklda._medlda import base
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import prepare
from tests.helpers.supervised import INDICATORS, MAIN, TEST, THETA, TRAIN, X, fit, make

NAMES = np.array(["red", "blue", "10", "green"])

samplers = pytest.mark.parametrize("sampler", ["light", "gibbs"])


# --- what is learned -------------------------------------------------------------


@samplers
def test_classes_are_learned(sampler):
    model = fit(sampler=sampler)
    # Most frequent class: 0.3; classes by the true proportions would be all right.
    assert model.score(X[TEST], MAIN[TEST]) > 0.8
    assert model.loss_[-1] < 0.2 * model.loss_[0]
    scores = model.decision_function(X[TEST])
    np.testing.assert_array_equal(model.predict(X[TEST]), scores.argmax(axis=1))


def test_each_class_may_have_topics_of_its_own():
    model = OneVsRestClassifier(make(), n_jobs=2).fit(X[TRAIN], MAIN[TRAIN])
    assert model.score(X[TEST], MAIN[TEST]) > 0.8
    assert len({each.components_.tobytes() for each in model.estimators_}) == 4


@samplers
def test_numbers_are_learned(sampler):
    y = 100 + 5 * THETA[:, 0] - 3 * THETA[:, 1]
    model = fit(y[TRAIN], cls=MedLDARegressor, sampler=sampler)
    assert model.score(X[TEST], y[TEST]) > 0.7
    assert model.intercept_ == pytest.approx(y[TRAIN].mean())
    scores = model.transform(X[TEST]) @ model.coef_[0]
    np.testing.assert_allclose(model.predict(X[TEST]), scores + model.intercept_)


@samplers
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_several_labels_are_learned(sampler, form):
    Y = INDICATORS
    model = fit(form(Y[TRAIN]), sampler=sampler)
    predicted = model.predict(X[TEST])
    assert (predicted == Y[TEST]).mean() > 0.8
    assert (predicted == (model.decision_function(X[TEST]) > 0)).all()


# --- shapes and meanings ---------------------------------------------------------


def test_fitted_attributes():
    model = fit(NAMES[MAIN[TRAIN]])
    assert model.classes_.tolist() == sorted(NAMES)
    assert model.loss_.shape == model.acceptance_rate_.shape == (20,)
    assert ((model.acceptance_rate_ > 0) & (model.acceptance_rate_ < 1)).all()
    scores = model.transform(X[TEST]) @ model.coef_.T
    np.testing.assert_allclose(model.decision_function(X[TEST]), scores)


def test_two_classes_have_one_score():
    model = fit(NAMES[(MAIN[TRAIN] == 0).astype(int)])
    scores = model.decision_function(X[TEST])
    assert scores.shape == (80,)
    expected = model.classes_[(scores > 0).astype(int)]
    np.testing.assert_array_equal(model.predict(X[TEST]), expected)


def test_documents_without_words_are_decided_by_the_prior():
    alpha = np.arange(1, 7) / 10
    model = fit(doc_topic_prior=alpha)
    empty, mean = np.zeros((2, 60), int), alpha / alpha.sum()
    np.testing.assert_allclose(model.transform(empty), [mean, mean], rtol=1e-5)
    scores = model.decision_function(empty)
    np.testing.assert_allclose(scores[0], model.coef_ @ mean, rtol=1e-4)


def proportions_after(model, n_steps):
    weights, alpha = model._check_weights(X[TEST], reset=False), model.doc_topic_prior_
    theta = doc_topic(*prepare(weights, model.components_, alpha), 1, n_steps)
    mass = X[TEST].sum(axis=1, keepdims=True) + alpha.sum()
    expected = (theta * mass - alpha).clip(0)  # of tokens; few steps may fall below 0
    return expected / expected.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("y", "cls", "n_steps"),
    [
        (MAIN, MedLDAClassifier, 3),
        (MAIN > 0, MedLDAClassifier, MAX_STEPS),
        (INDICATORS, MedLDAClassifier, MAX_STEPS),
        (THETA[:, 0], MedLDARegressor, MAX_STEPS),
    ],
    ids=["classes", "two classes", "indicators", "numbers"],
)
def test_steps_end_early_where_the_highest_score_decides(y, cls, n_steps):
    model = fit(y[TRAIN], cls=cls)
    expected = proportions_after(model, n_steps)
    np.testing.assert_allclose(model.transform(X[TEST]), expected, atol=1e-5)
    proportions = proportions_after(model, MAX_STEPS + 3 - n_steps)
    assert abs(proportions - expected).max() > 0.01
    if cls is MedLDAClassifier:
        told = model.set_params(n_fold_in_steps=2).transform(X[TEST])
        np.testing.assert_allclose(told, proportions_after(model, 2), atol=1e-5)


def test_frames_of_topics_do_not_disturb_scores():
    pytest.importorskip("pandas")
    model = fit()
    expected = model.decision_function(X[TEST]), model.predict(X[TEST])
    model.set_output(transform="pandas")
    np.testing.assert_array_equal(model.decision_function(X[TEST]), expected[0])
    np.testing.assert_array_equal(model.predict(X[TEST]), expected[1])


def test_verbose(capsys):
    fit()  # compiles: a line would tell of that
    fit(verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    line = r"\[MedLDAClassifier\] sweep 20/20, loss per document 0\.\d+, \d+% accepted"
    assert re.match(line, lines[1])


def test_a_calibrated_classifier_estimates_probabilities():
    calibrated = CalibratedClassifierCV(MedLDAClassifier(4, max_iter=4), cv=2)
    found = calibrated.fit(X[TRAIN], MAIN[TRAIN]).predict_proba(X[TEST])
    np.testing.assert_allclose(found.sum(axis=1), 1)


# --- refits in other threads ---------------------------------------------------------


@pytest.mark.parametrize("method", ["transform", "decision_function", "predict"])
@pytest.mark.parametrize("y", [MAIN % 3, INDICATORS], ids=["classes", "indicators"])
def test_a_refit_meanwhile_changes_no_answer(monkeypatch, method, y):
    model = fit()
    expected = getattr(model, method)(X[TEST])

    def refit_and_estimate(*args):
        monkeypatch.setattr(base, "doc_topic", doc_topic)
        model.set_params(n_components=3).fit(X[TRAIN], y[TRAIN])
        return doc_topic(*args)

    monkeypatch.setattr(base, "doc_topic", refit_and_estimate)
    np.testing.assert_array_equal(getattr(model, method)(X[TEST]), expected)
    assert model.coef_.shape[1] == 3


def test_a_chain_may_begin_where_another_has_ended():
    model = fit()
    begun, random = (fit(init=i, max_iter=1) for i in (model, "random"))
    assert begun.loss_[0] < 0.5 * random.loss_[0]
    assert_same_fit(fit(init=model.components_, max_iter=1), begun)
