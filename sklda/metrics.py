"""Measures of topic quality: coherence and diversity of the top words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sklda._base.fitted_topics import check_counts, check_matrix, top_indices
from sklda._core.checks import check_choice, check_integer, check_number
from sklda._core.types import MatrixLike

__all__ = ["topic_coherence", "topic_diversity"]


def topic_coherence(
    components: ArrayLike,
    X: MatrixLike,
    measure: Literal["u_mass", "npmi"] = "u_mass",
    n_words: int = 10,
    smoothing: float = 1.0,
) -> np.ndarray:
    """Measure how often the top words of each topic occur in the same documents.

    The coherence of a topic is the mean of a measure of association over all pairs of
    its `n_words` top words, the words with the largest weights.

    Parameters
    ----------
    components : array-like of shape (n_topics, n_words_of_corpus)
        Weights of words in topics, on any scale: `components_` or `topic_word_` of an
        estimator. Ties between words are broken by column, smallest first.
    X : {array-like, sparse matrix} of shape (n_documents, n_words_of_corpus)
        Documents in which co-occurrences are counted; those of the fit, or others.
        A word occurs in a document if its value there is positive; the size of the
        value has no effect.
    measure : {"u_mass", "npmi"}, default="u_mass"
        Measure of association. D is the number of documents, D(v) the number that
        contain word v, and D(v, w) the number that contain both v and w:

        - "u_mass" [1]_: ``log((D(v, w) + smoothing) / D(w))``, in nats, where w is the
          word of the pair with the larger weight in the topic.
        - "npmi" [2]_: normalised pointwise mutual information,
          ``log(p(v, w) / (p(v) p(w))) / -log(p(v, w))`` with ``p(v) = D(v) / D`` and
          ``p(v, w) = D(v, w) / D``, unsmoothed. It is 1 for words that occur only
          together, 0 for independent words, and -1 (the limit) for words that never
          occur together. A pair that occurs in every document carries no information
          and counts as 0.
    n_words : int, default=10
        Number of top words of each topic, at least 2.
    smoothing : float, default=1.0
        Positive number of documents that "u_mass" adds to D(v, w); "npmi" ignores it.
        [1]_ uses 1. [3]_ uses ``1e-12 * D``, with which a single pair that never
        occurs together outweighs all others.

    Returns
    -------
    ndarray of shape (n_topics,)
        Coherence of each topic; higher is better. "npmi" ranges from -1 to 1. The
        result is never NaN: a pair gets the smallest value of the measure,
        ``log(smoothing / D)`` or -1, if w (for "npmi", v or w) occurs in no document.

    Raises
    ------
    ValueError
        If components and X have different numbers of words, X contains negative values,
        or a parameter is out of its range.

    See Also
    --------
    topic_diversity : Proportion of distinct words among the top words of all topics.

    Notes
    -----
    [1]_ defines the sum over pairs. sklda takes the mean, as [3]_ does, because it
    depends less on `n_words`. Do not compare values of different measures, or values
    computed on different X.

    Cost: one pass over X, then O(n_words) for each document-word pair of each top word.

    References
    ----------
    .. [1] D. Mimno, H. Wallach, E. Talley, M. Leenders, A. McCallum, "Optimizing
       semantic coherence in topic models", EMNLP (2011).
    .. [2] G. Bouma, "Normalized (pointwise) mutual information in collocation
       extraction", GSCL (2009).
    .. [3] M. Röder, A. Both, A. Hinneburg, "Exploring the space of topic coherence
       measures", WSDM (2015), https://doi.org/10.1145/2684822.2685324

    Examples
    --------
    >>> from sklda.metrics import topic_coherence
    >>> X = [[1, 1, 0], [2, 1, 0], [0, 0, 1], [1, 0, 3]]
    >>> topics = [[0.5, 0.4, 0.1], [0.1, 0.4, 0.5]]
    >>> topic_coherence(topics, X, measure="npmi", n_words=2).round(2)
    array([ 0.42, -1.  ])
    """
    check_choice(measure, "measure", _MEASURES)
    weights = _check_components(components)
    counts = check_counts(X)
    if counts.shape[1] != weights.shape[1]:
        raise ValueError(
            f"components has {weights.shape[1]} columns, but X has {counts.shape[1]}: "
            f"the columns of both must be the same words."
        )
    n_words = check_integer(n_words, "n_words", 2, weights.shape[1], "words")
    smoothing = check_number(
        smoothing, "smoothing", "positive and finite", lambda s: 0 < s < np.inf
    )
    words, columns = np.unique(top_indices(weights, n_words), return_inverse=True)
    occurrence = _occurrence(counts, words)
    coherence = np.empty(weights.shape[0])
    for k, topic in enumerate(columns.reshape(-1, n_words)):
        together = _co_occurrences(occurrence[:, topic])
        values = _MEASURES[measure](together, counts.shape[0], smoothing)
        coherence[k] = values.mean()
    return coherence


def topic_diversity(components: ArrayLike, n_words: int = 25) -> float:
    """Return the proportion of distinct words among the top words of all topics.

    Parameters
    ----------
    components : array-like of shape (n_topics, n_words_of_corpus)
        Weights of words in topics, on any scale: `components_` or `topic_word_` of an
        estimator. Ties between words are broken by column, smallest first.
    n_words : int, default=25
        Number of top words of each topic, from 1 to n_words_of_corpus.

    Returns
    -------
    float
        From ``1 / n_topics``, if all topics have the same top words, to 1, if no word
        is a top word of two topics [1]_.

    Raises
    ------
    ValueError
        If `n_words` is out of its range, or components contains a value that is not a
        finite number.

    See Also
    --------
    topic_coherence : How often the top words of a topic occur together.

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
    weights = _check_components(components)
    n_words = check_integer(n_words, "n_words", 1, weights.shape[1], "words")
    words = top_indices(weights, n_words)
    return float(np.unique(words).size / words.size)


