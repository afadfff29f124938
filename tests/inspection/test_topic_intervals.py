"""Intervals in pictures: of proportions, of effects."""

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda.inspection import TopicIntervalsDisplay, estimate_effect
from tests.helpers.known_topics import columns_are_shown
from tests.helpers.pictures import X

pytestmark = columns_are_shown


@pytest.fixture(scope="module")
def lda():
    params = {"thin": 10, "keep_draws": 10, "random_state": 0}
    return CollapsedGibbsLDA(5, learn_priors=None, **params).fit(X)


def segments(lines):
    """Return low, high and height of each interval."""
    ends = np.array(lines.get_segments())
    np.testing.assert_array_equal(ends[:, 0, 1], ends[:, 1, 1])
    return ends[:, 0, 0], ends[:, 1, 0], ends[:, 0, 1]


def test_intervals_of_proportions(pyplot, lda):
    display = TopicIntervalsDisplay.from_draws(
        lda.draws_, documents=[7, 2], n_topics=3, confidence_level=0.6
    )
    theta = lda.doc_topic_[[7, 2]]  # all kept samples are draws
    shown = np.sort(np.argsort(-theta.sum(axis=0))[:3])
    ends = lda.draws_.doc_topic_interval(0.6, documents=[7, 2])
    heights = []
    for i, lines in enumerate(display.intervals_):
        low, high, height = segments(lines)
        np.testing.assert_array_equal(low, ends[0][i, shown])
        np.testing.assert_array_equal(high, ends[1][i, shown])
        points = display.points_[i]
        np.testing.assert_allclose(points.get_xdata(), theta[i, shown])
        np.testing.assert_array_equal(points.get_ydata(), height)
        np.testing.assert_array_equal(np.rint(height), [0, 1, 2])
        heights.append(height)
    assert (heights[0] < heights[1]).all(), "they do not cover each other"
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == [f"topic {k}" for k in shown]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["document 7", "document 2"]
    assert display.ax_.get_xlabel() == "proportion of the topic"


def test_intervals_of_effects(pyplot, lda):
    covariates = np.column_stack([np.arange(12), np.arange(12) % 3 == 1])
    effects = estimate_effect(lda.draws_, covariates, topics=[4, 1], random_state=0)
    display = TopicIntervalsDisplay.from_effects(effects, color="red")
    for i in range(2):
        low, high, _ = segments(display.intervals_[i])
        np.testing.assert_array_equal(low, effects.low[:, i + 1])
        np.testing.assert_array_equal(high, effects.high[:, i + 1])
        points = display.points_[i]
        np.testing.assert_array_equal(points.get_xdata(), effects.coefficient[:, i + 1])
        assert points.get_color() == "red"
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["topic 4", "topic 1"]
    assert any(set(line.get_xdata()) == {0} for line in display.ax_.lines)
    selected = TopicIntervalsDisplay.from_effects(effects, terms=["x1", "intercept"])
    assert selected.series_names == ["x1", "intercept"]
    np.testing.assert_array_equal(selected.estimates, effects.coefficient[:, [2, 0]].T)


def test_series_differ_in_marks_and_name_what_they_are_compared_with(pyplot, lda):
    party = ["left", "right", "centre"] * 4
    effects = estimate_effect(lda.draws_, party, random_state=0)
    display = TopicIntervalsDisplay.from_effects(effects)
    marks = [points.get_marker() for points in display.points_]
    assert len(set(marks)) == 2
    assert display.ax_.get_xlabel().endswith("per unit; reference: x0[centre]")
    assert display.series_names == ["x0[left]", "x0[right]"]
