"""Tokens, document-word pairs and totals beyond 2**31, by a few real ones."""

import numpy as np
import pytest

from sklda._core.corpus import kernel_parts
from sklda._core.problem import Part, Problem
from sklda._gibbs.kernels import (
    single_site_lists,
    single_site_registers,
    single_site_rows,
)
from tests.helpers.corpora import random_corpus
from tests.helpers.mutants import streams

FAR = 2**31 + 5  # tokens, and cells, before the first real one
N_WORDS, N_TOPICS = 9, 4
SAMPLERS = [single_site_lists, single_site_registers, single_site_rows]
each = pytest.mark.parametrize(
    "sampler", SAMPLERS, ids=lambda sampler: sampler.__name__.rpartition("_")[2]
)


@pytest.fixture
def problem():
    corpus = random_corpus(seed=0, n_words=N_WORDS)
    return Problem(corpus, N_WORDS, np.full(N_TOPICS, 0.3), 0.1)


@pytest.fixture
def z(problem):
    n_tokens = problem.corpus.token_ptr[-1]
    return np.random.default_rng(0).integers(0, N_TOPICS, n_tokens).astype(np.uint16)


def far_away(numbers):
    """Return the numbers after `FAR` zeros, of which the system stores none."""
    try:
        room = np.zeros(FAR + numbers.size, numbers.dtype)
    except MemoryError:
        pytest.skip("so many addresses are not to be had")
    room[FAR:] = numbers
    return room


@each
def test_tokens_and_cells_are_numbered_in_64_bits(sampler, problem, z):
    near = sampler.from_topics(problem, z.copy())
    doc_ptr, word, token_ptr = problem.corpus
    doc_ptr, token_ptr = doc_ptr + FAR, far_away(token_ptr + FAR)
    part = Part(doc_ptr, doc_ptr[:-1], doc_ptr[1:], far_away(word), token_ptr)
    far = sampler.from_topics(problem, z.copy())._replace(z=far_away(z))
    rng = streams(1), streams(1)
    for _ in range(3):
        near = sampler.sweep(problem, near, rng[0])
        far = sampler.sweep(problem._replace(corpus=part), far, rng[1])
        np.testing.assert_array_equal(far.z[FAR:], near.z)
        np.testing.assert_array_equal(far.topic, near.topic)
    assert (near.z != z).any()
    assert len(list(kernel_parts(part, 1))) == 1


@pytest.mark.parametrize("kind", [np.int64, np.int32])
@each
def test_totals_beyond_32_bits_repel(kind, sampler, problem, z):
    # With 2**32 tokens elsewhere, none stays on topic 0. In 32 bits they would be none.
    state = sampler.from_topics(problem, z.copy())
    topic = state.topic.astype(np.int64)
    topic[0] += 2**32
    state = state._replace(topic=topic.astype(kind))
    before, rng = state.topic.sum(), streams(1)
    for _ in range(3):
        state = sampler.sweep(problem, state, rng)
    assert state.topic.sum() == before
    n_left = np.count_nonzero(state.z == 0)
    assert (n_left == 0) == (kind is np.int64)
    if kind is np.int64:
        assert state.topic[0] == topic[0] - np.count_nonzero(z == 0)