def _check_components(components: ArrayLike) -> np.ndarray:
    """Return components as a matrix of finite float64."""
    weights: np.ndarray = check_matrix(components, "components", dtype=np.float64)
    return weights


def _occurrence(counts: Any, words: np.ndarray) -> sparse.csc_array:
    """Return 1 where a document contains a word, (n_documents, words.size)."""
    occurrence = sparse.csc_array(counts[:, words])
    occurrence.sum_duplicates()
    occurrence.eliminate_zeros()
    occurrence.data = np.ones(occurrence.nnz, np.int64)
    return occurrence


def _co_occurrences(occurrence: sparse.csc_array) -> np.ndarray:
    """Return D(v, w) for all pairs of words, with D(v) on the diagonal."""
    together: np.ndarray = (occurrence.T @ occurrence).toarray()
    return together


def _u_mass(together: np.ndarray, n_documents: int, smoothing: float) -> np.ndarray:
    """Return log((D(v, w) + smoothing) / D(w)) of all pairs, w ahead of v."""
    v, w = np.tril_indices_from(together, -1)
    documents = together.diagonal()[w]
    # A word w in no document: the pair then gets log(smoothing / D).
    documents = np.where(documents > 0, documents, n_documents)
    values: np.ndarray = np.log((together[v, w] + smoothing) / documents)
    return values


def _npmi(together: np.ndarray, n_documents: int, _: float) -> np.ndarray:
    """Return the normalised pointwise mutual information of all pairs."""
    v, w = np.tril_indices_from(together, -1)
    joint = together[v, w] / n_documents
    single = together.diagonal() / n_documents
    values = np.where(joint == 1, 0.0, -1.0)
    # The logarithms exist where the words occur together in some documents, not in all.
    inside = (joint > 0) & (joint < 1)
    joint = joint[inside]
    ratio = joint / (single[v] * single[w])[inside]
    values[inside] = np.log(ratio) / -np.log(joint)
    return values.clip(-1, 1)  # rounding can exceed the range


_Measure: TypeAlias = Callable[[np.ndarray, int, float], np.ndarray]
_MEASURES: dict[str, _Measure] = {"u_mass": _u_mass, "npmi": _npmi}
