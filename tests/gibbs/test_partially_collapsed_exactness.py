"""Partially collapsed sampling draws from the exact posterior, listed in full.

As in `test_exactness`; a mutant may also leave tables that are not those of the
assignments.
"""

import numpy as np
import pytest

from sklda._core.threads import Threads
from sklda._gibbs import partially_collapsed_sampler
from tests.gibbs.test_uncollapsed_exactness import PROBLEMS
from tests.helpers.enumeration import (
    WRONG,
    TinyProblem,
    assert_exact,
    assert_marginals,
    chi_square_pvalue,
    sweep_exact_draws,
)
from tests.helpers.mutants import Edit, interpreted

SAMPLER = partially_collapsed_sampler.PartiallyCollapsed(Threads())
SAMPLERS = {"partially collapsed": SAMPLER}


@pytest.fixture(autouse=True)
def blocks_of_one_word(monkeypatch):
    monkeypatch.setattr(partially_collapsed_sampler, "BLOCK", 1)


@pytest.mark.slow
@pytest.mark.parametrize("tiny", PROBLEMS.values(), ids=PROBLEMS)
def test_a_sweep_leaves_the_posterior_as_it_is(tiny):
    assert_exact(SAMPLER, tiny, 4000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["3 topics", "5 topics"])
def test_a_long_chain_has_the_marginals_of_the_posterior(name):
    assert_marginals(SAMPLER, PROBLEMS[name], seed=1, n_batches=60)


# Problems with few assignments, on which planted faults show best. With two lanes three
# topics fill two registers.
SMALL = {
    "cell": TinyProblem((((0, 3),),), 2, (0.1, 0.2, 0.3), 0.3),
    "words": TinyProblem((((0, 1), (1, 1)), ((1, 2),)), 2, (0.3, 0.6), 0.3),
    "one word": TinyProblem((((0, 4),),), 1, (0.3, 0.5), 0.5),
    "counts": TinyProblem((((0, 3),), ((1, 2),)), 2, (0.9, 1.4), 0.1),
    "five words": TinyProblem((tuple((w, 1) for w in range(5)),), 5, (0.2, 0.4), 2.5),
    "document": TinyProblem((((0, 1), (1, 1), (2, 1)),), 3, (0.1, 0.2), 0.8),
    "absent words": TinyProblem((((0, 2), (1, 1)),), 6, (0.9, 1.4), 0.7),
    "large beta": TinyProblem((((0, 2), (1, 2)),), 2, (1.4, 0.9), 1.1),
    "empty topics": TinyProblem((((0, 2),),), 2, (0.9, 1.4), 1e-6),
    "betas": TinyProblem(
        (((0, 1), (1, 1)), ((1, 2),)), 3, (0.9, 1.4), ((0.1, 2.5, 0.3), (2.0, 0.2, 0.9))
    ),
    "tiny betas": TinyProblem(
        (((0, 2),),), 2, (0.9, 1.4), ((3e-6, 1e-6), (1e-6, 3e-6))
    ),
    "documents": TinyProblem((((0, 1),), ((0, 1),), ((0, 1),)), 1, (0.2, 0.8), 0.5),
}

