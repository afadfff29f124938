"""Topics in two dimensions: places, circles and labels."""

import warnings

import numpy as np
import pytest

from sklda.inspection import TopicMapDisplay
from sklda.inspection._topic_map import classical_scaling
from tests.helpers.known_topics import KnownTopics, columns_are_shown
from tests.helpers.pictures import LONG, boxes_without_lines, model_of, overlaps
from tests.helpers.selection import fast_and_slow

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


def circles_that_labels_meet(display, clearance=2.0):
    """Return for each label which circles are near, without its own if it is inside."""
    centres = display.ax_.transData.transform(display.positions)
    radii = np.sqrt(display.circles_.get_sizes()) / 2 * display.figure_.dpi / 72
    near = radii + clearance * display.figure_.dpi / 72
    met = []
    for k, box in enumerate(boxes_without_lines(display.texts_)):
        distances = np.linalg.norm(np.clip(centres, box[:2], box[2:]) - centres, axis=1)
        corners = [(x, y) for x in box[::2] for y in box[1::2]]
        inside = np.linalg.norm(corners - centres[k], axis=1).max() <= radii[k]
        on = set(np.flatnonzero(distances < near).tolist())
        met.append(on - {k} if inside else on)
    return met


@pytest.mark.parametrize(
    ("n_topics", "whole"), fast_and_slow([(1, 1), (2, 2), (20, 15)], [(100, 100)])
)
def test_labels_of_the_map_are_apart_from_each_other_and_from_circles(
    pyplot, n_topics, whole
):
    display = TopicMapDisplay.from_estimator(model_of(n_topics), LONG)
    display.figure_.draw_without_rendering()
    texts = [text.get_text() for text in display.texts_]
    assert [text.split("\n")[0] for text in texts] == [str(k) for k in range(n_topics)]
    assert sum(map(str.__eq__, texts, display.labels)) >= whole
    assert all(text.get_visible() for text in display.texts_)
    extents = boxes_without_lines(display.texts_)
    assert overlaps(extents) == 0
    assert circles_that_labels_meet(display) == [set()] * n_topics
    for dpi in (72, 110):  # of files
        display.figure_.set_dpi(dpi)
        display.figure_.draw_without_rendering()
        assert overlaps(boxes_without_lines(display.texts_)) == 0
        assert circles_that_labels_meet(display, 0.0) == [set()] * n_topics
    display.figure_.set_dpi(100)
    display.figure_.draw_without_rendering()
    frame = display.ax_.get_window_extent().extents
    assert (extents[:, :2] >= frame[:2]).all()
    assert (extents[:, 2:] <= frame[2:]).all()


def test_label_without_a_place_is_not_drawn(pyplot):
    display = TopicMapDisplay(
        positions=np.zeros((2, 2)),
        frequencies=np.array([0.5, 0.5]),
        labels=["a label that is wider than the axes" * 5, "short"],
        explained_ratio=np.zeros(2),
    ).plot()
    assert [text.get_visible() for text in display.texts_] == [False, True]
    assert circles_that_labels_meet(display)[1] == set()


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
        texts = TopicMapDisplay.from_estimator(model).texts_
    assert [text.get_text() for text in texts] == ["0", "1"], "without names no words"
    with pytest.warns(UserWarning, match="Words are shown as column numbers") as told:
        texts = TopicMapDisplay.from_estimator(model, n_words=1).texts_
    assert told[0].filename == __file__
    display = TopicMapDisplay.from_estimator(model, ["a", "b", "c"], 3)
    assert display.labels == ["0\na\nb\nc", "1\nc\nb\na"]
    _, ax = pyplot.subplots()
    assert TopicMapDisplay.from_estimator(model, n_words=1, ax=ax).ax_ is ax


def test_a_line_leads_from_each_circle_to_a_label_beside_it(pyplot):
    display = TopicMapDisplay.from_estimator(model_of(20), LONG)
    beside = [text.get_position() != (0, 0) for text in display.texts_]
    assert True in beside
    assert [text.arrow_patch.get_visible() for text in display.texts_] == beside
