"""Exclusivity of topics: how much their top words belong to them alone."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import top_indices, topic_distributions
from sklda._base.parameters import POSITIVE_INTEGER, PROPORTION, validates
from sklda._base.sklearn_private import StrOptions
from sklda._core.checks import check_limit
from sklda._topics.word_scores import check_weight, exclusivity, word_scores


@validates(
    measure=[StrOptions({"exclusivity", "frex"})],
    n_words=POSITIVE_INTEGER,
    weight=[None, *PROPORTION],
)
def topic_exclusivity(
    model: Any | ArrayLike,
    measure: Literal["exclusivity", "frex"] = "exclusivity",
    n_words: int = 10,
    *,
    weight: float | None = None,
) -> np.ndarray:
    """Measure how much the top words of each topic belong to it alone.

    The top words are the `n_words` most probable words of the topic.

    Parameters
    ----------
    model : estimator or array-like of shape (n_topics, n_words_of_corpus)
        Fitted topic model with `components_`, or the non-negative weights of words in
        topics; rows are normalised to sum to 1. Ties between words are broken by
        column, smallest first.
    measure : {"exclusivity", "frex"}, default="exclusivity"
        What is averaged over the top words:

        - "exclusivity": p(w | k) divided by the sum of p(w | j) over all topics j.
        - "frex", frequency and exclusivity [1]_: the score by which
          :func:`sklda.inspection.top_words` ranks words with ``metric="frex"``, the
          weighted harmonic mean of the quantiles of p(w | k) and of the exclusivity.
    n_words : int, default=10
        Number of top words of each topic, from 1 to n_words_of_corpus.
    weight : float, default=None
        Weight of the exclusivity in "frex", from 0 to 1. The default is 0.5.

    Returns
    -------
    ndarray of shape (n_topics,)
        Exclusivity of each topic, above 0 and at most 1: 1 if its top words have no
        weight in another topic, or for "frex" if no words rank higher in either.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If an estimator has no `components_`.
    ValueError
        If a weight of a word is negative or not finite, all of a topic are 0, weight
        is given for a measure other than "frex", or a parameter is out of its range.

    See Also
    --------
    topic_coherence : How often the top words of a topic occur together.
    topic_diversity : Proportion of distinct words among the top words of all topics.

    Notes
    -----
    Exclusivity grows with fewer topics: with K equal topics it is 1 / K, with one it is
    1. The R package stm [2]_ reports the sum of "frex" over ten words, with a weight
    of 0.7.

    Cost: O(n_words_of_corpus) per topic, for "frex" times its logarithm.

    References
    ----------
    .. [1] J. M. Bischof, E. M. Airoldi, "Summarizing topical content with word
       frequency and exclusivity", ICML (2012).
    .. [2] M. E. Roberts, B. M. Stewart, D. Tingley, "stm: an R package for structural
       topic models", Journal of Statistical Software 91 (2019),
       https://doi.org/10.18637/jss.v091.i02

    Examples
    --------
    >>> from sklda.metrics import topic_exclusivity
    >>> topics = [[0.6, 0.4, 0.0, 0.0], [0.0, 0.4, 0.3, 0.3]]
    >>> topic_exclusivity(topics, n_words=2)
    array([0.75, 0.75])
    """
    topic_word = topic_distributions(model)
    check_limit(n_words, "n_words", topic_word.shape[1], "words")
    weight = check_weight(weight, measure)
    if measure == "frex":
        scores = word_scores(topic_word, "frex", weight)
    else:
        scores = exclusivity(topic_word)
    top = top_indices(topic_word, n_words)
    values: np.ndarray = np.take_along_axis(scores, top, axis=1).mean(axis=1)
    return values
