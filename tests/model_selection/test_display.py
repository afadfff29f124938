"""The picture of a curve shows its numbers, and what it recommends."""

import numpy as np
import pytest

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from sklda.model_selection import TopicNumberDisplay, topic_number_curve

X, _, _ = make_lda_corpus(40, 30, 3, document_length=30, random_state=0)
LDA = CollapsedGibbsLDA(max_iter=4)
OPTIONS = {"cv": 2, "random_state": 0, "measures": ["stability", "score"]}


@pytest.fixture
def display(pyplot):
    curve = topic_number_curve(LDA, X, [2, 4, 8], **OPTIONS)
    return TopicNumberDisplay(curve=curve).plot()


def test_panels_show_the_curve(display):
    curve = display.curve
    names = ["stability", "score", "seconds"]
    for panel, line, name in zip(display.axes_, display.lines_, names, strict=True):
        assert line.get_xdata().tolist() == [2, 4, 8]
        assert line.get_ydata().tolist() == curve.mean[name].tolist()
        (band,) = panel.collections
        heights = band.get_paths()[0].vertices[:, 1]
        error = curve.standard_error[name]
        if name == "score":
            fold_means = curve.fits.score.mean(axis=2)
            behind = fold_means - fold_means[curve.mean.score.argmax()]
            error = behind.std(axis=1, ddof=1) / np.sqrt(2)
        assert heights.min() == pytest.approx((curve.mean[name] - error).min())
        assert [tick.get_text() for tick in panel.get_xticklabels()] == list("248")
    assert display.figure_ is display.axes_[0].figure


def test_recommended_numbers_are_marked(display):
    for panel, name in zip(display.axes_, ["stability", "score"], strict=False):
        chosen = display.curve.recommended[name].n_components
        assert panel.get_title().endswith(f"\nrecommends {chosen}")
        mark = panel.lines[-1]
        np.testing.assert_array_equal(mark.get_xdata(), [chosen, chosen])
    assert len(display.axes_[2].lines) == 1


def test_panels_of_the_user(display, pyplot):
    _, axes = pyplot.subplots(1, 3)
    again = TopicNumberDisplay(curve=display.curve).plot(axes, color="red")
    assert again.axes_.tolist() == axes.tolist()
    assert {line.get_color() for line in again.lines_} == {"red"}
    with pytest.raises(ValueError, match="2 Axes, but there are 3 measures to plot"):
        again.plot(axes[:2])
    with pytest.raises(TypeError, match="ax must be an Axes"):
        again.plot([*axes[:2], None])
    with pytest.raises(TypeError, match="curve must be the result of topic_number"):
        TopicNumberDisplay(curve={})
