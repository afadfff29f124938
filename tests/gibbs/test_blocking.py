"""CollapsedGibbsLDA with blocks of tokens: parameters, results, how it repeats."""

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit

X = make_lda_corpus(25, 10, 3, document_length=60, random_state=0)[0]
KINDS = [("nested", 4), ("nested", None), ("backward", 3), ("backward", None)]
kinds = pytest.mark.parametrize(("blocking", "most"), KINDS)


def make(blocking, most, **params):
    params = {"n_components": 3, "max_iter": 12, "random_state": 0, **params}
    return CollapsedGibbsLDA(blocking=blocking, max_block_size=most, **params)


@kinds
def test_a_fit_finds_topics_that_explain_the_words(blocking, most):
    model = make(blocking, most, max_iter=60).fit(X)
    alone = make(None, 4, max_iter=60).fit(X)
    # Chains of one posterior: their traces end at about the same height.
    ends = [m.log_joint_[-3:].mean() / X.sum() for m in (model, alone)]
    assert ends[0] == pytest.approx(ends[1], abs=0.05)
    assert model.perplexity(X) == pytest.approx(alone.perplexity(X), rel=0.05)


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


def test_blocks_are_over_lists_whatever_the_sampler():
    fits = [make("nested", 4, sampler=one).fit(X) for one in ("dense", "sparse")]
    assert_same_fit(*fits)


def test_both_kinds_draw_blocks_of_up_to_four_tokens_alike():
    assert_same_fit(make("nested", 4).fit(X), make("backward", 4).fit(X))
    one, other = make("nested", 5).fit(X), make("backward", 5).fit(X)
    assert (one.topic_assignments_ != other.topic_assignments_).any()


def test_without_blocking_the_block_size_means_nothing():
    assert_same_fit(make(None, 4).fit(X), make(None, None).fit(X))


@pytest.mark.slow
@pytest.mark.parametrize("blocking", ["nested", "backward"])
def test_one_document_of_few_words_and_many_tokens(blocking):
    counts = np.array([[3000, 1500, 500]])
    model = make(blocking, None, max_iter=4, burn_in=3).fit(counts)
    np.testing.assert_allclose(model.components_.sum(axis=0), counts[0] + 1)
    assert model.topic_assignments_.size == 5000
    assert model.topic_assignments_.max() < 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The topic proportions of")  # with so small an alpha
@pytest.mark.parametrize("prior", [1e-10, 1e10])
@pytest.mark.parametrize("n_topics", [1, 3, 20])
@kinds
def test_priors_at_the_ends_of_their_range(blocking, most, n_topics, prior):
    for params in ({"doc_topic_prior": prior}, {"topic_word_prior": prior}):
        model = make(blocking, most, n_components=n_topics, **params).fit(X)
        assert model.topic_assignments_.max() < n_topics
        assert np.isfinite(model.log_joint_).all()
        assert np.isfinite(model.score(X))
