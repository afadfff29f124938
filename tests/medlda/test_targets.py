"""What MedLDAClassifier and MedLDARegressor accept as y and parameters, and refuse."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError

from sklda import MedLDAClassifier, MedLDARegressor
from tests.helpers.comparison import assert_same_fit
from tests.helpers.supervised import (
    INDICATORS,
    MAIN,
    TEST,
    THETA,
    TRAIN,
    X,
    fit,
    make,
)

samplers = pytest.mark.parametrize("sampler", ["light", "gibbs"])
strategies = pytest.mark.parametrize("multi_class", ["multitask", "ovr"])


# --- y ---------------------------------------------------------------------------


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
        other = fit(signs[TRAIN], multi_class=multi_class)
        assert_same_fit(other, model)
        assert set(np.unique(other.predict(X[TEST]))) == {0, 1}
        expected = model.score(X[TEST], INDICATORS[TEST])
        assert other.score(X[TEST], signs[TEST]) == expected > 0.5
    with pytest.raises(ValueError, match="indicator matrix of 0 and 1"):
        model.score(X[TEST], 2 * INDICATORS[TEST])


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y to be passed"),
        (np.zeros(160, int), "only one class.*at least 2 classes"),
        (MAIN[:159], "inconsistent numbers of samples"),
        (np.where(MAIN[TRAIN] == 0, np.nan, 1.0), "NaN"),
        (np.where(MAIN[TRAIN] == 0, np.inf, 1.0), "infinity"),
        (THETA[TRAIN, 0], "Unknown label type"),
        (np.column_stack([MAIN[TRAIN]] * 2), "indicator matrix of 0 and 1"),
        (2 * INDICATORS[TRAIN], "y has 4 columns, .* indicator matrix of 0 and 1"),
        (sparse.csr_array(-INDICATORS[TRAIN]), "indicator matrix of 0 and 1"),
        (sparse.lil_array(2 * INDICATORS[TRAIN]), "indicator matrix of 0 and 1"),
        (INDICATORS[TRAIN] - 2.0, "indicator matrix of 0 and 1"),
    ],
)
def test_bad_labels(y, words):
    model = make()
    with pytest.raises(ValueError, match=words):
        model.fit(X[TRAIN], y)
    assert vars(model) == vars(make())


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y to be passed"),
        (THETA[:159, 0], "inconsistent numbers of samples"),
        (np.full(160, np.nan), "NaN"),
        (np.full(160, -np.inf), "infinity"),
        (THETA[TRAIN], "1d array"),
        (np.full(160, "one"), "could not convert"),
        (np.full(160, 1e307), r"from -1e\+10 to 1e\+10, got 1e\+307 .*scales y"),
        (np.where(MAIN[TRAIN] == 0, -1.1e10, 1), r"got 1.1e\+10 in size"),
        (1e10 * (MAIN[TRAIN] == 0), "C times the largest deviation .* got C=10 times"),
        (np.full(160, 10**400), "y must be from -1e"),
    ],
)
def test_bad_numbers(y, words):
    model = make(MedLDARegressor)
    with pytest.raises(ValueError, match=words):
        model.fit(X[TRAIN], y)
    assert vars(model) == vars(make(MedLDARegressor))


# --- parameters ----------------------------------------------------------------------


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
        model = fit(THETA[TRAIN, 0], cls=MedLDARegressor, epsilon=epsilon, **params)
        assert np.isfinite(model.predict(X[TEST])).all()


@samplers
@pytest.mark.parametrize("unit", [2.0**-29, 2.0**29, 1e-9, 1e9])
def test_numbers_in_any_unit(sampler, unit):
    y = 5 * THETA[:, 0] - 3 * THETA[:, 1]
    model = fit(
        unit * y[TRAIN],
        cls=MedLDARegressor,
        sampler=sampler,
        C=5 / unit,
        epsilon=0.1 * unit,
        prior_precision=unit**-2,
    )
    assert model.score(X[TEST], unit * y[TEST]) > 0.7
    if np.log2(unit).is_integer():  # then rounding is the same
        same = fit(y[TRAIN], cls=MedLDARegressor, sampler=sampler, C=5)
        np.testing.assert_array_equal(
            model.predict(X[TEST]), unit * same.predict(X[TEST])
        )


def test_a_prior_too_flat_for_a_joint_draw():
    params = {"sampler": "gibbs", "n_components": 20, "prior_precision": 1e-20}
    with pytest.raises(ValueError, match=r"=1e-20 .* n_weight_steps=2"):
        fit(MAIN[:6], X[:6], n_weight_steps=None, **params)
    fit(MAIN[:6], X[:6], n_weight_steps=2, **params)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"burn_in": 20}, "leaves no sweep"),
        ({"doc_topic_prior": [1, 2]}, "doc_topic_prior has shape"),
        ({"sampler": "heavy"}, "sampler"),
        ({"C": 0}, "C"),
        ({"C": 9e-11}, "'C' parameter .* range"),
        ({"C": 1e40}, "'C' parameter .* range"),
        ({"prior_precision": 1e21}, "'prior_precision' parameter .* range"),
        ({"n_mh_steps": 0}, "n_mh_steps"),
        ({"multi_class": "ovo"}, "multi_class"),
    ],
)
def test_bad_parameters(params, words):
    with pytest.raises(ValueError, match=words):
        fit(**params)


@pytest.mark.parametrize("bad", [X[TRAIN] * 0.5, -X[TRAIN], X[TRAIN] * np.nan])
def test_bad_counts(bad):
    with pytest.raises(ValueError, match=r"whole numbers|Negative|NaN"):
        fit(X=bad)
    with pytest.raises(ValueError, match=r"whole numbers|Negative|NaN"):
        fit().predict(bad)


@pytest.mark.parametrize("cls", [MedLDAClassifier, MedLDARegressor])
def test_before_fit(cls):
    for method in ("predict", "transform"):
        with pytest.raises(NotFittedError):
            getattr(clone(make(cls)), method)(X[TEST])
    assert not hasattr(cls, "perplexity")
