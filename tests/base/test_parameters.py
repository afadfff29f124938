"""Numbers as parameters: those of NumPy count like Python's, and a bool is none."""

import ast
import inspect
import textwrap

import numpy as np
import pytest

import sklda
from sklda import (
    CVBLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    MedLDARegressor,
    UncollapsedGibbsLDA,
)
from sklda._base.sklearn_private import Interval
from sklda.datasets import make_lda_corpus

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0]
Y = np.arange(40) % 2
ESTIMATORS = [getattr(sklda, name) for name in sklda.__all__ if name[0].isupper()]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)

CHAIN = {"n_components": 3, "max_iter": 12, "burn_in": 4, "thin": 3, "random_state": 5}
MEDLDA = {**CHAIN, "C": 2, "prior_precision": 3, "n_mh_steps": 2, "n_weight_steps": 1}
INTEGERS = [
    (CollapsedGibbsLDA, {**CHAIN, "evaluate_every": 2, "n_shards": 2, "n_jobs": 2}),
    (CollapsedGibbsLDA, {**CHAIN, "blocking": "nested", "max_block_size": 3}),
    (UncollapsedGibbsLDA, {**CHAIN, "n_components": 127}),  # the largest int8
    (ECGSLDA, {**CHAIN, "max_iter": 120, "damping": 100}),  # together above that
    (CVBLDA, {"n_components": 3, "max_iter": 9, "tol": 0, "random_state": 5}),
    (MedLDAClassifier, MEDLDA),
    (MedLDARegressor, {**MEDLDA, "epsilon": 1}),
]


def fitted_arrays(estimator, params):
    with np.errstate(all="raise"):
        model = estimator(**params).fit(X, Y)
        transformed = model.transform(X)
    arrays = {n: v for n, v in vars(model).items() if isinstance(v, np.ndarray)}
    return arrays | {"transformed": transformed}


@pytest.mark.parametrize("kind", [np.int8, np.uint64])
@pytest.mark.parametrize(("estimator", "params"), INTEGERS)
def test_numpy_integers_are_integers(estimator, params, kind):
    expected = fitted_arrays(estimator, params)
    numpy = {n: kind(v) if isinstance(v, int) else v for n, v in params.items()}
    for name, values in fitted_arrays(estimator, numpy).items():
        np.testing.assert_array_equal(values, expected[name], err_msg=name)


def test_numpy_integers_in_partial_fit():
    params = {"n_components": 3, "total_samples": 100, "learning_offset": 120}
    numpy = {name: np.int8(value) for name, value in params.items()}
    of_python, of_numpy = (CVBLDA(**p, random_state=0) for p in (params, numpy))
    for _ in range(10):
        of_python.partial_fit(X)
        of_numpy.partial_fit(X)
    np.testing.assert_array_equal(of_numpy.components_, of_python.components_)


def numbers_of(estimator):
    """Return the names of the parameters that are numbers."""
    constraints = estimator._parameter_constraints
    return [
        name
        for name, allowed in constraints.items()
        if any(isinstance(one, Interval) for one in allowed)
    ]


@every_estimator
@pytest.mark.parametrize("value", [True, np.True_])
def test_a_bool_is_no_number(estimator, value):
    for name in numbers_of(estimator):
        model = estimator().set_params(**{name: value})
        with pytest.raises(ValueError, match=f"'{name}' parameter.*Got .*True"):
            model.fit(X, Y)


@every_estimator
def test_no_jobs_are_refused_before_the_fit(estimator):
    with pytest.raises(ValueError, match=r"'n_jobs' .* \[1, inf\).*Got 0"):
        estimator(n_jobs=0).fit(X, Y)


@every_estimator
@pytest.mark.parametrize("prior", ["doc_topic_prior", "topic_word_prior"])
@pytest.mark.parametrize("value", [0, 1e-11, 1e11, np.nan, np.inf, 10**400])
def test_the_range_of_priors(estimator, prior, value):
    model = estimator().set_params(**{prior: value})
    with pytest.raises(ValueError, match=rf"'{prior}' .* \[1e-10, 10000000000.0\]"):
        model.fit(X, Y)


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
