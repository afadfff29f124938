"""Checks of what a curve over numbers of topics is asked for."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from joblib import Memory
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, get_tags

from sklda._base.fitted_topics import axis_sums, check_counts, word_names
from sklda._core.checks import check_limit
from sklda.metrics._windows import check_texts
from sklda.model_selection._fits import OF_ONE_FIT, Design, Documents

_MAX_SHOWN = 5  # documents in a message


def check_template(estimator: Any) -> Any:
    """Return a clone of the estimator; raise TypeError unless it can be fitted here."""
    kind = type(estimator).__name__
    if isinstance(estimator, Pipeline):
        raise TypeError(
            "estimator is a Pipeline, whose vectorizer would give each fold another "
            "vocabulary. Pass its last step, and counts as X: "
            "`X = pipeline[:-1].fit_transform(texts)`."
        )
    is_estimator = hasattr(estimator, "get_params") and not isinstance(estimator, type)
    if not is_estimator or "n_components" not in estimator.get_params():
        raise TypeError(
            f"estimator must be a topic model with the parameter n_components, got "
            f"{kind}: {estimator!r}."
        )
    if get_tags(estimator).target_tags.required:
        raise TypeError(
            f"estimator must be fitted without labels, but {kind} needs y: use "
            f"GridSearchCV, by how well labels are predicted."
        )
    return clone(estimator)


def check_measures(
    measures: Any, n_repeats: Any, texts: Any, feature_names: Any
) -> list[str]:
    """Return the names of the measures, each once."""
    known = [*OF_ONE_FIT, "stability"]
    if isinstance(measures, str) or not hasattr(measures, "__iter__"):
        raise TypeError(f"measures must be a list of names, got {measures!r}.")
    names = list(measures)
    if not names or any(name not in known for name in names):
        raise ValueError(
            f"measures must name at least one of {', '.join(known)}, and no others; "
            f"got {measures!r}."
        )
    if n_repeats == 1 and "stability" in names:
        raise ValueError(
            "n_repeats=1 has no other fit to compare topics with: set n_repeats to 2 "
            'or more, or leave "stability" out of measures.'
        )
    for name, value in (("texts", texts), ("feature_names", feature_names)):
        if ("c_v" in names) != (value is not None):
            raise ValueError(
                f'{name} must be given for "c_v" in measures.'
                if value is None
                else f'{name} has no effect without "c_v" in measures.'
            )
    return list(dict.fromkeys(names))


def check_documents(X: Any, n_words: Any, texts: Any, feature_names: Any) -> Documents:
    """Return what is fitted and what topics are measured on."""
    counts = check_counts(X)
    empty = np.flatnonzero(axis_sums(counts, axis=1) == 0)
    if empty.size > 0:
        shown = ", ".join(str(d) for d in empty[:_MAX_SHOWN])
        more = ", ..." if empty.size > _MAX_SHOWN else ""
        raise ValueError(
            f"X has {empty.size} empty documents (rows {shown}{more}), which no topic "
            f"can predict. Leave them out: `X = X[X.sum(axis=1).nonzero()[0]]`."
        )
    check_limit(n_words, "n_words", counts.shape[1], "words")
    if feature_names is not None:
        feature_names = word_names(None, feature_names, counts.shape[1])
    if texts is not None:
        texts = list(check_texts(texts))  # each fit reads them
    return Documents(counts, n_words, texts, feature_names)


def check_design(
    estimator: Any, X: Any, param_range: Any, cv: Any, n_repeats: int, random_state: Any
) -> Design:
    """Return all fits: numbers of topics, folds and seeds."""
    n_components = _check_numbers(param_range)
    random = check_random_state(random_state)
    folds = _check_folds(cv, X, random.randint(2**31 - 1))
    n_trained = min(len(train) for train, _ in folds)
    for largest, counted in (
        (np.unique(X.nonzero()[1]).size, "distinct words in X"),
        (n_trained, "training documents in a fold"),
    ):
        if n_components[-1] > largest:
            raise ValueError(
                f"param_range asks for {n_components[-1]} topics, more than the "
                f"{largest} {counted}: leave larger numbers out."
            )
    if "random_state" in estimator.get_params():
        seeds = random.randint(2**31 - 1, size=n_repeats).tolist()
    elif n_repeats == 1:
        seeds = [None]
    else:
        raise ValueError(
            f"n_repeats={n_repeats} would repeat equal fits, because "
            f"{type(estimator).__name__} has no random_state: set n_repeats=1, and "
            f'leave "stability" out of measures.'
        )
    return Design(n_components, folds, seeds)


def _check_numbers(param_range: Any) -> list[int]:
    """Return distinct numbers of topics in ascending order."""
    try:
        array = np.asarray(param_range)
    except ValueError:  # lists of different lengths
        array = np.array(None)
    numbers = np.unique(array) if array.ndim == 1 and array.dtype.kind in "iu" else []
    if len(numbers) < 2 or numbers[0] < 1:
        raise ValueError(
            f"param_range must list at least two distinct numbers of topics, integers "
            f"from 1, got {param_range!r}."
        )
    return [int(number) for number in numbers]


def _check_folds(cv: Any, X: Any, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the training and the test documents of each fold."""
    cv = 5 if cv is None else cv
    if isinstance(cv, Integral):
        check_limit(int(cv), "cv", X.shape[0], "documents")
        splitter = KFold(int(cv), shuffle=True, random_state=seed)
    else:
        splitter = check_cv(cv)
    folds = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X)]
    if len(folds) < 2:
        raise ValueError(
            f"cv must give at least 2 folds, for standard errors; got {len(folds)}."
        )
    return folds


def check_memory(memory: Any, random_state: Any) -> Memory:
    """Return where fits are kept."""
    store = memory if isinstance(memory, Memory) else Memory(memory, verbose=0)
    if store.location is not None and not isinstance(random_state, Integral):
        raise ValueError(
            f"memory finds fits by their seeds: random_state must be an int, got "
            f"{random_state!r}."
        )
    return store
