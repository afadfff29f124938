"""Stability: whether several fits find the same topics, and what they agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from sklda._base.parameters import validates
from sklda._topics.several_models import check_models, distributions_of_all
from sklda._topics.topic_distances import (
    DISTANCE_CONSTRAINTS,
    check_distance,
    topic_distances,
)
from sklda.metrics._alignment import Distance, match


@validates(**DISTANCE_CONSTRAINTS)
def topic_stability(
    models: Sequence[Any],
    distance: Distance = "hellinger",
    *,
    n_words: int | None = None,
) -> Bunch:
    """Measure how well the topics of several fits agree, and find the prototype.

    The topics of each two fits are matched one to one, as by `align_topics`. The
    similarity of two topics is 1 minus their distance. The similarity of two fits is
    the mean over the topics of the one with more topics, where a topic without a
    partner counts as 0. The prototype is the fit that is most similar to all others on
    average.

    Parameters
    ----------
    models : list of estimator or array-like of shape (n_topics, n_words_of_corpus)
        At least two fitted topic models with `components_`, or the non-negative weights
        of words in topics; for instance fits of one estimator with different seeds, or
        to bootstrap samples. Numbers of topics may differ.
    distance : {"hellinger", "jensen-shannon", "top-words"}, default="hellinger"
        Distance between two topics, see `align_topics`.
    n_words : int, default=None
        Number of words that "top-words" compares. The default is 10, or all if there
        are fewer.

    Returns
    -------
    Bunch
        A dict with attributes:

        - overall : float, the mean similarity of all pairs of fits, from 0 to 1.
        - prototype : int, the number of the prototype in `models`; the first one of
          equals.
        - per_topic : ndarray of shape (n_topics,), the mean similarity of each topic of
          the prototype to its partners in the other fits, 0 where it has none.
        - similarities : ndarray of shape (n_models, n_models), of all pairs of fits; 1
          on the diagonal.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If an estimator has no `components_`, or models is not a list.
    ValueError
        If there are fewer than two models, a weight is negative or not finite, all of a
        topic are 0, the models have different words, or a parameter is out of its
        range.

    See Also
    --------
    align_topics : The topics of a reference model in other models.
    consensus_topics : The mean of the topics of several fits.

    Notes
    -----
    Topics that share only frequent words are somewhat similar already: compare
    stabilities of the same corpus and distance, not with 0.

    The choice of a prototype follows LDAPrototype [1]_, which measures the similarity
    of fits in another way, by clusters of topics.

    Cost: that of `align_topics` for each pair of fits.

    References
    ----------
    .. [1] J. Rieger, J. Rahnenführer, C. Jentsch, "Improving Latent Dirichlet
       Allocation: on reliability of the novel method LDAPrototype", NLDB (2020),
       https://doi.org/10.1007/978-3-030-51310-8_11

    Examples
    --------
    >>> from sklda.metrics import topic_stability
    >>> fits = [
    ...     [[4, 4, 0, 0], [0, 0, 4, 4]],
    ...     [[0, 0, 4, 4], [4, 4, 0, 0]],
    ...     [[0, 4, 4, 0], [4, 0, 0, 4]],
    ... ]
    >>> stability = topic_stability(fits)
    >>> stability.similarities.round(2)
    array([[1.  , 1.  , 0.29],
           [1.  , 1.  , 0.29],
           [0.29, 0.29, 1.  ]])
    >>> stability.prototype, stability.per_topic.round(2)
    (0, array([0.65, 0.65]))
    """
    return _stability(*_checked(models, distance, n_words))


@validates(**DISTANCE_CONSTRAINTS)
def consensus_topics(
    models: Sequence[Any],
    distance: Distance = "hellinger",
    *,
    n_words: int | None = None,
) -> np.ndarray:
    """Return the mean topics of several fits.

    Each topic of the prototype, see `topic_stability`, is averaged with its partners in
    the other fits.

    Parameters
    ----------
    models : list of estimator or array-like of shape (n_topics, n_words_of_corpus)
        At least two models, as for `topic_stability`.
    distance : {"hellinger", "jensen-shannon", "top-words"}, default="hellinger"
        Distance between two topics, see `align_topics`.
    n_words : int, default=None
        Number of words that "top-words" compares. The default is 10, or all if there
        are fewer.

    Returns
    -------
    ndarray of shape (n_topics, n_words_of_corpus)
        Word distributions, in the order of the topics of the prototype; rows sum to 1.
        Fits without a partner for a topic are left out of its mean.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If an estimator has no `components_`, or models is not a list.
    ValueError
        As for `topic_stability`.

    See Also
    --------
    topic_stability : How well the topics agree, and which fit is the prototype.

    Notes
    -----
    The mean of topics that are not stable is flat, and means nothing: look at
    `topic_stability` first. Cost: that of `topic_stability`.

    Examples
    --------
    >>> from sklda.metrics import consensus_topics
    >>> fits = [[[4, 4, 0], [0, 0, 4]], [[0, 0, 4], [2, 6, 0]], [[3, 5, 0], [0, 0, 4]]]
    >>> consensus_topics(fits)
    array([[0.375, 0.625, 0.   ],
           [0.   , 0.   , 1.   ]])
    """
    topics, distance, n_words = _checked(models, distance, n_words)
    reference = topics[_stability(topics, distance, n_words).prototype]
    total, n_fits = np.zeros(reference.shape), np.zeros((len(reference), 1))
    for other in topics:
        similarities = 1 - topic_distances(reference, other, distance, n_words)
        rows, columns = _partners(similarities)
        total[rows] += other[columns]
        n_fits[rows] += 1
    return np.asarray(total / n_fits)


def _checked(
    models: Sequence[Any], distance: Distance, n_words: int | None
) -> tuple[list[np.ndarray], Distance, int]:
    """Return the distributions of all models, the distance and its number of words."""
    found = check_models(models, "models", minimum=2)
    topics = distributions_of_all(found, [f"models[{i}]" for i in range(len(found))])
    return topics, distance, check_distance(distance, n_words, topics[0].shape[1])


def _stability(topics: list[np.ndarray], distance: str, n_words: int) -> Bunch:
    """Return what `topic_stability` returns, for models that are checked."""
    similarities = np.eye(len(topics))
    of_topics = [np.zeros((len(topics), len(rows))) for rows in topics]
    for i, j in zip(*np.triu_indices(len(topics), 1), strict=True):
        pairs = 1 - topic_distances(topics[i], topics[j], distance, n_words)
        rows, columns = _partners(pairs)
        values = pairs[rows, columns]
        of_topics[i][j, rows] = of_topics[j][i, columns] = values
        similarities[i, j] = similarities[j, i] = values.sum() / max(pairs.shape)
    n_others = len(topics) - 1
    means = (similarities.sum(axis=1) - 1) / n_others
    prototype = int(np.argmax(means >= means.max() - 1e-12))  # rounding makes no winner
    return Bunch(
        overall=float(means.mean()),
        prototype=prototype,
        per_topic=of_topics[prototype].sum(axis=0) / n_others,
        similarities=similarities,
    )


def _partners(similarities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the columns that are matched, in pairs."""
    partners = match(-similarities)
    rows = np.flatnonzero(partners >= 0)
    return rows, partners[rows]
