"""Bad and good arguments of sklda.model_selection."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Memory
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.utils import Bunch

from sklda import CollapsedGibbsLDA, MedLDAClassifier, model_selection
from tests.helpers.bad_input.of_estimators import N_DOCS, N_WORDS
from tests.helpers.bad_input.of_estimators import X as COUNTS
from tests.helpers.bad_input.values import (
    SEEDS,
    Door,
    Spec,
    accepted,
    flag,
    integer,
    names,
    refused,
    weights,
)

X = COUNTS.toarray()
LDA = CollapsedGibbsLDA(max_iter=2)
TEXTS = [["a", "b"], ["c", "a", "b"], ["d", "e"], ["f", "g"]]


def call(**arguments: Any) -> model_selection.TopicNumberCurve:
    """Return a curve without its seconds."""
    curve = model_selection.topic_number_curve(**arguments)
    for table in (curve.fits, curve.mean, curve.standard_error):
        del table["seconds"]
    return replace(curve, frame=None)


def curve_specs() -> dict[str, Spec]:
    splits = list(KFold(2).split(X))
    empty = X.copy()
    empty[1] = 0
    no_models = (Ridge(), make_pipeline(LDA), MedLDAClassifier(), None, 5, "lda", {1})
    numbers = refused(5, None, [2], [2, 2], [2.0, 3], [True, False], ["2"], {2, 3})
    numbers += refused([0, 2], [-1, 2], [2, N_WORDS + 1], [[2, 3]], [[2], [2, 3]])
    same = [[2, 3], (3, 2), np.array([2, 3, 3], np.uint8), range(2, 4)]
    kinds = refused("score", None, 5, error=TypeError)
    kinds += refused([], ["scores"], [5], ["score", "Score"], ["stability"], ["c_v"])
    folds = refused("2", 2.5, object(), error=TypeError) + refused(1, 0, -1, True)
    folds += refused(N_DOCS + 1, splits[:1], [])
    return {
        "estimator": refused(*no_models, type(LDA), error=TypeError) + accepted(LDA),
        "X": Spec(weights(3, N_WORDS).bad, [[X, X.tolist(), COUNTS]])
        + refused(empty, words=r"X has 1 empty documents \(rows 1\)")
        + refused(-X, words="X contains negative"),
        "param_range": numbers + Spec([], [same]),
        "cv": folds + Spec([], [[2, np.int8(2)], [KFold(2), splits], [5, None]]),
        "n_repeats": integer(1, typical=2),
        "measures": kinds + Spec([], [[["score"], ("score",), ["score", "score"]]]),
        "n_words": integer(2, N_WORDS, typical=3),
        "memory": refused(5, {1}, ["x"], error=TypeError)
        + accepted(None, Memory(None)),
        "as_frame": flag(),
        "n_jobs": refused(0, 2.5, "2", [1], True) + accepted(None, 1),
        "random_state": SEEDS,
        "verbose": flag(),
    }


def model_selection_doors() -> Iterator[tuple[str, Door]]:
    sound = {"estimator": LDA, "X": X, "param_range": [2, 3], "n_words": 3, "cv": 2}
    sound |= {"random_state": 0, "measures": ["score"], "n_repeats": 1}
    specs = curve_specs()
    yield "topic_number_curve", Door(call, sound, specs)
    in_texts = sound | {"measures": ["c_v"], "texts": TEXTS}
    in_texts["feature_names"] = list("abcdefg")
    of_texts = {
        "texts": refused(None, words="texts must be given")
        + refused("ab", 5, words="texts must be a list", error=TypeError)
        + Spec([], [[TEXTS, tuple(TEXTS), iter(TEXTS)]]),
        "feature_names": Spec(names(N_WORDS, "words").bad, [])
        + refused(None, words="feature_names must be given"),
    }
    yield "topic_number_curve", Door(call, in_texts, of_texts)
    display = model_selection.TopicNumberDisplay
    curve = model_selection.topic_number_curve(**sound)
    no_curves = refused(5, None, {"a": 1}, [], "curve", Bunch(), error=TypeError)
    yield "TopicNumberDisplay", Door(display, {"curve": curve}, {"curve": no_curves})
    no_axes = refused(5, "here", {1}, object()) + accepted(None)
    nonsense = refused(
        {"nonsense": 1}, words="nonsense", error=(AttributeError, TypeError)
    )

    def from_estimator(**given: Any) -> Any:
        return display.from_estimator(**given.pop("curve_kw", {}), **given)

    def plot(**given: Any) -> Any:
        return display(curve=curve).plot(**given.pop("style", {}), **given)

    of_display = {n: specs[n] for n in ("estimator", "X", "param_range")}
    of_display = {n: Spec(spec.bad, []) for n, spec in of_display.items()}
    of_display |= {"ax": no_axes, "curve_kw": nonsense}
    of_display["ax"] = Spec(no_axes.bad, [])
    yield "TopicNumberDisplay.from_estimator", Door(from_estimator, sound, of_display)
    of_plot = {"ax": no_axes, "style": nonsense}
    yield "TopicNumberDisplay.plot", Door(plot, {}, of_plot)
