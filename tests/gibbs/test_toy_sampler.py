"""The sampler of the page doc/add_a_sampler.rst is exact, and its mutants are not."""

import importlib
from pathlib import Path

import pytest

from tests.gibbs.test_exactness import SMALL
from tests.helpers.enumeration import assert_exact, is_wrong
from tests.helpers.mutants import Edit, interpreted

DOC = Path(__file__).resolve().parents[2] / "doc"


@pytest.mark.slow
def test_the_sampler_of_the_page_is_exact(monkeypatch):
    monkeypatch.syspath_prepend(DOC)
    toy = importlib.import_module("toy_sampler")
    assert_exact(toy, SMALL["documents"], 10_000, seed=1)


# --- mutants

MUTANTS = {
    "the token counts itself": Edit(
        "sweep_tokens", "D[K] + A[K]", "D[K] + A[K] + (K == z[i])"
    ),
    "alpha is 1 for all topics": Edit("sweep_tokens", "D[K] + A[K]", "D[K] + 1"),
    "V is missing": Edit("sweep_tokens", "B / (N + S)", "B / (N + beta)"),
}


@pytest.mark.parametrize("edit", MUTANTS.values(), ids=MUTANTS)
def test_mutants_fail(edit):
    mutant = interpreted("doc.toy_sampler", [edit], lanes=2).sampler()
    assert is_wrong(mutant, SMALL["words"], 4000, seed=2)


# --- end
