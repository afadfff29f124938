"""Bad and good arguments of sklda.model_selection."""

from collections.abc import Iterator
from typing import Any

from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.utils import Bunch

from sklda import CollapsedGibbsLDA, MedLDAClassifier, model_selection
from tests.helpers.bad_input.doors import common, door
from tests.helpers.bad_input.estimators import N_DOCS, N_WORDS
from tests.helpers.bad_input.estimators import X as COUNTS
from tests.helpers.bad_input.values import (
    Door,
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
    return curve


def curve_door(sound: dict[str, Any]) -> Door:
    splits = list(KFold(2).split(X))
    no_models = (Ridge(), make_pipeline(LDA), MedLDAClassifier(), None, 5, "lda", {1})
    numbers = refused(5, None, [2], [2, 2], [2.0, 3], [True, False], ["2"], {2, 3})
    numbers += refused([0, 2], [-1, 2], [2, N_WORDS + 1], [[2, 3]], [[2], [2, 3]])
    kinds = refused("score", None, 5, error=TypeError)
    kinds += refused([], ["scores"], [5], ["score", "Score"], ["stability"], ["c_v"])
    folds = refused("2", 2.5, object(), error=TypeError) + refused(1, 0, -1, True)
    folds += refused(N_DOCS + 1, splits[:1], [])
    no_memory = refused(5, {1}, ["x"], error=TypeError)
    _, described = door(
        model_selection.topic_number_curve,
        sound,
        estimator=refused(*no_models, type(LDA), error=TypeError),
        X=weights(3, N_WORDS) + refused(-X, words="X contains negative"),
        param_range=numbers,
        cv=folds,
        measures=kinds,
        feature_names=[],
        memory=no_memory,
    )
    return described._replace(call=call)


def model_selection_doors() -> Iterator[tuple[str, Door]]:
    sound = {"estimator": LDA, "X": X, "param_range": [2, 3], "n_words": 3, "cv": 2}
    sound |= {"random_state": 0, "measures": ["score"], "n_repeats": 1}
    yield "topic_number_curve", curve_door(sound)
    no_texts = refused("ab", 5, words="texts must be a list", error=TypeError)
    no_texts += refused(None, words="texts must be given")
    no_names = names(N_WORDS, "words")
    no_names += refused(None, words="feature_names must be given")
    specs = {"feature_names": no_names}
    specs["texts"] = no_texts
    in_texts = sound | {"measures": ["c_v"], "texts": TEXTS}
    in_texts["feature_names"] = list("abcdefg")
    yield "topic_number_curve", Door(call, in_texts, specs)
    display = model_selection.TopicNumberDisplay
    measured = model_selection.topic_number_curve(**sound)
    no_curves = refused(5, None, {"a": 1}, [], "curve", Bunch(), error=TypeError)
    yield "TopicNumberDisplay", Door(display, {"curve": measured}, {"curve": no_curves})

    def plot(**arguments: Any) -> Any:
        return display(curve=measured).plot(**arguments.pop("style", {}), **arguments)

    drawn = {"ax": common()["ax"], "style": common()["style"]}
    yield "TopicNumberDisplay.plot", Door(plot, {}, drawn)
