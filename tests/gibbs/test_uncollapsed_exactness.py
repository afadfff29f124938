"""Data augmentation draws from the exact posterior, on corpora small enough to list.

As in `test_exactness`; a mutant may also leave tables that are not those of the
assignments.
"""

import numpy as np
import pytest

from sklda._core.threads import Threads
from sklda._gibbs import uncollapsed_sampler
from tests.helpers.enumeration import (
    WRONG,
    TinyProblem,
    assert_exact,
    assert_marginals,
    chi_square_pvalue,
    sweep_exact_draws,
)
from tests.helpers.mutants import Edit, interpreted

SAMPLERS = {"uncollapsed": uncollapsed_sampler.Uncollapsed(Threads())}
SAMPLER = SAMPLERS["uncollapsed"]
# Tiny corpora have slices of a word or a document, and these have several blocks.
SLICES = {"_WORDS": 1, "_TOKENS": 2, "_GAMMAS": 2}


@pytest.fixture(autouse=True)
def many_slices(monkeypatch):
    for name, value in SLICES.items():
        monkeypatch.setattr(uncollapsed_sampler, name, value)


# Documents of (word, count) pairs, words, alpha, beta. Documents share words, cells
# hold up to three tokens, some words never occur, and one document is empty. With
# more than 16 topics the tables take several registers.
PROBLEMS = {
    "1 topic": TinyProblem((((0, 3), (1, 1)), ((0, 1),)), 3, (0.7,), 0.4),
    "2 topics": TinyProblem((((0, 3), (1, 1)), ((0, 1), (2, 2))), 4, (0.3, 0.9), 0.4),
    "3 topics": TinyProblem(
        (((0, 2), (1, 1)), (), ((0, 1), (1, 2))), 3, (0.2, 0.6, 1.1), 0.3
    ),
    "large beta": TinyProblem((((0, 3),), ((0, 1), (1, 2))), 3, (1.5, 0.4, 2.5), 1.7),
    # All gammas of a topic without tokens are too small for a float64.
    "tiny beta": TinyProblem((((0, 1), (1, 1)), ((1, 2),)), 3, (0.9, 1.4, 0.6), 1e-6),
    "extreme priors": TinyProblem(
        (((0, 2), (1, 1)), ((0, 2),)), 2, (9e8, 4e8, 7e8), 1e-10
    ),
    "5 topics": TinyProblem(
        (((0, 2),), ((0, 1), (1, 1))), 2, (0.2, 0.4, 0.6, 0.8, 1.0), 0.2
    ),
    "beta of each word and topic": TinyProblem(
        (((0, 2), (1, 1)), (), ((0, 1), (1, 2))),
        3,
        (0.2, 0.6, 1.1),
        ((0.3, 2.5, 1e-6), (1.1, 0.05, 0.4), (0.3, 0.3, 7.0)),
    ),
    "tiny betas": TinyProblem(
        (((0, 1), (1, 1)), ((1, 2),)), 2, (0.9, 1.4), ((1e-6, 4e-6), (3e-6, 1e-6))
    ),
    "17 topics": TinyProblem((((1, 2),),), 2, tuple(np.linspace(0.1, 1, 17)), 0.5),
    "33 topics": TinyProblem(
        (((0, 1),), ((0, 1),)), 1, tuple(np.linspace(1, 0.1, 33)), 0.2
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("tiny", PROBLEMS.values(), ids=PROBLEMS)
def test_a_sweep_leaves_the_posterior_as_it_is(tiny):
    assert_exact(SAMPLER, tiny, 4000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["3 topics", "5 topics"])
def test_a_long_chain_has_the_marginals_of_the_posterior(name):
    assert_marginals(SAMPLER, PROBLEMS[name], seed=1, n_batches=80)


# Problems with few assignments, on which planted faults show best. With two lanes three
# topics fill two registers.
SMALL = {
    "cell": TinyProblem((((0, 3),),), 2, (0.5, 0.7, 0.9), 0.3),
    "words": TinyProblem((((0, 1), (1, 1)), ((1, 2),)), 2, (0.3, 0.6), 0.3),
    "empty topics": TinyProblem((((0, 2),),), 2, (0.9, 1.4), 1e-6),
    "tiny betas": TinyProblem(
        (((0, 2),),), 2, (0.9, 1.4), ((3e-6, 1e-6), (1e-6, 3e-6))
    ),
    "betas": TinyProblem(
        (((0, 1), (1, 1)), ((1, 2),)), 2, (0.3, 0.6), ((0.2, 3.0), (1.5, 0.4))
    ),
}

ALPHA = "np.tile(A.doc_topic_prior, *Z)"
MUTANTS = {
    "beta is missing": (
        "words",
        Edit("_draw_phi", "C + _beta_of(*Z)", "C + 1e-9"),
    ),
    "beta is that of another topic": (
        "betas",
        Edit("_beta_of", "B[:, F:L].T", "B[::-1, F:L].T"),
    ),
    "topics without tokens forget beta": (
        "tiny betas",
        Edit("words_at", "np.cumsum(B)", "np.arange(1, B.size + 1)"),
    ),
    "alpha is missing": (
        "words",
        Edit("_draw_theta", ALPHA, "np.tile(1e-9 + 0 * A.doc_topic_prior, *Z)"),
    ),
    "alpha is that of another topic": (
        "cell",
        Edit("_draw_theta", ALPHA, "np.tile(A.doc_topic_prior[::-1], *Z)"),
    ),
    "phi is not normalised": (
        "words",
        Edit("_draw_phi", "1 / np.maximum(A, B)", "0 * A + 1"),
    ),
    "phi is normalised over some words": (
        "words",
        Edit("_draw_phi", "sum(self.threads.map(*Z))", "self.threads.map(*Z)[0]"),
    ),
    "counts are not refreshed": (
        "words",
        Edit("count_words", "A[:] = 0", "return table.sum(axis=0)"),
    ),
    "counts are not cleared": ("words", Edit("count_words", "A[:] = 0", "pass")),
    "the topics' totals are not refreshed": (
        "words",
        Edit("recount", "A[:] = S", "S", 1, 2),
    ),
    "a topic without tokens has no words": (
        "empty topics",
        Edit("_draw_phi", "A[W, E] = 1", "A[W, E] = 0"),
    ),
    "the first word is that of topics without tokens": (
        "empty topics",
        Edit("_draw_phi", "_words_of_prior(P, E, *Z)", "0 * E"),
    ),
    "the last word is not counted": (
        "words",
        Edit("rows.add_tokens_of_words", "W[C] < last", "W[C] < last - 1"),
    ),
    "the first word is not found": (
        "words",
        Edit("rows.add_tokens_of_words", "W[C + H] < first", "True"),
    ),
    "the topic stays twice": (
        "cell",
        Edit("resample_topics", "R -= S", "pass"),
    ),
    "the topic is drawn again": (
        "cell",
        Edit("resample_topics", "R += S", "pass"),
    ),
    "a lane ends after its first register": (
        "cell",
        Edit("uncollapsed._weigh", "S[N + L]", "S[LANES + L]"),
    ),
    "the second register is not reached": (
        "cell",
        Edit("find_down_lane", "X + one", "X"),
    ),
    "the second lane is not reached": (
        "cell",
        Edit("_pick", "R >= B[I]", "False"),
    ),
    "padding attracts": (
        "cell",
        Edit("_draw_phi", "np.zeros(W.shape, *Z)", "2**49 + np.zeros(W.shape, *Z)"),
        Edit("_draw_theta", "np.zeros(*Z)", "2**49 + np.zeros(*Z)"),
    ),
}


def plain(*edits):
    """Return the sampler as Python runs it, with two lanes, after edits."""
    name = "sklda._gibbs.uncollapsed_sampler"
    loaded = interpreted(name, edits, lanes=2, compiled_draws=True)
    vars(loaded.module).update(SLICES)
    threads = loaded.modules["sklda._core.threads"].Threads()
    return loaded.sampler(loaded.module.Uncollapsed(threads))


@pytest.mark.slow
@pytest.mark.parametrize("tiny", SMALL.values(), ids=SMALL)
def test_interpreted_kernels_pass(tiny):
    assert_exact(plain(), tiny, 3000, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    name, *edits = MUTANTS[fault]
    tiny = SMALL[name]
    seen, sound = sweep_exact_draws(plain(*edits), tiny, 3000, seed=3, until=WRONG)
    assert not sound or chi_square_pvalue(seen, tiny.posterior) < WRONG
