"""Displays, and what they draw."""

import re
import sys

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda.inspection import (
    ConvergenceDisplay,
    DocumentTopicsDisplay,
    TopicIntervalsDisplay,
    TopicMapDisplay,
    TopWordsDisplay,
    estimate_effect,
    top_words,
)
from sklda.inspection._figures import classical_scaling
from tests.helpers.known_topics import LONG, KnownTopics, X, columns_are_shown, model_of

pytestmark = columns_are_shown


def legend_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def rows_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


# --- top words ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("topics", "ranking"),
    [(range(20), {}), ([4, 1], {"metric": "frex", "weight": 0.9})],
)
def test_bars_are_probabilities_whatever_the_metric(pyplot, topics, ranking):
    model = model_of(20)
    display = TopWordsDisplay.from_estimator(model, n_words=6, topics=topics, **ranking)
    words = top_words(model, n_words=6, **ranking)
    assert display.words == [words[k] for k in topics]
    phi = model.components_ / model.components_.sum(axis=1, keepdims=True)
    for k, panel, bars in zip(topics, display.axes_, display.bars_, strict=True):
        assert panel.get_title() == f"topic {k}"
        assert rows_of(panel) == words[k]
        widths = [bar.get_width() for bar in bars]
        np.testing.assert_allclose(widths, phi[k, np.array(words[k], dtype=int)])
        assert panel.get_ylim()[0] > panel.get_ylim()[1], "the best word is on top"
        assert panel.get_xlim() == display.axes_[0].get_xlim()


def test_axes_may_be_given(pyplot):
    _, axes = pyplot.subplots(1, 2)
    display = TopWordsDisplay.from_estimator(model_of(2), ax=axes, color="black")
    assert list(display.axes_) == list(axes)
    assert display.bars_[0][0].get_facecolor() == (0, 0, 0, 1)
    with pytest.raises(ValueError, match="ax contains 2 Axes, but there are 3 topics"):
        TopWordsDisplay.from_estimator(model_of(3), ax=axes)


# --- traces ------------------------------------------------------------------


def test_curves_are_the_traces(pyplot):
    options = {"max_iter": 20, "topic_word_prior": 0.1}
    fits = [
        CollapsedGibbsLDA(3, evaluate_every=4 + i, random_state=i, **options).fit(X)
        for i in range(2)
    ]
    display = ConvergenceDisplay.from_estimator({"a": fits[0], "b": fits[1]})
    names = ConvergenceDisplay.from_estimator(fits).names
    assert names == ["0: CollapsedGibbsLDA", "1: CollapsedGibbsLDA"]
    for line, fit in zip(display.lines_, fits, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), fit.log_joint_iter_)
        np.testing.assert_array_equal(line.get_ydata(), fit.log_joint_)
    assert display.ax_.get_ylabel() == "log joint (nats)"
    written = display.ax_.yaxis.get_major_formatter()
    # Before 3.9, Matplotlib writes a hyphen.
    assert written(-6_340_000).replace("\N{MINUS SIGN}", "-") == "-6,340,000"
    assert display.names == legend_of(display) == ["a", "b"]
    assert [line.get_linestyle() for line in display.lines_] == ["-", "--"]


# --- documents ---------------------------------------------------------------


def test_segments_are_the_proportions(pyplot):
    theta = [[0.5, 0.2, 0.3], [0.1, 0.1, 0.8], [0.7, 0.3, 0.0]]
    model = KnownTopics(np.eye(3), theta)
    display = DocumentTopicsDisplay.from_estimator(
        model, X[:3], ["a", "b", "c"], 1, documents=[2, 0], n_topics=2
    )
    # Topics 0 and 1 have 1.2 and 0.5 in these documents; topic 2 has 0.3.
    np.testing.assert_array_equal(display.topics, [0, 1])
    starts = [[bar.get_x() for bar in bars] for bars in display.bars_]
    widths = [[bar.get_width() for bar in bars] for bars in display.bars_]
    np.testing.assert_allclose(starts, [[0, 0], [0.7, 0.5], [1, 0.7]])
    np.testing.assert_allclose(widths, [[0.7, 0.5], [0.3, 0.2], [0, 0.3]], atol=1e-12)
    assert rows_of(display.ax_) == ["2", "0"]
    assert legend_of(display) == ["0: a", "1: b", "others"]
    assert [text.get_text() for text in display.ax_.texts] == ["0", "0", "1", "1"]
    assert display.ax_.get_xlim() == (0, 1)
    assert display.ax_.get_ylim() == (1.5, -0.5)


# --- the map -----------------------------------------------------------------


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


@pytest.mark.parametrize("n_topics", [1, 2, 3])
def test_equal_topics_are_in_one_place(n_topics):
    found, ratio = classical_scaling(np.zeros((n_topics, n_topics)))
    np.testing.assert_allclose(found, np.zeros((n_topics, 2)), atol=1e-12)
    np.testing.assert_allclose(ratio, 0, atol=1e-12)


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
    display = TopicMapDisplay.from_estimator(model)
    assert display.labels == ["0", "1"], "without names no words"
    assert display.ax_.texts[-1].get_text() == ""
    display = TopicMapDisplay.from_estimator(model, ["a", "b", "c"], 3)
    assert display.labels == ["0: a, b, c", "1: c, b, a"]


# --- intervals ---------------------------------------------------------------


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
    for i, lines in enumerate(display.intervals_):
        low, high, height = segments(lines)
        np.testing.assert_array_equal(low, ends[0][i, shown])
        np.testing.assert_array_equal(high, ends[1][i, shown])
        points = display.points_[i]
        np.testing.assert_allclose(points.get_xdata(), theta[i, shown])
        np.testing.assert_array_equal(points.get_ydata(), height)
        np.testing.assert_array_equal(np.rint(height), [0, 1, 2])
    assert rows_of(display.ax_) == [f"topic {k}" for k in shown]
    assert legend_of(display) == ["document 7", "document 2"]
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
    assert rows_of(display.ax_) == ["topic 4", "topic 1"]
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


def test_legends_of_own_axes_are_in_the_figure(pyplot, lda):
    for layout in (None, "constrained", "tight"):
        _, axes = pyplot.subplots(layout=layout)
        display = TopicIntervalsDisplay.from_draws(lda.draws_, ax=axes)
        display.figure_.draw_without_rendering()
        legend = display.ax_.get_legend().get_window_extent()
        ends = display.figure_.bbox.extents
        assert (legend.extents[:2] >= ends[:2]).all(), layout
        assert (legend.extents[2:] <= ends[2:]).all(), layout


def test_a_label_stands_before_the_names(pyplot, lda):
    display = TopicIntervalsDisplay.from_draws(lda.draws_, label="left", color="red")
    names = [f"left: document {i}" for i in range(3)]
    assert legend_of(display) == names
    fits = {"a": lda, "b": lda}
    display = ConvergenceDisplay.from_estimator(fits, label="$x")
    assert legend_of(display) == ["$x: a", "$x: b"]
    theta = [[0.5, 0.2, 0.3]]
    display = DocumentTopicsDisplay.from_estimator(
        KnownTopics(np.eye(3), theta), X[:1], n_topics=2, label="mine"
    )
    assert legend_of(display) == ["mine: 0", "mine: 2", "others"]


# --- without matplotlib ------------------------------------------------------


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = 'TopWordsDisplay.plot needs matplotlib: pip install "sklda[plot]"'
    with pytest.raises(ImportError, match=rf"^{re.escape(message)}$"):
        TopWordsDisplay.from_estimator(model_of(3))
