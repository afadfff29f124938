"""Topics, documents and words of any fitted topic model, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from sklda._core.types import MatrixLike


def fitted_components(estimator: Any) -> np.ndarray:
    """Return `components_` of a fitted topic model.

    Parameters
    ----------
    estimator : estimator
        Fitted, with `components_`.

    Returns
    -------
    ndarray of shape (n_topics, n_words) of float64
        Non-negative weights of words in topics, on any scale.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If the estimator has no `components_`.
    ValueError
        If `components_` contains negative values or values that are not finite.
    """
    check_is_fitted(estimator)
    if not hasattr(estimator, "components_"):
        raise TypeError(
            f"{type(estimator).__name__} has no components_, so it is not a topic "
            f"model. For a pipeline, pass its last step, `pipeline[-1]`, with "
            f"`feature_names=pipeline[:-1].get_feature_names_out()`; for a search, "
            f"pass `best_estimator_`."
        )
    components: np.ndarray = check_array(
        estimator.components_, dtype=np.float64, input_name="components_"
    )
    if components.min() < 0:
        raise ValueError(
            f"components_ of {type(estimator).__name__} contains negative values; the "
            f"weights of words in topics must be non-negative."
        )
    return components


def normalise(weights: np.ndarray) -> np.ndarray:
    """Return weights divided by their sum along the last axis; zeros become uniform."""
    sums = weights.sum(axis=-1, keepdims=True)
    normalised = np.full(weights.shape, 1 / weights.shape[-1])
    np.divide(weights, sums, out=normalised, where=sums > 0)
    return normalised


def topic_frequencies(estimator: Any) -> np.ndarray:
    """Return the proportion of the training tokens in each topic, (n_topics,).

    `components_` of an LDA model are expected token counts plus a prior, which is
    subtracted. A matrix factorisation has no prior and an arbitrary scale, so its
    frequencies depend on that scale.
    """
    weights = fitted_components(estimator)
    prior = getattr(estimator, "topic_word_prior_", 0.0)
    tokens = (weights - prior).clip(0).sum(axis=1)
    return normalise(tokens)


def topic_frequencies_in(estimator: Any, X: MatrixLike) -> np.ndarray:
    """Return the expected proportion of the tokens of X in each topic, (n_topics,)."""
    proportions = topic_proportions(estimator, X)
    lengths = document_lengths(check_counts(X))
    return normalise(lengths @ proportions)


def topic_proportions(estimator: Any, X: MatrixLike) -> np.ndarray:
    """Return the topic proportions of documents, (n_documents, n_topics).

    Rows sum to 1. If those of `transform` do not, the model is taken for a matrix
    factorisation, in which document d has ``transform(X)[d, k] * components_[k].sum()``
    expected tokens in topic k; these are normalised.
    """
    components = fitted_components(estimator)
    weights = np.asarray(estimator.transform(X), dtype=np.float64)
    if np.allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-4):
        return normalise(weights)
    return normalise(weights * components.sum(axis=1))


def check_counts(X: MatrixLike) -> Any:
    """Return X as an ndarray or a CSR matrix of non-negative finite numbers."""
    counts = check_array(X, accept_sparse="csr", input_name="X")
    if counts.size > 0 and counts.min() < 0:
        raise ValueError("X contains negative values; word counts must be >= 0.")
    return counts


def document_lengths(counts: Any) -> np.ndarray:
    """Return the number of tokens in each document, (n_documents,)."""
    return np.asarray(counts.sum(axis=1)).ravel()


def word_names(
    estimator: Any, feature_names: Iterable[str] | None, n_words: int
) -> list[str]:
    """Return the name of each word.

    Without `feature_names` these are `feature_names_in_` of the estimator or, if it has
    none, the column numbers of X.

    Raises
    ------
    TypeError
        If feature_names is not an ordered collection of names.
    ValueError
        If their number is not `n_words`.
    """
    given: Any = feature_names
    if given is None:
        given = getattr(estimator, "feature_names_in_", range(n_words))
    if not isinstance(given, Iterable) or isinstance(given, str | Mapping):
        raise TypeError(
            f"feature_names must list the words in the order of the columns of X, got "
            f"a {type(given).__name__}. Pass `vectorizer.get_feature_names_out()`."
        )
    names = [str(name) for name in given]
    if len(names) != n_words:
        raise ValueError(
            f"feature_names has {len(names):,} names, but the estimator was fitted to "
            f"{n_words:,} words."
        )
    return names


def top_indices(scores: np.ndarray, n: int) -> np.ndarray:
    """Return the columns of the n largest entries of each row, in decreasing order.

    Ties are broken by column: the smaller one comes first. Cost: O(n_columns) per row,
    plus O(m log m) for the m entries that are at least as large as the n-th largest.
    """
    top = np.empty((scores.shape[0], n), dtype=np.intp)
    for row, columns in zip(scores, top, strict=True):
        smallest = np.partition(row, -n)[-n]
        candidates = np.flatnonzero(row >= smallest)
        columns[:] = candidates[np.argsort(-row[candidates], kind="stable")[:n]]
    return top
