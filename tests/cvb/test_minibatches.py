"""CVBLDA.partial_fit: minibatches, their steps, and what becomes of a fit."""

import numpy as np
import pytest

from tests.cvb.test_cvb import X, make
from tests.helpers.comparison import assert_same_fit, fitted


def test_minibatches():
    params = {"total_samples": 80, "learning_offset": 2.0}
    a, b = (make(**params) for _ in range(2))
    scores = []
    for i in range(40):
        part = X[20 * (i % 4) : 20 * (i % 4) + 20]
        assert a.partial_fit(part) is a
        b.partial_fit(part)
        scores.append(a.score(X))
    assert_same_fit(a, b)
    assert a.n_batch_iter_ == 40
    # A model that knows the frequencies of the words, and nothing of topics.
    frequencies = X.toarray().sum(axis=0)
    unigram = frequencies @ np.log(frequencies / frequencies.sum()) / X.sum()
    assert scores[-1] > scores[0] + 0.05
    assert scores[-1] > unigram + 0.05
    assert scores[-1] > make(max_iter=60).fit(X).score(X) - 0.15
    # All minibatches are of one size, so the total is that of the corpus.
    total = (a.components_ - a.topic_word_prior_).sum()
    assert total == pytest.approx(X.sum(), rel=0.05)
    other = make(random_state=1, **params).partial_fit(X[:20])
    assert abs(other.components_ - make(**params).partial_fit(X[:20]).components_).any()


def test_step_of_a_minibatch():
    # N <- (1 - r) N + r S, S of the minibatch times total / batch.
    model = make(total_samples=800, learning_decay=0.6, learning_offset=3)
    model.partial_fit(X)
    before = model.components_ - 0.25
    model.partial_fit(X[:40])
    step = (3 + 2) ** -0.6
    change = (model.components_ - 0.25) - (1 - step) * before
    expected = step * 20 * X[:40].toarray().sum(axis=0)
    np.testing.assert_allclose(change.sum(axis=0), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("offset", [0, 10])
def test_an_empty_minibatch_moves_nothing(offset):
    model = make(learning_offset=offset).partial_fit(np.zeros((3, 30)))
    start = model.components_
    assert len(np.unique(start, axis=0)) == len(start)  # equal topics remain equal
    np.testing.assert_array_equal(
        model.partial_fit(np.zeros((2, 30))).components_, start
    )
    for _ in range(40):
        model.partial_fit(X)
    assert model.score(X) > make(max_iter=60).fit(X).score(X) - 0.15


def test_another_number_of_topics_is_refused():
    model = make().partial_fit(X)
    before = fitted(model)
    with pytest.raises(
        ValueError, match=r"n_components=7, but.* continues 4 topics: re"
    ):
        model.set_params(n_components=7).partial_fit(X)
    assert fitted(model) == before


def test_the_largest_corpus():
    model = make(total_samples=1e12, learning_offset=0).partial_fit(X)
    assert np.isfinite(model.partial_fit(X).components_).all()
    assert (model.components_ - 0.25).sum() == pytest.approx(1e12 / 80 * X.sum())
    assert np.isfinite(model.score(X))


def test_partial_fit_goes_on_from_fit_and_fit_starts_anew():
    model = make(total_samples=80, learning_offset=100).fit(X)
    score = model.score(X)
    model.partial_fit(X)
    assert model.score(X) == pytest.approx(score, abs=0.05)
    assert model.n_batch_iter_ == 1
    for name in ("doc_topic_", "bound_", "bound_iter_", "n_iter_"):
        assert not hasattr(model, name)
    model.fit(X)
    assert not hasattr(model, "n_batch_iter_")
    assert_same_fit(model, make().fit(X))
