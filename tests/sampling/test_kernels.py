"""Samplers beside what Python makes of them, and their tables after many sweeps."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest

from sklda._data.corpus import split_cells
from sklda._engine import kept_samples
from sklda._engine.chain import log_doc_likelihood
from sklda._sampling import doc_topic_counts
from sklda._sampling.problem import LANES, Problem
from sklda._sampling.random_streams import random_topics
from sklda._tables import lists
from tests.helpers import corpora
from tests.helpers.enumeration import faults, streams_of
from tests.helpers.mutants import streams
from tests.helpers.samplers import GROUPS, SAMPLERS
from tests.helpers.selection import fast_and_slow

KNOWN = SAMPLERS | GROUPS
KERNELS = ["lists", "small blocks", "nested", "backward", "uncollapsed", *GROUPS]
IN_LISTS = [
    *("lists", "nested", "backward", "small blocks", "pairs"),
    *("shortcut", "dynamic", *GROUPS),
]
SUMS_OF_BLOCKS = ("combined", "moved", "normaliser")
each = pytest.mark.parametrize("name", KNOWN)


@pytest.mark.parametrize("n_small", [1, 2, 256])
@pytest.mark.parametrize("at_a_time", [1, 7, 2**24])
def test_statistics_of_documents(at_a_time, n_small, monkeypatch):
    corpus, doc_topic = corpora.random_corpus(2), np.zeros((12, 4), int)
    docs = corpora.docs_of(corpus)
    z = np.random.default_rng(2).integers(4, size=docs.size).astype(np.uint16)
    np.add.at(doc_topic, (docs, z), 1)
    total = np.ones(doc_topic.shape)
    doc_topic_counts.add_doc_topic(corpus, z, total)
    np.testing.assert_array_equal(total, doc_topic + 1)
    # With alpha of each document, it is read a few documents at a time.
    problem = Problem(corpus, 9, np.full(4, 0.3), 0.1)
    alphas, row = np.full((1, 4), 0.3), np.zeros(len(doc_topic), np.int32)
    of_each = problem._replace(doc_topic_prior=alphas, prior_row=row)
    whole = log_doc_likelihood(problem, z)
    monkeypatch.setattr(kept_samples, "_CHUNK_TOKENS", at_a_time)
    monkeypatch.setattr(doc_topic_counts, "CHUNK_CELLS", at_a_time)
    monkeypatch.setattr(doc_topic_counts, "_SMALL", n_small)
    table = lists.counts(problem, lists.from_topics(problem, z)).word_topic
    of_all_words = np.unique(table[:], return_counts=True)
    for source in (table, table[:]):
        histogram = doc_topic_counts.word_topic_histogram(source)
        np.testing.assert_array_equal(histogram, of_all_words)
    histogram = doc_topic_counts.doc_topic_histogram(corpus, z, LANES)
    assert (np.diff(histogram[0]) > 0).all()
    found = zip(*doc_topic_counts.unpacked(histogram), strict=True)
    pairs = Counter((k, n) for row in doc_topic for k, n in enumerate(row) if n > 0)
    assert {(k, n): times for k, n, times in found} == pairs
    for same in (problem, of_each):
        assert log_doc_likelihood(same, z) == pytest.approx(whole, rel=1e-12)


def flat(state):
    """Return all arrays of a state."""
    if isinstance(state, np.ndarray):
        return [state]
    parts = state if isinstance(state, tuple | list) else ()
    return [array for part in parts for array in flat(part)]


@pytest.mark.parametrize("n_topics", [1, 3, 20, 40])
@each
def test_compiled_and_interpreted_chains_are_the_same(name, n_topics):
    corpus = corpora.random_corpus(5, n_docs=12, n_words=6)
    alpha = np.random.default_rng(0).uniform(0.05, 1, n_topics)
    chains = []
    plain, _ = KNOWN[name].plain(compiled_draws=True)
    for sampler in (KNOWN[name].compiled(), plain):
        problem = getattr(sampler, "Problem", Problem)(corpus, 6, alpha, 0.3)
        rng, states = streams(n_topics), []
        z = random_topics(corpus.token_ptr[-1], n_topics, rng.kernel)
        state = sampler.from_topics(problem, z)
        for _ in range(5):
            states.append([array.copy() for array in flat(state)])
            sampler.sweep(problem, state, rng)
        chains.append([*states, [rng.kernel]])
        assert n_topics == 1 or np.unique(state.z).size > 1
    for arrays, sames in zip(*chains, strict=True):
        for array, same in zip(arrays, sames, strict=True):
            np.testing.assert_array_equal(array, same)
            assert array.dtype == same.dtype


def sweep_often(sampler, corpus, n_words, alpha, beta, seed=0, n_sweeps=20):
    """Assert that the tables are right at the start and after each sweep."""
    cls, rng = getattr(sampler, "Problem", Problem), streams_of(sampler, seed)
    problem, words = cls(corpus, n_words, alpha, beta), corpora.words_of(corpus)
    z = np.random.default_rng(seed).integers(alpha.size, size=words.size)
    state = sampler.from_topics(problem, z.astype(np.uint16))
    for _ in range(n_sweeps):
        assert faults(state, words, alpha.size) == []
        sampler.sweep(problem, state, rng)
    assert faults(state, words, alpha.size) == []


@pytest.mark.parametrize("n_topics", fast_and_slow([17], [1, 15, 16, 40]))
@pytest.mark.parametrize(
    "name", fast_and_slow(IN_LISTS, sorted(KNOWN.keys() - {*IN_LISTS}))
)
def test_lists_that_are_full(name, n_topics):
    sampler, corpus = KNOWN[name].compiled(), corpora.tight_corpus()
    for most, alpha, beta in itertools.product((1, 2, 4, 6), (1e3, 1e-3), (10, 1e-3)):
        alphas = np.full(n_topics, alpha)
        sweep_often(sampler, split_cells(corpus, most), 9, alphas, beta, seed=most)


@pytest.mark.parametrize("n_topics", fast_and_slow([20], [1, 3]))
@each
def test_priors_and_counts_at_the_ends_of_their_range(name, n_topics):
    counts = np.array([[4, 3, 1], [2, 0, 3], [20_000, 4, 1]])
    sampler, corpus = KNOWN[name].compiled(), split_cells(corpora.corpus_of(counts), 4)
    ends = (1e-10, 1.0, 1e10)
    for alpha, beta in itertools.product(ends, ends):
        sweep_often(sampler, corpus, 3, np.full(n_topics, alpha), beta, n_sweeps=5)


@pytest.mark.parametrize("factor", [0.0, 0.9, 1.1, 3.0])
@pytest.mark.parametrize("name", KERNELS)
def test_no_rounding_error_breaks_a_state(name, factor):
    # Sums of float32 numbers are not quite the sums of the weights; then a draw may
    # point behind the last topic, or nowhere. Here sums are wrong by far more. So are
    # the draws, but each must still give a token one of the topics and leave the
    # tables right. An interpreted kernel does not bear an index that is too large.
    sampler, modules = KNOWN[name].plain(lanes=2, compiled_draws=True)
    errors, spoilt = random.Random(0), 0
    sums = "_weigh", "weigh_row", "weigh_list", "update_ratios", *SUMS_OF_BLOCKS
    for module, function in itertools.product(modules.values(), sums):
        if not hasattr(module, function):
            continue

        original = getattr(module, function)

        def wrong(*args, original=original):
            found = original(*args)
            total, *others = found if isinstance(found, tuple) else (found,)
            total *= np.float64(errors.choice([factor, 1.0]))
            return (total, *others) if others else total

        setattr(module, function, wrong)
        spoilt += 1
    assert spoilt > 0
    for n_topics, alpha in itertools.product((1, 2, 3, 5, 8), (0.1, 30.0)):
        corpus = corpora.random_corpus(n_topics, n_docs=6, n_words=4)
        alphas = np.full(n_topics, alpha)
        sweep_often(sampler, corpus, 4, alphas, 0.05, n_topics, n_sweeps=4)


@each
def test_sums_that_cancel_to_less_than_nothing(name):
    # A topic without tokens has the ratio alpha / (V beta), here up to 5e8, one with
    # tokens about 1: what is left of the sum when the empty topics change is the
    # rounding error of what it was, and may well be negative.
    sampler = KNOWN[name].compiled()
    for seed in range(8):
        alpha = 10 * np.random.default_rng(seed).uniform(0.5, 1, 5)
        corpus = corpora.corpus_of(np.array([[300, 1]]))
        sweep_often(sampler, corpus, 2, alpha, 1e-8, seed)
