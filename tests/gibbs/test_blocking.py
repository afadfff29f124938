"""CollapsedGibbsLDA with blocks of tokens: parameters, results, how it repeats."""

import pytest

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit

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


def test_without_blocking_the_block_size_means_nothing():
    assert_same_fit(make(None, 4).fit(X), make(None, None).fit(X))
