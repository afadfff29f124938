"""Alignment: which topics of several models are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.utils import Bunch

from sklda._base.parameters import validates
from sklda._topics.several_models import check_models, distributions_of_all
from sklda._topics.topic_distances import (
    DISTANCE_CONSTRAINTS,
    check_distance,
    topic_distances,
)

Distance: TypeAlias = Literal["hellinger", "jensen-shannon", "top-words"]


@validates(**DISTANCE_CONSTRAINTS)
def align_topics(
    reference: Any | ArrayLike,
    others: Sequence[Any],
    distance: Distance = "hellinger",
    *,
    n_words: int | None = None,
) -> list[Bunch]:
    """Find the topics of a reference model in other models.

    Topics are matched one to one so that the sum of the distances between partners is
    as small as possible. Where the numbers of topics differ, some topics of the larger
    model have no partner; many to one, each topic also has the nearest one.

    Parameters
    ----------
    reference : estimator or array-like of shape (n_topics, n_words_of_corpus)
        Fitted topic model with `components_`, or the non-negative weights of words in
        topics; rows are normalised to distributions.
    others : list of estimator or array-like
        Models of the same words, each with any number of topics: arrays have shape
        (n_other_topics, n_words_of_corpus).
    distance : {"hellinger", "jensen-shannon", "top-words"}, default="hellinger"
        Distance between the distributions p and q of two topics, from 0 (equal) to 1
        (no common word):

        - "hellinger": ``sqrt(1 - sum_w sqrt(p(w) q(w)))``.
        - "jensen-shannon": the square root of the Jensen-Shannon divergence in bits
          [1]_.
        - "top-words": the proportion of the `n_words` most probable words of one topic
          that are not among those of the other. Ties are broken by column.
    n_words : int, default=None
        Number of words that "top-words" compares. The default is 10, or all if there
        are fewer.

    Returns
    -------
    list of Bunch
        For each of `others` a dict with attributes:

        - partners : ndarray of shape (n_topics,), the topic that each topic of the
          reference is matched with, one to one; -1 for those without a partner, if the
          other model has fewer topics.
        - distances : ndarray of shape (n_topics,), the distances between partners; NaN
          without one.
        - left_over : ndarray of int, the topics of the other model without a partner,
          if it has more topics.
        - nearest : ndarray of shape (n_other_topics,), the topic of the reference that
          is nearest to each topic of the other model. Several may share one.
        - distance_matrix : ndarray of shape (n_topics, n_other_topics), all distances.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If an estimator has no `components_`, or others is not a list.
    ValueError
        If a weight is negative or not finite, all of a topic are 0, the models have
        different words, or a parameter is out of its range.

    See Also
    --------
    topic_stability : How well the topics of several fits agree.
    consensus_topics : The mean of the topics of several fits.
    sklda.inspection.TopicFlowDisplay : Plot how topics split from model to model.

    Notes
    -----
    The words of estimators are compared by `feature_names_in_` where they have it, else
    by their number.

    Cost: O(n_words_of_corpus) for each pair of topics, by a matrix product; for
    "jensen-shannon" with as many logarithms, which take longer. Then O(n_topics ** 3)
    for the assignment [2]_.

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
    found = check_models(others, "others")
    names = ["reference", *(f"others[{i}]" for i in range(len(found)))]
    topics, *other_topics = distributions_of_all([reference, *found], names)
    n_words = check_distance(distance, n_words, topics.shape[1])
    return [
        _alignment(topic_distances(topics, other, distance, n_words))
        for other in other_topics
    ]


def match(distances: np.ndarray) -> np.ndarray:
    """Return the column matched with each row, one to one; -1 where there is none."""
    partners = np.full(len(distances), -1)
    rows, columns = linear_sum_assignment(distances)
    partners[rows] = columns
    return partners


def _alignment(distances: np.ndarray) -> Bunch:
    partners = match(distances)
    has_partner = partners >= 0
    of_partners = np.full(len(distances), np.nan)
    of_partners[has_partner] = distances[has_partner, partners[has_partner]]
    return Bunch(
        partners=partners,
        distances=of_partners,
        left_over=np.setdiff1d(np.arange(distances.shape[1]), partners),
        nearest=distances.argmin(axis=0),
        distance_matrix=distances,
    )
