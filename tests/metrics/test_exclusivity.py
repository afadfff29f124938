"""Exclusivity of the top words of topics: by hand, and beside top_words."""

import numpy as np
import pytest

from sklda.metrics import topic_exclusivity

TOPICS = [[6.0, 4, 0, 0], [0, 0.4, 0.3, 0.3]]


def test_exclusivity_by_hand():
    found = topic_exclusivity(TOPICS, n_words=2)
    np.testing.assert_allclose(found, [(1 + 0.5) / 2, (0.5 + 1) / 2])
    np.testing.assert_allclose(topic_exclusivity(TOPICS, n_words=1), [1, 0.5])
    np.testing.assert_allclose(topic_exclusivity([[1, 2, 3]] * 4, n_words=3), 0.25)
    np.testing.assert_allclose(topic_exclusivity(np.eye(3), n_words=1), 1)


@pytest.mark.parametrize("weight", [None, 0, 0.3, 1])
def test_frex_by_hand(weight):
    found = topic_exclusivity(TOPICS, "frex", n_words=2, weight=weight)
    # Quantiles of frequency and exclusivity of the two top words of each topic.
    frequency = np.array([[1, 0.75], [1, 0.75]])
    exclusive = np.array([[1, 0.75], [0.5, 1]])
    w = 0.5 if weight is None else weight
    expected = 1 / (w / exclusive + (1 - w) / frequency)
    np.testing.assert_allclose(found, expected.mean(axis=1))


def test_planted_anchor_words_are_exclusive():
    rng = np.random.default_rng(0)
    shared = np.tile(rng.random(20), (4, 1))
    anchored = np.hstack([shared, np.kron(np.eye(4), np.full(5, 3.0))])
    for measure in ("exclusivity", "frex"):
        low = topic_exclusivity(shared, measure, 5)
        high = topic_exclusivity(anchored, measure, 5)
        assert high.min() > low.max()


def test_weight_is_of_frex_alone():
    with pytest.raises(ValueError, match=r"weight has no effect for .*'exclusivity'"):
        topic_exclusivity(TOPICS, n_words=2, weight=0.5)
    with pytest.raises(ValueError, match=r"all weights of topic 1 are 0.*\(1 of 2\)"):
        topic_exclusivity([[1, 2], [0, 0]], n_words=2)
