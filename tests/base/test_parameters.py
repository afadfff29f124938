"""Parameters: where their numbers are read, and the ones without effect."""

import ast
import inspect
import textwrap

import numpy as np
import pytest

from sklda import (
    CVBLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
)
from sklda._base.sklearn_private import Interval
from sklda.datasets import make_lda_corpus
from tests.helpers.public_names import estimators

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0]
Y = np.arange(40) % 2
every_estimator = pytest.mark.parametrize("estimator", estimators().values())


def numbers_of(estimator):
    """Return the names of the parameters that are numbers."""
    constraints = estimator._parameter_constraints
    return [
        name
        for name, allowed in constraints.items()
        if any(isinstance(one, Interval) for one in allowed)
    ]


@every_estimator
def test_numbers_are_read_from_one_place(estimator):
    """A method that reads a number from self would get one of NumPy's."""
    names = set(numbers_of(estimator))
    for base in estimator.__mro__:
        if not base.__module__.startswith("sklda."):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        read = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and ast.unparse(node.value) == "self"
        }
        assert not read & names, f"{base.__name__} reads {read & names} from self"


# Learning that never happens


@pytest.mark.parametrize(
    ("estimator", "params"),
    [
        (CollapsedGibbsLDA, {"max_iter": 18}),  # 9 sweeps of burn-in
        (ECGSLDA, {"max_iter": 30, "burn_in": 9}),
        (CVBLDA, {"max_iter": 9, "tol": 0}),
        (MedLDAClassifier, {"max_iter": 19}),
    ],
)
def test_learning_without_time_to_learn(estimator, params):
    model = estimator(3, learn_priors="symmetric", random_state=0, **params)
    message = "learn_priors='symmetric' has no effect.*every 10 sweeps.* has 9"
    with pytest.warns(UserWarning, match=message) as caught:
        model.fit(X, Y)
    assert caught[0].filename == __file__  # the line that a user would change


def test_convergence_warnings_name_the_line_of_the_user():
    with pytest.warns(UserWarning, match="increase max_iter or tol") as caught:
        CVBLDA(3, max_iter=1, tol=1e-9, random_state=0).fit(X)
    assert caught[0].filename == __file__
