"""What the tests of exactness find, for a picture: p-values of kernels and of mutants.

    python -m tests.helpers.exactness     # takes some minutes, and stores what it finds

Procedures, problems and seeds are those of the tests. The frequencies are those of a
long chain on a corpus of five tokens.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from sklda._gibbs.kernels import single_site_registers
from tests.gibbs import test_blocked_exactness as blocked
from tests.gibbs import test_exactness as single_site
from tests.gibbs import test_phi_first_exactness as phi_first
from tests.helpers import enumeration
from tests.helpers.mutants import Mutant, mutants_of
from tests.medlda import test_exactness as medlda

PATH = Path(__file__).resolve().parents[1] / "data" / "exactness.json"
TINY = enumeration.TinyProblem("aab ab", 2, (0.4, 0.9), 0.5)
N_SWEEPS = 200_000
MUTANTS = [
    *(("single_site", name) for name in ("lists", "registers")),
    *(("medlda", name) for name in ("gibbs", "light", "light, one step")),
]


def mutants() -> Iterator[tuple[str, str, Mutant]]:
    """Yield the name, the family and the edits of each mutant."""
    for family, name in MUTANTS:
        for mutant in mutants_of(family):
            if mutant.sampler == name:
                yield f"{name}: {mutant.fault}", family, mutant


def p_value(sampler, tiny, n_draws: int, seed: int, until=0.0) -> float:
    """Return that of the assignments after a sweep; 0 for a wrong index."""
    with np.errstate(all="ignore"):  # a fault may well divide by zero
        try:
            seen, _ = enumeration.sweep_exact_draws(sampler, tiny, n_draws, seed, until)
        except IndexError:
            return 0.0
    return enumeration.chi_square_pvalue(seen, tiny.posterior)


def compiled() -> Iterator[tuple[str, Callable, dict, int]]:
    """Yield name, sampler of a problem, problems and draws, as users run them."""
    for name, sampler in single_site.SAMPLERS.items():
        yield name, lambda _, kernel=sampler: kernel, single_site.PROBLEMS, 6000
    for name, nested in blocked.SIMULATIONS.items():
        sampler = blocked.Blocked(nested, None)
        yield name, lambda _, kernel=sampler: kernel, blocked.BLOCKS, 2500
    for name, sampler in phi_first.SAMPLERS.items():
        yield name, lambda _, kernel=sampler: kernel, phi_first.PROBLEMS, 4000
    for name in medlda.KERNELS:
        make = partial(medlda.sampler_of, name)
        yield f"MedLDA, {name}", make, medlda.PROBLEMS, 5000


def numbers_of_problems() -> dict[str, int]:
    return {name: len(problems) for name, _, problems, _ in compiled()}


def p_values_of_kernels() -> dict[str, list[float]]:
    """Return the p-values of all samplers on all tiny corpora."""
    return {
        name: [p_value(make(tiny), tiny, n_draws, 1) for tiny in problems.values()]
        for name, make, problems, n_draws in compiled()
    }


def made(family: str, mutant: Mutant) -> tuple:
    """Return a mutant, its problem, and how it is tested."""
    if family == "single_site":
        tiny = single_site.SMALL[mutant.problem]
        sampler = single_site.plain(mutant.sampler, *mutant.edits)
    else:
        kernel, _, one_step = mutant.sampler.partition(", ")
        tiny, n_steps = medlda.SMALL[mutant.problem], 1 if one_step else 3
        sampler = medlda.plain(kernel, tiny, mutant.edits, n_steps=n_steps)
    return sampler, tiny, 20_000, 5, enumeration.WRONG


def p_values_of_mutants() -> dict[str, float]:
    """Return the p-value of each mutant, where the test ends: it looks now and then."""
    return {fault: p_value(*made(*mutant)) for fault, *mutant in mutants()}


def frequencies() -> list[float]:
    """Return how often a long chain is in each assignment of `TINY`."""
    problem, rng = TINY.problem(), enumeration.streams_of(None, 7)
    sampler = single_site_registers
    state = sampler.from_topics(problem, TINY.assignments[0].copy())
    seen = np.zeros(len(TINY.assignments), int)
    for _ in range(N_SWEEPS):
        sampler.sweep(problem, state, rng)
        seen[TINY.number_of(state.z)] += 1
    return (seen / N_SWEEPS).tolist()


def stored() -> dict:
    return json.loads(PATH.read_text(encoding="utf-8"))


def main() -> None:
    found = {
        "posterior": TINY.posterior.tolist(),
        "frequencies": frequencies(),
        "sweeps": N_SWEEPS,
        "kernels": p_values_of_kernels(),
        "mutants": p_values_of_mutants(),
    }
    PATH.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
