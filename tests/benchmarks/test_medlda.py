"""The experiments on supervised topics."""

import numpy as np

from benchmarks import medlda


def test_classifiers_of_one_label_and_of_many(classes):
    X, y = classes
    labels = np.column_stack([y == 0, y != 5]).astype(int)
    for target, scores in ((y, ["accuracy"]), (labels, ["micro F1", "macro F1"])):
        (name, of_words), *_, (_, logistic) = medlda.classifiers(target, [4])
        assert name == "tf-idf, SVM"
        for classifier in (of_words, logistic):
            row = medlda.fit_and_score(classifier, (X, target), (X, target))
            assert row["test"] == row["train"]
            assert list(row["test"]) == scores
            assert min(row["test"].values()) > 0.9
            assert min(row["seconds"], row["predict_seconds"]) >= 0
