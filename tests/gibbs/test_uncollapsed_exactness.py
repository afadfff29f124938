"""Data augmentation draws from the exact posterior, on corpora small enough to list.

The statistical tests are seeded. A right sampler fails one at p < 0.001 for one seed in
a thousand; the mutants, each with one planted fault, fail the same test at p < 1e-6, or
leave tables that are not those of the assignments.
"""

import inspect
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from sklda._gibbs.collapsed import uncollapsed_sampler as _augmentation
from sklda._gibbs.uncollapsed_sampler import AugmentedChain
from sklda._gibbs.kernels import uncollapsed
from tests.helpers.enumeration import (
    Problem,
    chi_square_pvalue,
    interpreted,
    sweep_exact_draws,
)
from tests.gibbs.test_exactness import marginals

RIGHT, WRONG = 1e-3, 1e-6


@pytest.fixture(autouse=True)
def many_slices(monkeypatch):
    """Cut tiny corpora into slices of a word or a document, and these into blocks."""
    monkeypatch.setattr(_augmentation, "_WORDS", 1)
    monkeypatch.setattr(_augmentation, "_TOKENS", 2)
    monkeypatch.setattr(_augmentation, "_GAMMAS", 2)


# Documents of (word, count) pairs, words, alpha, beta. Documents share words, cells
# hold up to three tokens, some words never occur, and one document is empty. With
# more than 16 topics the tables take several registers.
PROBLEMS = {
    "1 topic": Problem((((0, 3), (1, 1)), ((0, 1),)), 3, (0.7,), 0.4),
    "2 topics": Problem((((0, 3), (1, 1)), ((0, 1), (2, 2))), 4, (0.3, 0.9), 0.4),
    "3 topics": Problem(
        (((0, 2), (1, 1)), (), ((0, 1), (1, 2))), 3, (0.2, 0.6, 1.1), 0.3
    ),
    "large beta": Problem((((0, 3),), ((0, 1), (1, 2))), 3, (1.5, 0.4, 2.5), 1.7),
    # All gammas of a topic without tokens are too small for a float64.
    "tiny beta": Problem((((0, 1), (1, 1)), ((1, 2),)), 3, (0.9, 1.4, 0.6), 1e-6),
    "extreme priors": Problem((((0, 2), (1, 1)), ((0, 2),)), 2, (9e8, 4e8, 7e8), 1e-10),
    "5 topics": Problem(
        (((0, 2),), ((0, 1), (1, 1))), 2, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2
    ),
    "17 topics": Problem((((1, 2),),), 2, tuple(np.linspace(0.1, 1, 17)), 0.5),
    "33 topics": Problem(
        (((0, 1),), ((0, 1),)), 1, tuple(np.linspace(1, 0.1, 33)), 0.2
    ),
}


def as_kernel(problem, seed, chain_class=AugmentedChain, kernel=uncollapsed):
    """Return the chain's sweep as that of a kernel, which keeps its own streams."""
    alpha, seed = np.array(problem.alpha), np.random.SeedSequence(seed)
    chain = chain_class(problem.corpus, problem.n_words, alpha, problem.beta, seed, 1)

    def sweep(corpus, state, priors, rng):
        chain.state = state
        chain.sweep()

    return SimpleNamespace(LANES=kernel.LANES, State=kernel.State, sweep=sweep)


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_a_sweep_leaves_the_posterior_as_it_is(problem):
    seen, sound = sweep_exact_draws(as_kernel(problem, 1), problem, 10_000, seed=1)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("name", ["3 topics", "5 topics"])
def test_a_long_chain_has_the_marginals_of_the_posterior(name):
    # As in test_exactness, where the number of standard errors is explained.
    problem, n_batches, batch = PROBLEMS[name], 60, 300
    alpha, seed = np.array(problem.alpha), np.random.SeedSequence(0)
    chain = AugmentedChain(
        problem.corpus, problem.n_words, alpha, problem.beta, seed, 1
    )
    z = np.empty((n_batches * batch, chain.state.z.size), np.uint16)
    for row in z:
        chain.sweep()
        row[:] = chain.state.z
    expected = problem.posterior @ marginals(problem, problem.assignments)
    means = marginals(problem, z).reshape(n_batches, batch, -1).mean(1)
    errors = means.std(0, ddof=1) / np.sqrt(n_batches)
    assert (abs(means.mean(0) - expected) < 4.5 * errors).all()
    assert errors.max() < 0.03  # or nothing was tested


