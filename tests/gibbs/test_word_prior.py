"""Faults in what samplers make of an array of beta; right ones are in the other files.

The tables hold beta, or what it has beyond the least of a word, and kernels know the
rest: each of these parts can go wrong alone.
"""

import pytest

from tests.helpers.enumeration import TinyProblem, assert_exact, is_wrong
from tests.helpers.mutants import Edit
from tests.helpers.samplers import SAMPLERS

# Interpreted kernels have two lanes, so three topics fill two registers.
SMALL = {
    "words": TinyProblem(
        (((0, 1), (1, 2)), ((0, 2),)), 2, (0.3, 0.6), ((0.2, 3.0), (1.5, 0.4))
    ),
    "topics": TinyProblem(
        (((0, 3),), ((0, 1),)), 2, (0.8, 0.8, 0.8), ((0.5, 9), (0.5, 0.1), (0.5, 1))
    ),
    "one seed": TinyProblem(
        (((0, 2),), ((1, 2),)), 2, (0.5, 0.5), ((0.1, 0.1), (0.1, 2))
    ),
    "of words": TinyProblem(
        (((0, 2), (1, 2)), ((1, 1),)), 2, (0.4, 0.9), ((0.1, 4), (0.1, 4))
    ),
    "words far apart": TinyProblem(
        (((0, 2), (1, 2)),), 2, (1.0, 1.5), ((5.0, 0.1), (5.0, 0.1))
    ),
}
BETA_SUM = Edit(
    "document.update_ratios", "entries(S, K, L)", "broadcast(entry(S, 0), L)"
)
NO_EXCESS = Edit("_list_excess", "state.size[W] = A - B", "state.size[W] = 0")

# Sampler, fault: problem, draws, edit.
MUTANTS = {
    ("rows", "tables do not hold beta"): (
        ("words", 4000),
        Edit("rows.from_topics", "word_topic[X] = B.T", "word_topic[X] = 0.5"),
    ),
    ("rows", "the sum of beta is that of another topic"): (("topics", 4000), BETA_SUM),
    ("rows", "without the token, it is that of another topic"): (
        ("topics", 8000),
        Edit("ratio_without", "entry(S, K)", "entry(S, 0)"),
    ),
    ("lists", "the excess is missing"): (("one seed", 4000), NO_EXCESS),
    ("lists", "the excess is twice there"): (
        ("one seed", 4000),
        Edit("_list_excess", "value[X]", "2 * value[X]"),
    ),
    ("lists", "beta is that of another word"): (
        ("of words", 4000),
        Edit("entry.priors_of", "entry(B, W)", "entry(B, 0)"),
    ),
    ("lists", "the sum of beta is that of another topic"): (("topics", 4000), BETA_SUM),
    ("pairs", "the excess is missing"): (("one seed", 4000), NO_EXCESS),
    ("pairs", "the sum of beta is that of another topic"): (
        ("topics", 12_000),
        Edit("set_ratios", "entry(S, K)", "entry(S, 0)"),
    ),
    ("pairs", "without tokens, it is that of another topic"): (
        ("topics", 4000),
        Edit("kappa_without", "entry(S, K)", "entry(S, 0)"),
    ),
    ("pairs", "beta is that of the first word"): (
        ("of words", 4000),
        Edit("small.words_of", "entry(B, W)", "entry(B, 0)"),
    ),
    ("pairs", "unlisted topics have beta of another word"): (
        ("words far apart", 12_000),
        Edit("lists._resample_small", "words.beta != beta", "beta < 0"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("tiny", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("name", ["rows", "lists", "pairs"])
def test_interpreted_kernels_pass(name, tiny):
    sampler, _ = SAMPLERS[name].plain(lanes=2)
    assert_exact(sampler, tiny, 3000, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), MUTANTS)
def test_mutants_fail(name, fault):
    (tiny, n_draws), edit = MUTANTS[name, fault]
    mutant, _ = SAMPLERS[name].plain([edit], lanes=2)
    assert is_wrong(mutant, SMALL[tiny], n_draws, seed=5)