TOKENS = "partially_collapsed."
MUTANTS = {
    "beta is missing": (
        "document",
        Edit("draw_rows", "large_shape(count + beta, R)", "large_shape(count, R)"),
    ),
    "the count is missing": (
        "counts",
        Edit("draw_rows", "large_shape(count + beta, R)", "large_shape(1 + beta, R)"),
    ),
    "small shapes are too small": (
        "absent words",
        Edit("_propose", "1 / shape", "2 / shape"),
        Edit("_decide", "V / shape", "2 * V / shape"),
    ),
    "what is not sure is 0": (
        "absent words",
        Edit("draw_rows", "_draw_unsure(*Z)", "0"),
    ),
    "large shapes are one larger": (
        "large beta",
        Edit("large_shape", "shape - 1 / 3", "shape + 2 / 3"),
    ),
    "phi is not normalised": (
        "words",
        Edit("factors", "_SCALE / A", "_SCALE + 0 * A"),
    ),
    "phi is normalised over some words": (
        "words",
        Edit("factors", "np.add.accumulate(totals)[-1]", "totals[0]"),
    ),
    "a topic without tokens has no words": (
        "empty topics",
        Edit("draw_rows", "1 if extra[k] == w else 0", "0"),
    ),
    "the first word is that of topics without tokens": (
        "empty topics",
        Edit("draw_extra", "share[empty] * n_words", "0 * share[empty]"),
    ),
    "beta is that of another word": (
        "betas",
        Edit("draw_phi_block", "beta[:, first : first + BLOCK]", "beta[:, :BLOCK]"),
    ),
    "beta is that of another topic": (
        "betas",
        Edit("draw_rows_of_each", "beta[i, k]", "beta[i, 0]"),
    ),
    "words of topics without tokens do not follow beta": (
        "tiny betas",
        Edit("words_at", "np.cumsum(B)", "np.arange(1, B.size + 1)"),
    ),
    "all words have the same numbers": (
        "document",
        Edit("draw_rows", "hashed(key, w)", "hashed(key, 0)"),
    ),
    "all documents have the same numbers": (
        "documents",
        Edit("sweep_tokens", "first + d", "0"),
    ),
    "all sweeps have the same numbers": (
        "words",
        Edit("draw_keys", "next_uint64(rng.kernel)", "1"),
    ),
    "the token stays in its document": (
        "one word",
        Edit("_resample", "_ratio(old, 1, document)", "_ratio(old, 0, document)"),
    ),
    "alpha is missing": (
        "words",
        Edit(f"{TOKENS}_ratio", "A + prior[k]", "A + np.float32(1e-9)"),
    ),
    "alpha is that of another topic": (
        "cell",
        Edit(f"{TOKENS}_ratio", "prior[k]", "prior[0]"),
    ),
    "the factor of the new topic is another's": (
        "words",
        Edit(f"{TOKENS}_ratio", "factor[k]", "factor[0]"),
    ),
    "the old topic keeps its ratio": (
        "five words",
        Edit("_resample", "ratio[old] = old_ratio", "pass"),
    ),
    "the new topic keeps its ratio": (
        "five words",
        Edit("_resample", "ratio[new] = R", "pass"),
    ),
    "the old topic keeps its weight": (
        "one word",
        Edit("_resample", "weight[old] = stay", "pass"),
    ),
    "the new topic keeps its weight": (
        "one word",
        Edit("_resample", "weight[new] = A * B", "pass"),
    ),
    "the document keeps its counts": (
        "cell",
        Edit("_resample", "doc_topic[new] += 1", "pass"),
    ),
    "counts are not cleared": ("words", Edit("count_words", "A[:] = 0", "pass")),
    "counts are not refreshed": (
        "words",
        Edit("count_words", "A[:] = 0", "return table.sum(axis=0)"),
    ),
    "the topics' totals are not refreshed": (
        "words",
        Edit("recount", "A[:] = S", "S", 1, 2),
    ),
}


def plain(*edits):
    """Return the sampler as Python runs it, with two lanes, after edits."""
    name = "sklda._gibbs.partially_collapsed_sampler"
    loaded = interpreted(name, edits, lanes=2, compiled_draws=True)
    loaded.module.BLOCK = 1
    threads = loaded.modules["sklda._core.threads"].Threads()
    return loaded.sampler(loaded.module.PartiallyCollapsed(threads))


@pytest.mark.slow
@pytest.mark.parametrize("tiny", SMALL.values(), ids=SMALL)
def test_interpreted_kernels_pass(tiny):
    assert_exact(plain(), tiny, 3000, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    name, *edits = MUTANTS[fault]
    tiny = SMALL[name]
    with np.errstate(all="ignore"):  # a fault may well divide by zero
        seen, sound = sweep_exact_draws(plain(*edits), tiny, 8000, seed=3, until=WRONG)
    assert not sound or chi_square_pvalue(seen, tiny.posterior) < WRONG
