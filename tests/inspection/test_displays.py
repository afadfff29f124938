"""Displays, what they draw, and that texts do not overlap."""

import re
import sys

import numpy as np
import pytest
from sklearn.base import clone

from sklda import CVBLDA, CollapsedGibbsLDA
from sklda.inspection import (
    ConvergenceDisplay,
    DocumentTopicsDisplay,
    TopicMeansDisplay,
    TopWordsDisplay,
    top_words,
)
from tests.helpers.draws import draws_of
from tests.helpers.known_topics import KnownTopics, columns_are_shown
from tests.helpers.pictures import X, model_of

pytestmark = columns_are_shown

# --- top words ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_topics", "topics", "ranking"),
    [(1, None, {}), (20, None, {}), (5, [4, 1], {"metric": "frex", "weight": 0.9})],
)
def test_bars_are_probabilities_whatever_the_metric(pyplot, n_topics, topics, ranking):
    model = model_of(n_topics)
    display = TopWordsDisplay.from_estimator(model, n_words=6, topics=topics, **ranking)
    topics = range(n_topics) if topics is None else topics
    assert len(display.axes_) == len(display.figure_.axes) == len(topics)
    words = top_words(model, n_words=6, **ranking)
    assert display.words == [words[k] for k in topics]
    phi = model.components_ / model.components_.sum(axis=1, keepdims=True)
    for k, panel, bars in zip(topics, display.axes_, display.bars_, strict=True):
        assert panel.get_title() == f"topic {k}"
        labels = [label.get_text() for label in panel.get_yticklabels()]
        assert labels == words[k]
        widths = [bar.get_width() for bar in bars]
        np.testing.assert_allclose(widths, phi[k, np.array(labels, dtype=int)])
        assert panel.get_ylim()[0] > panel.get_ylim()[1], "the best word is on top"
        assert panel.get_xlim() == display.axes_[0].get_xlim()
        assert panel.get_xlim()[1] > display.probabilities.max()


def test_axes_may_be_given(pyplot):
    _, axes = pyplot.subplots(1, 2)
    display = TopWordsDisplay.from_estimator(model_of(2), ax=axes, color="black")
    assert list(display.axes_) == list(axes)
    assert display.bars_[0][0].get_facecolor() == (0, 0, 0, 1)
    _, ax = pyplot.subplots()
    display = TopWordsDisplay.from_estimator(model_of(3), topics=[2], ax=ax)
    assert list(display.axes_) == [ax]
    with pytest.raises(ValueError, match="ax contains 1 Axes, but there are 3 topics"):
        TopWordsDisplay.from_estimator(model_of(3), ax=ax)


@pytest.fixture(scope="module")
def fits():
    lda = CollapsedGibbsLDA(3, max_iter=20, topic_word_prior=0.1)
    return [
        clone(lda).set_params(evaluate_every=4 + i, random_state=i).fit(X)
        for i in range(2)
    ]


def test_curves_are_the_traces(pyplot, fits):
    display = ConvergenceDisplay.from_estimator({"a": fits[0], "b": fits[1]})
    assert display.names == ["a", "b"]
    names = ConvergenceDisplay.from_estimator(fits).names
    assert names == ["0: CollapsedGibbsLDA", "1: CollapsedGibbsLDA"]
    for line, fit in zip(display.lines_, fits, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), fit.log_joint_iter_)
        np.testing.assert_array_equal(line.get_ydata(), fit.log_joint_)
    assert display.ax_.get_xlabel() == "sweep"
    assert display.ax_.get_ylabel() == "log joint (nats)"
    written = display.ax_.yaxis.get_major_formatter()
    # Before 3.9, Matplotlib writes a hyphen.
    assert written(-6_340_000).replace("\N{MINUS SIGN}", "-") == "-6,340,000"
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["a", "b"]
    assert [line.get_linestyle() for line in display.lines_] == ["-", "--"]


def test_bound_is_drawn(pyplot):
    cvb = CVBLDA(3, max_iter=6, tol=0, evaluate_every=2, random_state=0).fit(X)
    _, ax = pyplot.subplots()
    display = ConvergenceDisplay.from_estimator(cvb, ax=ax, linewidth=3)
    assert display.ax_ is ax
    assert display.lines_[0].get_linewidth() == 3
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), cvb.bound_)
    assert display.ax_.get_ylabel() == "bound (nats per token)"


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
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["2", "0"]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["0: a", "1: b", "others"]
    assert [text.get_text() for text in display.ax_.texts] == ["0", "0", "1", "1"]
    assert display.ax_.get_xlim() == (0, 1)
    assert display.ax_.get_ylim() == (1.5, -0.5)


DRAWN = KnownTopics(np.eye(3), np.eye(3), bound_=[1.0], bound_iter_=[1])
DRAWS = draws_of([[[1, 2]]] * 2, [1.0, 1.0])


@pytest.mark.parametrize(
    ("display", "draw"),
    [
        (ConvergenceDisplay, lambda cls: cls.from_estimator(DRAWN)),
        (TopWordsDisplay, lambda cls: cls.from_estimator(DRAWN, n_words=2)),
        (TopicMeansDisplay, lambda cls: cls.from_draws(DRAWS, ["a"])),
    ],
)
def test_without_matplotlib_it_says_what_to_install(monkeypatch, display, draw):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = f'{display.__name__}.plot needs matplotlib: pip install "sklda[plot]"'
    with pytest.raises(ImportError, match=rf"^{re.escape(message)}$"):
        draw(display)
