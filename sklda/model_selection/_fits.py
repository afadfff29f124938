"""Fits of a curve over numbers of topics: their folds and seeds, and their measures."""

from __future__ import annotations

import time
from itertools import product
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from joblib import Memory
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.parallel import Parallel, delayed

from sklda._base.fitted_topics import check_counts, word_names
from sklda._base.fitting import duration
from sklda._core.checks import check_limit, check_numbers
from sklda.metrics._alignment import topic_stability
from sklda.metrics._coherence import topic_coherence
from sklda.metrics._exclusivity import topic_diversity, topic_exclusivity
from sklda.metrics._held_out import document_completion_score
from sklda.metrics._windows import check_texts

# Each takes a fitted model, the data of the curve and the test documents.
MEASURES = {
    "score": lambda fit, data, test: document_completion_score(fit, data.X[test]),
    "npmi": lambda fit, data, _: topic_coherence(fit, data.X, "npmi", data.n_words),
    "c_v": lambda fit, data, _: topic_coherence(
        fit,
        measure="c_v",
        n_words=data.n_words,
        texts=data.texts,
        feature_names=data.feature_names,
    ),
    "exclusivity": lambda fit, data, _: topic_exclusivity(fit, n_words=data.n_words),
    "diversity": lambda fit, data, _: topic_diversity(fit, data.n_words),
}


class CurveData(NamedTuple):
    """The documents of a curve, and the other data of its measures."""

    X: Any
    n_words: int  # top words
    texts: Any
    feature_names: Any

    @classmethod
    def of(cls, X: Any, n_words: int, texts: Any, feature_names: Any) -> CurveData:
        """Check the arguments of `topic_number_curve`."""
        counts = check_counts(X)
        check_limit(n_words, "n_words", counts.shape[1], "words")
        if feature_names is not None:
            feature_names = word_names(None, feature_names, counts.shape[1])
        if texts is not None:
            texts = list(check_texts(texts))  # each fit reads them
        return cls(counts, n_words, texts, feature_names)

    def __repr__(self) -> str:
        """Return a short text: joblib.Memory writes it beside each fit."""
        return f"CurveData({self.X!r})"


class Design(NamedTuple):
    """All fits of a curve: each number of topics on each fold with each seed."""

    n_components: list[int]
    folds: list[tuple[np.ndarray, np.ndarray]]  # training and test documents
    seeds: list[dict[str, int]]  # parameters: random_state, if there is one

    @classmethod
    def of(cls, estimator, X, param_range, cv, n_repeats, random_state) -> Design:
        """Check the arguments of `topic_number_curve`, and draw folds and seeds."""
        numbers = _check_range(param_range)
        random = check_random_state(random_state)
        folds = _split(5 if cv is None else cv, X, random.randint(2**31 - 1))
        for largest, counted in (
            (np.unique(X.nonzero()[1]).size, "distinct words in X"),
            (min(len(train) for train, _ in folds), "training documents in a fold"),
        ):
            if numbers[-1] > largest:
                raise ValueError(
                    f"param_range asks for {numbers[-1]} topics, more than the "
                    f"{largest} {counted}: remove larger numbers."
                )
        if any(X[part].sum() == 0 for fold in folds for part in fold):
            raise ValueError("A fold has no words: shuffle or remove empty documents.")
        if "random_state" in estimator.get_params():
            seeds = random.randint(2**31 - 1, size=n_repeats).tolist()
            return cls(numbers, folds, [{"random_state": seed} for seed in seeds])
        if n_repeats > 1:
            raise ValueError(
                f"n_repeats={n_repeats} would repeat identical fits, because "
                f"{type(estimator).__name__} has no random_state: set n_repeats=1, and "
                f'remove "stability" from measures.'
            )
        return cls(numbers, folds, [{}])

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return how many numbers of topics, folds and seeds there are."""
        return len(self.n_components), len(self.folds), len(self.seeds)


def _check_range(param_range: Any) -> list[int]:
    """Return distinct numbers of topics in ascending order."""
    array = check_numbers(param_range, "param_range", ("n_values",))
    numbers: list[int] = np.unique(array).tolist()
    if array.dtype.kind == "f" or len(numbers) < 2 or numbers[0] < 1:
        raise ValueError(
            "param_range must contain at least two distinct numbers of topics, "
            f"integers from 1, got {param_range!r}."
        )
    return numbers


def _split(cv: Any, X: Any, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the training and the test documents of each fold."""
    if isinstance(cv, Integral):
        check_limit(int(cv), "cv", X.shape[0], "documents")
        cv = KFold(int(cv), shuffle=True, random_state=seed)
    splits = check_cv(cv).split(X)
    folds = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    if len(folds) < 2:
        raise ValueError(
            f"cv must yield at least 2 folds, for standard errors; got {len(folds)}."
        )
    return folds


