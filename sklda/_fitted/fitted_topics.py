"""The topics, documents and words of any fitted topic model, as arrays.

First come the weights of words in topics, then proportions of documents, names of
words, topics that are lists of words, and names of topics: those that `name_topics` has
stored, or else their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any, cast
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from sklda._data import checks
from sklda._data.corpus import read_in_blocks
from sklda._data.notices import warn_user
from sklda._data.types import MatrixLike, NameList

_ROUNDING = 1e-6  # of a weight, relative to its prior


def is_estimator(model: Any) -> bool:
    """Return whether a model is an estimator; a frame may have a word "fit"."""
    return callable(getattr(model, "fit", None))


def snapshot(estimator: Any) -> Any:
    """Return a shallow copy of a fitted estimator, or raise NotFittedError.

    The copy stays with one fit, even if another thread fits the estimator again.
    """
    if not is_estimator(estimator):
        raise TypeError(
            f"{type(estimator).__name__} is not an estimator: pass the fitted model "
            "first, before documents and feature names."
        )
    fitted = copy(estimator)
    check_is_fitted(fitted)
    shape = getattr(fitted, "_topic_shape", None)  # of models of this package
    if shape is not None:
        # A fit sets it when it starts, and the topics when it ends.
        fitted.n_features_in_ = shape[1]
    return fitted


def fitted_components(estimator: Any) -> np.ndarray:
    """Return the checked, non-negative `components_`, (n_topics, n_words) float64."""
    values = getattr(estimator, "components_", None)
    if values is None:
        raise TypeError(
            f"{type(estimator).__name__} has no components_, so it is not a topic "
            f"model. For a pipeline, pass its last step, `pipeline[-1]`, with "
            f"`feature_names=pipeline[:-1].get_feature_names_out()`; for a search, "
            f"pass `best_estimator_`."
        )
    components: np.ndarray = checks.check_matrix(
        values, "components_", dtype=np.float64
    )
    _check_not_negative(components, f"components_ of {type(estimator).__name__}")
    return components


def shape_of_topics(estimator: Any) -> tuple[int, int]:
    """Return the numbers of topics and words; models of sklda make no array for it."""
    shape = getattr(estimator, "_topic_shape", None)
    return fitted_components(estimator).shape if shape is None else shape


def _check_not_negative(values: np.ndarray, name: str) -> None:
    if values.min() < 0:
        raise ValueError(
            f"{name} contains negative values; the weights of topics and words must be "
            "non-negative."
        )


def word_weights(model: Any, name: str = "model") -> np.ndarray:
    """Return the word weights of topics: those of a fitted estimator, or an array.

    An array may contain negative weights, such as logarithms.
    """
    if word_lists(model, name) is not None:
        raise TypeError(
            f"{name} contains lists of words, which have no weights. Pass a fitted "
            "model, or the weights of all words in its topics."
        )
    if is_estimator(model):
        return fitted_components(snapshot(model))
    weights: np.ndarray = checks.check_matrix(model, name, dtype=np.float64)
    return weights


def normalisable_weights(model: Any, name: str = "model") -> np.ndarray:
    """Return word weights that can be normalised to a distribution for each topic."""
    weights = word_weights(model, name)
    _check_not_negative(weights, name)
    empty = np.flatnonzero(weights.max(axis=1) == 0)
    if empty.size > 0:
        raise ValueError(
            f"{name}: all weights of topic {empty[0]} are 0, so it is not a "
            f"distribution over words ({empty.size} of {len(weights)} topics). Pass "
            "the other topics alone, as an array, or fit fewer."
        )
    return weights


def normalise(values: np.ndarray) -> np.ndarray:
    """Divide values by their sum along the last axis; rows of 0 become uniform."""
    values = summable(values)
    sums = values.sum(axis=-1, keepdims=True)
    normalised = np.full(values.shape, 1 / values.shape[-1])
    np.divide(values, sums, out=normalised, where=sums != 0)  # NaN stays NaN
    return normalised


def summable(values: np.ndarray) -> np.ndarray:
    """Return values, scaled down if their sum would overflow."""
    with np.errstate(over="ignore"):
        total = values.sum()
    return values if np.isfinite(total) else values / values.size


def word_probabilities(components: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return the probabilities of some words in topics, (n, n_topics)."""
    components = summable(components)
    return (components[:, words] / components.sum(axis=1, keepdims=True)).T


def empty_topics(model: Any, weights: np.ndarray) -> np.ndarray:
    """Return which topics have no tokens, (n_topics,), so their words have no order.

    `weights` is the result of ``word_weights(model)``.
    """
    if is_estimator(model):
        prior = fitted_prior(model, "topic_word_prior_")
        return np.asarray((weights <= prior * (1 + _ROUNDING)).all(axis=1))
    return np.asarray((weights == weights[:, :1]).all(axis=1) & (weights.shape[1] > 1))


def warn_of_empty(empty: np.ndarray, consequence: str) -> None:
    """Warn of topics without tokens, if there are any, and say what follows."""
    if empty.any():
        found = np.flatnonzero(empty).tolist()
        warn_user(
            f"{len(found)} of {empty.size} topics have no tokens, and thus no words: "
            f"{consequence} (topics {checks.shown(found)}). Fewer topics may suffice."
        )


