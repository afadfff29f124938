"""Bad arguments of kept draws, and of functions that take them."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas

from sklda import DMRLDA, CollapsedGibbsLDA, inspection
from tests.helpers.bad_input.doors import (
    common,
    display_doors,
    door,
    result_of,
    with_draws,
)
from tests.helpers.bad_input.estimators import (
    IS_ONE,
    LABELS,
    N_DOCS,
    N_TOPICS,
    X,
    fitted,
    groups,
)
from tests.helpers.bad_input.values import (
    Bad,
    Door,
    names,
    refused,
    rows,
)

COVARIATES = np.column_stack([np.arange(N_DOCS) ** 2, IS_ONE])


def draws_doors() -> Iterator[tuple[str, Door]]:
    """Yield the doors of draws, and of what takes draws, by their full names."""
    draws = with_draws().draws_
    for doors in (kept_doors(draws), effect_doors(draws), means_doors(draws)):
        yield from ((f"sklda.inspection.{name}", door) for name, door in doors)


def kept_doors(draws: Any) -> Iterator[tuple[str, Door]]:
    for method in (draws.doc_topic_counts, draws.topic_word_counts, draws.doc_topic):
        yield door(method, {"draw": 0})
    yield door(draws.sample_doc_topic, {"draw": 0, "random_state": 0})
    yield door(draws.doc_topic_interval, {})
    words = [[0, 1], [2, 3], [4, 6]]
    wrong = 5, None, "a", words[:2], [0, 1], [[0.5] * 2] * 3, [[7, 0]] * 3
    yield door(draws.topic_word_interval, {"words": words}, words=refused(*wrong))
    cls = inspection.TopicIntervalsDisplay
    documents = names(3, "documents")
    yield from display_doors(
        cls, {"draws": draws}, "from_draws", document_names=documents
    )


def effect_doors(draws: Any) -> Iterator[tuple[str, Door]]:
    yield door(
        inspection.estimate_effect,
        {"draws": draws, "covariates": COVARIATES, "random_state": 0},
        draws=common()["draws"] + rows(*too_few_draws()),
        covariates=effect_covariates(),
    )
    effects = inspection.estimate_effect(draws, COVARIATES, random_state=0)
    yield door(effects.summary, {})
    yield pair_door(effects.contrast, "x0", "x1", "term")
    terms = refused("x0", {"x0"}, 5, words="terms must list", error=TypeError)
    terms += rows((["x0", "y"], "must be among"), ([], "must be among"))
    yield from display_doors(
        inspection.TopicIntervalsDisplay,
        {"effects": effects},
        "from_effects",
        effects=result_of("estimate_effect", draws),
        terms=terms,
    )


def means_doors(draws: Any) -> Iterator[tuple[str, Door]]:
    """Yield the doors of means of groups."""
    sound = {"draws": draws, "groups": LABELS, "random_state": 0}
    few = common()["draws"] + rows(*too_few_draws())
    yield door(inspection.topic_means, sound, draws=few, groups=groups())
    means = inspection.topic_means(**sound)
    yield door(means.summary, {})
    yield pair_door(means.contrast, *means.groups[:2], "group")
    yield door(means.contrast(*means.groups[:2]).summary, {})
    made_of = {"means": result_of("topic_means", draws)}
    cls = inspection.TopicMeansDisplay
    yield from display_doors(cls, sound, "from_draws", made_of, groups=groups())


def predicted_doors() -> Iterator[tuple[str, Door]]:
    """Yield the doors of predictions from covariates, by their full names."""
    yield from ((f"sklda.inspection.{name}", door) for name, door in _predictions())


def _predictions() -> Iterator[tuple[str, Door]]:
    model, grid = fitted(DMRLDA), np.array([0.0, 20, 50, 100])
    settings = rows(
        (np.where(grid > 20, math.nan, grid), "NaN"),
        (np.column_stack([grid, grid]), "but fit had"),
        ({}, "contain no settings"),
        ({"a": [["b"]]}, "must be numbers"),
        (None, "but fit had"),
    ) + refused(5, "a")
    call = inspection.predicted_proportions
    yield door(
        call,
        {"model": model, "covariates": grid},
        model=result_of("DMRLDA", with_draws()),
        covariates=settings,
    )
    predicted = call(model, {"low": grid[:2], "high": grid[2:]})
    yield pair_door(predicted.contrast, "low", "high", "setting")
    yield from display_doors(
        inspection.TopicIntervalsDisplay,
        {"contrasts": predicted.contrast("low", "high")},
        "from_contrasts",
        contrasts=result_of("contrast", predicted),
    )
    wrong = grid[1:], 5, "a", None, np.where(grid > 20, math.nan, grid)
    yield from display_doors(
        inspection.PredictedProportionsDisplay,
        {"predicted": call(model, grid), "values": grid},
        "from_predictions",
        predicted=result_of("predicted_prop", model),
        values=refused(*wrong),
    )


def pair_door(contrast: Any, first: str, second: str, kind: str) -> tuple[str, Door]:
    """Return the door of a contrast between two groups, terms or settings."""
    bad = [Bad(x, f"There is no {kind}") for x in ("a", 99, -1, 0.5, None, True)]
    _, found = door(
        contrast,
        {"first": first, "second": second},
        first=[*bad, Bad(second, f"are the same {kind}")],
        second=bad,
    )
    return f"{type(contrast.__self__).__name__}.contrast", found  # it is inherited


def too_few_draws() -> list[tuple[Any, str]]:
    draws = CollapsedGibbsLDA(N_TOPICS, max_iter=4, keep_draws=1).fit(X).draws_
    topic = CollapsedGibbsLDA(1, max_iter=4, thin=1, keep_draws=2).fit(X).draws_
    return [(draws, "1 draw, .* larger keep_draws"), (topic, "one topic")]


def effect_covariates() -> list[Bad]:
    """Return the bad covariates of the documents."""
    ones, first = np.ones(N_DOCS), COVARIATES[:, 0]
    spec = rows(
        (COVARIATES[1:], f"{N_DOCS - 1} rows.* {N_DOCS} documents"),
        (np.column_stack([first, 1e9 * ones]), r"constant, here \['x1'\]"),
        (["same"] * N_DOCS, r"constant, here \['x0\[same\]'\]"),
        (
            np.column_stack([COVARIATES, 3 * first - 5]),
            "3 columns.*of which 2 are independent",
        ),
        (
            np.random.default_rng(0).normal(size=(N_DOCS, N_DOCS - 1)),
            "2 more documents",
        ),
        (np.where(IS_ONE, math.nan, first), r"\['x0'\] has missing values.* impute"),
        (pandas.Series([*LABELS[1:], None], name="party"), r"\['party'\] has missing"),
        (np.where(IS_ONE, math.inf, first), r"\['x0'\] contains infinity"),
        (pandas.Categorical.from_codes(1 * IS_ONE, [1, "1"]), "two categories of"),
        (pandas.DataFrame(index=range(N_DOCS)), "no columns"),
        (pandas.DataFrame({"intercept": first}), "'intercept'"),
        (pandas.DataFrame({1: first, "1": first**2}), "different names"),
    )
    spec += refused(5, None, "a", {1}, np.ones((2, 2, 2)))
    return spec
