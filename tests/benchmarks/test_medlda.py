"""The experiments on supervised topics."""

import numpy as np
import pytest

from benchmarks import medlda


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


def test_f1_is_flat_from_where_it_stays_near_its_end():
    curve = {"sweeps": [1, 2, 3, 5, 7], "seconds": [1.5, 2.5, 3.5, 5.5, 7.5]}
    f1 = [0.1, 0.7, 0.5, 0.705, 0.7]
    found = medlda.flat({**curve, "micro F1": f1})
    assert found == {"sweeps": 5, "seconds": 5.5}
    assert medlda.flat({**curve, "micro F1": [0.7] * 5})["sweeps"] == 1
