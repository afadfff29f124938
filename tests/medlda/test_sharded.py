"""Supervised chains over shards: the same bits for any threads, nothing left out."""

import numpy as np
import pytest

from sklda._engine.sharded import Sharded
from sklda._medlda.sampler import Hinge, LabelledTopics
from sklda._sampling.problem import Problem
from sklda._sampling.threads import Threads
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import random_corpus
from tests.helpers.enumeration import assert_exact, is_wrong
from tests.helpers.mutants import interpreted, streams
from tests.helpers.samplers import OneTotal
from tests.helpers.selection import fast_and_slow
from tests.helpers.supervised import fit
from tests.medlda.test_exactness import PROBLEMS

steps = pytest.mark.parametrize("n_weight_steps", [2, None])

# --- threads and the number of shards --------------------------------------------


@pytest.mark.parametrize("sampler", fast_and_slow(["light"], ["gibbs"]))
def test_there_are_128_shards_at_most(sampler):
    params = {"sampler": sampler, "max_iter": 4, "burn_in": 2}
    assert_same_fit(fit(n_shards=10**12, **params), fit(n_shards=128, **params))


# --- nothing is left out ---------------------------------------------------------

CORPUS = random_corpus(1, 25, 9, mean=2)
N_DOCS = CORPUS.doc_ptr.size - 1
LENGTHS = np.diff(CORPUS.token_ptr[CORPUS.doc_ptr])
TARGETS = np.random.default_rng(0).choice([-1.0, 1.0], (N_DOCS, 3))
N_TOPICS = 5


def start(n_shards, n_weight_steps=2, edits=()):
    """Return a sampler that Python runs, its problem, and a state."""
    module = interpreted("sklda._medlda.sampler", edits, compiled_draws=True).module
    sampler = module.MaxMargin(0.8, n_weight_steps, 2, Hinge(1.5), TARGETS, n_shards)
    problem = Problem(CORPUS, 9, np.linspace(0.1, 0.5, N_TOPICS), 0.1)
    z = np.random.default_rng(1).integers(N_TOPICS, size=LENGTHS.sum())
    return sampler, problem, sampler.from_topics(problem, z.astype(np.uint16))


def is_complete(edits=()):
    """Return whether all documents have labels of their own, and right scores."""
    sampler, problem, state = start(3, edits=edits)
    rng, n_tokens = streams(2), np.maximum(LENGTHS, 1)[:, np.newaxis]
    for _ in range(2):
        sampler.sweep(problem, state, rng)
        factors, _ = state.labels
        slope, curvature = factors.slope * n_tokens, factors.curvature * n_tokens**2
        # Hinges have a = C y (1 + C xi) and b = C^2 xi; xi > 0 are different numbers.
        expected = 1.5 * TARGETS + TARGETS * curvature
        sound = np.allclose(slope, expected, rtol=1e-4) and (curvature > 0).all()
        sound = sound and np.unique(curvature).size == curvature.size
        counts = np.zeros((N_DOCS, N_TOPICS))
        np.add.at(counts, (np.repeat(np.arange(N_DOCS), LENGTHS), state.z), 1)
        scores = counts / n_tokens @ state.weights
        if not sound or abs(state.scores - scores).max() > 1e-9:
            return False
    return True


def drawn_weights(n_shards, n_weight_steps, edits=()):
    """Return weights and scores drawn with given labels and random numbers."""
    sampler, problem, state = start(n_shards, n_weight_steps, edits)
    rng = np.random.default_rng(3)
    slope, curvature = rng.normal(size=TARGETS.shape), rng.random(TARGETS.shape)
    state.weights[:] = rng.normal(size=state.weights.shape)
    sampler.resample_weights(problem, state, slope, curvature, streams(3))
    return np.vstack([state.weights, state.scores])


def are_weights_of_all(n_weight_steps, edits=()):
    """Return whether weights of three shards are those of one, but for rounding."""
    expected = drawn_weights(1, n_weight_steps)
    found = drawn_weights(3, n_weight_steps, edits)
    return np.allclose(found, expected, rtol=0, atol=1e-9)


def test_each_document_has_labels_and_scores():
    assert is_complete()


@steps
def test_weights_are_those_of_all_shards(n_weight_steps):
    assert are_weights_of_all(n_weight_steps)


def passes(name, problem, edits):
    """Return whether no shard is left out, after edits."""
    if name == "documents":
        return bool(is_complete(edits))
    return are_weights_of_all(2 if problem == "one by one" else None, edits)


# --- labels of the documents of a part -------------------------------------------


def with_labels_of(tiny, n_mh_steps, shift=0):
    """Return shards with the labels of a problem; `shift`: those of other documents."""

    def prepare(problem, state):
        labels = state.tables.labels.factors
        factors = tiny.factors(problem.n_lanes)
        for array, value in zip(labels, factors, strict=True):
            array[:] = np.roll(value, shift if array.ndim == 2 else 0, axis=0)
        labels.weights[:] = factors.weights

    sampler = LabelledTopics(n_mh_steps, len(tiny.weights))
    return OneTotal(Sharded(sampler, len(tiny.docs), Threads(1)), prepare)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["2 topics", "3 topics, 2 tasks", "steep"])
@pytest.mark.parametrize("n_mh_steps", [None, 6])
def test_only_the_totals_are_approximate(name, n_mh_steps):
    sampler = with_labels_of(PROBLEMS[name], n_mh_steps)
    assert_exact(sampler, PROBLEMS[name], 5000, seed=1)


@pytest.mark.parametrize("n_mh_steps", [None, 6])
def test_labels_of_another_document_are_noticed(n_mh_steps):
    tiny = PROBLEMS["2 topics"]
    assert is_wrong(with_labels_of(tiny, n_mh_steps, 1), tiny, 5000, seed=1)
