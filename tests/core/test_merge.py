"""The changes of copies of the counts add up; planted faults are noticed."""

import numpy as np
import pytest

from sklda._core.problem import Counts, add_changes
from sklda._gibbs.kernels import single_site_lists as single_site_sparse
from sklda._gibbs.kernels import single_site_rows as single_site_dense
from tests.helpers.enumeration import Problem, faults, interpreted, state_of


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


@pytest.mark.parametrize("kernel", [single_site_dense, single_site_sparse])
@pytest.mark.parametrize("n_topics", [1, 3, 16, 20])
@pytest.mark.parametrize("n_shards", [2, 3, 6])
def test_merged_counts_are_those_of_all_changes(kernel, n_topics, n_shards):
    assert merges_right(kernel, n_topics, n_shards)


def merges_right(kernel, n_topics, n_shards):
    """Return whether merges lead to the counts of all topics, from any changes.

    Words have up to 24 tokens: topics vanish, are new in one copy or in several, and
    the lists of words with as many tokens as topics are full.
    """
    rng = np.random.default_rng(n_topics)
    for _ in range(10):
        docs = [
            [(w, int(rng.integers(1, 5))) for w in range(5)] for _ in range(n_shards)
        ]
        problem = Problem(docs, 6, (0.1,) * n_topics, 0.1)
        docs_of = np.array([d for d, _ in problem.tokens])
        words = [w for _, w in problem.tokens]
        z = rng.integers(n_topics, size=docs_of.size)
        state = state_of(kernel, problem, z)
        stack = kernel.copies(state, n_shards)
        copies = [kernel.copy(stack, i) for i in range(n_shards)]
        end = z.copy()
        for d, one in enumerate(copies):
            own = np.flatnonzero(docs_of == d)
            after = moved(z, own, n_topics, rng)
            end[own] = after[own]
            for array, new in zip(one, state_of(kernel, problem, after), strict=True):
                if array is not state.z:
                    array[:] = new
        state.z[:] = end
        merge_all(kernel, state, stack, copies)
        if faults(state, words, n_topics):
            return False
        for one in copies:
            pairs = zip(one, state, strict=True)
            if not all(np.array_equal(array, same) for array, same in pairs):
                return False
    return True


def merge_all(kernel, state, stack, copies):
    """Merge as a chain does, in two runs of words."""
    add_changes(state.topic, [one.topic for one in copies])
    kernel.merge(state, stack, 0, 2)
    kernel.merge(state, stack, 2, 6)
    assert isinstance(kernel.read_counts(state), Counts)


MERGES = {
    "the state is counted with each copy": ("(1 - n_copies) * list", "list"),
    "the state is not counted": ("(1 - n_copies) * list_count[j]", "0"),
    "the last copy is not counted": (
        "for i in range(n_copies):\n            for j in range(begin, begin + copy_s"
        "ize[i, w]):\n                total",
        "for i in range(n_copies - 1):\n            for j in range(begin, begin + copy"
        "_size[i, w]):\n                total",
    ),
    "new topics are lost": ("end = _append(copy_topic", "_append(copy_topic"),
    "a topic is there twice": ("        total[k] = 0\n", ""),
    "topics that vanish stay": ("    if count > 0:", "    if True:"),
    "the end of a list is not cleared": (
        "list_topic[j], list_count[j] = topic.size, 0",
        "pass",
    ),
    "the size stays": ("sizes[w] = end - begin", "pass"),
    "the end of a copy is not cleared": (
        "max(end, begin + copy_size[i, w])",
        "end",
    ),
    "a copy has its size": ("copy_size[i, w] = sizes[w]", "pass"),
    "a copy has its counts": ("copy_count[i, j] = list_count[j]", "pass"),
}


@pytest.mark.parametrize("edit", [None, *MERGES.values()], ids=["none", *MERGES])
def test_mutants_of_the_merge_are_noticed(edit):
    edits = [] if edit is None else [(*edit, 1)]
    kernel = interpreted("lists", edits)
    try:
        right = merges_right(kernel, n_topics=20, n_shards=3)
    except (IndexError, ValueError):  # a list has no more room
        right = False
    assert right == (edit is None)
