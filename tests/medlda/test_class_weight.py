"""Weights of classes in MedLDA: C for each class."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, recall_score

from sklda import MedLDAClassifier, MedLDARegressor
from sklda._medlda.base import class_targets
from tests.helpers.supervised import INDICATORS, MAIN, TRAIN, X, fit

strategies = pytest.mark.parametrize("multi_class", ["multitask", "ovr"])
KINDS = {"two": MAIN == 1, "four": MAIN, "several": INDICATORS}


def targets_of(y, class_weight):
    return class_targets(np.zeros(len(y)), y, "MedLDA", class_weight)[1]


@strategies
@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_one_change_no_bit(kind, multi_class):
    y, ones = KINDS[kind][TRAIN], dict.fromkeys(range(4), 1.0)
    if kind == "two":
        ones = {False: 1.0, True: 1.0}
    expected, found = (
        fit(y, multi_class=multi_class, class_weight=w) for w in (None, ones)
    )
    np.testing.assert_array_equal(expected.coef_, found.coef_)
    np.testing.assert_array_equal(expected.components_, found.components_)


@strategies
@pytest.mark.parametrize("kind", ["two", "four"])
def test_equal_weights_multiply_c(kind, multi_class):
    y = KINDS[kind][TRAIN]
    weights = dict.fromkeys(np.unique(y).tolist(), 4.0)
    found = fit(y, multi_class=multi_class, C=2, class_weight=weights)
    expected = fit(y, multi_class=multi_class, C=8)
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


@strategies
def test_a_rare_class_is_found(multi_class):
    rng = np.random.default_rng(0)
    rare = (MAIN == 2) & (rng.random(len(MAIN)) < 0.2)
    kept = rare | (MAIN != 2)
    train, test = np.flatnonzero(kept)[::2], np.flatnonzero(kept)[1::2]
    params = {"C": 1, "prior_precision": 10, "multi_class": multi_class}
    recalls = []
    for class_weight in (None, "balanced"):
        model = fit(rare[train], X[train], class_weight=class_weight, **params)
        recalls.append(recall_score(rare[test], model.predict(X[test])))
    assert recalls[0] < 0.3 < 0.7 < recalls[1]
    scores = model.decision_function(X[test])
    assert average_precision_score(rare[test], scores) > 0.5


@pytest.mark.parametrize(
    ("y", "class_weight", "message"),
    [
        (MAIN, {0: 0.0}, "class_weight must contain finite weights above 0"),
        (MAIN, {0: -1}, "class_weight must contain finite weights above 0"),
        (MAIN, {0: np.nan}, "class_weight must contain finite weights above 0"),
        (MAIN, {0: np.inf}, "class_weight must contain .* above 0, got inf"),
        (MAIN, {0: 10**400}, "class_weight must contain finite weights above 0"),
        (MAIN, {0: "a"}, "class_weight must contain .* above 0, got 'a'"),
        (MAIN, {0: "2"}, "class_weight must contain .* above 0, got '2'"),
        (MAIN, {0: [1, 2]}, r"class_weight must contain .* above 0, got \[1, 2\]"),
        (INDICATORS, {0: 10**400}, "class_weight must contain finite weights above 0"),
        (INDICATORS, {0: None}, "class_weight must contain .* above 0, got None"),
        (MAIN, {0: 1e12}, "C times the largest weight of a class"),
        (MAIN, {9: 2.0}, "are not in class_weight"),
        (INDICATORS, {9: 2.0}, r"weights for \['9'\].* columns of y"),
    ],
)
def test_bad_weights_are_refused(y, class_weight, message):
    with pytest.raises(ValueError, match=message):
        fit(y[TRAIN], class_weight=class_weight)


@pytest.mark.parametrize(
    "labels",
    [
        [["a"], ["b", "a"], []],
        [("a", "b"), ("b", "c"), ("a", "c")],
        [{"a"}, {"b"}, {"c"}],
        [[1], [2, 3], [1]],
        np.array([["a"], ["b", "a"], []], dtype=object),
    ],
)
def test_lists_of_labels_name_the_way_out(labels):
    with pytest.raises(ValueError, match=r"MultiLabelBinarizer\(\)\.fit_transform"):
        MedLDAClassifier().fit(X[:3], labels)
    with pytest.raises(ValueError, match="For labels, use MedLDAClassifier"):
        MedLDARegressor().fit(X[:3], labels)


@pytest.mark.parametrize("missing", [None, np.nan])
@pytest.mark.parametrize("first", ["a", 1])
def test_a_missing_label_is_refused(first, missing):
    labels = np.array([first, missing, first, "b"], object)
    with pytest.raises(ValueError, match="y must have a label for each document"):
        MedLDAClassifier().fit(X[:4], labels)


def test_labels_are_no_numbers():
    assert MedLDARegressor(2, max_iter=2).fit(X[:3], ["1.5", "2", "-3"]).n_iter_ == 2
    with pytest.raises(ValueError, match=r"For labels, use MedLDAClassifier"):
        MedLDARegressor().fit(X[:3], ["1.5", "good", "bad"])
    with pytest.raises(ValueError, match=r"several columns, .*MultiOutputRegressor"):
        MedLDARegressor().fit(X[:3], np.ones((3, 2)))
