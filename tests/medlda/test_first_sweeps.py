"""Starts of supervised chains: labels stay with their documents, topics are used."""

import numpy as np
import pytest

from sklda import MedLDARegressor
from sklda._engine import start
from sklda._medlda.sampler import MaxMargin
from tests.helpers.comparison import assert_same_fit
from tests.helpers.supervised import INDICATORS, MAIN, THETA, TRAIN, X, fit

WAYS = {
    "classes": (MAIN, {}),
    "labels": (INDICATORS, {}),
    "shards": (MAIN, {"n_shards": 3}),
    "one-vs-rest": (MAIN, {"multi_class": "ovr"}),
    "numbers": (THETA[:, 0], {"cls": MedLDARegressor}),
}
ways = pytest.mark.parametrize("way", WAYS)


@pytest.fixture
def short_stages(monkeypatch):
    monkeypatch.setattr(start, "STAGES", ((0.2, 3), (0.5, 2)))


@ways
@pytest.mark.usefixtures("short_stages")
def test_parts_have_the_labels_of_their_documents(way, monkeypatch):
    y, params = WAYS[way]
    y = y[TRAIN]
    # The number of tokens of the last word is that of the document.
    counts = np.column_stack([X[TRAIN], 1 + np.arange(len(y))])
    seen, from_topics = [], MaxMargin.from_topics

    def noting(self, problem, z):
        seen.append((problem, self.targets))
        return from_topics(self, problem, z)

    monkeypatch.setattr(MaxMargin, "from_topics", noting)
    fit(y, counts, init="subsample", max_iter=2, **params)
    n_chains = 4 if way == "one-vs-rest" else 1
    assert len(seen) == 3 * n_chains
    for chain in range(n_chains):
        *parts, (_, targets) = seen[3 * chain : 3 * chain + 3]
        for share, (problem, part_targets) in zip((0.2, 0.5), parts, strict=True):
            n_tokens = np.diff(problem.corpus.token_ptr)
            documents = n_tokens[problem.corpus.word == counts.shape[1] - 1] - 1
            assert documents.size == share * len(y)
            np.testing.assert_array_equal(part_targets, targets[documents])


@pytest.mark.usefixtures("short_stages")
def test_parts_hand_on_their_weights(monkeypatch):
    seen, from_topics = [], MaxMargin.from_topics

    def noting(self, problem, z):
        state = from_topics(self, problem, z)
        seen.append((state.weights.copy(), state.scores.copy()))
        return state

    monkeypatch.setattr(MaxMargin, "from_topics", noting)
    fit(init="subsample", max_iter=2)
    (first, _), (second, scores), (third, _) = seen
    assert (first == 0).all()
    assert np.unique(second).size == second.size  # all were drawn
    assert (third != second).all()
    assert np.unique(scores).size > 0.9 * scores.size


def test_a_chain_may_begin_where_another_has_ended():
    model = fit()
    begun, random = (fit(init=i, max_iter=1) for i in (model, "random"))
    assert begun.loss_[0] < 0.5 * random.loss_[0]
    assert_same_fit(fit(init=model.components_, max_iter=1), begun)
