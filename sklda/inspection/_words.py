"""The words and the documents that show what a topic is about."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from sklda._base.fitted_topics import (
    check_choice,
    check_number,
    distributions,
    doc_topic,
    fitted_components,
    largest,
    word_names,
)

from ._drawing import shorten

if TYPE_CHECKING:
    from pandas import DataFrame

_MOST_CHARACTERS = 18  # of a word in a label


def top_words(
    estimator: Any,
    feature_names: ArrayLike | None = None,
    n_words: int = 10,
    metric: str = "probability",
    *,
    weight: float | None = None,
    as_frame: bool = False,
) -> "list[list[str]] | DataFrame":
    """Return the words that show best what each topic is about.

    With p(w | k) the rows of `components_`, normalised, and p(w) the sum of its
    columns, normalised, which is the probability of word w in all topics together.

    Parameters
    ----------
    estimator : estimator
        Fitted, with `components_` that hold no negative values.
    feature_names : array-like of str of shape (n_features_in_,), default=None
        Words in the order of the columns of X. None takes `feature_names_in_` of the
        estimator and, where it has none, the numbers of the columns.
    n_words : int, default=10
        Words of each topic.
    metric : {"probability", "relevance", "lift", "frex"}, default="probability"
        What the words are ordered by:

        - "probability": p(w | k).
        - "lift": p(w | k) / p(w) [2]_. Prefers words that are in no other topic, and
          among them often rare ones.
        - "relevance": ``weight * log p(w | k) + (1 - weight) * log(lift)`` [1]_.
        - "frex", frequency and exclusivity [3]_: the harmonic mean
          ``1 / (weight / e + (1 - weight) / f)``; f is the share of the words whose
          p(w | k) is not larger than that of w, and e the same of the exclusivity
          p(w | k) / sum over the topics j of p(w | j).
    weight : float, default=None
        Between 0 and 1, for "relevance" and "frex". None is 0.6, which readers
        understood best in [1]_, or 0.5.
    as_frame : bool, default=False
        Whether to return a pandas DataFrame.

    Returns
    -------
    list of list of str, or DataFrame
        Words of each topic, the best first; of equal ones, the one further left in X
        first. The frame has a row for each topic and a column for each rank from 1.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If the estimator has no `components_`, or feature_names have no order.
    ValueError
        If there is not a name for each word, or a parameter is out of its range.

    See Also
    --------
    TopWordsDisplay : A picture of them.
    sklda.metrics.topic_coherence : Whether they belong together.

    Notes
    -----
    Cost: O(K) per word, for "frex" O(K log V). Memory: some arrays of the size of
    `components_`.

    References
    ----------
    .. [1] C. Sievert, K. E. Shirley, "LDAvis: a method for visualizing and interpreting
       topics", Workshop on Interactive Language Learning, Visualization, and Interfaces
       (2014), https://doi.org/10.3115/v1/W14-3110
    .. [2] M. A. Taddy, "On estimation and selection for topic models", AISTATS (2012),
       https://arxiv.org/abs/1109.4518
    .. [3] J. M. Bischof, E. M. Airoldi, "Summarizing topical content with word
       frequency and exclusivity", ICML (2012).

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.inspection import top_words
    >>> texts = ["cat dog cat", "dog cat dog dog", "star moon", "moon star moon star"]
    >>> vectorizer = CountVectorizer().fit(texts * 9)
    >>> lda = CollapsedGibbsLDA(2, doc_topic_prior=0.1, random_state=0)
    >>> lda = lda.fit(vectorizer.transform(texts * 9))
    >>> sorted(top_words(lda, vectorizer.get_feature_names_out(), n_words=2))
    [['dog', 'cat'], ['moon', 'star']]
    """
    components = fitted_components(estimator)
    names = word_names(estimator, feature_names, components.shape[1])
    columns = top_columns(components, n_words, metric, weight)
    words = [[names[column] for column in topic] for topic in columns]
    if not as_frame:
        return words
    try:
        import pandas
    except ImportError as error:
        raise ImportError("as_frame=True needs pandas: pip install pandas") from error
    return pandas.DataFrame(
        words,
        index=pandas.RangeIndex(len(words), name="topic"),
        columns=pandas.RangeIndex(1, n_words + 1, name="rank"),
    )


def top_columns(components, n_words, metric, weight) -> np.ndarray:
    """Return the columns of the top words of each topic, (n_topics, n_words)."""
    check_number(n_words, "n_words", components.shape[1], "words")
    check_choice(metric, "metric", _SCORES)
    default = _WEIGHTS.get(metric)
    if weight is not None and default is None:
        raise ValueError(f"metric={metric!r} has no weight; got weight={weight!r}.")
    if weight is not None and not 0 <= weight <= 1:
        raise ValueError(f"weight must be between 0 and 1, got {weight!r}.")
    topic_word = distributions(components)
    word = distributions(components.sum(axis=0)[np.newaxis])[0]
    weight = default if weight is None else weight
    return largest(_SCORES[metric](topic_word, word, weight), n_words)


def label_words(
    estimator, feature_names, n_words, default, metric, weight
) -> list[list[str]]:
    """Return some short words to label each topic with.

    If `n_words` is None there are `default`, and none where words have no names.
    """
    components = fitted_components(estimator)
    names = word_names(estimator, feature_names, components.shape[1])
    if n_words is None:
        named = feature_names is not None or hasattr(estimator, "feature_names_in_")
        n_words = min(default, len(names)) if named else 0
    if check_number(n_words, "n_words", len(names), "words", least=0) == 0:
        return [[] for _ in components]
    return [
        [shorten(names[column], _MOST_CHARACTERS) for column in topic]
        for topic in top_columns(components, n_words, metric, weight)
    ]


def _probability(topic_word, *_) -> np.ndarray:
    return topic_word


def _lift(topic_word, word, _) -> np.ndarray:
    return _ratio(topic_word, word)


def _relevance(topic_word, word, weight) -> np.ndarray:
    # The two logarithms of p(w | k) taken together, so that none is multiplied by 0.
    with np.errstate(divide="ignore"):
        return np.log(topic_word) - (1 - weight) * np.log(np.where(word > 0, word, 1))


def _frex(topic_word, _, weight) -> np.ndarray:
    exclusivity = _cumulative(_ratio(topic_word, topic_word.sum(axis=0)))
    return 1 / (weight / exclusivity + (1 - weight) / _cumulative(topic_word))


def _ratio(topic_word, word) -> np.ndarray:
    """Divide by what a word has in all topics; 0 where it has nothing."""
    return np.divide(topic_word, word, out=np.zeros_like(topic_word), where=word > 0)


def _cumulative(values) -> np.ndarray:
    """Return the share of the entries of a row that are not larger than each."""
    return rankdata(values, method="max", axis=1) / values.shape[1]


_SCORES: dict[str, Callable] = {
    "probability": _probability,
    "relevance": _relevance,
    "lift": _lift,
    "frex": _frex,
}
_WEIGHTS = {"relevance": 0.6, "frex": 0.5}


def top_documents(
    estimator: Any, X: ArrayLike, n_documents: int = 10
) -> tuple[np.ndarray, np.ndarray]:
    """Return the documents with the largest shares of each topic.

    Parameters
    ----------
    estimator : estimator
        Fitted, with `components_` and `transform`.
    X : {array-like, sparse matrix} of shape (n_documents_of_corpus, n_features_in_)
        Documents to choose from.
    n_documents : int, default=10
        Documents of each topic.

    Returns
    -------
    documents : ndarray of shape (n_components, n_documents)
        Rows of X, the largest share first; of equal ones, the first row first.
    shares : ndarray of shape (n_components, n_documents)
        Share of the topic in each of them, 0 to 1.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If the estimator has no `components_`.
    ValueError
        If X is not what `transform` takes or has fewer than `n_documents` rows.

    See Also
    --------
    DocumentTopicsDisplay : A picture of all topics of some documents.

    Notes
    -----
    Shares are what `transform` gives. Those of a factorisation (NMF) do not sum to 1:
    they are multiplied by the sum of the topic's row of `components_`, which makes
    them numbers of tokens, and normalised. Cost: that of `transform`.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import top_documents
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> documents, shares = top_documents(lda, X, n_documents=3)
    >>> documents.shape
    (10, 3)
    """
    theta = doc_topic(estimator, X).T
    check_number(n_documents, "n_documents", theta.shape[1], "documents")
    documents = largest(theta, n_documents)
    return documents, np.take_along_axis(theta, documents, axis=1)
