"""The stored p-values are those of all mutants and samplers that the tests have."""

import importlib
from pathlib import Path

import pytest

from tests.helpers import enumeration, exactness

DOC = Path(__file__).resolve().parents[2] / "doc"
AGAIN = "python -m tests.helpers.exactness"


def test_all_mutants_are_stored_and_fail():
    stored = exactness.stored()["mutants"]
    assert list(stored) == [fault for fault, *_ in exactness.mutants()], AGAIN
    assert {f: p for f, p in stored.items() if p >= enumeration.WRONG} == {}


def test_all_kernels_are_stored_and_pass():
    stored = exactness.stored()["kernels"]
    numbers = {name: len(values) for name, values in stored.items()}
    assert numbers == exactness.numbers_of_problems(), AGAIN
    assert min(p for values in stored.values() for p in values) > enumeration.RIGHT


def test_stored_posterior_is_that_of_the_tiny_corpus():
    stored = exactness.stored()
    assert stored["posterior"] == pytest.approx(exactness.TINY.posterior.tolist())
    assert sum(stored["frequencies"]) == pytest.approx(1)


def test_figure_has_the_thresholds_of_the_tests(monkeypatch):
    monkeypatch.syspath_prepend(DOC / "_ext")
    pytest.importorskip("docutils")
    figure = importlib.import_module("exactness_figure")
    thresholds = figure.RIGHT, figure.WRONG
    assert thresholds == (enumeration.RIGHT, enumeration.WRONG)
    assert figure.FOUND == exactness.PATH


def test_a_p_value_is_that_of_the_test():
    sampler = exactness.single_site.SAMPLERS["lists"]
    assert exactness.p_value(sampler, exactness.TINY, 500, 1) > enumeration.RIGHT
    name = "lists: the token stays in n_dk"
    (mutant,) = (m for m in exactness.mutants() if m[0] == name)
    assert exactness.p_value(*exactness.made(*mutant[1:])) < enumeration.WRONG
