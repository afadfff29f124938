"""Items cut into parts of near-equal weight, and corpora of some documents."""

import numpy as np
import pytest

from sklda._core.corpus import parts, some_documents
from tests.helpers.corpora import random_corpus


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_parts", [1, 2, 3, 8, 50, 10**12])
def test_parts(seed, n_parts):
    rng = np.random.default_rng(seed)
    for size in (1, 2, 7, 40):
        weights = rng.poisson(3, size) * rng.choice([0, 1, 20], size)
        before = np.append(0, np.cumsum(weights))
        found = list(parts(before, n_parts))
        assert 1 <= len(found) <= min(n_parts, size)
        assert all(first < last for first, last in found)
        edges = [0, *(last for _, last in found)]
        assert [first for first, _ in found] == edges[:-1]
        assert edges[-1] == size
        # A part ends at the item that reaches its share, so it has at most one more.
        heaviest = max(before[last] - before[first] for first, last in found)
        share = before[-1] / min(n_parts, size + 1)
        assert heaviest <= share + weights.max()


def test_some_documents():
    corpus = random_corpus(3, n_docs=9, n_words=5)
    for first, last in [(0, 9), (0, 1), (4, 5), (2, 8), (8, 9)]:
        some = some_documents(corpus, first, last)
        assert some.doc_ptr.size == last - first + 1
        assert some.doc_ptr[0] == 0
        assert some.word.size == some.token_ptr.size - 1 == some.doc_ptr[-1]
        for array, whole in zip(some, corpus, strict=True):
            assert array.dtype == whole.dtype
            assert array.flags.c_contiguous
        for d in range(first, last):
            a, b = corpus.doc_ptr[d : d + 2]
            i, j = some.doc_ptr[d - first : d - first + 2]
            np.testing.assert_array_equal(some.word[i:j], corpus.word[a:b])
            tokens = corpus.token_ptr[a : b + 1]  # with the numbers that they had
            np.testing.assert_array_equal(some.token_ptr[i : j + 1], tokens)
