"""The blocks of a corpus: cells, or pieces of them, in the order of a sweep."""

import numpy as np
import pytest

from sklda._gibbs.collapsed_samplers import make_blocks
from tests.helpers.corpora import corpus_of, words_of

COUNTS = np.array([[1, 5, 2, 0, 1, 9], [0] * 6, [1, 0, 0, 1, 1, 0], [4, 4, 4, 2, 3, 4]])


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 100])
def test_blocks_hold_each_token_once_in_order(most):
    corpus = corpus_of(COUNTS)
    blocks = make_blocks(corpus, most)
    words, taken = words_of(corpus), []
    np.testing.assert_array_equal(np.diff(blocks.token_ptr), COUNTS.sum(1))
    for d, row in enumerate(COUNTS):
        begin, end = blocks.doc_ptr[d : d + 2]
        middle = blocks.single_ptr[d]
        size, word = blocks.size.tolist(), blocks.word.tolist()
        # Cells by their largest piece; single tokens last, also those left of a cell.
        for singles, part in enumerate([slice(begin, middle), slice(middle, end)]):
            largest = [min(row[w], most) for w in word[part]]
            assert largest == sorted(largest, reverse=True)
            assert all((n == 1) == singles for n in size[part])
        for w in np.flatnonzero(row):
            cells = [c for c in range(begin, end) if word[c] == w]
            pieces = [size[c] for c in cells]
            assert sum(pieces) == row[w]
            assert pieces[:-1] == [most] * (len(pieces) - 1)
            # Those of several tokens are neighbours: what they weigh is kept.
            several = [c for c in cells if c < middle]
            assert several == list(range(min(cells), min(cells) + len(several)))
        for c in range(begin, end):
            tokens = range(blocks.first[c], blocks.first[c] + size[c])
            assert set(words[tokens]) == {word[c]}
            assert (
                blocks.token_ptr[d] <= tokens[0] <= tokens[-1] < blocks.token_ptr[d + 1]
            )
            taken += tokens
    assert sorted(taken) == list(range(corpus.token_ptr[-1]))


def test_blocks_of_each_cell_have_their_own_limit():
    corpus = corpus_of(np.array([[5, 3, 1], [6, 2, 2]]))
    blocks = make_blocks(corpus, np.array([2, 3, 3, 6, 1, 2]))
    assert blocks.word.tolist() == [1, 0, 0, 0, 2, 0, 2, 1, 1]
    assert blocks.size.tolist() == [3, 2, 2, 1, 1, 6, 2, 1, 1]
    assert blocks.doc_ptr.tolist() == [0, 5, 9]
    assert blocks.single_ptr.tolist() == [3, 7]
