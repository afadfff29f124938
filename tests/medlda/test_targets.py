"""Targets, weights of classes and parameters that MedLDA accepts and refuses."""

import numpy as np
import pytest
from scipy import sparse

from sklda import MedLDAClassifier, MedLDARegressor
from sklda._medlda.base import class_targets
from tests.helpers.comparison import assert_same_fit
from tests.helpers.supervised import INDICATORS, MAIN, TEST, THETA, TRAIN, X, fit

samplers = pytest.mark.parametrize("sampler", ["light", "gibbs"])


def test_a_class_with_one_document():
    y = np.zeros(160, int)
    y[3] = 1
    y[10:90] = 2
    assert fit(y).predict(X[TEST]).shape == (80,)


def test_minus_one_is_as_good_as_zero():
    model = fit(INDICATORS[TRAIN])
    for signs in (2 * INDICATORS - 1, 2.0 * INDICATORS - 1):
        signed = fit(signs[TRAIN])
        assert_same_fit(signed, model)
        assert set(np.unique(signed.predict(X[TEST]))) == {0, 1}
        expected = model.score(X[TEST], INDICATORS[TEST])
        assert signed.score(X[TEST], signs[TEST]) == expected > 0.5
    with pytest.raises(ValueError, match="indicator matrix of 0 and 1"):
        model.score(X[TEST], 2 * INDICATORS[TEST])


@samplers
@pytest.mark.parametrize("C", [1e-10, 1e10])
@pytest.mark.parametrize("prior_precision", [1e-20, 1e20])
def test_extreme_parameters(sampler, C, prior_precision):
    params = {"sampler": sampler, "C": C, "prior_precision": prior_precision}
    model = fit(**params)
    assert np.isfinite(model.decision_function(X[TEST])).all()
    if C**2 >= prior_precision:  # otherwise the labels weigh nothing
        assert model.score(X[TEST], MAIN[TEST]) > 0.4
    for epsilon in (0, 1e10):
        for y in (THETA[TRAIN, 0], np.arange(160) == 7):  # one of them far away
            model = fit(y, cls=MedLDARegressor, epsilon=epsilon, **params)
            assert np.isfinite(model.predict(X[TEST])).all()


NUMBERS = 5 * THETA[:, 0] - 3 * THETA[:, 1]


@samplers
@pytest.mark.parametrize("n_weight_steps", [2, None])
@pytest.mark.parametrize(
    ("unit", "origin"),
    [(1e-300, 0.0), (1e300, 0.0), (1e-9, 0.0), (0.01, 7.0), (1e4, -3e5)],
)
def test_unit_and_origin_of_numbers_do_not_matter(
    sampler, n_weight_steps, unit, origin
):
    params = {"sampler": sampler, "n_weight_steps": n_weight_steps}
    scaled = origin + unit * NUMBERS
    model = fit(NUMBERS[TRAIN], cls=MedLDARegressor, **params)
    converted = fit(scaled[TRAIN], cls=MedLDARegressor, **params)
    np.testing.assert_array_equal(converted.components_, model.components_)
    np.testing.assert_allclose(converted.loss_, model.loss_, atol=1e-6)
    np.testing.assert_allclose(converted.coef_ / unit, model.coef_, rtol=1e-6)
    expected = model.predict(X[TEST])
    predicted = (converted.predict(X[TEST]) - origin) / unit
    np.testing.assert_allclose(predicted, expected, atol=1e-6)
    assert model.scale_ == pytest.approx(NUMBERS[TRAIN].std())
    assert converted.scale_ == pytest.approx(unit * model.scale_, rel=1e-9)
    assert model.score(X[TEST], NUMBERS[TEST]) > 0.7


@pytest.mark.parametrize("number", [0.0, 0.1, -3e300, 5e-324])
def test_a_constant_is_predicted(number):
    model = fit(np.full(160, number), cls=MedLDARegressor)
    assert model.scale_ == 0
    assert (model.predict(X[TEST]) == number).all()


