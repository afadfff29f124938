"""Bad arguments that every public name refuses, and bounds that it accepts.

The tables are in tests/helpers/bad_input: of each parameter the bad values with the
error they get, and the valid values in all the types they come in.
"""

import re
import reprlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import is_dataclass
from itertools import chain
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from sklda._sampling.random_streams import RandomStreams
from sklda.diagnostics import SampledChains
from tests.helpers.bad_input.draws import draws_doors, predicted_doors
from tests.helpers.bad_input.estimators import LABELS, X, estimator_doors
from tests.helpers.bad_input.functions import HAS_ARVIZ, function_doors
from tests.helpers.bad_input.values import NAME, Bad, Door, Spec
from tests.helpers.comparison import fitted
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
# Their valid values take seconds, and are those of other estimators and `topic_means`.
MANY_FITS = {
    "sklda.ECGSLDA",
    "sklda.MedLDARegressor",
    "sklda.UncollapsedGibbsLDA",
    "sklda.inspection.TopicMeansDisplay.from_draws",
    "sklda.model_selection.topic_number_curve",
}


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
    for parameter, spec in door.specs.items():
        for bad in spec.bad:
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


def test_wrong_answers_are_found():
    def call(n):
        if n == 1:
            raise KeyError("n")
        if n == 2:
            raise ValueError("bad number")
        if n == 3:
            raise ValueError("n is bad")

    door = Door(call, {}, {"n": Spec([Bad(n) for n in range(4)], [])})
    assert list(complaints("call", door)) == [
        "call, n=0: accepted",
        "call, n=1: KeyError: 'n'",
        "call, n=2: no '\\\\bn\\\\b' in ValueError: bad number",
    ]


def plain(result: Any) -> Any:
    """Return a result as what numpy.testing can compare."""
    if isinstance(result, BaseEstimator):
        return plain(fitted(result))
    if isinstance(result, SampledChains):
        return [plain(result.scalars_), result.pairs_]
    if sparse.issparse(result):
        cells = result.tocoo()
        return [cells.shape, cells.row, cells.col, cells.data]
    if isinstance(result, dict):
        return {name: plain(value) for name, value in result.items()}
    if isinstance(result, tuple | list):
        return [plain(value) for value in result]
    if type(result).__module__.startswith("pandas"):
        return result.to_numpy()
    if is_dataclass(result) or hasattr(result, "plot"):
        return plain({k: v for k, v in vars(result).items() if not k.endswith("_")})
    return result


def differences(door: Door, parameter: str, same: list[Any]) -> Iterator[str]:
    """Yield a sentence for each of several values that does not mean the same."""
    expected = None
    for value in same:
        shown = f"{parameter}={' '.join(repr(value).split()):.70}"
        try:
            result = plain(door.call(**(door.sound | {parameter: value})))
        except Exception as raised:
            yield f"{shown}: {type(raised).__name__}: {raised!s:.300}"
            continue
        expected = result if expected is None else expected
        try:
            np.testing.assert_equal(result, expected)
        except AssertionError as raised:
            text = " ".join(str(raised).split())
            yield f"{shown}: another result than {same[0]!r:.70}: {text:.200}"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=marks(name) + [pytest.mark.slow] * (name in MANY_FITS))
        for name, _ in public_callables()
    ],
)
@pytest.mark.usefixtures("pyplot", "no_network")
def test_valid_values_work_in_every_type(doors, name):
    found = [
        f"{full_name}, {text}"
        for full_name, door in doors[name]
        for parameter, spec in door.specs.items()
        for same in spec.good
        for text in differences(door, parameter, same)
    ]
    assert found == [], "\n".join(found)


def test_different_answers_are_found():
    door = Door(lambda n: 1 / n + isinstance(n, float), {}, {})
    texts = [text.split(":")[:2] for text in differences(door, "n", [1, 1.0, True, 0])]
    assert texts == [["n=1.0", " another result than 1"], ["n=0", " ZeroDivisionError"]]


@each_name
def test_every_parameter_has_a_row(doors, name):
    member = dict(public_callables())[name]
    expected = {parameter.name for parameter in parameters(member)}
    expected -= {parameter for n, parameter in TAKES_ANYTHING if n == name}
    tried = {
        parameter
        for _, door in doors[name]
        for parameter, spec in door.specs.items()
        if spec.bad
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