def fitted_prior(estimator: Any, name: str) -> np.ndarray:
    """Return alpha or beta of a fitted model; 0 if it has none, as NMF."""
    prior = np.asarray(getattr(estimator, name, 0.0), dtype=np.float64)
    if not ((prior >= 0) & (prior < np.inf)).all():
        kind = type(estimator).__name__
        raise ValueError(f"{name} of {kind} must be finite and at least 0: {prior}.")
    return prior


def topic_frequencies(estimator: Any, X: MatrixLike | None = None) -> np.ndarray:
    """Return the proportion of the tokens of X in each topic, (n_topics,).

    Without X, count the training tokens: `components_` minus the prior. The result for
    a matrix factorisation depends on the arbitrary scale of `components_`.
    """
    if X is not None:
        proportions = topic_proportions(estimator, X)
        return normalise(axis_sums(check_counts(X), axis=1) @ proportions)
    components = summable(fitted_components(estimator))
    prior = fitted_prior(estimator, "topic_word_prior_")
    rows = zip(components, np.broadcast_to(prior, components.shape), strict=True)
    return normalise(np.array([(row - beta).clip(0).sum() for row, beta in rows]))


def topic_proportions(estimator: Any, X: MatrixLike) -> np.ndarray:
    """Return the topic proportions of documents, (n_documents, n_topics).

    If the rows of `transform` do not sum to 1, the model is a matrix factorisation,
    which expects ``transform(X)[d, k] * components_[k].sum()`` tokens of document d in
    topic k.
    """
    shape_of_topics(estimator)  # of an estimator without topics: TypeError
    X = checks.check_structure(X, "X")  # models of other libraries do not
    name = f"transform(X) of {type(estimator).__name__}"
    transformed = checks.check_matrix(estimator.transform(X), name, dtype=np.float64)
    _check_not_negative(transformed, name)
    if not np.allclose(transformed.sum(axis=1), 1, rtol=0, atol=1e-4):
        components = summable(fitted_components(estimator))
        transformed = transformed * components.sum(axis=1)
    return normalise(transformed)


def check_counts(X: MatrixLike, name: str = "X") -> Any:
    """Return X as an ndarray or a CSR matrix of non-negative integers or float64.

    Floats become float64, because sums of narrower floats overflow or lose tokens.
    """
    if not sparse.issparse(X) and read_in_blocks(X) is not None:
        raise ValueError(
            f"{name} must be one matrix of counts here: stack blocks of documents with "
            "scipy.sparse.vstack(blocks)."
        )
    checks.check_counted(X, name)
    counts = checks.check_matrix(X, name, accept_sparse="csr")
    if counts.dtype.kind == "f":
        counts = counts.astype(np.float64, copy=False)
    # Not the least entry of a sparse matrix: SciPy would add up duplicates in place.
    values = counts.data if sparse.issparse(counts) else counts
    if values.size > 0 and values.min() < 0:
        raise ValueError(f"{name} contains negative values; word counts must be >= 0.")
    return counts


def axis_sums(counts: Any, axis: int) -> np.ndarray:
    """Return the sums along an axis of a matrix, dense or sparse, as one dimension."""
    return np.asarray(counts.sum(axis=axis)).ravel()


def has_names(estimator: Any) -> bool:
    """Return whether an estimator was fitted to columns with names."""
    return hasattr(estimator, "feature_names_in_")


def check_feature_names(names: Any) -> list[str]:
    """Return the names of words as a list of str."""
    content = "the words in the order of the columns of X"
    way_out = "Pass `vectorizer.get_feature_names_out()`."
    return checks.check_names(names, "feature_names", content, way_out)


def word_names(
    estimator: Any, feature_names: NameList | None, n_words: int
) -> list[str]:
    """Return the names of words: `feature_names`, those of fit, or column numbers.

    Warn if they are column numbers.
    """
    raw_names: Any = feature_names
    if raw_names is None and has_names(estimator):
        raw_names = estimator.feature_names_in_
    if raw_names is None:
        warn_user(
            "Words are shown as column numbers, because the estimator was fitted "
            "without feature names. Pass "
            "`feature_names=vectorizer.get_feature_names_out()`."
        )
        raw_names = range(n_words)
    names = check_feature_names(raw_names)
    if len(names) != n_words:
        way = "If words were its rows, fit X.T."
        if has_names(estimator):
            known = estimator.feature_names_in_.tolist()
            different = checks.differences(known, names, "fit", "feature_names")
            way = f"They differ: {different}."
        raise ValueError(
            f"feature_names has {len(names):,} names, but the model has {n_words:,} "
            f"words, the columns of X in fit. {way}"
        )
    return names


