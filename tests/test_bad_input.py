"""Bad arguments of every public name, and numbers that mean the same in every type.

The tables are in tests/helpers/bad_input: of each parameter the bad values with the
error they get.
"""

import re
import reprlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from sklda._data.sklearn_private import Interval
from sklda._sampling.random_streams import RandomStreams
from tests.helpers.bad_input.draws import draws_doors, predicted_doors
from tests.helpers.bad_input.estimators import (
    LABELS,
    TYPICAL,
    X,
    estimator_doors,
    fit,
)
from tests.helpers.bad_input.functions import HAS_ARVIZ, function_doors
from tests.helpers.bad_input.values import NAME, Bad, Door, as_numpy
from tests.helpers.comparison import assert_same_fit
from tests.helpers.known_topics import columns_are_shown
from tests.helpers.public_names import estimators, methods, parameters, public_callables

pytestmark = [
    columns_are_shown,
    pytest.mark.filterwarnings("ignore:.* draws are too few"),  # of short fits
]

# Parameters without a row, because every value is valid.
TAKES_ANYTHING = {
    (
        "sklda.inspection.PredictedProportionsDisplay.from_predictions",
        "covariate_name",
    ): "a text",
} | {
    (name, "y"): "ignored"
    for name, member in public_callables()
    for parameter in parameters(member)
    if parameter.name == "y" and parameter.default is None and "chains" not in name
}
TAKES_ANYTHING |= {
    (f"sklda.{name}.{method}", parameter): "fit or scikit-learn checks values"
    for name in estimators()
    for method, parameter in (
        ("set_params", "params"),
        ("fit_transform", "fit_params"),
        ("get_feature_names_out", "input_features"),
    )
}


def marks(name: str) -> list[pytest.MarkDecorator]:
    """Return what skips the rows of chains, which alone need ArviZ."""
    has_chains = "diagnostics" in name or name.endswith(".from_chains")
    missing = pytest.mark.skipif(not HAS_ARVIZ, reason="arviz-stats is not installed")
    return [missing] if has_chains else []


each_name = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=marks(name)) for name, _ in public_callables()]
)


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    """Return the doors of each public name; some can be called in several ways."""
    found = defaultdict(list)
    folder = tmp_path_factory.mktemp("files")
    every = estimator_doors(), function_doors(folder), draws_doors(), predicted_doors()
    for name, door in chain.from_iterable(every):
        found[name.split(",")[0]].append((name, door))
    return found


def complaint(door: Door, parameter: str, bad: Bad) -> str | None:
    """Return what is wrong with the answer to a bad value, if anything is."""
    value, words, error = bad
    words = words.replace(NAME, rf"\b{parameter}\b")
    try:
        door.call(**(door.sound | {parameter: value}))
    except error as raised:
        if re.search(words, str(raised), re.DOTALL):
            return None
        answer = f"no {words!r} in {type(raised).__name__}: {raised}"
    except Exception as raised:
        answer = f"{type(raised).__name__}: {raised}"
    else:
        answer = "accepted"
    return f"{parameter}={reprlib.repr(value)}: {answer:.300}"  # it may be broken


def complaints(name: str, door: Door) -> Iterator[str]:
    for parameter, every in door.bad.items():
        for bad in every:
            if text := complaint(door, parameter, bad):
                yield f"{name}, {text}"


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a download began")

    monkeypatch.setattr("sklda.datasets._files.import_extra", refuse)


@each_name
@pytest.mark.usefixtures("pyplot", "no_network")
def test_bad_values_are_refused(doors, name, monkeypatch):
    for _, door in doors[name]:
        door.call(**door.sound)

    def too_late(*_):
        raise RuntimeError("refused after computing has begun")

    monkeypatch.setattr(RandomStreams, "__init__", too_late)
    found = [text for pair in doors[name] for text in complaints(*pair)]
    assert found == [], "\n".join(found)


@each_name
def test_every_parameter_has_a_row(doors, name):
    member = dict(public_callables())[name]
    expected = {parameter.name for parameter in parameters(member)}
    expected -= {parameter for n, parameter in TAKES_ANYTHING if n == name}
    tried = {
        parameter
        for _, door in doors[name]
        for parameter, bad in door.bad.items()
        if bad
    }
    assert tried == expected


@pytest.mark.parametrize("cls", estimators().values(), ids=estimators())
def test_methods_before_fit(cls):
    others = ("fit", "fit_transform", "partial_fit", "set_params")
    tried = [door for name, door in methods(cls) if name not in others]
    assert cls.transform in tried
    for method in tried:
        by_place = [p for p in parameters(method) if p.kind != p.KEYWORD_ONLY]
        arguments = (X, LABELS)[: len(by_place)]
        with pytest.raises(NotFittedError, match="not fitted"):
            method(cls(), *arguments)
    with pytest.raises(NotFittedError, match="not fitted"):
        cls().get_feature_names_out()
    assert not hasattr(cls(), "topic_word_")
    assert not hasattr(cls(), "components_")


# --- valid numbers, in every type -------------------------------------------------


def same_numbers(constraints: list[Any], typical: Any) -> Iterator[list[Any]]:
    """Yield each valid number to try in all types: the bounds, and a typical one."""
    intervals = [kind for kind in constraints if isinstance(kind, Interval)]
    bounds = [
        bound
        for interval in intervals
        for bound in (interval.left, interval.right)
        if bound is not None and bound in interval and bound <= 2**31
    ]
    for number in {typical, *bounds} - {None} if intervals else ():
        yield [number, *as_numpy(number)]
    if "boolean" in constraints:
        yield from ([False, np.False_], [True, np.True_])


# Their fits take seconds, and their numbers are those of other estimators.
LIKE_OTHERS = {"ECGSLDA", "MedLDARegressor", "UncollapsedGibbsLDA"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in LIKE_OTHERS))
        for name in estimators()
    ],
)
def test_a_number_means_the_same_in_every_type(name):
    cls = estimators()[name]
    for parameter, default in cls().get_params().items():
        typical = TYPICAL.get(parameter, default)
        typical = typical if np.isreal(typical) else None
        for first, *others in same_numbers(
            cls._parameter_constraints[parameter], typical
        ):
            expected = fit(cls, **{parameter: first})
            for same in others:
                assert_same_fit(fit(cls, **{parameter: same}), expected)
