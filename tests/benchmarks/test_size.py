"""Large corpora and their files; speed and memory against size."""

import time

import numpy as np
import pytest
from scipy import stats

from benchmarks import large, size
from benchmarks.programs.large import KEPT, Sklda, read_array, read_mapped

N_FORMS = 5  # of each of the 25 words of `counts`


@pytest.fixture
def real(counts):
    """Return a small corpus as if it were real, and topics of its tokens."""
    z = np.random.default_rng(0).choice(3, int(counts.sum()), p=[0.6, 0.3, 0.1])
    return counts, z.astype(np.uint16)


def draw(real, n_tokens, n_words=25 * N_FORMS):
    """Return the counts and topics of one block."""
    ((X, z),) = large.draw_corpus(*real, n_tokens, n_words)
    return X, z


def test_blocks_do_not_depend_on_the_size_of_the_corpus(real, monkeypatch, tmp_path):
    monkeypatch.setattr(large, "BLOCK", 5000)
    blocks, more = (list(large.draw_corpus(*real, n, 73)) for n in (12_000, 50_000))
    assert [X.sum() for X, _ in blocks] == [5000, 5000, 2000]
    assert all(X.has_canonical_format and X.shape[1] == 73 for X, _ in blocks)
    for (X, z), (other, other_z) in zip(blocks[:2], more[:2], strict=True):
        assert (X != other).nnz == 0
        assert np.array_equal(z, other_z)
    # Their files hold the same matrix.
    large.write(blocks, 73, tmp_path / "X")
    X = read_mapped(tmp_path / "X")
    assert X.shape == (60, 73)
    assert np.array_equal(X.toarray(), np.vstack([X.toarray() for X, _ in blocks]))
    topics = np.concatenate([z for _, z in blocks])
    assert np.array_equal(read_array(tmp_path / "X", "z"), topics)


def test_words_of_a_topic_have_the_planted_distribution(real, monkeypatch):
    monkeypatch.setattr(large, "REPEATED", 0.0)  # so that words are independent
    monkeypatch.setattr(large, "_draw", large._draw.py_func)
    counts, topics = real
    words = np.repeat(counts.indices, counts.data)
    ranks = np.log(1 + 1 / np.arange(1, N_FORMS + 1)) / np.log(N_FORMS + 1)
    X, z = draw(real, 100_000)
    drawn = np.repeat(X.indices, X.data)
    for k in range(3):
        phi = np.bincount(words[topics == k], minlength=25) / (topics == k).sum()
        turned = [np.roll(ranks, large.shift(k, w, N_FORMS)) for w in range(25)]
        forms = (1 - large.REORDERED) * ranks + large.REORDERED * np.array(turned)
        found = np.bincount(drawn[z == k], minlength=X.shape[1])
        expected = (phi[:, np.newaxis] * forms).ravel() * found.sum()
        assert stats.chisquare(found, expected).pvalue > 1e-3  # three seeded cases


def test_memory_is_that_of_a_process_at_its_peak(monkeypatch):
    values, times = iter([10, 30, 20, 50]), iter([1.0, 2.0, 3.0])
    monkeypatch.setattr(size, "private_bytes", lambda process: next(values))
    monkeypatch.setattr(size.time, "time", lambda: next(times))
    memory = size.Memory(7)
    for _ in range(3):
        memory.look()
    assert [memory.peak(end) for end in (0.5, 1, 2.5, 3)] == [10, 30, 30, 50]


def test_programs_are_timed_at_steady_state(real, tmp_path):
    folder = tmp_path / "corpus"
    large.write(large.draw_corpus(*real, 3000, 40), 40, folder)
    program = Sklda(folder, 3, 1, "planted")
    assert np.array_equal(program.model.z, read_array(folder, "z"))
    seconds, end = program.steady(2, 3, np.inf)
    assert len(seconds) == 3
    assert end <= time.time()
    assert 0 < program.moved() < 1
    assert program.model.sums()[2] == KEPT
    assert program.model.n_sweeps == 5 + KEPT + 1
    assert len(program.steady(5, 5, 0.0)[0]) == 1  # slower than the limit
