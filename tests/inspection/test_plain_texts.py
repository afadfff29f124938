"""All names stand in pictures as they are, with "_" first, or with "$", "%" or "{"."""

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
from tests.helpers.known_topics import X

pytestmark = pytest.mark.filterwarnings("ignore:The proportions drift|10 draws")

# No formulas of Matplotlib or TeX; a lone surrogate comes from a damaged file.
NAMES = ["_draft", "$0_$9k", "\\frac{", "9 % {x}", "__a\nb", "\udc80^"]
SHOWN = ["_draft", "$0_$9k", "\\frac{", "9 % {x}", "__a b", "\\udc80^"]
WORDS = NAMES * 5
GROUPS = np.array(NAMES * 2, dtype=object)
DRAWN = [  # display, what draws it from models, options
    (TopWordsDisplay, "from_estimator", lambda lda, _: [lda, WORDS, 6], {}),
    (TopicMapDisplay, "from_estimator", lambda lda, _: [lda, WORDS], {}),
    (
        DocumentTopicsDisplay,
        "from_estimator",
        lambda lda, _: [lda, X, WORDS],
        {"documents": range(6), "document_names": NAMES},
    ),
    (
        TopicIntervalsDisplay,
        "from_draws",
        lambda lda, _: [lda.draws_],
        {"documents": range(6), "document_names": NAMES},
    ),
    (
        TopicIntervalsDisplay,
        "from_effects",
        lambda lda, _: [estimate_effect(lda.draws_, GROUPS, random_state=0)],
        {},
    ),
    (
        TopicIntervalsDisplay,
        "from_contrasts",
        lambda lda, _: [
            topic_means(lda.draws_, GROUPS, random_state=0).contrast(*NAMES[:2])
        ],
        {},
    ),
    (TopicMeansDisplay, "from_draws", lambda lda, _: [lda.draws_, GROUPS], {}),
    (TopicMeansDisplay, "from_draws", lambda lda, _: [lda.draws_, range(12)], {}),
    (
        PredictedProportionsDisplay,
        "from_predictions",
        lambda _, dmr: [predicted_proportions(dmr, [0.0, 11.0]), [0, 11]],
        {"covariate_name": NAMES[1], "n_topics": 6},
    ),
    (
        ConvergenceDisplay,
        "from_estimator",
        lambda lda, _: [dict.fromkeys(NAMES, lda)],
        {},
    ),
]


@pytest.fixture(scope="module")
def models():
    options = {"max_iter": 60, "keep_draws": 25, "thin": 1, "evaluate_every": 20}
    lda = CollapsedGibbsLDA(6, learn_priors=None, random_state=0, **options).fit(X)
    dmr = DMRLDA(6, max_iter=100, random_state=0).fit(X, covariates=np.arange(12.0))
    return name_topics(lda, NAMES), name_topics(dmr, NAMES)


def test_all_displays_are_drawn():
    public = {name for name in sklda.inspection.__all__ if name.endswith("Display")}
    assert public == {display.__name__ for display, *_ in DRAWN}


def check_texts(figure):
    from matplotlib.text import Text

    texts = [text for text in figure.findobj(Text) if text.get_visible()]
    for name in SHOWN:
        found = [text for text in texts if name in text.get_text().replace("\n", " ")]
        assert found, name
        assert not any(text.get_parse_math() or text.get_usetex() for text in found)


@pytest.mark.parametrize(("display", "method", "arguments", "options"), DRAWN)
def test_names_are_plain_texts(pyplot, models, display, method, arguments, options):
    for usetex in True, False:
        with pyplot.rc_context({"text.usetex": usetex}):
            figure = getattr(display, method)(*arguments(*models), **options).figure_
        check_texts(figure)
    figure.canvas.draw()


def test_legends_name_all(pyplot, models):
    lda = copy(models[0])
    del lda.topic_names_
    words = DocumentTopicsDisplay.from_estimator(lda, X, WORDS, 1)
    topics = DocumentTopicsDisplay(
        proportions=np.eye(6),
        topics=np.arange(6),
        document_names=NAMES,
        topic_names=NAMES,
    ).plot()
    fits = ConvergenceDisplay.from_estimator({"": lda, "_": lda, "a": lda})
    texts = [
        [text.get_text() for text in display.ax_.get_legend().get_texts()]
        for display in (words, topics, fits)
    ]
    assert all(text.partition(": ")[2] in SHOWN for text in texts[0])
    assert texts[1:] == [SHOWN, ["", "_", "a"]]
