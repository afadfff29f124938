"""Alignment and stability: by hand, by search, and on planted topics."""

from itertools import permutations

import numpy as np
import pytest

from sklda.metrics import align_topics, topic_stability

DISTANCES = ["hellinger", "jensen-shannon", "top-words"]


@pytest.fixture(scope="module")
def topics():
    return np.random.default_rng(0).dirichlet(np.full(40, 0.2), 6)


@pytest.mark.parametrize("distance", DISTANCES)
def test_sum_of_distances_is_the_smallest(distance):
    rng = np.random.default_rng(1)
    models = rng.dirichlet(np.full(15, 0.5), (2, 5))
    (found,) = align_topics(models[0], [models[1]], distance, **words_for(distance))
    matrix = found.distance_matrix
    sums = [matrix[range(5), list(p)].sum() for p in permutations(range(5))]
    np.testing.assert_allclose(found.distances.sum(), min(sums))
    np.testing.assert_array_equal(found.distances, matrix[range(5), found.partners])


def words_for(distance):
    return {"n_words": 4} if distance == "top-words" else {}


def test_models_of_different_numbers_of_topics(topics):
    first, second = topics[:2]
    blend = 0.6 * first + 0.4 * second
    (found,) = align_topics([first, second], [[blend, second, 7 * first]])
    np.testing.assert_array_equal(found.partners, [2, 1])
    np.testing.assert_array_equal(found.left_over, [0])
    np.testing.assert_array_equal(found.nearest, [0, 1, 0])
    assert found.distance_matrix.shape == (2, 3)
    (found,) = align_topics(topics, [topics[[4, 1]]])
    np.testing.assert_array_equal(found.partners, [-1, 1, -1, -1, 0, -1])
    np.testing.assert_array_equal(np.isnan(found.distances), found.partners == -1)
    np.testing.assert_array_equal(found.nearest, [4, 1])
    assert found.left_over.size == 0


def test_stability_by_hand():
    # Hellinger affinities: equal topics 1, half of the words in common 1/2.
    a, b, c = [1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0]
    half = 1 - np.sqrt(0.5)
    found = topic_stability([[a, b], [b, a], [c]])
    expected = [[1, 1, half / 2], [1, 1, half / 2], [half / 2, half / 2, 1]]
    np.testing.assert_allclose(found.similarities, expected)
    np.testing.assert_allclose(found.overall, (1 + half) / 3)
    assert found.prototype == 0
    np.testing.assert_allclose(np.sort(found.per_topic), [0.5, (1 + half) / 2])


def test_prototype_is_most_similar_to_the_others(topics):
    noise = np.random.default_rng(2).dirichlet(np.full(40, 0.2), (4, 6))
    models = [0.9 * topics + 0.1 * rows for rows in noise[:3]]
    for place in range(4):
        fits = [*models[:place], topics[::-1], *models[place:]]
        found = topic_stability(fits)
        assert found.prototype == place
        similarities = np.delete(found.similarities[place], place)
        np.testing.assert_allclose(found.per_topic.mean(), similarities.mean())


def test_unstable_topic_is_told(topics):
    rng = np.random.default_rng(3)
    fits = [rng.permutation(topics) for _ in range(4)]
    for fit in fits:
        place = np.flatnonzero((fit == topics[2]).all(axis=1))
        fit[place] = rng.dirichlet(np.full(40, 0.2))
    found = topic_stability(fits)
    assert np.sort(found.per_topic)[0] < 0.6
    np.testing.assert_allclose(np.sort(found.per_topic)[1:], 1, atol=1e-7)


def test_the_largest_weights_are_on_a_scale_like_any_other(topics):
    models = [topics, np.roll(topics, 1, axis=1), topics[::-1]]
    large = [1e308 * (model / topics.max()) for model in models]
    stability = topic_stability(large)
    np.testing.assert_allclose(stability.per_topic, topic_stability(models).per_topic)


def test_number_of_words_is_of_one_distance(topics):
    with pytest.raises(ValueError, match="n_words has no effect for distance='hel"):
        align_topics(topics, [topics], n_words=3)


# --- lists of words, and topics without tokens ------------------------------------


def test_lists_of_words_are_compared_by_their_top_words():
    first = [["cat", "dog", "cow"], ["sun", "moon", "star"]]
    second = [["moon", "sun", "cat"], ["dog", "cat", "sun"], ["cow", "a", "b"]]
    options = {"distance": "top-words", "n_words": 2}
    (found,) = align_topics(first, [second], **options)
    assert found.partners.tolist() == [1, 0]
    assert found.distance_matrix.tolist() == [[1, 0, 1], [0, 1, 1]]
    (found,) = align_topics(first, [second], "top-words", n_words=3)
    np.testing.assert_allclose(found.distances, 1 / 3)
    stability = topic_stability([first, first[::-1], np.array(second)], **options)
    np.testing.assert_allclose(stability.similarities[0], [1, 1, 2 / 3])
    with pytest.raises(ValueError, match=r"others\[0\]: topic 1 has no words"):
        align_topics(first, [[["cat", "dog"], []]], **options)
    with pytest.raises(TypeError, match=r"reference contains lists of words"):
        align_topics(first, [np.eye(3)], **options)


def test_topics_without_tokens_do_not_count_as_stable():
    first, second = np.eye(4)[:2] + 0.1, np.eye(4)[[1, 2]] + 0.1
    expected = topic_stability([first, second, first])
    padded = [np.vstack([rows, np.full((3, 4), 0.1)]) for rows in (first, second)]
    with pytest.warns(UserWarning, match=r"6 of 12 topics have no tokens"):
        found = topic_stability([*padded, first])
    np.testing.assert_array_equal(found.similarities, expected.similarities)
    np.testing.assert_array_equal(found.per_topic[:2], expected.per_topic)
    assert np.isnan(found.per_topic[2:]).all()
