"""Parameters: numbers of NumPy, and parameters without effect."""

from copy import copy
from itertools import product

import joblib
import numpy as np
import pytest
from sklearn.base import clone

import sklda
from tests.helpers.bad_input.estimators import X as X_FITTED
from tests.helpers.bad_input.estimators import fitted, labels_for
from tests.helpers.bad_input.values import derived
from tests.helpers.public_names import estimators
from tests.helpers.small_fits import X

Y = np.arange(40) % 2


@pytest.mark.parametrize("parameter", ["n_jobs", "n_fold_in_steps"])
@pytest.mark.parametrize("name", estimators())
def test_what_is_read_after_fit_is_checked(name, parameter):
    cls = estimators()[name]
    if parameter not in cls._parameter_constraints:
        return
    model, y = copy(fitted(cls)), labels_for(cls)
    assert model.set_params(**{parameter: np.int64(2)}).transform(X_FITTED).ndim == 2
    readers = {"transform", "predict", "decision_function", "perplexity"} & {
        *dir(model)
    }
    calls = [lambda X, name=name: getattr(model, name)(X) for name in readers]
    calls.append(lambda X: model.score(X, y))
    words = f"'{parameter}' parameter of {name} must be"
    bad = derived(cls._parameter_constraints[parameter])
    for call, (value, _, error) in product(calls, bad):
        model.set_params(**{parameter: value})
        with pytest.raises(error, match=words):
            call(X_FITTED)


class Fixed(sklda.CollapsedGibbsLDA):
    """Has a parameter more, and names only some of the others."""

    def __init__(self, n_components=3, extra=1, random_state=None):
        super().__init__(n_components, max_iter=4, random_state=random_state)
        self.extra = extra


class Hidden(sklda.MedLDAClassifier):
    """Its parameters are lost on the way to a clone."""

    def __init__(self, n_components=3, **options):
        super().__init__(n_components, **options)


def test_subclasses_name_their_parameters():
    expected = sklda.CollapsedGibbsLDA(3, max_iter=4, random_state=0).fit(X)
    found = clone(Fixed(random_state=0)).fit(X)
    np.testing.assert_array_equal(found.components_, expected.components_)
    with pytest.raises(
        TypeError, match=r"constructor of Hidden hides .*\*\*options.*clone"
    ):
        Hidden(max_iter=4).fit(X, Y)


TWO = np.array([[2, 1, 0], [0, 1, 3]])  # documents: CVBLDA converges in 3 sweeps
LEARNING = "learn_priors='symmetric' has no effect.*during burn-in, and [09] sweeps"
THREADS = (
    r"n_jobs=2 does not .* n_shards=1, .* transform and score use 2. Set n_shards=2"
)


@pytest.mark.parametrize(
    ("estimator", "params", "words"),
    [
        # A single sweep is not burn-in.
        (sklda.CollapsedGibbsLDA, {"max_iter": 1}, LEARNING),
        (sklda.ECGSLDA, {"max_iter": 30, "burn_in": 0}, LEARNING),
        (sklda.CVBLDA, {"max_iter": 9, "tol": 0}, LEARNING),
        (sklda.MedLDAClassifier, {"max_iter": 19, "burn_in": 0}, LEARNING),
        (sklda.CVBLDA, {"max_iter": 1, "tol": 1e-9}, "increase max_iter or tol"),
        (sklda.CollapsedGibbsLDA, {"n_jobs": 2}, THREADS),
        (sklda.ECGSLDA, {"n_jobs": 2}, THREADS),
        (sklda.CVBLDA, {"n_jobs": 2, "tol": 10}, THREADS),
    ],
)
def test_warnings_name_the_line_that_a_user_would_change(estimator, params, words):
    learned = {"learn_priors": "symmetric"} if words == LEARNING else {}
    model = estimator(2, random_state=0, **learned, **params)
    with pytest.warns(UserWarning, match=words) as caught:
        model.fit(X, Y)
    assert caught[0].filename == __file__


@pytest.mark.filterwarnings("error:n_jobs=")
def test_threads_with_work_are_not_told_of():
    with joblib.parallel_config("threading", n_jobs=2):  # what n_jobs=None then means
        for params in ({}, {"n_jobs": 1}, {"n_jobs": 2, "n_shards": 2}):
            sklda.CollapsedGibbsLDA(2, max_iter=3, **params).fit(TWO)
        sklda.UncollapsedGibbsLDA(2, max_iter=3, n_jobs=2).fit(TWO)
