"""The blocks of a corpus, and fits with them."""

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda._gibbs.collapsed import make_blocks
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit
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


# --- fits ------------------------------------------------------------------------

X = make_lda_corpus(25, 10, 3, document_length=60, random_state=0)[0]


def make(blocking, most, **params):
    params = {"n_components": 3, "max_iter": 12, "random_state": 0, **params}
    return CollapsedGibbsLDA(blocking=blocking, max_block_size=most, **params)


@pytest.mark.parametrize("blocking", ["nested", "backward"])
def test_blocks_without_limit_are_those_of_the_largest_cell(blocking):
    largest = int(X.max())
    assert largest > 4
    model = make(blocking, None).fit(X)
    for most in (largest, largest + 1, 10**6, 2**80):
        assert_same_fit(model, make(blocking, most).fit(X))
    for most in (1, 4):
        other = make(blocking, most).fit(X)
        assert (other.topic_assignments_ != model.topic_assignments_).any()


def test_both_kinds_draw_blocks_of_up_to_four_tokens_alike():
    assert_same_fit(make("nested", 4).fit(X), make("backward", 4).fit(X))
    nested, backward = make("nested", 5).fit(X), make("backward", 5).fit(X)
    assert (nested.topic_assignments_ != backward.topic_assignments_).any()
