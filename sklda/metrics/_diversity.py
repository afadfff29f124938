"""Diversity of topics: how many of their top words are distinct."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import top_indices, topic_weights
from sklda._base.parameters import POSITIVE_INTEGER, validates
from sklda._core.checks import check_limit


@validates(n_words=POSITIVE_INTEGER)
def topic_diversity(model: Any | ArrayLike, n_words: int = 25) -> float:
    """Return the proportion of distinct words among the top words of all topics.

    Parameters
    ----------
    model : estimator or array-like of shape (n_topics, n_words_of_corpus)
        Fitted topic model with `components_`, or the weights of words in topics, on any
        scale. Ties between words are broken by column, smallest first.
    n_words : int, default=25
        Number of top words of each topic, from 1 to n_words_of_corpus.

    Returns
    -------
    float
        From ``1 / n_topics``, if all topics have the same top words, to 1, if no word
        is a top word of two topics [1]_.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If an estimator has no `components_`.
    ValueError
        If `n_words` is out of its range, or a weight is not a finite number.

    See Also
    --------
    topic_coherence : How often the top words of a topic occur together.
    topic_exclusivity : How much the top words of a topic belong to it alone.

    Notes
    -----
    Cost: O(n_words_of_corpus) per topic.

    References
    ----------
    .. [1] A. B. Dieng, F. J. R. Ruiz, D. M. Blei, "Topic modeling in embedding
       spaces", TACL 8 (2020), https://doi.org/10.1162/tacl_a_00325

    Examples
    --------
    >>> from sklda.metrics import topic_diversity
    >>> topic_diversity([[0.5, 0.4, 0.1], [0.1, 0.4, 0.5]], n_words=2)
    0.75
    """
    weights = topic_weights(model)
    check_limit(n_words, "n_words", weights.shape[1], "words")
    words = top_indices(weights, n_words)
    return float(np.unique(words).size / words.size)
