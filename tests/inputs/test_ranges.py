"""Items in ranges of equal weight, and cells that are split."""

import numpy as np
import pytest

from sklda._data.corpus import ranges, split_cells
from tests.helpers.corpora import docs_of, random_corpus, words_of


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [1, 2, 3, 8, 50, 10**12])
def test_ranges(seed, n):
    rng = np.random.default_rng(seed)
    for size in (1, 2, 7, 40):
        weights = rng.poisson(3, size) * rng.choice([0, 1, 20], size)
        before = np.append(0, np.cumsum(weights))
        found = list(ranges(before, n))
        assert 1 <= len(found) <= min(n, size)
        assert all(first < last for first, last in found)
        edges = [0, *(last for _, last in found)]
        assert [first for first, _ in found] == edges[:-1]
        assert edges[-1] == size
        # A range ends at the item that reaches its part, so it has at most one more.
        heaviest = max(before[last] - before[first] for first, last in found)
        share = before[-1] / min(n, size + 1)
        assert heaviest <= share + weights.max()


@pytest.mark.parametrize("most", [1, 2, 3, 4, 7, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_split_cells(seed, most):
    corpus = random_corpus(seed, mean=1.5)
    other = split_cells(corpus, most)
    counts, pieces = np.diff(corpus.token_ptr), np.diff(other.token_ptr)
    assert pieces.min() > 0
    assert pieces.max() <= most
    # As few pieces as can be, and tokens of the same words and documents in one order.
    assert pieces.size == -(-counts // most).sum()
    np.testing.assert_array_equal(words_of(other), words_of(corpus))
    np.testing.assert_array_equal(docs_of(other), docs_of(corpus))
    for array, same in zip(other, corpus, strict=True):
        assert array.dtype == same.dtype
        assert array.flags.c_contiguous
        if most >= counts.max():
            np.testing.assert_array_equal(array, same)