def top_indices(scores: np.ndarray, n: int) -> np.ndarray:
    """Return the columns of the n largest entries of each row, in decreasing order.

    Equal entries keep the order of their columns.
    """
    top = np.empty((scores.shape[0], n), dtype=np.intp)
    for row, columns in zip(scores, top, strict=True):
        smallest = np.partition(row, -n)[-n]
        candidates = np.flatnonzero(row >= smallest)
        columns[:] = candidates[np.argsort(-row[candidates], kind="stable")[:n]]
    return top


# --- topics that other programs return as lists of words, best first ---------------


def word_lists(model: Any, name: str = "model") -> list[list[str]] | None:
    """Return topics that are lists of words, or None if they are something else.

    A topic without words is an empty list or, in a table, has missing values for words.
    Raise ValueError if a topic repeats a word.
    """
    rows = model
    if hasattr(model, "__array__"):
        values = np.asarray(model)
        if np.issubdtype(values.dtype, np.number):
            return None  # without an object for each number
        rows = values.astype(object).tolist()
    if is_estimator(model) or not isinstance(rows, list | tuple) or len(rows) == 0:
        return None
    if not all(isinstance(r, list | tuple) or np.ndim(r) == 1 for r in rows):
        return None
    lists = [[word for word in row if not _is_missing(word)] for row in rows]
    words = [word for words in lists for word in words]
    if not words or not all(isinstance(word, str) for word in words):
        return None
    for k, topic_words in enumerate(lists):
        repeated = [word for word in topic_words if topic_words.count(word) > 1]
        if repeated:
            raise ValueError(
                f"{name} lists the word {repeated[0]!r} of topic {k} several times; it "
                "must be a matrix of numeric weights, or lists of distinct words."
            )
    return lists


def _is_missing(word: Any) -> bool:
    return word is None or (isinstance(word, float) and np.isnan(word))


def words_of(lists: list[list[str]]) -> list[str]:
    """Return the distinct words of topics."""
    return list(dict.fromkeys(word for words in lists for word in words))


def rank_weights(lists: list[list[str]], names: list[str], n_words: int) -> np.ndarray:
    """Return weights that rank the words of each topic, (n_topics, len(names)).

    They are positive for the words of a topic, or all 0 for a topic without words.
    Raise ValueError if a topic has words without a name, or fewer than `n_words`.
    """
    column_of = {name: column for column, name in enumerate(names)}
    weights = np.zeros((len(lists), len(names)))
    for k, words in enumerate(lists):
        unknown = [word for word in words if word not in column_of]
        if unknown:
            raise ValueError(
                f"feature_names must contain all words of the topics, but it has no "
                f"{unknown[0]!r}, a word of topic {k}."
            )
        if 0 < len(words) < n_words:
            raise ValueError(
                f"n_words={n_words} exceeds the number of words of topic {k}, "
                f"{len(words)}."
            )
        weights[k, [column_of[word] for word in words]] = range(len(words), 0, -1)
    return weights


def default_names(n_topics: int) -> np.ndarray:
    """Return names that state the numbers of the topics, (n_topics,) str."""
    return np.array([f"topic {k}" for k in range(n_topics)], dtype=object)


def names_of_topics(estimator: Any, n_topics: int) -> np.ndarray:
    """Return the names of all topics of an estimator, (n_topics,) str.

    These are default names if the topics have changed since they were named.
    """
    stored = getattr(estimator, "topic_names_", None)
    named = getattr(estimator, "_named_topics", None)
    if stored is None or named not in (None, checksum(estimator)):
        return default_names(n_topics)
    names = checks.label_list(stored, "topic_names_", "topics", n_topics)
    return np.array(names, dtype=object)


def checksum(estimator: Any) -> int | None:
    """Return a number that a fit changes; None for models of sklda: they drop names."""
    if hasattr(estimator, "_topic_shape"):
        return None
    return crc32(np.ascontiguousarray(fitted_components(estimator)))


def numbers_of_topics(topics: ArrayLike | None, names: Iterable[str]) -> np.ndarray:
    """Return the numbers of topics that are named or numbered; of all topics for None.

    `names` are those of all topics. Raises ValueError for any other name or number.
    """
    known, numbers = list(names), topics
    given = (
        [] if checks.array_or_none(topics).ndim != 1 else list(cast(Iterable, topics))
    )
    named = [topic for topic in given if isinstance(topic, str)]
    if unknown := [name for name in named if name not in known]:
        raise ValueError(
            f"topics must be a list of integers or names, and no topic is named "
            f"{unknown[0]!r}: the names are {checks.shown(known)}."
        )
    if named:
        numbers = [known.index(t) if isinstance(t, str) else t for t in given]
    return checks.check_indices(numbers, "topics", len(known), "topics")


def keys_of_topics(names: Iterable[str], topics: Iterable[int]) -> list[int | str]:
    """Return what denotes topics in a table: names, or numbers for default names.

    `names` are those of these topics.
    """
    return [
        int(k) if name == f"topic {k}" else name
        for name, k in zip(names, topics, strict=True)
    ]


def keys_of_model(estimator: Any, n_topics: int) -> list[int | str]:
    """Return what denotes each topic of an estimator in a table."""
    return keys_of_topics(names_of_topics(estimator, n_topics), range(n_topics))