def fit_and_measure(
    estimator: Any, data: CurveData, fold: tuple, measures: list[str]
) -> tuple[dict[str, float], np.ndarray | None]:
    """Return the measures of one fit, with its seconds; and its topics if needed."""
    train, test = fold
    start = time.perf_counter()
    model = clone(estimator).fit(data.X[train])
    values = {"seconds": time.perf_counter() - start}
    for name in measures:
        if name in MEASURES:
            topic_values = np.ravel(MEASURES[name](model, data, test))
            # NaN for topics without words
            known = topic_values[~np.isnan(topic_values)]
            values[name] = float(known.mean()) if known.size > 0 else np.nan
    return values, model.components_ if "stability" in measures else None


def measure_all(
    estimator, data, design, measures, *, memory: Memory, n_jobs, verbose
) -> Bunch:
    """Return each measure of all fits, (n_values, n_folds, n_seeds or 1)."""
    work = delayed(memory.cache(fit_and_measure))
    results = Parallel(n_jobs=n_jobs, return_as="generator")(
        work(clone(estimator).set_params(n_components=n, **seed), data, fold, measures)
        for n, fold, seed in product(*design)
    )
    fits = Bunch(**{name: np.empty(design.shape) for name in ["seconds", *measures]})
    if "stability" in measures:
        fits.stability = np.empty((*design.shape[:2], 1))
    topics = []  # of a fold
    places, start = np.ndindex(design.shape), time.perf_counter()
    for place, (values, components) in zip(places, results, strict=True):
        for name, value in values.items():
            fits[name][place] = value
        if verbose:
            elapsed = time.perf_counter() - start
            print(_line(design, place, fits, elapsed), flush=True)
        topics.append(components)
        if len(topics) == len(design.seeds):
            if "stability" in measures:
                fits.stability[place[:2]] = topic_stability(topics).overall
            topics.clear()
    return fits


def _line(design: Design, place: tuple[int, ...], fits: Bunch, elapsed: float) -> str:
    """Return the line of progress of one fit."""
    number = int(np.ravel_multi_index(place, design.shape)) + 1
    n_values, n_folds, n_seeds = design.shape
    score = f"score {fits.score[place]:.4f}, " if "score" in fits else ""
    left = _time_left(design, fits.seconds.ravel()[:number], elapsed)
    return (
        f"[topic_number_curve] fit {number}/{n_values * n_folds * n_seeds}, "
        f"n_components={design.n_components[place[0]]}, "
        f"fold {place[1] + 1}/{n_folds}, repeat {place[2] + 1}/{n_seeds}, "
        f"{score}{fits.seconds[place]:.1f} s, {left}"
    )


def _time_left(design: Design, seconds: np.ndarray, elapsed: float) -> str:
    """Return how long the fits that are left take, from the seconds of the others."""
    _, n_folds, n_seeds = design.shape
    topics = np.repeat(design.n_components, n_folds * n_seeds)
    done, rest = np.split(topics, [seconds.size])
    # The time of a fit is about linear in its topics.
    several = done[0] < done[-1]
    line = np.polyfit(done, seconds, int(several))
    left = np.polyval(line, rest).clip(0).sum() * elapsed / seconds.sum()
    return f"{'about' if several else 'at least'} {duration(left)} left"
