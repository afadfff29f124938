"""Diversity and exclusivity of the top words of topics, by hand."""

import tracemalloc

import numpy as np
import pandas
import pytest

from sklda.metrics import topic_diversity, topic_exclusivity

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


@pytest.mark.parametrize("function", [topic_diversity, topic_exclusivity])
def test_weights_do_not_become_objects(function):
    """A number is 8 bytes in an array, and 32 in a list."""
    weights = np.random.default_rng(0).gamma(0.1, size=(40, 20_000))
    tracemalloc.start()
    try:
        function(weights)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * weights.nbytes


def test_weight_is_of_frex_alone():
    with pytest.raises(ValueError, match=r"weight has no effect for .*'exclusivity'"):
        topic_exclusivity(TOPICS, n_words=2, weight=0.5)


def test_diversity_by_hand():
    assert topic_diversity([[3, 2, 1, 0], [0, 1, 2, 3]], n_words=2) == 1.0
    assert topic_diversity([[3, 2, 1, 0], [3, 1, 2, 0]], n_words=2) == 0.75
    assert topic_diversity([[3, 2, 1, 0]] * 4, n_words=3) == 0.25
    assert topic_diversity([[1, 2, 3]], n_words=3) == 1.0


def test_first_of_equal_words_counts():
    assert topic_diversity([[1, 1, 1, 0], [0, 0, 1, 1]], n_words=2) == 1.0
    assert topic_diversity([[1, 1, 1, 0], [1, 0, 0, 0]], n_words=2) == 0.5


def test_diversity_of_lists_of_words():
    lists = [["new york", "cat", "dog"], ["cat", "moon", "dog"]]
    for topics in (lists, np.array(lists), pandas.DataFrame(lists)):
        assert topic_diversity(topics, n_words=2) == 3 / 4
        assert topic_diversity(topics, n_words=3) == 4 / 6
