"""Fits repeat: seeds, threads, refits."""

import numpy as np
import pytest

from sklda import CVBLDA, CollapsedGibbsLDA
from sklda._estimators.base import BaseLDA
from sklda.inspection import pyldavis_data
from tests.helpers.comparison import assert_same_fit
from tests.helpers.small_fits import X, fit, make

# Randomness and life


def test_same_seed_same_answer():
    assert_same_fit(fit(), fit(random_state=np.random.RandomState(0)))


def test_an_instance_and_none_give_other_fits():
    model = make(random_state=np.random.RandomState(0))
    first, second = (model.fit(X).topic_assignments_ for _ in range(2))
    assert (first != second).any()
    model = make(random_state=None)
    first, second = (model.fit(X).topic_assignments_ for _ in range(2))
    assert (first != second).any()


def test_global_generator_is_left_alone():
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    fit().transform(X)
    assert np.random.random() == expected  # noqa: NPY002


def predicted_words(model, X):
    data = pyldavis_data(model, X, [f"word {w}" for w in range(30)])
    return data["doc_topic_dists"] @ data["topic_term_dists"]


@pytest.mark.parametrize("cls", [CollapsedGibbsLDA, CVBLDA])
@pytest.mark.parametrize(
    "answer", [BaseLDA.transform, BaseLDA.score, BaseLDA.perplexity, predicted_words]
)
def test_a_refit_meanwhile_does_not_change_the_answer(cls, answer):
    model = cls(4, evaluate_every=0, random_state=0).fit(X)
    expected = answer(model, X)

    class Documents:
        def __array__(self, dtype=None, copy=None):
            model.set_params(n_components=2).fit(X[:9, :20])
            return X.toarray()

    np.testing.assert_array_equal(answer(model, Documents()), expected)
    assert model.components_.shape == (2, 20)