def test_a_prior_too_flat_for_a_joint_draw():
    params = {"sampler": "gibbs", "n_components": 20, "prior_precision": 1e-20}
    with pytest.raises(ValueError, match=r"=1e-20 .* n_weight_steps=2"):
        fit(MAIN[:6], X[:6], n_weight_steps=None, **params)
    fit(MAIN[:6], X[:6], n_weight_steps=2, **params)


# --- what is refused -------------------------------------------------------------

INVALID = {
    "a dict": dict(enumerate([0, 1, 0])),
    "a generator": (d % 2 for d in range(3)),
    "lists": [["a"], ["b", "a"], []],
    "an array of lists": np.array([["a"], ["b", "a"], []], dtype=object),
    "missing": np.array(["a", None, "b"], object),
    "a label twice": sparse.csr_array(([1, 1], [0, 0], [0, 2, 2, 2]), (3, 2)),
}


@pytest.mark.parametrize("y", INVALID.values(), ids=INVALID)
def test_y_is_refused(y):
    for cls in (MedLDAClassifier, MedLDARegressor):
        with pytest.raises((TypeError, ValueError), match=r"y must have|array-like"):
            cls().fit(X[:3], y)
    with pytest.raises(ValueError, match="y must have"):
        fit().score(X[:3], y)


def test_only_numbers_are_regressed():
    assert MedLDARegressor(2, max_iter=2).fit(X[:3], ["1.5", "2", "-3"]).n_iter_ == 2
    with pytest.raises(ValueError, match=r"For labels, use MedLDAClassifier"):
        MedLDARegressor().fit(X[:3], ["1.5", "good", "bad"])


# --- weights of classes ----------------------------------------------------------


def targets_of(y, class_weight):
    return class_targets(y, "MedLDA", class_weight)[1]


@pytest.mark.parametrize("y", [MAIN == 1, MAIN], ids=["two", "four"])
def test_equal_weights_multiply_c(y):
    weights = dict.fromkeys(np.unique(y).tolist(), 4.0)
    found = fit(y[TRAIN], C=2, class_weight=weights)
    expected = fit(y[TRAIN], C=8)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    np.testing.assert_allclose(found.loss_, 4 * expected.loss_)


def test_targets_by_hand():
    y = np.array(["b", "a", "b", "c", "b", "b"])
    expected = [[-0.5, 0.5, -0.5], [2, -2, -2], [-2, -2, 2]]
    found = targets_of(y, "balanced")
    np.testing.assert_allclose(found[[0, 1, 3]], expected)
    found = targets_of(y, {"a": 7})
    np.testing.assert_array_equal(found[:2], [[-1, 1, -1], [7, -7, -7]])
    found = targets_of(y == "a", "balanced")
    np.testing.assert_allclose(found.ravel(), [-0.6, 3, -0.6, -0.6, -0.6, -0.6])


def test_targets_of_columns_by_hand():
    y = np.array([[1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])
    found = targets_of(y, "balanced")
    np.testing.assert_allclose(found[:, 0], [2, -2 / 3, -2 / 3, -2 / 3])
    np.testing.assert_array_equal(found[:, 1], -1)
    np.testing.assert_allclose(found[:, 2], [-2, 2 / 3, 2 / 3, 2 / 3])
    found = targets_of(y, {2: 5})
    np.testing.assert_array_equal(found[:2], [[1, -1, -1], [-1, -1, 5]])


@pytest.mark.parametrize("weight", [0.0, -1, np.nan, np.inf, 10**400, "2", [1], None])
@pytest.mark.parametrize("y", [MAIN, INDICATORS], ids=["classes", "indicators"])
def test_bad_weights_are_refused(y, weight):
    with pytest.raises(
        ValueError, match=r"class_weight must contain finite .* above 0"
    ):
        fit(y[TRAIN], class_weight={0: weight})


@pytest.mark.parametrize(
    ("y", "class_weight", "message"),
    [
        (MAIN, {0: 1e12}, "C times the largest weight of a class"),
        (INDICATORS, {9: 2.0}, r"weights for \['9'\].* columns of y"),
    ],
)
def test_weights_that_suit_no_class_are_refused(y, class_weight, message):
    with pytest.raises(ValueError, match=message):
        fit(y[TRAIN], class_weight=class_weight)
