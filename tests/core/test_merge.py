"""What replicas of the counts changed adds up; planted faults are noticed."""

import numpy as np
import pytest

from sklda._core.problem import add_changes
from sklda._gibbs.kernels import single_site_lists, single_site_rows
from tests.helpers.enumeration import TinyProblem, faults
from tests.helpers.mutants import Edit, interpreted


def test_changes_of_tables_are_added():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5):
        shared = rng.integers(0, 2**31 - 1, (4, 16), dtype=np.int32)
        change = rng.integers(-1000, 1000, (n, 4, 16), dtype=np.int32)
        change[:, shared > 2**31 - 10_000] = 0
        copies, expected = shared + change, shared + change.sum(axis=0)
        add_changes(shared, copies)
        np.testing.assert_array_equal(shared, expected)
        np.testing.assert_array_equal(copies, np.broadcast_to(expected, copies.shape))


def moved(z, tokens, n_topics, rng):
    """Return z with other topics for some tokens."""
    z = z.copy()
    some = tokens[rng.random(tokens.size) < rng.choice([0.1, 0.5, 1.0])]
    z[some] = rng.choice(rng.permutation(n_topics)[: rng.integers(1, 4)], some.size)
    return z


@pytest.mark.parametrize("tables", [single_site_lists, single_site_rows])
@pytest.mark.parametrize("n_topics", [1, 3, 16, 20])
@pytest.mark.parametrize("n_shards", [2, 3, 6])
def test_merged_counts_are_those_of_all_changes(tables, n_topics, n_shards):
    assert merges_right(tables, n_topics, n_shards)


def merges_right(tables, n_topics, n_shards):
    """Return whether merges lead to the counts of all topics, from any changes.

    Words have up to 24 tokens: topics vanish, are new in one replica or in several, and
    the lists of words with as many tokens as topics are full.
    """
    rng = np.random.default_rng(n_topics)
    for _ in range(10):
        docs = [
            [(w, int(rng.integers(1, 5))) for w in range(5)] for _ in range(n_shards)
        ]
        tiny = TinyProblem(docs, 6, (0.1,) * n_topics, 0.1)
        problem = tiny.problem()
        docs_of = np.array([d for d, _ in tiny.tokens])
        words = [w for _, w in tiny.tokens]
        z = rng.integers(n_topics, size=docs_of.size).astype(np.uint16)
        state = tables.from_topics(problem, z)
        replicas = tables.replicate(state, n_shards)
        states = [tables.replica(replicas, i, problem) for i in range(n_shards)]
        end = z.copy()
        for d, one in enumerate(states):
            own = np.flatnonzero(docs_of == d)
            after = moved(z, own, n_topics, rng)
            end[own] = after[own]
            changed = tables.from_topics(problem, after)
            for array, new in zip(one, changed, strict=True):
                if array is not state.z:
                    array[:] = new
        state.z[:] = end
        merge_all(tables, state, replicas, states)
        if faults(state, words, n_topics):
            return False
        for one in states:
            pairs = zip(one, state, strict=True)
            if not all(np.array_equal(array, same) for array, same in pairs):
                return False
    return True


def merge_all(tables, state, replicas, states):
    """Merge as `Sharded` does, in two ranges of words."""
    add_changes(state.topic, [one.topic for one in states])
    tables.merge(state, replicas, 0, 2)
    tables.merge(state, replicas, 2, 6)


MERGES = {
    "the state is counted with each replica": ("(1 - N) * C", "C"),
    "the state is not counted": ("(1 - N) * C", "0"),
    "the last replica is not counted": ("range(n)", "range(n - 1)", 0, 3),
    "new topics are lost": ("E = _append(*Z)", "_append(*Z)", 1, 2),
    "the end of a list is not cleared": ("A[J], B[J] = (X, 0)", "pass"),
    "the size stays": ("S[W] = E - B", "pass"),
    "the end of a replica is not cleared": ("max(E, B + S)", "E"),
    "a replica has its size": ("A[I, J] = B[J]", "pass", 2, 3),
    "a replica has its counts": ("A[I, J] = B[J]", "pass", 1, 3),
    "a replica has its topics": ("A[I, J] = B[J]", "pass", 0, 3),
}
APPENDS = {
    "a topic is there twice": ("T[K] = 0", "pass"),
    "topics that vanish stay": ("C > 0", "True"),
}
EDITS = {
    "none": [],
    **{fault: [Edit("list_replicas.merge", *edit)] for fault, edit in MERGES.items()},
    **{fault: [Edit("_append", *edit)] for fault, edit in APPENDS.items()},
}


@pytest.mark.parametrize("fault", EDITS)
def test_mutants_of_the_merge_are_noticed(fault):
    mutant = interpreted("sklda._gibbs.kernels.single_site_lists", EDITS[fault]).module
    try:
        right = merges_right(mutant, n_topics=20, n_shards=3)
    except (IndexError, ValueError):  # a list has no more room
        right = False
    assert right == (fault == "none")
