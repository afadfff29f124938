"""Fitted topics as arrays, whichever estimator they come from."""

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted


def fitted_components(estimator) -> np.ndarray:
    """Return the weights of words in topics, (n_topics, n_words) float64."""
    check_is_fitted(estimator)
    if not hasattr(estimator, "components_"):
        raise TypeError(
            f"{type(estimator).__name__} has no components_, so it is no topic model. "
            f"Of a pipeline take the last step, `pipeline[-1]`, with "
            f"`feature_names=pipeline[:-1].get_feature_names_out()`; of a search, "
            f"`best_estimator_`."
        )
    components = check_array(
        estimator.components_, dtype=np.float64, input_name="components_"
    )
    if components.min() < 0:
        raise ValueError(
            f"components_ of {type(estimator).__name__} holds negative values, and "
            f"the weight of a word in a topic is none."
        )
    return components


def distributions(weights: np.ndarray) -> np.ndarray:
    """Divide each row by its sum; a row of zeros becomes uniform."""
    sums = weights.sum(axis=1, keepdims=True)
    uniform = np.full(weights.shape, 1 / weights.shape[1])
    return np.divide(weights, sums, out=uniform, where=sums > 0)


def token_shares(estimator) -> np.ndarray:
    """Return the share of each topic in the training tokens, as components_ tell it.

    They are counts plus a prior. A factorisation has no prior, and its scale is free.
    """
    weights = fitted_components(estimator)
    prior = getattr(estimator, "topic_word_prior_", 0.0)
    return distributions((weights - prior).clip(0).sum(axis=1)[np.newaxis])[0]


def doc_topic(estimator, X) -> np.ndarray:
    """Return the topic proportions of documents; rows sum to 1.

    Where those of ``transform`` do not, its values are factors: document d owes topic k
    as many tokens as its factor times the sum of ``components_[k]``.
    """
    components = fitted_components(estimator)
    weights = np.asarray(estimator.transform(X), dtype=np.float64)
    if np.allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-4):
        return distributions(weights)
    return distributions(weights * components.sum(axis=1))


def check_counts(X) -> Any:
    """Return X as an array or a CSR matrix of non-negative numbers."""
    X = check_array(X, accept_sparse="csr", input_name="X")
    if X.size > 0 and X.min() < 0:
        raise ValueError("X holds negative values, and word counts are none.")
    return X


def document_lengths(X) -> np.ndarray:
    """Return the number of tokens of each document, (n_documents,)."""
    return np.asarray(X.sum(axis=1)).ravel()


def word_names(estimator, feature_names, n_words: int) -> list[str]:
    """Return a name for each word; without any, the numbers of the columns."""
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", range(n_words))
    listed = isinstance(feature_names, Iterable)
    if not listed or isinstance(feature_names, str | Mapping):
        raise TypeError(
            f"feature_names must be a sequence in the order of the columns of X, not a "
            f"{type(feature_names).__name__}: take "
            f"`vectorizer.get_feature_names_out()`."
        )
    names = [str(name) for name in feature_names]
    if len(names) != n_words:
        raise ValueError(
            f"feature_names holds {len(names):,} names, and the estimator was fitted "
            f"to {n_words:,} words."
        )
    return names


def check_number(value, name, most=np.inf, of_what="", least=1) -> int:
    """Return `value` as int if it is a number of things that there are."""
    is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_integer or value < least:
        raise ValueError(f"{name} must be an integer >= {least}, got {value!r}.")
    if value > most:
        raise ValueError(f"{name}={value} is more than there are: {most} {of_what}.")
    return int(value)


def check_choice(value, name: str, choices) -> None:
    """Raise ValueError if `value` is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        allowed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name} must be one of {allowed}; got {value!r}.")


def largest(scores: np.ndarray, n: int) -> np.ndarray:
    """Return the columns of the n largest entries of each row, the largest first.

    Of equal entries, the one further left comes first.
    """
    columns = np.empty((scores.shape[0], n), dtype=np.intp)
    for row, found in zip(scores, columns, strict=True):
        last = np.partition(row, -n)[-n]
        candidates = np.flatnonzero(row >= last)
        found[:] = candidates[np.argsort(-row[candidates], kind="stable")[:n]]
    return columns
