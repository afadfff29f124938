"""The fits of a curve: which there are, and what is measured of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import Memory
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.parallel import Parallel, delayed

from sklda.metrics._alignment import topic_stability
from sklda.metrics._coherence import topic_coherence
from sklda.metrics._completion import document_completion_score
from sklda.metrics._exclusivity import topic_diversity, topic_exclusivity


class Design(NamedTuple):
    """All fits of a curve: each number of topics on each fold with each seed."""

    n_components: list[int]
    folds: list[tuple[np.ndarray, np.ndarray]]  # training and test documents
    seeds: list[int | None]  # None: the estimator has no random numbers

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return the numbers of numbers of topics, of folds and of seeds."""
        return len(self.n_components), len(self.folds), len(self.seeds)


class Documents(NamedTuple):
    """What topics are measured on."""

    X: Any
    n_words: int  # top words
    texts: Any
    feature_names: Any

    def __repr__(self) -> str:
        """Return few words: joblib.Memory writes them beside each fit."""
        return f"Documents({self.X!r})"


Measure = Callable[[Any, Documents, np.ndarray], float]

# Each of one fitted model; the last argument are the test documents.
OF_ONE_FIT: dict[str, Measure] = {
    "score": lambda model, of, test: document_completion_score(model, of.X[test]),
    "npmi": lambda model, of, _: float(
        topic_coherence(model, of.X, "npmi", of.n_words).mean()
    ),
    "c_v": lambda model, of, _: float(
        topic_coherence(
            model,
            measure="c_v",
            n_words=of.n_words,
            texts=of.texts,
            feature_names=of.feature_names,
        ).mean()
    ),
    "exclusivity": lambda model, of, _: float(
        topic_exclusivity(model, n_words=of.n_words).mean()
    ),
    "diversity": lambda model, of, _: topic_diversity(model, of.n_words),
}


def fit_and_measure(
    estimator: Any,
    documents: Documents,
    fold: tuple[np.ndarray, np.ndarray],
    measures: list[str],
) -> tuple[dict[str, float], np.ndarray | None]:
    """Return the measures of one fit, with its seconds; and its topics if needed."""
    train, test = fold
    start = time.perf_counter()
    model = clone(estimator).fit(documents.X[train])
    values = {"seconds": time.perf_counter() - start}
    for name in measures:
        if name in OF_ONE_FIT:
            values[name] = OF_ONE_FIT[name](model, documents, test)
    return values, model.components_ if "stability" in measures else None


def measure_all(
    estimator: Any,
    documents: Documents,
    design: Design,
    measures: list[str],
    *,
    memory: Memory,
    n_jobs: int | None,
    report: Callable[[str], None],
) -> Bunch:
    """Return each measure of all fits, of the shape of the design.

    Stability is a value for each fold: its shape ends in 1.
    """
    work = delayed(memory.cache(fit_and_measure))
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        work(model, documents, fold, measures)
        for model, fold in _models(estimator, design)
    )
    n_seeds = len(design.seeds)
    found = Bunch(**{n: np.empty(design.shape) for n in ["seconds", *measures]})
    if "stability" in measures:
        found.stability = np.empty((*design.shape[:2], 1))
    for i, j in np.ndindex(design.shape[:2]):
        topics = []
        for r, (values, components) in zip(range(n_seeds), results, strict=False):
            for name, value in values.items():
                found[name][i, j, r] = value
            topics.append(components)
            report(_line(design, (i, j, r), values))
        if "stability" in measures:
            found.stability[i, j] = topic_stability(topics).overall
    return found


def _models(
    estimator: Any, design: Design
) -> Iterator[tuple[Any, tuple[np.ndarray, np.ndarray]]]:
    """Yield an unfitted estimator and its fold, for each fit of a design."""
    for n_components in design.n_components:
        for fold in design.folds:
            for seed in design.seeds:
                seeded = {} if seed is None else {"random_state": seed}
                model = clone(estimator).set_params(n_components=n_components, **seeded)
                yield model, fold


def _line(design: Design, place: tuple[int, int, int], values: dict[str, float]) -> str:
    """Return what progress says of one fit."""
    number = int(np.ravel_multi_index(place, design.shape)) + 1
    n_values, n_folds, n_seeds = design.shape
    score = f"score {values['score']:.4f}, " if "score" in values else ""
    return (
        f"[topic_number_curve] fit {number}/{n_values * n_folds * n_seeds}, "
        f"n_components={design.n_components[place[0]]}, "
        f"fold {place[1] + 1}/{n_folds}, repeat {place[2] + 1}/{n_seeds}, "
        f"{score}{values['seconds']:.1f} s"
    )
