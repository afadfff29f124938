"""Samplers that draw phi first are exact, on corpora small enough to list.

As in `test_exactness`; a mutant may also leave tables that are not those of the
assignments.
"""

import pytest

from tests.gibbs import test_exactness
from tests.helpers import samplers
from tests.helpers.enumeration import (
    TinyProblem,
    assert_exact,
    assert_marginals,
    each_mutant,
    is_wrong,
)
from tests.helpers.mutants import faults

NAMES = ("uncollapsed", "partially collapsed")
SAMPLERS = {name: samplers.SAMPLERS[name].compiled() for name in NAMES}
each = pytest.mark.parametrize("name", NAMES)
# Tiny corpora have slices of a word or a document, and these have several blocks.
CUTS = {
    "sklda._gibbs.uncollapsed_sampler": {"_WORDS": 1, "_TOKENS": 2, "_GAMMAS": 2},
    "sklda._gibbs.partially_collapsed_sampler": {"CHUNK": 1},
}


@pytest.fixture(autouse=True)
def many_slices(monkeypatch):
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

# Faults by the problem on which they show.
EVERYWHERE = faults("""
words
  counts are not refreshed
    count_words: A[:] = 0 -> return table.sum(axis=0)
  counts are not cleared
    count_words: A[:] = 0 -> pass
  the topics' totals are not refreshed
    recount: A[:] = S -> S (2 of 2)
tiny betas
  words of topics without tokens do not follow beta
    words_at: np.cumsum(B) -> np.arange(1, B.size + 1)
""")
UNCOLLAPSED = faults("""
words
  beta is missing
    _draw_phi: C + _beta_of(*Z) -> C + 1e-9
  alpha is missing
    _draw_theta: P.alpha_of(*Z) -> 1e-9 + 0 * P.alpha_of(*Z)
  phi is not normalised
    _draw_phi: 1 / np.maximum(A, B) -> 0 * A + 1
  phi is normalised over some words
    _draw_phi: sum(S.threads.map(*Z)) -> S.threads.map(*Z)[0]
  the last word is not counted
    rows.add_tokens_of_words: W[C] < last -> W[C] < last - 1
  the first word is not found
    rows.add_tokens_of_words: W[C + H] < F -> True
betas
  beta is that of another topic
    _beta_of: B[:, F:L].T -> B[::-1, F:L].T
cell
  alpha is that of another topic
    _draw_theta: problem.alpha_of(F, L) -> problem.alpha_of(F, L)[:, ::-1].copy()
  the topic stays twice
    resample_topics: R -= S -> pass
  the topic is drawn again
    resample_topics: R += S -> pass
  a lane ends after its first register
    uncollapsed._weigh: S[N + L] -> S[LANES + L]
  the second register is not reached
    find_down_lane: X + ones -> X
  the second lane is not reached
    _pick: R >= B[I] -> False
  padding attracts
    _draw_phi: np.zeros(W.shape, *Z) -> 2**49 + np.zeros(W.shape, *Z)
    _draw_theta: np.zeros(*Z) -> 2**49 + np.zeros(*Z)
empty topics
  a topic without tokens has no words
    _draw_phi: A[W, E] = 1 -> A[W, E] = 0
  the first word is that of topics without tokens
    _draw_phi: _words_of_prior(P, E, *Z) -> 0 * E
""")
PARTIALLY_COLLAPSED = faults("""
document
  beta is missing
    draw_rows: large_shape(C + B, R) -> large_shape(C, R)
  all words have the same numbers
    draw_rows: hashed(K, W) -> hashed(K, 0)
counts
  the count is missing
    draw_rows: large_shape(C + B, R) -> large_shape(1 + B, R)
absent words
  small shapes are too small
    _propose: 1 / S -> 2 / S
    _decide: V / shape -> 2 * V / shape
  what is not sure is 0
    draw_rows: _draw_unsure(*Z) -> 0
large beta
  large shapes are one larger
    large_shape: S - 1 / 3 -> S + 2 / 3
words
  phi is not normalised
    factors: _SCALE / A -> _SCALE + 0 * A
  phi is normalised over some words
    factors: np.add.accumulate(T)[-1] -> T[0]
  all sweeps have the same numbers
    draw_keys: next_uint64(R.kernel) -> 1
  alpha is missing
    partially_collapsed._ratio: A + P[K] -> A + np.float32(1e-9)
  the factor of the new topic is another's
    partially_collapsed._ratio: factor[k] -> factor[0]
empty topics
  a topic without tokens has no words
    draw_rows: 1 if E[K] == W else 0 -> 0
  the first word is that of topics without tokens
    draw_extra: S[E] * N -> 0 * S[E]
betas
  beta is that of another word
    draw_phi_chunk: B[:, F:F + CHUNK] -> B[:, :CHUNK]
  beta is that of another topic
    draw_rows_of_each: beta[i, k] -> beta[i, 0]
documents
  all documents have the same numbers
    sweep_tokens: first + d -> 0 (1 of 2)
one word
  the token stays in its document
    _resample: _ratio(O, 1, D) -> _ratio(O, 0, D)
  the old topic keeps its weight
    _resample: weight[old] = stay -> pass
  the new topic keeps its weight
    _resample: W[N] = A * B -> pass
cell
  alpha is that of another topic
    partially_collapsed._ratio: prior[k] -> prior[0]
  the document keeps its counts
    _resample: D[N] += 1 -> pass
five words
  the old topic keeps its ratio
    _resample: ratio[old] = old_ratio -> pass
  the new topic keeps its ratio
    _resample: ratio[new] = R -> pass
""")


def plain(name, *edits):
    """Return the sampler as Python runs it, with two lanes, after edits."""
    known = samplers.SAMPLERS[name]
    sampler, modules = known.plain(edits, lanes=2, compiled_draws=True)
    vars(modules[known.module]).update(CUTS[known.module])
    return sampler


@pytest.mark.slow
@pytest.mark.parametrize("tiny", SMALL.values(), ids=SMALL)
@each
def test_interpreted_kernels_pass(name, tiny):
    assert_exact(plain(name), tiny, 1000, seed=2)


@pytest.mark.slow
@each_mutant(
    {
        "uncollapsed": [EVERYWHERE, UNCOLLAPSED],
        "partially collapsed": [EVERYWHERE, PARTIALLY_COLLAPSED],
    }
)
def test_mutants_fail(name, problem, edits):
    mutant = plain(name, *edits)
    assert is_wrong(mutant, SMALL[problem], 20_000, seed=3, or_unsound=True)
