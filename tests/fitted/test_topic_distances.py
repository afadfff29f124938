"""Distances between topics, compared with those of SciPy."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sklda._fitted import topic_words

ROWS = np.array([[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0]])


def test_top_words_by_hand():
    topics = np.array(
        [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.3, 0.2]]
    )
    found = topic_words.topic_distances(topics, topics[:2], "top-words", 2)
    np.testing.assert_allclose(found, [[0, 1], [1, 0], [0.5, 0.5]])


def test_distances_are_those_of_scipy():
    rng = np.random.default_rng(0)
    random = [rng.dirichlet(np.full(4, 0.3), n) for n in (8, 5)]
    for topics, others in (random, [random[0]] * 2, (ROWS, ROWS[:3]), (ROWS, ROWS)):
        expected = cdist(topics, others, "jensenshannon") / np.sqrt(np.log(2))
        found = topic_words.jensen_shannon_distances(topics, others)
        np.testing.assert_allclose(found, expected, atol=1e-12)
        expected = cdist(np.sqrt(topics), np.sqrt(others)) / np.sqrt(2)
        found = topic_words.topic_distances(topics, others, "hellinger", 1)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("distance", ["hellinger", "jensen-shannon", "top-words"])
def test_ranges(distance):
    topics = np.random.default_rng(0).dirichlet(np.full(1000, 0.01), 30)
    found = topic_words.topic_distances(topics, topics, distance, 10)
    np.testing.assert_array_equal(np.diag(found), 0)
    assert found.min() >= 0
    assert found.max() <= 1
