"""Targets and parameters that MedLDA accepts and refuses."""

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

from sklda import MedLDAClassifier, MedLDARegressor
from sklda._medlda.base import standardised
from tests.helpers.comparison import assert_same_fit
from tests.helpers.supervised import INDICATORS, MAIN, TEST, THETA, TRAIN, X, fit

samplers = pytest.mark.parametrize("sampler", ["light", "gibbs"])
strategies = pytest.mark.parametrize("multi_class", ["multitask", "ovr"])


def test_labels_of_any_kind():
    numbers = fit().predict(X[TEST])
    for labels in (
        np.array(["a", "b", "c", "d"]),
        np.array(["a", "b", "c", "d"], object),
        np.array([-7, 3, 100, 2**40]),
        np.array([0.0, 1.0, 2.0, 9.0]),
    ):
        model = fit(labels[MAIN[TRAIN]])
        np.testing.assert_array_equal(model.predict(X[TEST]), labels[numbers])
    assert fit((MAIN[TRAIN] == 1).tolist()).classes_.dtype == bool


@pytest.mark.parametrize(
    "y",
    [
        dict(enumerate([0, 1, 0])),
        (d % 2 for d in range(3)),
        {"a": 0, "b": 1, "c": 0}.values(),
        {0, 1, 2},
        "aba",
        1,
    ],
    ids=lambda y: type(y).__name__,
)
def test_what_has_no_order_of_documents_is_refused(y):
    for cls in (MedLDAClassifier, MedLDARegressor):
        with pytest.raises((TypeError, ValueError), match=r"y must have|array-like"):
            cls().fit(X[:3], y)
    with pytest.raises(ValueError, match="y must have a label for each document"):
        fit().score(X[:3], y)


def test_a_column_of_labels():
    with pytest.warns(DataConversionWarning):
        model = fit(MAIN[TRAIN][:, np.newaxis])
    assert_same_fit(model, fit())
    with pytest.warns(DataConversionWarning):
        fit(THETA[TRAIN, :1], cls=MedLDARegressor)


@strategies
def test_a_class_with_one_document(multi_class):
    y = np.zeros(160, int)
    y[3] = 1
    y[10:90] = 2
    assert fit(y, multi_class=multi_class).predict(X[TEST]).shape == (80,)


@strategies
def test_minus_one_is_as_good_as_zero(multi_class):
    model = fit(INDICATORS[TRAIN], multi_class=multi_class)
    for signs in (2 * INDICATORS - 1, 2.0 * INDICATORS - 1):
        signed = fit(signs[TRAIN], multi_class=multi_class)
        assert_same_fit(signed, model)
        assert set(np.unique(signed.predict(X[TEST]))) == {0, 1}
        expected = model.score(X[TEST], INDICATORS[TEST])
        assert signed.score(X[TEST], signs[TEST]) == expected > 0.5
    with pytest.raises(ValueError, match="indicator matrix of 0 and 1"):
        model.score(X[TEST], 2 * INDICATORS[TEST])


@samplers
@strategies
@pytest.mark.parametrize("C", [1e-10, 1e10])
@pytest.mark.parametrize("prior_precision", [1e-20, 1e20])
def test_extreme_parameters(sampler, multi_class, C, prior_precision):
    params = {"sampler": sampler, "C": C, "prior_precision": prior_precision}
    model = fit(multi_class=multi_class, **params)
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
    model, converted = (
        fit(y[TRAIN], cls=MedLDARegressor, **params)
        for y in (NUMBERS, origin + unit * NUMBERS)
    )
    np.testing.assert_array_equal(converted.components_, model.components_)
    np.testing.assert_allclose(converted.loss_, model.loss_, atol=1e-6)
    np.testing.assert_allclose(converted.coef_ / unit, model.coef_, rtol=1e-6)
    expected = model.predict(X[TEST])
    predicted = (converted.predict(X[TEST]) - origin) / unit
    np.testing.assert_allclose(predicted, expected, atol=1e-6)
    assert model.scale_ == pytest.approx(NUMBERS[TRAIN].std())
    assert converted.scale_ == pytest.approx(unit * model.scale_, rel=1e-9)
    assert model.score(X[TEST], NUMBERS[TEST]) > 0.7


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-29, 2.0**1000])
def test_units_that_are_powers_of_two_change_no_bit(unit):
    model = fit(NUMBERS[TRAIN], cls=MedLDARegressor)
    scaled = fit(unit * NUMBERS[TRAIN], cls=MedLDARegressor)
    np.testing.assert_array_equal(scaled.loss_, model.loss_)
    expected = unit * model.predict(X[TEST])
    np.testing.assert_array_equal(scaled.predict(X[TEST]), expected)


@pytest.mark.parametrize("number", [0.0, 0.1, -3e300, 5e-324])
def test_a_constant_is_predicted(number):
    model = fit(np.full(160, number), cls=MedLDARegressor)
    assert model.scale_ == 0
    assert (model.predict(X[TEST]) == number).all()


@pytest.mark.parametrize(
    ("y", "mean", "scale"),
    [
        ([1.7e308, -1.7e308], 0, 1.7e308),
        ([1e-300, 3e-300], 2e-300, 1e-300),
        ([1e8, 1e8 + 2.0**-20], 1e8, 2.0**-21),
        ([0.1, 0.1, 0.1], 0.1, 0),
    ],
)
def test_standardised_numbers(y, mean, scale):
    targets, *found = standardised(np.array(y))
    np.testing.assert_allclose(found, (mean, scale), rtol=1e-9)
    assert abs(targets.mean()) < 1e-12
    assert targets.std() == pytest.approx(float(scale > 0))


def test_a_prior_too_flat_for_a_joint_draw():
    params = {"sampler": "gibbs", "n_components": 20, "prior_precision": 1e-20}
    with pytest.raises(ValueError, match=r"=1e-20 .* n_weight_steps=2"):
        fit(MAIN[:6], X[:6], n_weight_steps=None, **params)
    fit(MAIN[:6], X[:6], n_weight_steps=2, **params)


@pytest.mark.parametrize("cls", [MedLDAClassifier, MedLDARegressor])
def test_there_is_no_perplexity_of_labels(cls):
    assert not hasattr(cls, "perplexity")
