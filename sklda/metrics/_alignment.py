"""Alignment and stability of the topics of several models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from sklda._data.checks import check_same_words
from sklda._fitted import fitted_topics
from sklda._fitted.topic_words import (
    DISTANCE_CONSTRAINTS,
    check_distance,
    topic_distances,
)
from sklda._sampling.parameters import validates

Distance: TypeAlias = Literal["hellinger", "jensen-shannon", "top-words"]


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicAlignment:
    """Topics of a reference model and their partners in another model.

    `align_topics` returns one for each of the other models.

    Attributes
    ----------
    partners : ndarray of shape (n_topics,)
        Topic matched with each topic of the reference; -1 if there is none.
    distances : ndarray of shape (n_topics,)
        Distances between partners; NaN if there is no partner.
    left_over : ndarray of int
        Topics of the other model without a partner.
    nearest : ndarray of shape (n_other_topics,)
        Topic of the reference that is nearest to each topic of the other model; not
        necessarily distinct.
    distance_matrix : ndarray of shape (n_topics, n_other_topics)
        Distances between all pairs of topics.
    """

    partners: np.ndarray
    distances: np.ndarray
    left_over: np.ndarray
    nearest: np.ndarray
    distance_matrix: np.ndarray


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicStability:
    """How well the topics of several fits agree.

    `topic_stability` returns it.

    Attributes
    ----------
    overall : float
        Mean similarity of all pairs of fits, from 0 to 1.
    prototype : int
        Index of the fit that is most similar to the others; ties are broken by index.
    per_topic : ndarray of shape (n_topics,)
        Mean similarity of each topic of the prototype to its partners in the other
        fits; NaN without tokens.
    similarities : ndarray of shape (n_models, n_models)
        Similarities of all pairs of fits; 1 on the diagonal.
    """

    overall: float
    prototype: int
    per_topic: np.ndarray
    similarities: np.ndarray


@validates(**DISTANCE_CONSTRAINTS)
def align_topics(
    reference: Any | ArrayLike,
    others: Sequence[Any],
    distance: Distance = "hellinger",
    *,
    n_words: int | None = None,
) -> list[TopicAlignment]:
    """Find the topics of a reference model in other models.

    Topics are matched one to one so that the sum of the distances between partners is
    as small as possible. If the numbers of topics differ, some topics of the larger
    model have no partner. Cost: O(n_words_of_corpus) for each pair of topics, plus as
    many logarithms for "jensen-shannon", then O(n_topics ** 3) for the assignment [2]_.

    Parameters
    ----------
    reference : estimator or array-like of shape (n_topics, n_words_of_corpus)
        Fitted topic model with `components_`, or the non-negative weights of words in
        topics. Rows are normalised to distributions. If all models are lists of the top
        words of each topic, best first, "top-words" compares these.
    others : list of estimator or array-like of shape (n_other_topics, \
n_words_of_corpus)
        Models with the same words (and `feature_names_in_`) and any number of topics.
    distance : {"hellinger", "jensen-shannon", "top-words"}, default="hellinger"
        Distance of two topics p and q, from 0 (equal) to 1 (no common word):

        - "hellinger": ``sqrt(1 - sum_w sqrt(p(w) q(w)))``.
        - "jensen-shannon": the square root of the divergence in bits [1]_.
        - "top-words": the proportion of the `n_words` most probable words of one topic
          that are not among those of the other. Ties are broken by column.
    n_words : int, default=None
        Number of words that "top-words" compares. By default 10, or all if there are
        fewer.

    Returns
    -------
    list of TopicAlignment
        For each of `others`, the partners of the topics and all distances.

    Raises
    ------
    NotFittedError, TypeError
        Before fit; if an estimator has no `components_`, or others is not a list.
    ValueError
        If a weight is negative or not finite, all weights of a topic are 0, the models
        have different words, or a parameter is out of its range.

    References
    ----------
    .. [1] J. Lin, "Divergence measures based on the Shannon entropy", IEEE Transactions
       on Information Theory 37 (1991), https://doi.org/10.1109/18.61115
    .. [2] D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE
       Transactions on Aerospace and Electronic Systems 52 (2016),
       https://doi.org/10.1109/TAES.2016.140952

    Examples
    --------
    >>> from sklda.metrics import align_topics
    >>> reference = [[4, 4, 0, 0], [0, 0, 4, 4]]
    >>> other = [[0, 0, 4, 4], [5, 3, 0, 0], [0, 0, 5, 3]]
    >>> (alignment,) = align_topics(reference, [other])
    >>> alignment.partners
    array([1, 0])
    >>> alignment.left_over, alignment.nearest
    (array([2]), array([1, 0, 1]))
    """
    models = {"reference": reference} | _check_models(others, "others", minimum=1)
    topics, n_words = _rows(models, distance, n_words)
    for name, rows in zip(models, topics, strict=True):
        empty = np.flatnonzero(~rows.any(axis=1))
        if empty.size > 0:
            raise ValueError(
                f"{name}: topic {empty[0]} has no words. Pass the other topics alone, "
                "as an array or lists of words, or fit fewer."
            )
    return [
        _alignment(topic_distances(topics[0], rows, distance, n_words))
        for rows in topics[1:]
    ]


def _alignment(distances: np.ndarray) -> TopicAlignment:
    partners = np.full(len(distances), -1)
    partner_distances = np.full(len(distances), np.nan)
    rows, columns = linear_sum_assignment(distances)
    partners[rows], partner_distances[rows] = columns, distances[rows, columns]
    return TopicAlignment(
        partners=partners,
        distances=partner_distances,
        left_over=np.setdiff1d(np.arange(distances.shape[1]), partners),
        nearest=distances.argmin(axis=0),
        distance_matrix=distances,
    )


@validates(**DISTANCE_CONSTRAINTS)
def topic_stability(
    models: Sequence[Any],
    distance: Distance = "hellinger",
    *,
    n_words: int | None = None,
) -> TopicStability:
    """Measure how well the topics of several fits agree and find the prototype.

    The topics of each pair of fits are matched as in `align_topics`. The similarity of
    two topics is 1 minus their distance, or 0 for a topic without a partner. The
    similarity of two fits is the mean over the topics of the larger one. The prototype
    is the fit that is most similar to all others on average; [1]_ finds it by
    clustering topics instead. Frequent words make any two topics somewhat similar, so
    compare stabilities only for the same corpus and distance. Cost: that of
    `align_topics` for each pair of fits.

    Parameters
    ----------
    models : list of estimator or array-like of shape (n_topics, n_words_of_corpus)
        At least two models, as for `align_topics`, for example fits with different
        seeds or to bootstrap samples. Numbers of topics may differ. Topics without
        tokens do not count.
    distance : {"hellinger", "jensen-shannon", "top-words"}, default="hellinger"
        Distance between two topics, see `align_topics`.
    n_words : int, default=None
        Number of words that "top-words" compares. By default 10, or all if there are
        fewer.

    Returns
    -------
    TopicStability
        Similarities of fits and of topics, and the index of the prototype.

    Raises
    ------
    NotFittedError, TypeError, ValueError
        If there are fewer than two models, or as in `align_topics`.

    Warns
    -----
    UserWarning
        If topics have no tokens, see `topic_coherence`.

    References
    ----------
    .. [1] J. Rieger, J. Rahnenführer, C. Jentsch, "Improving Latent Dirichlet
       Allocation: on reliability of the novel method LDAPrototype", NLDB (2020),
       https://doi.org/10.1007/978-3-030-51310-8_11

    Examples
    --------
    >>> from sklda.metrics import topic_stability
    >>> stable, other = [[4, 4, 0, 0], [0, 0, 4, 4]], [[0, 4, 4, 0], [4, 0, 0, 4]]
    >>> stability = topic_stability([stable, stable[::-1], other])
    >>> stability.similarities.round(2)
    array([[1.  , 1.  , 0.29],
           [1.  , 1.  , 0.29],
           [0.29, 0.29, 1.  ]])
    >>> stability.prototype, stability.per_topic.round(2)
    (0, array([0.65, 0.65]))
    """
    named = _check_models(models, "models", minimum=2)
    topics, n_words = _rows(named, distance, n_words)
    empty = [
        fitted_topics.empty_topics(
            model,
            fitted_topics.word_weights(model)
            if fitted_topics.is_estimator(model)
            else rows,
        )
        for model, rows in zip(named.values(), topics, strict=True)
    ]
    fitted_topics.warn_of_empty(np.concatenate(empty), "they do not count")
    similarities = np.eye(len(topics))
    topic_similarities = [np.zeros((len(topics), len(rows))) for rows in topics]
    numbers = [np.flatnonzero(~is_empty) for is_empty in empty]
    for i, j in zip(*np.triu_indices(len(topics), 1), strict=True):
        pair = topics[i][numbers[i]], topics[j][numbers[j]]
        distances = topic_distances(*pair, distance, n_words)
        rows, columns = linear_sum_assignment(distances)
        values = 1 - distances[rows, columns]
        topic_similarities[i][j, numbers[i][rows]] = values
        topic_similarities[j][i, numbers[j][columns]] = values
        similarity = values.sum() / max(*distances.shape, 1)
        similarities[i, j] = similarities[j, i] = similarity
    n_others = len(topics) - 1
    means = (similarities.sum(axis=1) - 1) / n_others
    # The first of equals: they may differ by rounding.
    prototype = int(np.argmax(means >= means.max() - 1e-12))
    per_topic = topic_similarities[prototype].sum(axis=0) / n_others
    return TopicStability(
        overall=float(means.mean()),
        prototype=prototype,
        per_topic=np.where(empty[prototype], np.nan, per_topic),
        similarities=similarities,
    )


def _check_models(models: Any, name: str, minimum: int) -> dict[str, Any]:
    """Return the models of a list by their names in messages.

    Raise TypeError if it is not a list, or ValueError if it has too few models.
    """
    if not isinstance(models, list | tuple) and getattr(models, "ndim", 0) != 3:
        raise TypeError(
            f"{name} must be a list of models, got {type(models).__name__}. For a "
            "single model, pass a list with one element."
        )
    if len(models) < minimum:
        raise ValueError(
            f"{name} must contain at least {minimum} models, got {len(models)}."
        )
    return {f"{name}[{i}]": model for i, model in enumerate(models)}


def _distributions_of_all(models: dict[str, Any]) -> list[np.ndarray]:
    """Return the word distributions of models; ValueError if their words differ."""
    topics = {
        name: fitted_topics.normalise(fitted_topics.normalisable_weights(model, name))
        for name, model in models.items()
    }
    (first, rows), *others = topics.items()
    known = [
        (name, list(map(str, model.feature_names_in_)))
        for name, model in models.items()
        if hasattr(model, "feature_names_in_")
    ]
    for name, words in known[1:]:
        check_same_words(*known[0], name, words)
    for name, other_rows in others:
        if other_rows.shape[1] != rows.shape[1]:
            raise ValueError(
                f"{first} has {rows.shape[1]} words, but {name} has "
                f"{other_rows.shape[1]}: fit all models to the same columns."
            )
    return list(topics.values())


def _rows(
    models: dict[str, Any], distance: str, n_words: int | None
) -> tuple[list[np.ndarray], int]:
    """Return topics over the same words, and the number of words to compare."""
    lists = [fitted_topics.word_lists(model, name) for name, model in models.items()]
    if distance != "top-words" or None in lists:
        topics = _distributions_of_all(models)
        return topics, check_distance(distance, n_words, topics[0].shape[1])
    words = fitted_topics.words_of(list(chain.from_iterable(lists)))
    n_words = check_distance(distance, n_words, len(words))
    return [fitted_topics.rank_weights(rows, words, n_words) for rows in lists], n_words
