"""Tokens, document-word pairs and totals beyond 2**31, by a few real ones."""

import numpy as np
import pytest

from sklda._data.corpus import Part, kernel_parts
from sklda._gibbs.kernels import single_site_lists, single_site_registers
from sklda._sampling.problem import Problem
from sklda._tables import lists
from tests.helpers.corpora import random_corpus
from tests.helpers.mutants import streams

FAR = 2**31 + 5  # tokens, and cells, before the first real one
N_WORDS, N_TOPICS = 9, 4
SAMPLERS = [single_site_lists, single_site_registers]
SLOW = pytest.mark.slow  # what is compiled for this one test
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
        sampler.sweep(problem, near, rng[0])
        sampler.sweep(problem._replace(corpus=part), far, rng[1])
        np.testing.assert_array_equal(far.z[FAR:], near.z)
        np.testing.assert_array_equal(far.topic, near.topic)
    assert (near.z != z).any()
    assert len(list(kernel_parts(part, 1))) == 1


@pytest.mark.parametrize("kind", [np.int32, pytest.param(np.int64, marks=SLOW)])
@each
def test_totals_beyond_32_bits_repel(kind, sampler, problem, z):
    # With 2**32 tokens elsewhere, none stays on topic 0. In 32 bits they would be none.
    state = sampler.from_topics(problem, z.copy())
    topic = state.topic.astype(np.int64)
    topic[0] += 2**32
    state = state._replace(topic=topic.astype(kind))
    before, rng = state.topic.sum(), streams(1)
    for _ in range(3):
        sampler.sweep(problem, state, rng)
    assert state.topic.sum() == before
    n_left = np.count_nonzero(state.z == 0)
    assert (n_left == 0) == (kind is np.int64)
    if kind is np.int64:
        assert state.topic[0] == topic[0] - np.count_nonzero(z == 0)


def test_a_pair_takes_64_bits_where_32_do_not_hold_its_tokens(problem, z, monkeypatch):
    narrow = single_site_lists.from_topics(problem, z.copy())
    monkeypatch.setattr(lists, "PACKED_BITS", 6)
    wide = single_site_lists.from_topics(problem, z.copy())
    assert (narrow.packed.dtype, wide.packed.dtype) == (np.int32, np.int64)
    rng = streams(1), streams(1)
    for _ in range(3):
        single_site_lists.sweep(problem, narrow, rng[0])
        single_site_lists.sweep(problem, wide, rng[1])
        np.testing.assert_array_equal(wide.z, narrow.z)
        np.testing.assert_array_equal(wide.packed, narrow.packed)
    assert (narrow.z != z).any()


@pytest.mark.parametrize("n_lanes", [16, 112, 1_008, 65_536])
def test_the_largest_pair_of_32_bits_is_positive(n_lanes):
    bits = lists.topic_bits(n_lanes)
    most = (1 << (31 - bits)) - 1
    assert lists.packed_type(n_lanes, most) is np.int32
    assert lists.packed_type(n_lanes, most + 1) is np.int64
    pair = np.array([n_lanes + (most << bits)], np.int32)
    assert [int(*part) for part in lists.split(pair, bits)] == [n_lanes, most]


def test_tokens_of_a_pair_beyond_32_bits_attract(problem, z):
    state = single_site_lists.from_topics(problem, z.copy())
    w, k = problem.corpus.word[0], z[0]
    pairs_of_word = slice(*state.start[w : w + 2])
    topics, _ = lists.split(state.packed[pairs_of_word], state.bits)
    wide = state.packed.astype(np.int64)
    wide[pairs_of_word][topics == k] += 2**33 << state.bits
    rng = streams(1)
    state = state._replace(packed=wide)
    single_site_lists.sweep(problem, state, rng)
    word = np.repeat(problem.corpus.word, np.diff(problem.corpus.token_ptr))
    assert (state.z[word == w] == k).all()
    assert not (state.z[word != w] == k).all()
