"""Kernels: random numbers, count tables, states after many sweeps, signatures."""

import importlib
import itertools
import random

import numpy as np
import pytest
from numba import njit

from sklda._core.corpus import cut_cells
from sklda._gibbs.kernels.blocked import blocked_backward
from sklda._gibbs.kernels.blocked import blocked_nested
from sklda._core import random_streams as draws
from sklda._ecgs.kernels import rows as grouped_dense
from sklda._ecgs.kernels import lists as grouped_sparse
from sklda._gibbs.kernels import single_site_rows as single_site_dense
from sklda._gibbs.kernels import single_site_lists as single_site_sparse
from sklda._core import doc_topic_counts as tally
from sklda._core.problem import Corpus
from sklda._core.prefetch import prefetch
from tests.helpers.enumeration import (
    Problem,
    any_groups,
    faults,
    interpreted,
    kernel_priors,
    padded,
    stream,
)

KERNELS = [
    single_site_dense,
    single_site_sparse,
    blocked_nested,
    blocked_backward,
    any_groups(grouped_dense),
    any_groups(grouped_sparse),
]
NAMES = [
    "single_site_dense",
    "single_site_sparse",
    "blocked_nested",
    "blocked_backward",
    "grouped_dense",
    "grouped_sparse",
]


def random_corpus(seed, n_docs=12, n_words=9, mean=0.7):
    """Return a corpus with empty documents, words that never occur, and big cells."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(mean, (n_docs, n_words)) * rng.choice([1, 1, 4], n_words)
    counts[rng.integers(n_docs)] = 0
    if n_words > 1:
        counts[:, rng.integers(n_words)] = 0
    return corpus_of(counts)


def corpus_of(counts):
    docs, words = counts.nonzero()
    return Corpus(
        doc_ptr=np.searchsorted(docs, np.arange(len(counts) + 1)).astype(np.int64),
        word=words.astype(np.int32),
        token_ptr=np.cumsum([0, *counts[docs, words]]).astype(np.int64),
    )


def tight_corpus():
    """Return a corpus of words whose lists may be full: about 16 and 32 tokens each.

    Each has cells of one to six tokens. The room of a list is a multiple of 16, and no
    more than what its tokens, and one topic more, can ask for.
    """
    totals = np.array([14, 15, 16, 17, 18, 30, 31, 32, 33])
    counts = np.zeros((12, totals.size), np.int64)
    for d, word in itertools.product(range(len(counts)), range(totals.size)):
        left = totals[word] - counts[:, word].sum()
        counts[d, word] = min(left, 1 + (d + word) % 6)
    assert (counts.sum(0) == totals).all()
    return corpus_of(counts)


def words_of(corpus):
    return np.repeat(corpus.word, np.diff(corpus.token_ptr))


def docs_of(corpus):
    lengths = np.diff(corpus.token_ptr[corpus.doc_ptr])
    return np.repeat(np.arange(lengths.size), lengths)


# --- random numbers --------------------------------------------------------------


def xoroshiro128pp(s0, s1):
    """Yield the numbers of the generator, from its paper, in unlimited integers."""
    mask = 2**64 - 1

    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    while True:
        yield (rotl((s0 + s1) & mask, 17) + s0) & mask
        s1 ^= s0
        s0, s1 = rotl(s0, 49) ^ s1 ^ ((s1 << 21) & mask), rotl(s1, 28)


@pytest.mark.parametrize("seed", [(1, 2), (2**64 - 1, 2**63 + 5), (0, 1)])
def test_generator_equals_its_definition(seed):
    rng = np.array(seed, np.uint64)
    expected = xoroshiro128pp(*seed)
    for _ in range(1000):
        assert draws.next_uint64(rng) == next(expected)


def test_generator_equals_published_numbers():
    # Test vector of the Rust crate rand_xoshiro, made with the authors' C code.
    rng = np.array([1, 2], np.uint64)
    assert [int(draws.next_uint64(rng)) for _ in range(4)] == [
        393217,
        669327710093319,
        1732421326133921491,
        11394790081659126983,
    ]


def test_uniform_is_the_upper_53_bits():
    rng, same = stream(3), stream(3)
    values = [draws.uniform(rng) for _ in range(1000)]
    assert values == [(int(draws.next_uint64(same)) >> 11) / 2**53 for _ in values]
    assert min(values) >= 0
    assert max(values) < 1
    # The mean of 1,000 is within five standard errors, 5 / sqrt(12,000), of 1/2.
    assert abs(np.mean(values) - 0.5) < 0.046


def test_uniform_stays_below_one_and_may_be_zero():
    # With s0 = 0 the first output is rotl(s1, 17).
    assert draws.uniform(np.array([0, 2**64 - 1], np.uint64)) == 1 - 2.0**-53
    assert draws.uniform(np.array([0, 2**47], np.uint64)) == 0


def test_prefetch_reads_nothing():
    @njit
    def sum_of(array, ahead):
        total = 0
        for i in range(array.size):
            prefetch(array, i + ahead)
            total += array[i]
        return total

    for array in (np.arange(5), np.zeros(0, np.int64)):
        for ahead in (0, -7, 2**40, -(2**40)):
            assert sum_of(array, ahead) == sum_of.py_func(array, ahead) == array.sum()


def test_streams_of_spawned_seeds_differ():
    seeds = np.random.SeedSequence(0).spawn(200)
    states = {tuple(draws.new_stream(seed).tolist()) for seed in seeds}
    assert len(states) == 200
    assert all(s1 % 2 == 1 for _, s1 in states)  # never all zero
    first = {int(draws.next_uint64(draws.new_stream(seed))) for seed in seeds}
    assert len(first) == 200


# --- tables of document-topic counts ---------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_document_topic_counts(seed):
    corpus = random_corpus(seed)
    n_topics = [1, 3, 16, 20][seed]
    docs, n_docs = docs_of(corpus), corpus.doc_ptr.size - 1
    z = np.random.default_rng(seed).integers(n_topics, size=docs.size).astype(np.uint16)
    expected = np.zeros((n_docs, n_topics))
    np.add.at(expected, (docs, z), 1)
    total = np.ones((n_docs, n_topics))
    tally.add_doc_topic(corpus, z, total)
    np.testing.assert_array_equal(total, expected + 1)
    topics, counts = tally.doc_topic_cells(
        corpus, z, padded(n_topics, single_site_dense)
    )
    cells_per_doc = (expected > 0).sum(1)
    assert topics.size == counts.size == cells_per_doc.sum()
    rows = np.repeat(np.arange(n_docs), cells_per_doc)
    rebuilt = np.zeros((n_docs, n_topics))
    np.add.at(rebuilt, (rows, topics), counts)
    np.testing.assert_array_equal(rebuilt, expected)


# --- sweeps ----------------------------------------------------------------------


@pytest.mark.parametrize("n_topics", [1, 3, 20, 40])
@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_interpreted_chains_are_the_same(name, n_topics):
    # `fastmath` may change the last bit of a float32 sum, which changes one draw in
    # about ten million: a chain of some hundred draws is the same, bit for bit.
    compiled = importlib.import_module(f"sklda._kernels.{name}")
    plain = interpreted(name, compiled_draws=True)
    if name.startswith("grouped"):
        compiled, plain = any_groups(compiled), any_groups(plain)
    corpus = random_corpus(5, n_docs=12, n_words=6)
    alpha = np.random.default_rng(0).uniform(0.05, 1, n_topics)
    priors = kernel_priors(compiled, alpha, 0.3)
    rng, same_rng = stream(n_topics), stream(n_topics)
    state = compiled.init(corpus, 6, priors, rng)
    same_state = plain.init(corpus, 6, priors, same_rng)
    for _ in range(4):
        for array, same in zip(state, same_state, strict=True):
            np.testing.assert_array_equal(array, same)
            assert array.dtype == same.dtype
        compiled.sweep(corpus, state, priors, rng)
        plain.sweep(corpus, same_state, priors, same_rng)
    assert n_topics == 1 or np.unique(state.z).size > 1
    np.testing.assert_array_equal(rng, same_rng)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kernel", KERNELS, ids=NAMES)
def test_tables_are_right_after_many_sweeps(kernel, seed):
    rng = np.random.default_rng(seed)
    n_topics = int(rng.choice([1, 2, 16, 17, 50, 130]))
    n_words = int(rng.choice([1, 9, 40]))
    corpus = random_corpus(seed, n_docs=30, n_words=n_words)
    alpha = rng.choice([1e-3, 0.1, 2.0]) * rng.uniform(0.5, 1, n_topics)
    priors = kernel_priors(kernel, alpha, rng.choice([1e-4, 0.1, 3.0]))
    words, draws_ = words_of(corpus), stream(seed)
    state = kernel.init(corpus, n_words, priors, draws_)
    for _ in range(40):
        assert faults(state, words, n_topics) == []
        kernel.sweep(corpus, state, priors, draws_)
    counts = kernel.read_counts(state)
    expected = np.zeros((n_words, priors.doc_topic.size), np.int32)
    np.add.at(expected, (words, state.z), 1)
    np.testing.assert_array_equal(counts.word_topic, expected)
    np.testing.assert_array_equal(counts.topic, expected.sum(0))
    assert counts.word_topic.dtype == counts.topic.dtype == np.int32


def sweep_often(kernel, corpus, n_words, n_topics, alpha, beta, seed=0):
    """Assert that the tables are right at the start and after each of 20 sweeps."""
    priors, rng = kernel_priors(kernel, np.full(n_topics, alpha), beta), stream(seed)
    state, words = kernel.init(corpus, n_words, priors, rng), words_of(corpus)
    for _ in range(20):
        assert faults(state, words, n_topics) == []
        kernel.sweep(corpus, state, priors, rng)
    assert faults(state, words, n_topics) == []


@pytest.mark.parametrize("n_topics", [1, 15, 16, 17, 40])
@pytest.mark.parametrize("kernel", KERNELS, ids=NAMES)
def test_lists_that_are_full(kernel, n_topics):
    corpus = tight_corpus()
    for most, alpha, beta in itertools.product((1, 2, 4, 6), (1e3, 1e-3), (10, 1e-3)):
        parts = cut_cells(corpus, most)
        sweep_often(kernel, parts, 9, n_topics, alpha, beta, seed=most)


@pytest.mark.parametrize("n_topics", [1, 3, 20])
@pytest.mark.parametrize("kernel", KERNELS, ids=NAMES)
def test_priors_and_counts_at_the_ends_of_their_range(kernel, n_topics):
    counts = np.array([[4, 3, 1], [2, 0, 3], [20_000, 4, 1]])
    corpus = cut_cells(corpus_of(counts), 4)
    ends = (1e-10, 1.0, 1e10)
    for alpha, beta in itertools.product(ends, ends):
        sweep_often(kernel, corpus, 3, n_topics, alpha, beta)


@pytest.mark.parametrize("factor", [0.0, 0.9, 1.1, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_no_rounding_error_breaks_a_state(name, factor):
    # Sums of float32 numbers are not quite the sums of the weights; then a draw may
    # point behind the last topic, or nowhere. Here sums are wrong by far more. So are
    # the draws, but each must still give a token one of the topics and leave the
    # tables right. An interpreted kernel does not bear an index that is too large.
    kernel = interpreted(name, lanes=2)
    kernel = any_groups(kernel) if name.startswith("grouped") else kernel
    errors = random.Random(0)
    sums = ("_weigh", "weigh", "topic_ratios", "value_listed")
    for part, function in itertools.product(kernel.parts, sums):
        if not hasattr(part, function):
            continue

        original = getattr(part, function)

        def wrong(*args, original=original):
            total, *place = np.atleast_1d(original(*args))
            total *= np.float64(errors.choice([factor, 1.0]))
            return (total, int(place[0])) if place else total

        setattr(part, function, wrong)
    for n_topics, alpha in itertools.product((1, 2, 3, 5, 8), (0.1, 30.0)):
        corpus = random_corpus(n_topics, n_docs=6, n_words=4)
        priors = kernel_priors(kernel, np.full(n_topics, alpha), 0.05)
        words, rng = words_of(corpus), kernel.stream(n_topics)
        state = kernel.init(corpus, 4, priors, rng)
        for _ in range(4):
            assert faults(state, words, n_topics) == []
            kernel.sweep(corpus, state, priors, rng)


@pytest.mark.parametrize("name", NAMES)
def test_sums_that_cancel_to_less_than_nothing(name):
    # Before its first token each topic has the ratio alpha / (V beta), here 5e8, and
    # after some tokens about 1: what is left of the sum is the rounding error of its
    # first value, negative in six of these eight cases, when the second word comes.
    kernel = interpreted(name)
    for seed in range(8):
        rng = random.Random(seed)
        alpha = [10 * rng.uniform(0.5, 1) for _ in range(5)]
        problem = Problem((((0, 300), (1, 1)),), 2, alpha, 1e-8)
        priors = kernel_priors(kernel, alpha, problem.beta)
        state = kernel.init(problem.corpus, 2, priors, kernel.stream(seed))
        assert faults(state, words_of(problem.corpus), 5) == []
