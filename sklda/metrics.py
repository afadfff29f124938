"""How good topics are, as far as their most probable words tell."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_array

from sklda._base.fitted_topics import check_choice, check_counts, check_number, largest

__all__ = ["topic_coherence", "topic_diversity"]


def topic_coherence(
    components: ArrayLike,
    X: ArrayLike,
    measure: str = "u_mass",
    n_words: int = 10,
    smoothing: float = 1.0,
) -> np.ndarray:
    """Tell how often the top words of a topic meet in documents.

    The mean, over all pairs of the `n_words` words with the largest weights in a topic,
    of a measure of how much one makes the other likely in the same document.

    Parameters
    ----------
    components : array-like of shape (n_topics, n_words_of_corpus)
        Weights of words in topics, on any scale: `components_` or `topic_word_` of an
        estimator. Of words with equal weights the first come first.
    X : {array-like, sparse matrix} of shape (n_documents, n_words_of_corpus)
        Documents in which words are looked up; those of the fit, or others. A word is
        in a document if its value there is positive, however large.
    measure : {"u_mass", "npmi"}, default="u_mass"
        With D(v) documents that hold v, D(v, w) that hold both, and D in all:

        - "u_mass" [1]_: ``log((D(v, w) + smoothing) / D(w))``, in nats, w being the
          word of the larger weight.
        - "npmi" [2]_: ``log(p(v, w) / (p(v) p(w))) / -log(p(v, w))`` with
          ``p(v) = D(v) / D`` and so on, without smoothing. -1 for words that never
          meet, the limit; 0 for independent ones, 1 for words that are always
          together. 0 where all documents hold both, which tells nothing.
    n_words : int, default=10
        Top words of each topic, at least 2.
    smoothing : float, default=1.0
        Of "u_mass": added to the documents that hold both words, positive. 1 is that
        of [1]_; ``1e-12 * D`` that of [3]_, by which a single pair that never meets
        outweighs all others.

    Returns
    -------
    ndarray of shape (n_topics,)
        Coherence of each topic; higher is better. Never NaN: a pair whose w (for
        "npmi", v or w) is in no document gets the smallest value of the measure,
        ``log(smoothing / D)`` or -1.

    Raises
    ------
    ValueError
        If components and X differ in their words, X holds negative values, or a
        parameter is out of its range.

    See Also
    --------
    topic_diversity : Whether topics repeat each other's words.

    Notes
    -----
    [1]_ takes the sum over the pairs; the mean does not depend on `n_words` as much
    and is what [3]_ compares. Results of different measures, or of different X, cannot
    be compared.

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
    components = check_array(components, dtype=np.float64, input_name="components")
    X = check_counts(X)
    if X.shape[1] != components.shape[1]:
        raise ValueError(
            f"components has {components.shape[1]} words in its columns, X has "
            f"{X.shape[1]}."
        )
    check_number(n_words, "n_words", components.shape[1], "words", least=2)
    if not 0 < smoothing < np.inf:
        raise ValueError(f"smoothing must be positive and finite, got {smoothing!r}.")
    words, columns = np.unique(largest(components, n_words), return_inverse=True)
    presence = _presence(X, words)
    coherence = np.empty(components.shape[0])
    for k, topic in enumerate(columns.reshape(-1, n_words)):
        meetings = _meetings(presence[:, topic])
        coherence[k] = _MEASURES[measure](meetings, X.shape[0], smoothing).mean()
    return coherence


def topic_diversity(components: ArrayLike, n_words: int = 25) -> float:
    """Return the share of different words among the top words of all topics.

    Parameters
    ----------
    components : array-like of shape (n_topics, n_words_of_corpus)
        Weights of words in topics, on any scale: `components_` or `topic_word_` of an
        estimator. Of words with equal weights the first come first.
    n_words : int, default=25
        Top words of each topic.

    Returns
    -------
    float
        1 if no word is in two topics, down to ``1 / n_topics`` if all have the same
        [1]_.

    Raises
    ------
    ValueError
        If `n_words` is not between 1 and the number of words, or components holds
        something else than finite numbers.

    See Also
    --------
    topic_coherence : Whether the words of a topic belong together.

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
    components = check_array(components, dtype=np.float64, input_name="components")
    check_number(n_words, "n_words", components.shape[1], "words")
    words = largest(components, n_words)
    return float(np.unique(words).size / words.size)


def _presence(X, words) -> sparse.csc_array:
    """Return ones where a document holds a word, (n_documents, words.size)."""
    presence = sparse.csc_array(X[:, words])
    presence.sum_duplicates()
    presence.eliminate_zeros()
    presence.data = np.ones(presence.nnz, np.int64)
    return presence


def _meetings(presence) -> np.ndarray:
    """Return D(v, w), the documents that hold both; D(v) on the diagonal."""
    return (presence.T @ presence).toarray()


def _u_mass(meetings, n_documents, smoothing) -> np.ndarray:
    later, earlier = np.tril_indices_from(meetings, -1)
    holders = meetings.diagonal()[earlier]
    holders = np.where(holders > 0, holders, n_documents)
    return np.log((meetings[later, earlier] + smoothing) / holders)


def _npmi(meetings, n_documents, _) -> np.ndarray:
    later, earlier = np.tril_indices_from(meetings, -1)
    joint = meetings[later, earlier] / n_documents
    single = meetings.diagonal() / n_documents
    values = np.where(joint == 1, 0.0, -1.0)
    inside = (joint > 0) & (joint < 1)
    joint = joint[inside]
    ratio = joint / (single[later] * single[earlier])[inside]
    values[inside] = np.log(ratio) / -np.log(joint)
    return values.clip(-1, 1)  # what rounding has carried over


_MEASURES: dict[str, Callable] = {"u_mass": _u_mass, "npmi": _npmi}
