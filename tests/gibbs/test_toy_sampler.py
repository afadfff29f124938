"""The sampler of the page doc/add_a_sampler.rst is exact, and its mutants are not."""

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.gibbs.test_exactness import RIGHT, SMALL, WRONG
from tests.helpers.enumeration import chi_square_pvalue, sweep_exact_draws
from tests.helpers.mutants import Edit, interpreted

FILE = Path(__file__).resolve().parents[2] / "doc" / "toy_sampler.py"


@pytest.mark.slow
def test_the_sampler_of_the_page_is_exact(monkeypatch):
    spec = importlib.util.spec_from_file_location("toy_sampler", FILE)
    toy = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "toy_sampler", toy)  # Numba's cache imports it
    spec.loader.exec_module(toy)
    problem = SMALL["documents"]
    seen, sound = sweep_exact_draws(toy, problem, 10_000, seed=1)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


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
    problem = SMALL["cell"]
    mutant = interpreted("doc.toy_sampler", [edit], lanes=2).sampler()
    seen, _ = sweep_exact_draws(mutant, problem, 4000, seed=2)
    assert chi_square_pvalue(seen, problem.posterior) < WRONG


# --- end
