"""Diversity of the top words of topics, by hand."""

from sklda.metrics import topic_diversity


def test_diversity_by_hand():
    assert topic_diversity([[3, 2, 1, 0], [0, 1, 2, 3]], n_words=2) == 1.0
    assert topic_diversity([[3, 2, 1, 0], [3, 1, 2, 0]], n_words=2) == 0.75
    assert topic_diversity([[3, 2, 1, 0]] * 4, n_words=3) == 0.25
    assert topic_diversity([[1, 2, 3]], n_words=3) == 1.0


def test_first_of_equal_words_counts():
    assert topic_diversity([[1, 1, 1, 1], [0, 0, 1, 1]], n_words=2) == 1.0
    assert topic_diversity([[1, 1, 1, 1], [1, 0, 0, 0]], n_words=2) == 0.5
