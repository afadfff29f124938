"""Samplers that draw phi first are exact, on corpora small enough to list.

As in `test_exactness`.
"""

import pytest

from tests.gibbs import test_exactness
from tests.helpers import enumeration, samplers
from tests.helpers.enumeration import TinyProblem, assert_exact, assert_marginals

NAMES = ("uncollapsed", "partially collapsed")
SAMPLERS = {name: samplers.SAMPLERS[name].compiled() for name in NAMES}
each = pytest.mark.parametrize("name", NAMES)
# Tiny corpora have slices of a word or a document, and these have several blocks.
CUTS = {
    "sklda._gibbs.uncollapsed": {"_WORDS": 1, "_TOKENS": 2, "_GAMMAS": 2},
    "sklda._gibbs.partially_collapsed": {"CHUNK": 1},
}


@pytest.fixture(autouse=True)
def many_slices(monkeypatch):
    cut(monkeypatch)


def cut(monkeypatch):
    """Let compiled samplers have small slices and blocks."""
    for module, sizes in CUTS.items():
        for name, size in sizes.items():
            monkeypatch.setattr(f"{module}.{name}", size)


PROBLEMS = test_exactness.PROBLEMS | {
    # All gammas of a topic without tokens are too small for a float64.
    "tiny beta": TinyProblem("ab bb", 3, (0.9, 1.4, 0.6), 1e-6),
    "extreme priors": TinyProblem("aab aa", 2, (9e8, 4e8, 7e8), 1e-10),
    "tiny betas": TinyProblem("ab bb", 2, (0.9, 1.4), ((1e-6, 4e-6), (3e-6, 1e-6))),
}


@pytest.mark.slow
@pytest.mark.parametrize("tiny", PROBLEMS.values(), ids=PROBLEMS)
@each
def test_a_sweep_leaves_the_posterior_as_it_is(name, tiny):
    assert_exact(SAMPLERS[name], tiny, 4000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["3 topics", "5 topics"])
@each
def test_a_long_chain_has_the_marginals_of_the_posterior(name, problem):
    assert_marginals(SAMPLERS[name], PROBLEMS[problem], seed=1, n_batches=80)


# Problems with few assignments, on which planted faults show best. With two lanes three
# topics fill two registers.
SMALL = {
    "cell": TinyProblem("aaa", 2, (0.1, 0.2, 0.3), 0.3),
    "words": TinyProblem("ab bb", 2, (0.3, 0.6), 0.3),
    "one word": TinyProblem("aaaa", 1, (0.3, 0.5), 0.5),
    "counts": TinyProblem("aaa bb", 2, (0.9, 1.4), 0.1),
    "five words": TinyProblem("abcde", 5, (0.2, 0.4), 2.5),
    "document": TinyProblem("abc", 3, (0.1, 0.2), 0.8),
    "absent words": TinyProblem("aab", 6, (0.9, 1.4), 0.7),
    "large beta": TinyProblem("aabb", 2, (1.4, 0.9), 1.1),
    "empty topics": TinyProblem("aa", 2, (0.9, 1.4), 1e-6),
    "betas": TinyProblem("ab bb", 3, (0.9, 1.4), ((0.1, 2.5, 0.3), (2.0, 0.2, 0.9))),
    "tiny betas": TinyProblem("aa", 2, (0.9, 1.4), ((3e-6, 1e-6), (1e-6, 3e-6))),
    "documents": TinyProblem("a a a", 1, (0.2, 0.8), 0.5),
}


def passes(name, problem, edits):
    """Return the verdict on a sampler after edits: with two lanes, and small slices.

    A mutant may also leave tables that are not those of the assignments.
    """
    known = samplers.SAMPLERS[name]
    sampler, modules = known.plain(edits, lanes=2, compiled_draws=True)
    vars(modules[known.module]).update(CUTS[known.module])
    return enumeration.passes(sampler, SMALL[problem], edits, or_unsound=True)
