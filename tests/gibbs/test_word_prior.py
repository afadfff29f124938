"""Planted faults in the use of an array of beta.

Tables hold beta, or its excess over the smallest beta of a word; kernels add the rest.
Each of these parts can fail alone. `test_exactness` has the samplers without faults.
"""

import pytest

from tests.helpers.enumeration import TinyProblem, assert_exact, each_mutant, is_wrong
from tests.helpers.mutants import faults
from tests.helpers.samplers import SAMPLERS

# Interpreted kernels have two lanes, so three topics fill two registers.
SMALL = {
    "words": TinyProblem("abb aa", 2, (0.3, 0.6), ((0.2, 3.0), (1.5, 0.4))),
    "topics": TinyProblem(
        "aaa a", 2, (0.8, 0.8, 0.8), ((0.5, 9), (0.5, 0.1), (0.5, 1))
    ),
    "one seed": TinyProblem("aa bb", 2, (0.5, 0.5), ((0.1, 0.1), (0.1, 2))),
    "of words": TinyProblem("aabb b", 2, (0.4, 0.9), ((0.1, 4), (0.1, 4))),
    "words far apart": TinyProblem("aabb", 2, (1.0, 1.5), ((5.0, 0.1), (5.0, 0.1))),
}

# Faults by the sampler and the problem on which they show.
MUTANTS = {
    "rows": faults("""
words
  tables do not hold beta
    rows.from_topics: W[X] = B.T -> W[X] = 0.5
topics
  the sum of beta is that of another topic
    document.update_ratios: entries(S, K, L) -> broadcast(entry(S, 0), L)
  without the token, it is that of another topic
    ratio_without: entry(S, K) -> entry(S, 0)
"""),
    "lists": faults("""
one seed
  the excess is missing
    lists.from_topics: excess.value -> 0 * excess.value
  the excess is twice there
    lists.from_topics: excess.value -> 2 * excess.value
of words
  beta is that of another word
    entry.priors_of: entry(B, W) -> entry(B, 0)
topics
  the sum of beta is that of another topic
    document.update_ratios: entries(S, K, L) -> broadcast(entry(S, 0), L)
"""),
    "pairs": faults("""
one seed
  the excess is missing
    lists.from_topics: excess.value -> 0 * excess.value
topics
  the sum of beta is that of another topic
    set_ratios: entry(S, K) -> entry(S, 0)
  without tokens, it is that of another topic
    resample_small: entry(S, K) -> entry(S, 1)
of words
  beta is that of the first word
    small.topics_of: entry(B, W) -> entry(B, 0)
words far apart
  unlisted topics have beta of another word
    lists._resample_several: W.beta != B -> B < 0
"""),
}


@pytest.mark.slow
@pytest.mark.parametrize("tiny", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("name", ["rows", "lists", "pairs"])
def test_interpreted_kernels_pass(name, tiny):
    sampler, _ = SAMPLERS[name].plain(lanes=2)
    assert_exact(sampler, tiny, 1000, seed=4)


@pytest.mark.slow
@each_mutant(MUTANTS)
def test_mutants_fail(name, problem, edits):
    mutant, _ = SAMPLERS[name].plain(edits, lanes=2)
    assert is_wrong(mutant, SMALL[problem], 20_000, seed=5)
