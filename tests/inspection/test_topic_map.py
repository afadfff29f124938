"""Topics in two dimensions: places, circles and texts."""

import warnings

import numpy as np
import pytest

from sklda.inspection import TopicMapDisplay
from sklda.inspection._figures import classical_scaling
from tests.helpers.known_topics import KnownTopics, columns_are_shown
from tests.helpers.pictures import LONG, model_of

pytestmark = columns_are_shown


def test_scaling_keeps_distances_in_the_plane():
    points = np.random.default_rng(0).normal(size=(9, 2)) * [3, 1]
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    found, ratio = classical_scaling(distances)
    np.testing.assert_allclose(
        np.linalg.norm(found[:, None] - found, axis=2), distances, atol=1e-10
    )
    np.testing.assert_allclose(ratio.sum(), 1)
    assert ratio[0] > ratio[1]
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-12)
    largest = found[np.abs(found).argmax(axis=0), [0, 1]]
    assert (largest > 0).all()


@pytest.mark.parametrize(
    ("distances", "expected", "ratio"),
    [
        ([[0.0]], [[0, 0]], [0, 0]),
        ([[0, 2.0], [2, 0]], [[1, 0], [-1, 0]], [1, 0]),
        (np.zeros((3, 3)), np.zeros((3, 2)), [0, 0]),
    ],
)
def test_scaling_of_few_or_equal_topics(distances, expected, ratio):
    found, found_ratio = classical_scaling(np.array(distances))
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found_ratio, ratio, atol=1e-12)


@pytest.mark.parametrize("n_topics", [1, 20])
def test_a_number_on_each_circle_and_a_list_beside_the_map(pyplot, n_topics):
    display = TopicMapDisplay.from_estimator(model_of(n_topics), LONG, 2)
    assert [text.get_text() for text in display.texts_] == [*map(str, range(n_topics))]
    places = [text.get_position() for text in display.texts_]
    np.testing.assert_array_equal(places, display.positions)
    assert display.ax_.texts[-1].get_text().split("\n") == display.labels


def test_areas_of_circles_are_topic_frequencies(pyplot):
    model = KnownTopics([[6.0, 4, 0], [0, 10, 20]], topic_word_prior_=0.0)
    display = TopicMapDisplay.from_estimator(model)
    np.testing.assert_allclose(display.frequencies, [0.25, 0.75])
    sizes = display.circles_.get_sizes()
    np.testing.assert_allclose(sizes[1] / sizes[0], 3)
    np.testing.assert_allclose(display.circles_.get_offsets(), display.positions)
    assert display.ax_.get_aspect() == 1
    assert "100% of all squared distances" in display.ax_.get_xlabel()
    assert [*display.ax_.get_xticks(), *display.ax_.get_yticks()] == []
    model.theta = [[1, 0], [0, 1]]
    display = TopicMapDisplay.from_estimator(model, X=[[3, 6, 0], [0, 0, 1]])
    np.testing.assert_allclose(display.frequencies, [0.9, 0.1])


def test_words_of_the_map(pyplot):
    model = KnownTopics([[6.0, 3, 1], [1, 3, 6.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = TopicMapDisplay.from_estimator(model)
    assert display.labels == ["0", "1"], "without names no words"
    assert display.ax_.texts[-1].get_text() == ""
    with pytest.warns(UserWarning, match="Words are shown as column numbers") as told:
        TopicMapDisplay.from_estimator(model, n_words=1)
    assert told[0].filename == __file__
    display = TopicMapDisplay.from_estimator(model, ["a", "b", "c"], 3)
    assert display.labels == ["0: a, b, c", "1: c, b, a"]
    _, ax = pyplot.subplots()
    assert TopicMapDisplay.from_estimator(model, n_words=1, ax=ax).ax_ is ax
