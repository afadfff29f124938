"""The experiments on supervised topics."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import f1_score

from benchmarks import medlda
from benchmarks.__main__ import parse


@pytest.mark.parametrize("name", [*medlda.OF_WORDS, "unsupervised, SVM"])
def test_baselines_of_one_label_and_of_many(classes, name):
    X, y = classes
    labels = np.column_stack([y == 0, y != 5]).astype(int)
    for target, scores in ((y, ["accuracy"]), (labels, ["micro F1", "macro F1"])):
        data = X, target
        row = medlda.fit_and_score(medlda.baseline(name, target, 4), data, data)
        assert row["test"] == row["train"]
        assert list(row["test"]) == scores
        assert min(row["test"].values()) > 0.9
        assert min(row["seconds"], row["predict_seconds"]) >= 0


@pytest.mark.parametrize("sampler", ["light", "gibbs"])
@pytest.mark.parametrize("strategy", ["multitask", "ovr"])
def test_row_of_medlda_is_that_of_the_estimator(classes, sampler, strategy):
    X, y = classes
    train, test = (X[:40], y[:40]), (X[40:], y[40:])
    settings = {"sampler": sampler, "multi_class": strategy, "C": 10.0, "max_iter": 9}
    row = medlda.fit_and_score(medlda.medlda(3, 5, **settings), train, test)
    fitted = medlda.medlda(3, 5, **settings).fit(*train)
    assert row["train"]["accuracy"] == pytest.approx(fitted.score(*train), abs=6e-6)
    assert row["test"]["accuracy"] == pytest.approx(fitted.score(*test), abs=6e-6)


def test_f1_is_that_of_scikit_learn():
    y, predicted = np.array([[1, 0], [1, 1]]), np.array([[1, 1], [0, 1]])
    scores = medlda.scores(y, predicted)
    for average in ("micro", "macro"):
        expected = f1_score(y, predicted, average=average)
        assert scores[f"{average} F1"] == pytest.approx(expected, abs=6e-6)


def test_first_documents_keep_only_their_words():
    X = sparse.csr_array([[1, 0, 0, 2], [0, 0, 3, 0], [0, 1, 0, 0]])
    some, y = medlda.first_documents(X, np.arange(3), 2)
    assert some.toarray().tolist() == [[1, 0, 2], [0, 3, 0]]
    assert y.tolist() == [0, 1]


def test_points_are_medians_over_starts_by_topics():
    def row(method, accuracy, **topics):
        return {"method": method, "test": {"accuracy": accuracy}, **topics}

    rows = [row("bayes", 0.9, n_topics=0), row("light", 0.7, n_topics=50)]
    rows += [row("light", accuracy, n_topics=20) for accuracy in (0.4, 0.6)]
    points = medlda.points(rows, "test", "accuracy")
    topics = {method: list(some) for method, some in points.items()}
    assert topics == {"bayes": [0], "light": [20, 50]}
    assert points["light"][20] == {"median": 0.5, "range": [0.4, 0.6]}


def test_methods_are_named_by_what_is_not_the_default():
    options = (
        "medlda-newsgroups --newsgroups-home . --samplers light gibbs --max-iter 75"
    )
    methods = medlda.settings_of(parse(options.split()))
    names = [f"multitask, {sampler}, max_iter = 75" for sampler in ("light", "gibbs")]
    assert list(methods) == names
    expected = {"sampler": "gibbs", "multi_class": "multitask", "C": 102.4}
    expected |= {"prior_precision": 1000.0, "n_mh_steps": 6, "n_weight_steps": 2}
    assert methods[names[1]] == expected | {"max_iter": 75, "burn_in": 74}
    options = "medlda-growth --newsgroups-home . --strategies ovr"
    assert list(medlda.settings_of(parse(options.split()))) == ["ovr, light"]


def test_f1_is_flat_from_where_it_stays_near_its_end():
    curve = {"sweeps": [1, 2, 3, 5, 7], "seconds": [1.5, 2.5, 3.5, 5.5, 7.5]}
    f1 = [0.1, 0.7, 0.5, 0.705, 0.7]
    found = medlda.flat({**curve, "micro F1": f1})
    assert found == {"sweeps": 5, "seconds": 5.5}
    assert medlda.flat({**curve, "micro F1": [0.7] * 5})["sweeps"] == 1
