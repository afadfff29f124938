"""Data augmentation: its slices, and its kernel."""

import numpy as np
import pytest

from sklda import UncollapsedGibbsLDA
from sklda._core.problem import LANES, MAX_TOPICS, Corpus, Problem, padded
from sklda._core.threads import Threads
from sklda._gibbs import uncollapsed_sampler
from sklda._gibbs.kernels import uncollapsed
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import random_corpus
from tests.helpers.enumeration import RIGHT, chi_square_pvalue
from tests.helpers.mutants import streams


@pytest.mark.parametrize("n_docs", [1, 2, 30, 3000])
def test_slices(n_docs):
    corpus = random_corpus(0, n_docs, n_words=300)
    problem = Problem(corpus, 300, np.full(3, 0.3), 0.2)
    z = np.zeros(corpus.token_ptr[-1], np.uint16)
    tokens = corpus.token_ptr[corpus.doc_ptr]
    states = [
        uncollapsed_sampler.Uncollapsed(Threads(n_jobs)).from_topics(problem, z)
        for n_jobs in (1, 2, 5)
    ]
    for state, n_jobs in zip(states, (1, 2, 5), strict=True):
        for slices, size in (
            (state.word_slices, 300),
            (state.doc_slices, n_docs),
            (state.count_ranges, 300),
        ):
            edges = [first for first, _ in slices] + [slices[-1][1]]
            assert [last for _, last in slices] == edges[1:]
            assert (edges[0], edges[-1]) == (0, size)
            assert all(np.diff(edges) > 0)
        assert len(state.word_slices) == 3
        assert state.doc_slices == states[0].doc_slices
        assert len(state.count_ranges) == (n_jobs if tokens[-1] else 1)
    # About equal: as near as whole documents come to it.
    longest = np.diff(tokens).max()
    of_slices = [tokens[last] - tokens[first] for first, last in states[0].doc_slices]
    wanted = min(1 + tokens[-1] // 4096, 64)
    assert len(of_slices) == min(wanted, n_docs)
    assert max(of_slices) - min(of_slices) <= 2 * longest


def test_one_document_of_many_tokens_is_one_slice():
    X = np.array([[30_000, 20_000, 1]])
    one, two = (
        UncollapsedGibbsLDA(4, n_jobs=n, max_iter=3, random_state=0).fit(X)
        for n in (1, 2)
    )
    assert one.topic_assignments_.size == X.sum()
    assert_same_fit(one, two)


# --- the kernel ------------------------------------------------------------------


def test_rows_are_scaled():
    gammas = np.array([[1e-300, 2.0, 1e-40], [0, 0, 0], [3e10, 1e-250, 1]])
    factor = np.array([1.0, 0.25, 4.0])
    rows = np.zeros((3, LANES), np.float32)
    rows[:, 3:] = 7
    uncollapsed.scale(gammas, factor, rows)
    assert (rows[:, 3:] == 7).all()
    assert rows[0, :3].tolist() == [0, 2**50, 0]
    assert rows[1, :3].tolist() == [0, 0, 0]
    np.testing.assert_allclose(rows[2, :3], [2.0**50, 0, 2.0**50 * 4 / 3e10], 1e-6)


def test_no_product_is_too_small_or_too_large_for_float32():
    lowest, largest = np.float32([uncollapsed.LOWEST, uncollapsed.LARGEST])
    assert lowest * lowest >= np.finfo(np.float32).tiny
    assert np.isfinite(largest * largest * np.float32(MAX_TOPICS))
    # The weight of the present topic: among gammas up to 1e10 and counts up to 2**31
    # its own, of shape 1 or more, is less than 1e-9 once in 1e9 draws.
    assert lowest / largest < 1e-9 / 1e10 / 2**31


@pytest.mark.parametrize("n_topics", [1, 16, 40, 300])
def test_tokens_are_drawn_with_their_weights(n_topics):
    # 40,000 tokens of one cell, whatever their topic was.
    rng = np.random.default_rng(n_topics)
    theta, phi = np.zeros((2, 1, padded(n_topics)), np.float32)
    theta[:, :n_topics] = rng.gamma(0.5, size=n_topics)
    phi[:, :n_topics] = rng.gamma(0.5, size=n_topics)
    ptr, word = np.array([0, 1]), np.zeros(1, np.int32)
    weights = (theta * phi)[0].astype(float)
    for start in (0, n_topics // 2, n_topics - 1):
        z = np.full(40_000, start, np.uint16)
        corpus = Corpus(ptr, word, np.array([0, z.size]))
        uncollapsed.resample_topics(corpus, z, theta, phi, streams(start).kernel)
        seen = np.bincount(z, minlength=weights.size)
        assert seen[n_topics:].sum() == 0
        seen = np.append(seen, 0)
        assert chi_square_pvalue(seen, weights / weights.sum()) > RIGHT


def test_a_cell_without_weight_keeps_its_topics():
    theta, phi = np.zeros((2, 1, LANES), np.float32)
    z, ptr = np.array([2, 1, 0], np.uint16), np.array([0, 1])
    corpus = Corpus(ptr, np.zeros(1, np.int32), np.array([0, 3]))
    uncollapsed.resample_topics(corpus, z, theta, phi, streams(0).kernel)
    assert z.tolist() == [2, 1, 0]
