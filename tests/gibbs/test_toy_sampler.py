"""The sampler of the page doc/add_a_sampler.rst is exact, and its mutants are not."""

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.gibbs.test_exactness import SMALL
from tests.helpers.enumeration import assert_exact, is_wrong
from tests.helpers.mutants import Edit, interpreted

FILE = Path(__file__).resolve().parents[2] / "doc" / "toy_sampler.py"


@pytest.mark.slow
def test_the_sampler_of_the_page_is_exact(monkeypatch):
    spec = importlib.util.spec_from_file_location("toy_sampler", FILE)
    toy = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "toy_sampler", toy)  # Numba's cache looks there
    spec.loader.exec_module(toy)
    assert_exact(toy, SMALL["documents"], 10_000, seed=1)


# --- mutants

MUTANTS = {
    "the token is not taken out": Edit("sweep_tokens", "_add(-1, *Z)", "pass"),
    "alpha is missing": Edit("sweep_tokens", "D[K] + A[K]", "D[K]"),
    "V beta is missing": Edit("sweep_tokens", "B / (N + S)", "B / (N + 1e-9)"),
}


@pytest.mark.parametrize("edit", MUTANTS.values(), ids=MUTANTS)
def test_mutants_fail(edit):
    mutant = interpreted("doc.toy_sampler", [edit], lanes=2).sampler()
    assert is_wrong(mutant, SMALL["alone"], 4000, seed=2)


# --- end
