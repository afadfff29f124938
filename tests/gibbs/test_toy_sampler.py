"""The sampler of the page doc/add_a_sampler.rst is exact, and its mutants are not."""

import importlib.util
from pathlib import Path

import pytest

from tests.gibbs.test_exactness import RIGHT, SMALL, WRONG
from tests.helpers.enumeration import chi_square_pvalue, sweep_exact_draws
from tests.helpers.mutants import Edit, interpreted

FILE = Path(__file__).resolve().parents[2] / "doc" / "toy_sampler.py"


@pytest.mark.slow
def test_the_sampler_of_the_page_is_exact():
    spec = importlib.util.spec_from_file_location("toy_sampler", FILE)
    toy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(toy)
    problem = SMALL["documents"]
    seen, sound = sweep_exact_draws(toy, problem, 10_000, seed=1)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


# --- mutants

MUTANTS = {
    "the token is not taken out": Edit("sweep_tokens", "_add(-1, *Z)", "pass"),
    "alpha is missing": Edit("sweep_tokens", "D[K] + A[K]", "D[K]"),
    "V beta is missing": Edit("sweep_tokens", "B / (N + S)", "B / (N + 1e-9)"),
}


@pytest.mark.parametrize("edit", MUTANTS.values(), ids=MUTANTS)
def test_mutants_fail(edit):
    problem = SMALL["documents"]
    mutant = interpreted("doc.toy_sampler", [edit], lanes=2).sampler()
    seen, _ = sweep_exact_draws(mutant, problem, 4000, seed=2)
    assert chi_square_pvalue(seen, problem.posterior) < WRONG


# --- end
