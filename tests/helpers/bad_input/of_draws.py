"""Bad and good arguments of kept draws, and of functions that take them."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas
from scipy import sparse

from sklda import DMRLDA, CollapsedGibbsLDA, inspection
from tests.helpers.bad_input.of_estimators import (
    IS_ONE,
    LABELS,
    N_DOCS,
    N_TOPICS,
    X,
    fitted,
)
from tests.helpers.bad_input.of_functions import (
    LEVEL,
    display_doors,
    groups,
    with_draws,
)
from tests.helpers.bad_input.values import (
    NAME,
    SEEDS,
    Bad,
    Door,
    Spec,
    door,
    flag,
    indices,
    integer,
    names,
    refused,
    rows,
)

COVARIATES = np.column_stack([np.arange(N_DOCS) ** 2, IS_ONE])


def no_draws() -> Spec:
    """Return the Spec of draws."""
    bad = 5, None, "draws", [1], with_draws()
    return refused(*bad, words="draws_ of an estimator.*keep_draws", error=TypeError)


def draws_doors() -> Iterator[tuple[str, Door]]:
    """Yield the doors of draws, and of what takes draws, by their full names."""
    yield from ((f"sklda.inspection.{name}", door) for name, door in _doors())


def _doors() -> Iterator[tuple[str, Door]]:
    draws = with_draws().draws_
    number = integer(0, draws.n_draws - 1, typical=1)
    number = Spec([Bad(b.value, NAME) for b in number.bad], number.good)
    for method in (draws.doc_topic_counts, draws.topic_word_counts, draws.doc_topic):
        yield door(method, {"draw": 0}, draw=number)
    at = {"draw": 0, "random_state": 0}
    yield door(draws.sample_doc_topic, at, draw=number, random_state=SEEDS)
    of_documents = indices(N_DOCS)
    yield door(
        draws.doc_topic_interval, {}, confidence_level=LEVEL, documents=of_documents
    )
    words = [[0, 1], [2, 3], [4, 6]]
    of_words = refused(5, None, "a", words[:2], [0, 1], [[0.5] * 2] * 3, [[7, 0]] * 3)
    of_words += Spec([], [[words, tuple(words)]])
    at = {"words": words}
    yield door(draws.topic_word_interval, at, words=of_words, confidence_level=LEVEL)
    yield door(
        inspection.estimate_effect,
        {"draws": draws, "covariates": COVARIATES, "random_state": 0},
        draws=no_draws() + rows(*too_few_draws()),
        covariates=covariates(),
        topics=indices(N_TOPICS),
        confidence_level=LEVEL,
        random_state=SEEDS,
    )
    yield from means_doors(draws)
    effects = inspection.estimate_effect(draws, COVARIATES, random_state=0)
    yield door(effects.summary, {}, as_frame=flag())
    specs = {
        "draws": no_draws(),
        "documents": indices(N_DOCS),
        "document_names": names(3, "documents"),
        "topic_names": names(N_TOPICS, "topics"),
        "n_topics": integer(1, typical=2),
        "confidence_level": LEVEL,
    }
    cls = inspection.TopicIntervalsDisplay
    yield from display_doors(cls, {"draws": draws}, specs, "from_draws")
    no_effects = refused(5, None, draws, words="estimate_effect", error=TypeError)
    terms = refused("x0", {"x0"}, 5, words="terms must list", error=TypeError)
    terms += rows((["x0", "y"], "must be among"), ([], "must be among"))
    specs = {
        "effects": no_effects,
        "terms": terms + Spec([], [[None, ["x0", "x1"], np.array(["x0", "x1"])]]),
        "topic_names": names(N_TOPICS, "topics"),
        "n_topics": integer(1, typical=2),
    }
    at = {"effects": effects}
    yield from display_doors(cls, at, specs, "from_effects")


def predicted_doors() -> Iterator[tuple[str, Door]]:
    """Yield the doors of predictions from covariates, by their full names."""
    yield from ((f"sklda.inspection.{name}", door) for name, door in _of_predicted())


def _of_predicted() -> Iterator[tuple[str, Door]]:
    model, grid = fitted(DMRLDA), np.array([0.0, 20, 50, 100])
    no_model = refused(5, None, with_draws(), words="DMRLDA", error=TypeError)
    settings = rows(
        (np.where(grid > 20, math.nan, grid), "NaN"),
        (np.column_stack([grid, grid]), "but fit had"),
        (["a", "b"], "must be numbers"),
        ({}, "contain no settings"),
        ({"a": [["b"]]}, "must be numbers"),
        (None, "but fit had"),
    ) + refused(5, "a")
    same = [grid, grid.tolist(), grid[:, np.newaxis], grid.astype(np.float32)]
    same.append(sparse.csr_array(grid[:, np.newaxis]))
    specs = {"model": no_model, "covariates": settings + Spec([], [same])}
    at = {"model": model, "covariates": grid}
    call = inspection.predicted_proportions
    yield door(call, at, **specs, confidence_level=LEVEL)
    predicted = call(model, {"low": grid[:2], "high": grid[2:]})
    of_setting = rows(*((x, "There is no setting") for x in ("a", 2, -1, 0.5, None)))
    of_setting = Spec([Bad(b.value, "There is no setting") for b in of_setting.bad], [])
    at = {"first": 0, "second": "high"}
    of_first = of_setting + Spec([], [[0, np.int64(0), "low"]])
    of_second = of_setting + Spec([], [[1, "high"]])
    yield door(predicted.contrast, at, first=of_first, second=of_second)
    names_of_topics = names(N_TOPICS, "topics")
    specs = {
        "contrasts": refused(5, None, predicted, words="contrast", error=TypeError),
        "topic_names": names_of_topics,
    }
    at = {"contrasts": predicted.contrast(0, 1)}
    cls = inspection.TopicIntervalsDisplay
    yield from display_doors(cls, at, specs, "from_contrasts")
    predicted = call(model, grid)
    specs = {
        "predicted": refused(5, None, model, words="predicted_prop", error=TypeError),
        "values": numbers_per_setting(grid),
        "topics": indices(N_TOPICS),
        "topic_names": names_of_topics,
        "n_topics": integer(1, typical=2),
    }
    at = {"predicted": predicted, "values": grid}
    cls = inspection.PredictedProportionsDisplay
    yield from display_doors(cls, at, specs, "from_predictions")


def numbers_per_setting(grid: np.ndarray) -> Spec:
    """Return the Spec of a value for each setting."""
    bad = refused(grid[1:], 5, "a", None, np.where(grid > 20, math.nan, grid))
    return bad + Spec([], [[grid, grid.tolist(), grid.astype(int)]])


def means_doors(draws: Any) -> Iterator[tuple[str, Door]]:
    """Yield the doors of means of groups."""
    at = {"draws": draws, "groups": LABELS, "random_state": 0}
    specs = {
        "draws": no_draws(),
        "groups": Spec(groups().bad, [[LABELS, list(LABELS)]]),
        "topics": indices(N_TOPICS),
        "max_bins": integer(1, typical=9),
        "confidence_level": LEVEL,
        "random_state": SEEDS,
    }
    few = {"draws": no_draws() + rows(*too_few_draws())}
    yield door(inspection.topic_means, at, **specs | few)
    means = inspection.topic_means(**at)
    yield door(means.summary, {}, as_frame=flag())
    cls = inspection.TopicMeansDisplay
    specs |= {
        "topic_names": names(N_TOPICS, "topics"),
        "n_topics": integer(1, typical=2),
    }
    of_means = refused(5, None, draws, words="topic_means", error=TypeError)
    of_names = Spec(specs["topic_names"].bad, [])
    made_of = {"means": of_means, "topic_names": of_names}
    yield from display_doors(cls, at, specs, "from_draws", made_of)


def too_few_draws() -> list[tuple[Any, str]]:
    one = CollapsedGibbsLDA(N_TOPICS, max_iter=4, keep_draws=1).fit(X).draws_
    topic = CollapsedGibbsLDA(1, max_iter=4, thin=1, keep_draws=2).fit(X).draws_
    return [(one, "1 draw, .* larger keep_draws"), (topic, "one topic")]


def covariates() -> Spec:
    """Return the Spec of covariates of the documents."""
    ones, first = np.ones(N_DOCS), COVARIATES[:, 0]
    bad = rows(
        (COVARIATES[1:], f"{N_DOCS - 1} rows.* {N_DOCS} documents"),
        (np.column_stack([first, ones]), r"\['x1'\] are constant.*intercept"),
        (np.column_stack([first, 1e9 + 0 * ones]), r"\['x1'\] are constant"),
        (np.column_stack([COVARIATES, 3 * first - 5]), "collinear.*only 2"),
        (np.random.default_rng(0).normal(size=(N_DOCS, N_DOCS - 1)), "too few"),
        (np.where(IS_ONE, math.nan, first), r"\['x0'\] has missing values.* impute"),
        (pandas.Series([pandas.NA, *first[1:]], name="y"), r"\['y'\] has missing"),
        (pandas.Series([*LABELS[1:], None], name="party"), r"\['party'\] has missing"),
        ([10**400, *first[1:]], "out of range"),
        (["same"] * N_DOCS, r"\['x0\[same\]'\] are constant"),
        (pandas.DataFrame(index=range(N_DOCS)), "0 feature"),
        (pandas.DataFrame({"intercept": first}), "'intercept'"),
        (pandas.DataFrame({1: first, "1": first**2}), "different names"),
        (pandas.DataFrame(COVARIATES, columns=["a", "a"]), "different names"),
    )
    bad += refused(5, None, "a", {1}, np.ones((2, 2, 2)))
    frame = pandas.DataFrame(COVARIATES, columns=["x0", "x1"])
    same = [COVARIATES, COVARIATES.tolist(), COVARIATES.astype(np.float32), frame]
    same.append(sparse.csr_array(COVARIATES))
    column = [IS_ONE, IS_ONE.tolist(), IS_ONE[:, np.newaxis]]
    return bad + Spec([], [same, column])
