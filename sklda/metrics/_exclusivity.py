"""Diversity and exclusivity of the top words of topics."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import (
    empty_topics,
    normalisable_weights,
    rank_weights,
    top_indices,
    warn_of_empty,
    weights_without_lists,
    word_lists,
    words_of,
)
from sklda._base.parameters import POSITIVE_INTEGER, PROPORTION, validates
from sklda._base.sklearn_private import StrOptions
from sklda._core.checks import check_limit
from sklda._topics.word_scores import scores_of_probable_words


@validates(n_words=POSITIVE_INTEGER)
def topic_diversity(model: Any | ArrayLike, n_words: int = 25) -> float:
    """Return the proportion of distinct words among the top words of all topics.

    Parameters
    ----------
    model : estimator, array-like of shape (n_topics, n_words_of_corpus), or list of \
list of str
        Fitted topic model with `components_`; the weights of words in topics, on any
        scale; or the top words of each topic, best first, such as those of another
        program. Ties between words are broken by column, smallest first.
    n_words : int, default=25
        Number of top words of each topic, from 1 to n_words_of_corpus.

    Returns
    -------
    float
        From ``1 / n_topics``, if all topics have the same top words, to 1, if no word
        is a top word of two topics [1]_. Topics without tokens do not count; if there
        are no others, NaN.

    Raises
    ------
    NotFittedError, TypeError
        Before fit, or if the estimator has no `components_`.
    ValueError
        If a weight is not finite, a list has a word twice, or `n_words` is out of its
        range.

    Warns
    -----
    UserWarning
        If topics have no tokens, see `topic_coherence`.

    References
    ----------
    .. [1] A. B. Dieng, F. J. R. Ruiz, D. M. Blei, "Topic modeling in embedding
       spaces", TACL 8 (2020), https://doi.org/10.1162/tacl_a_00325

    Examples
    --------
    >>> from sklda.metrics import topic_diversity
    >>> topic_diversity([[0.5, 0.4, 0.1], [0.1, 0.4, 0.5]], n_words=2)
    0.75
    >>> topic_diversity([["cat", "dog"], ["moon", "dog"]], n_words=2)
    0.75
    """
    lists = word_lists(model)
    if lists is None:
        weights = weights_without_lists(model)
    else:
        weights = rank_weights(lists, words_of(lists), n_words)
    check_limit(n_words, "n_words", weights.shape[1], "words")
    empty = empty_topics(model, weights)
    warn_of_empty(empty, "the diversity is that of the others")
    words = top_indices(weights[~empty], n_words)
    return float(np.unique(words).size / words.size) if words.size > 0 else np.nan


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
    """Measure how exclusive the most probable words of each topic are.

    Exclusivity depends on the number of topics: K equal topics have an exclusivity of 1
    / K. The R package stm [2]_ reports the sum of "frex" over ten words, with a weight
    of 0.7.

    Parameters
    ----------
    model : estimator or array-like of shape (n_topics, n_words_of_corpus)
        Fitted topic model with `components_`, or the non-negative weights of words in
        topics. Rows are normalised to distributions p(w | k). Ties between words are
        broken by column, smallest first.
    measure : {"exclusivity", "frex"}, default="exclusivity"
        Quantity to average over the top words:

        - "exclusivity": p(w | k) divided by the sum of p(w | j) over all topics j.
        - "frex", frequency and exclusivity [1]_: the score that ranks words in
          :func:`sklda.inspection.top_words` with ``metric="frex"``.
    n_words : int, default=10
        Number of top words of each topic, from 1 to n_words_of_corpus.
    weight : float, default=None
        Weight of the exclusivity in "frex", from 0 to 1. The default is 0.5.

    Returns
    -------
    ndarray of shape (n_topics,)
        Exclusivity of each topic, above 0 and at most 1. It is 1 if the top words have
        no weight in other topics or, for "frex", if no words rank higher in frequency
        or exclusivity. It is NaN for a topic without tokens.

    Raises
    ------
    NotFittedError, TypeError
        Before fit, or if the estimator has no `components_`.
    ValueError
        If a weight is negative or not finite, all weights of a topic are 0, weight is
        given for "exclusivity", or a parameter is out of its range.

    Warns
    -----
    UserWarning
        If topics have no tokens, see `topic_coherence`.

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
    weights = normalisable_weights(model)
    empty = empty_topics(model, weights)
    warn_of_empty(empty, "their exclusivity is NaN")
    scores = scores_of_probable_words(weights, n_words, measure, weight)
    return np.where(empty, np.nan, scores.mean(axis=1))
