"""Texts in pictures: names as they are, whatever they contain, and without overlap."""

from copy import copy

import numpy as np
import pytest

import sklda.inspection
from sklda import DMRLDA, CollapsedGibbsLDA
from sklda.inspection import (
    ConvergenceDisplay,
    DocumentTopicsDisplay,
    PredictedProportionsDisplay,
    TopicIntervalsDisplay,
    TopicMapDisplay,
    TopicMeansDisplay,
    TopWordsDisplay,
    estimate_effect,
    name_topics,
    predicted_proportions,
    topic_means,
)
from tests.helpers.known_topics import X, boxes, overlaps

pytestmark = pytest.mark.filterwarnings("ignore:The proportions drift|10 draws")

# No formulas of Matplotlib or TeX; a lone surrogate comes from a damaged file.
NAMES = ["_draft", "$0_$9k", "\\frac{", "9 % {x}", "__a\nb", "\udc80^"]
SHOWN = ["_draft", "$0_$9k", "\\frac{", "9 % {x}", "__a b", "\\udc80^"]
LONG = [f"{i} DONAUDAMPFSCHIFFFAHRTSGESELLSCHAFTSKAPITÄN" for i in range(6)]


def from_draws(lda, dmr, names):
    options = {"documents": range(6), "document_names": names}
    return TopicIntervalsDisplay.from_draws(lda.draws_, **options)


def from_effects(lda, dmr, names):
    effects = estimate_effect(lda.draws_, names * 2, random_state=0)
    return TopicIntervalsDisplay.from_effects(effects)


def from_contrasts(lda, dmr, names):
    means = topic_means(lda.draws_, names * 2, random_state=0)
    return TopicIntervalsDisplay.from_contrasts(means.contrast(*names[:2]))


def from_predictions(lda, dmr, names):
    predicted = predicted_proportions(dmr, [0.0, 11.0])
    options = {"covariate_name": names[1], "n_topics": 6}
    return PredictedProportionsDisplay.from_predictions(predicted, [0, 11], **options)


DRAWN = {
    "words": lambda lda, _, names: TopWordsDisplay.from_estimator(lda, names * 5, 6),
    "map": lambda lda, _, names: TopicMapDisplay.from_estimator(lda, names * 5),
    "documents": lambda lda, _, names: DocumentTopicsDisplay.from_estimator(
        lda, X, names * 5, documents=range(6), document_names=names
    ),
    "draws": from_draws,
    "effects": from_effects,
    "contrasts": from_contrasts,
    "groups": lambda lda, _, names: TopicMeansDisplay.from_draws(lda.draws_, names * 2),
    "bins": lambda lda, *_: TopicMeansDisplay.from_draws(lda.draws_, range(12)),
    "predictions": from_predictions,
    "traces": lambda lda, _, names: ConvergenceDisplay.from_estimator(
        dict.fromkeys(names, lda)
    ),
}


@pytest.fixture(scope="module")
def models():
    options = {"max_iter": 60, "keep_draws": 25, "thin": 1, "evaluate_every": 20}
    lda = CollapsedGibbsLDA(6, learn_priors=None, random_state=0, **options).fit(X)
    dmr = DMRLDA(6, max_iter=100, random_state=0).fit(X, covariates=np.arange(12.0))
    return lda, dmr


def drawn(draw, models, names):
    return draw(*(name_topics(copy(model), names) for model in models), names)


def test_all_displays_are_drawn(pyplot, models):
    public = {name for name in sklda.inspection.__all__ if name.endswith("Display")}
    found = {type(drawn(draw, models, NAMES)).__name__ for draw in DRAWN.values()}
    assert public == found


def check_texts(figure):
    from matplotlib.text import Text

    texts = [text for text in figure.findobj(Text) if text.get_visible()]
    for name in SHOWN:
        found = [text for text in texts if name in text.get_text().replace("\n", " ")]
        assert found, name
        assert not any(text.get_parse_math() or text.get_usetex() for text in found)


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_names_are_plain_texts(pyplot, models, draw):
    for usetex in True, False:
        with pyplot.rc_context({"text.usetex": usetex}):
            figure = drawn(draw, models, NAMES).figure_
        check_texts(figure)
    figure.canvas.draw()


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_texts_do_not_overlap(pyplot, models, draw):
    figure = drawn(draw, models, LONG).figure_
    figure.draw_without_rendering()
    axes = figure.axes
    titles = [panel.title for panel in axes if panel.get_title()]
    legends = [panel.get_legend() for panel in axes if panel.get_legend()]
    assert overlaps(boxes([*axes, *titles, *legends])) == 0
    texts = [t for panel in axes for t in (*panel.get_yticklabels(), *panel.texts)]
    named = [text for text in texts if "DONAU" in text.get_text()]
    extents = boxes([*named, *titles, *legends])
    assert overlaps(extents) == 0
    assert (extents[:, :2] >= 0).all()
    assert (extents[:, 2:] <= figure.bbox.extents[2:]).all()