def edited(edits, lanes=2):
    """Return the class of the chain and its kernel, interpreted, after edits.

    An edit is (old text, new text), once either in the chain or in the kernel.
    """
    source = inspect.getsource(_augmentation)
    of_kernel = []
    for old, new in edits:
        if old in source:
            assert source.count(old) == 1, old
            source = source.replace(old, new)
        else:
            of_kernel.append((old, new, 1))
    module = ModuleType("edited_augmentation")
    exec(compile(source, _augmentation.__file__, "exec"), vars(module))
    kernel = interpreted("uncollapsed", of_kernel, lanes=lanes, compiled_draws=True)
    module.uncollapsed, module.padded = kernel, kernel.padded
    for name in ("_WORDS", "_TOKENS", "_GAMMAS"):
        setattr(module, name, getattr(_augmentation, name))

    class EditedChain(module.AugmentedChain):
        def _kernel_priors(self):
            priors = super()._kernel_priors()
            alpha = np.zeros(kernel.padded(self.n_topics), np.float32)
            alpha[: self.n_topics] = self.doc_topic_prior
            return priors._replace(doc_topic=alpha)

    return EditedChain, kernel


# Problems with few assignments, on which planted faults show best. With two lanes three
# topics fill two registers.
SMALL = {
    "cell": Problem((((0, 3),),), 2, (0.5, 0.7, 0.9), 0.3),
    "words": Problem((((0, 1), (1, 1)), ((1, 2),)), 2, (0.3, 0.6), 0.3),
    "empty topics": Problem((((0, 2),),), 2, (0.9, 1.4), 1e-6),
}
MUTANTS = {
    "beta is missing": (
        "words",
        ("shape = counts + self.topic_word_prior", "shape = counts + 1e-9"),
    ),
    "alpha is missing": (
        "words",
        ("np.tile(self.doc_topic_prior", "np.tile(1e-9 + 0 * self.doc_topic_prior"),
    ),
    "alpha is that of another topic": (
        "cell",
        ("np.tile(self.doc_topic_prior", "np.tile(self.doc_topic_prior[::-1]"),
    ),
    "phi is not normalised": (
        "words",
        ("1 / np.maximum(total, 1e-200)", "0 * total + 1"),
    ),
    "phi is normalised over some words": (
        "words",
        ("sum(self._map(draw, self._words))", "list(self._map(draw, self._words))[0]"),
    ),
    "counts are not refreshed": ("words", ("rows[:] = 0", "return rows.sum(axis=0)")),
    "counts are not cleared": ("words", ("rows[:] = 0", "pass")),
    "the topics' totals are not refreshed": ("words", ("topic[:] = sum", "sum")),
    "a topic without tokens has no words": (
        "empty topics",
        ("size=empty.size), empty] = 1", "size=empty.size), empty] = 0"),
    ),
    "the first word is that of topics without tokens": (
        "empty topics",
        ("self._rng.integers(self.n_words, size=empty.size)", "0 * empty"),
    ),
    "the last word is not counted": ("words", ("word[c] < last", "word[c] < last - 1")),
    "the first word is not found": ("words", ("word[c + half] < first", "True")),
    "the topic stays twice": ("cell", ("r -= stay", "pass")),
    "the topic is drawn again": ("cell", ("r += stay", "pass")),
    "a lane ends after its first register": (
        "cell",
        ("total += lane_sum[n + lane]", "total += lane_sum[LANES + lane]"),
    ),
    "the second register is not reached": ("cell", ("while registers > 1", "while 0")),
    "the second lane is not reached": ("cell", ("if r >= before[i]", "if False")),
    "padding attracts": (
        "cell",
        ("phi = np.zeros(", "phi = 2**49 + np.zeros("),
        ("theta = np.zeros((last", "theta = 2**49 + np.zeros((last"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("problem", SMALL.values(), ids=SMALL)
def test_interpreted_kernels_pass(problem):
    chain_class, kernel = edited([])
    right = as_kernel(problem, 2, chain_class, kernel)
    seen, sound = sweep_exact_draws(right, problem, 3000, seed=2)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    name, *edits = MUTANTS[fault]
    problem = SMALL[name]
    wrong = as_kernel(problem, 3, *edited(edits))
    seen, sound = sweep_exact_draws(wrong, problem, 3000, seed=3)
    assert not sound or chi_square_pvalue(seen, problem.posterior) < WRONG
