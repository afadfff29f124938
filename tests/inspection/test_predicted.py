"""Plots of predicted proportions and contrasts: what they draw, in which order."""

import numpy as np
import pytest

from sklda.inspection import PredictedProportionsDisplay, TopicIntervalsDisplay
from sklda.inspection._predicted_proportions import PredictedProportions

VALUES = np.array([2010.0, 2000.0, 2020.0])


def predicted_of(draws):
    """Return predictions with given draws, and intervals from the least to the most."""
    predicted = PredictedProportions()
    predicted.draws = draws
    predicted.settings = ["a", "b", "c"]
    predicted.mean, predicted.confidence_level = draws.mean(axis=0), 1.0
    predicted.low, predicted.high = draws.min(axis=0), draws.max(axis=0)
    return predicted


@pytest.fixture
def predicted():
    """Return predictions of three settings and four topics."""
    return predicted_of(np.random.default_rng(0).dirichlet(np.ones(4), (5, 3)))


def test_lines_and_bands_follow_the_covariate(pyplot, predicted):
    named = {"topic_names": list("wxyz"), "covariate_name": "year"}
    display = PredictedProportionsDisplay.from_predictions(
        predicted, VALUES, topics=[2, 0], **named
    )
    order = [1, 0, 2]  # 2000, 2010, 2020
    for line, band, k in zip(display.lines_, display.bands_, [2, 0], strict=True):
        np.testing.assert_array_equal(line.get_xdata(), [2000, 2010, 2020])
        np.testing.assert_array_equal(line.get_ydata(), predicted.mean[order, k])
        (path,) = band.get_paths()
        at_start = path.vertices[path.vertices[:, 0] == 2000, 1]
        assert at_start.min() == predicted.low[1, k]
        assert at_start.max() == predicted.high[1, k]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["y", "w"]
    assert display.ax_.get_xlabel() == "year"


def test_largest_topics_are_plotted(pyplot, predicted):
    of = PredictedProportionsDisplay.from_predictions
    display = of(predicted, VALUES, n_topics=2)
    largest = np.sort(np.argsort(-predicted.mean.sum(axis=0))[:2])
    assert display.topic_names == [f"topic {k}" for k in largest]


def test_axes_show_all_displays_on_them(pyplot, predicted):
    _, axes = pyplot.subplots()
    draws = predicted.draws * [0.1, 1, 1, 1]
    for some in (predicted_of(draws), predicted):  # the second is higher
        PredictedProportionsDisplay.from_predictions(some, VALUES, topics=[0], ax=axes)
    axes.figure.canvas.draw()
    low, high = axes.get_ylim()
    assert low == 0
    assert high > predicted.high[:, 0].max()


def test_contrasts_are_sorted_by_their_difference(pyplot, predicted):
    contrast = predicted.contrast("a", "c")
    display = TopicIntervalsDisplay.from_contrasts(contrast)
    order = np.argsort(-contrast.difference)
    assert display.topic_names == [f"topic {k}" for k in order]
    np.testing.assert_array_equal(display.estimates[0], contrast.difference[order])
    np.testing.assert_array_equal(display.low[0], contrast.low[order])
    np.testing.assert_array_equal(display.high[0], contrast.high[order])
    assert display.series_names == ["c minus a"]
