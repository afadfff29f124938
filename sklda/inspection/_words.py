"""Top words and documents of topics, the input of pyLDAvis, and names of topics.

`top_words` and `top_documents` rank what a topic contains. `name_topics` stores names,
which tables and displays show; `topic_labels` makes the labels of topics in displays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from sklda._data.checks import check_indices, check_limit, check_sequence
from sklda._data.notices import import_pandas
from sklda._data.types import MatrixLike, NameList, WordMetric
from sklda._fitted.fitted_topics import (
    axis_sums,
    check_counts,
    checksum,
    count_models,
    default_names,
    empty_topics,
    fitted_components,
    has_names,
    keys_of_model,
    names_of_topics,
    normalise,
    shape_of_topics,
    snapshot,
    top_indices,
    topic_proportions,
    word_names,
)
from sklda._fitted.posterior_draws import PosteriorDraws
from sklda._fitted.topic_words import RANKING_CONSTRAINTS, top_columns
from sklda._sampling.parameters import NATURAL_NUMBER, POSITIVE_INTEGER, validates
from sklda.inspection._display import plain

TopicNamer: TypeAlias = Callable[[list[str], np.ndarray], str | None]
Names: TypeAlias = Mapping[int, str | None] | NameList | TopicNamer

# Characters of a word and of a name in a label.
_MAX_WORD_LENGTH = 18
_MAX_NAME_LENGTH = 60
NO_TOKENS = "(no tokens)"  # in place of the words of a topic
NUMBER_OF_WORDS = [None, *NATURAL_NUMBER]  # in a label


@validates(**RANKING_CONSTRAINTS, as_frame=["boolean"])
def top_words(
    estimator: Any,
    feature_names: NameList | None = None,
    n_words: int = 10,
    metric: WordMetric = "probability",
    *,
    weight: float | None = None,
    as_frame: bool = False,
) -> Any:
    """Return the words that best characterise each topic.

    In the following, p(w | k) is the probability of word w in topic k, from the rows of
    `components_`, and p(w) is its probability in all topics together, from their sum.
    Cost: O(K) per word, for "frex" O(K log V), with K topics and V words. Memory:
    `components_`, and 0.1 GB.

    Parameters
    ----------
    estimator : estimator
        Fitted topic model with non-negative `components_`.
    feature_names : array-like of str of shape (n_features_in_,), default=None
        Words in the order of the columns of X. By default, `feature_names_in_` or,
        without it, the column numbers, with a warning.
    n_words : int, default=10
        Number of words for each topic, from 1 to `n_features_in_`.
    metric : {"probability", "relevance", "lift", "frex"}, default="probability"
        Score that ranks the words of a topic:

        - "probability": p(w | k).
        - "lift": p(w | k) / p(w) [2]_. Favours words that occur in no other topic,
          even rare ones.
        - "relevance": ``weight * log p(w | k) + (1 - weight) * log(lift)`` [1]_.
        - "frex", frequency and exclusivity [3]_: the weighted harmonic mean
          ``1 / (weight / e + (1 - weight) / f)`` of two quantiles. f is the proportion
          of words v with p(v | k) <= p(w | k). e is the same for the exclusivity of a
          word, p(w | k) divided by the sum of p(w | j) over all topics j.
    weight : float, default=None
        Weight in "relevance" and "frex", from 0 to 1. The default is 0.6 for
        "relevance", at which readers in [1]_ recognised topics best, and 0.5 for
        "frex".
    as_frame : bool, default=False
        Whether to return a pandas DataFrame.

    Returns
    -------
    list of list of str, or DataFrame
        Words of each topic, best first; ties are broken by column. A topic without a
        single token has no words: its list is empty. A DataFrame has a row for each
        topic, by its name (see `name_topics`) or its number, and a column for each
        rank; None stands for no word.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If the estimator has no `components_`, or feature_names is not a list of words.
    ValueError
        If the number of feature_names is wrong, `components_` has negative values, or a
        parameter is out of range.
    ImportError
        If `as_frame` is True and pandas is not installed.

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
    >>> texts = ["cat dog cat", "dog cat dog dog", "star moon", "moon star moon"]
    >>> vectorizer = CountVectorizer().fit(texts * 9)
    >>> lda = CollapsedGibbsLDA(2, doc_topic_prior=0.1, random_state=0)
    >>> lda = lda.fit(vectorizer.transform(texts * 9))
    >>> sorted(top_words(lda, vectorizer.get_feature_names_out(), n_words=2))
    [['dog', 'cat'], ['moon', 'star']]
    """
    estimator = snapshot(estimator)
    components = fitted_components(estimator)
    names = word_names(estimator, feature_names, components.shape[1])
    columns = top_columns(components, n_words, metric, weight)
    words: list[list[Any]]
    words = [[names[column] for column in topic] for topic in columns]
    for k in np.flatnonzero(empty_topics(estimator, components)):
        words[k] = [None] * n_words if as_frame else []
    if not as_frame:
        return words
    pandas = import_pandas()
    keys = pandas.Index(keys_of_model(estimator, len(words)), name="topic")
    return pandas.DataFrame(words, index=keys)


@validates(n_documents=POSITIVE_INTEGER)
def top_documents(
    estimator: Any, X: MatrixLike, n_documents: int = 10
) -> tuple[np.ndarray, np.ndarray]:
    """Return the documents with the largest proportions of each topic.

    Proportions are the output of `transform`. If its rows do not sum to 1 (or, with
    one-vs-rest, to the number of classes), the model is treated as a matrix
    factorisation (NMF): each column is multiplied by the sum of its row of
    `components_`, which gives expected numbers of tokens, and rows are normalised.
    Cost: that of `transform`.

    Parameters
    ----------
    estimator : estimator
        Fitted topic model with `components_` and `transform`.
    X : {array-like, sparse matrix} of shape (n_documents_of_corpus, n_features_in_)
        Documents to choose from.
    n_documents : int, default=10
        Number of documents for each topic, from 1 to n_documents_of_corpus.

    Returns
    -------
    documents : ndarray of shape (n_components, n_documents)
        Row numbers in X, largest proportion first; ties are broken by row.
    proportions : ndarray of shape (n_components, n_documents)
        Proportion of the topic in each of these documents, from 0 to 1; with
        one-vs-rest, among the topics of its class.

    Raises
    ------
    NotFittedError, TypeError
        Before fit, or if the estimator has no `components_`.
    ValueError
        If `transform` rejects X, or X has fewer than `n_documents` rows.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import top_documents
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> documents, proportions = top_documents(lda, X, n_documents=3)
    >>> documents.shape
    (10, 3)
    """
    proportions = topic_proportions(snapshot(estimator), X)
    documents = _top_rows(proportions, n_documents)
    return documents, np.take_along_axis(proportions.T, documents, axis=1)


def _top_rows(proportions: np.ndarray, n_documents: int) -> np.ndarray:
    """Return the documents with most of each topic, (n_topics, n_documents)."""
    check_limit(n_documents, "n_documents", len(proportions), "documents")
    return top_indices(proportions.T, n_documents)


def pyldavis_data(
    estimator: Any, X: MatrixLike, feature_names: NameList | None = None
) -> dict[str, Any]:
    """Return the arguments of ``pyLDAvis.prepare`` for a fitted topic model.

    Proportions are those of `top_documents`. A topic or a document whose weights are
    all 0, which NMF can produce, becomes uniform. Cost: that of `transform`.

    Parameters
    ----------
    estimator : estimator
        Fitted topic model with `components_` and `transform`.
    X : {array-like, sparse matrix} of shape (n_documents, n_features_in_)
        Word counts, usually those of the fit.
    feature_names : array-like of str of shape (n_features_in_,), default=None
        Words in the order of the columns of X. By default, `feature_names_in_` or,
        without it, the column numbers, with a warning.

    Returns
    -------
    dict
        Arguments by name:

        topic_term_dists : ndarray of shape (n_components, n_features_in_)
            Word probabilities of each topic; rows sum to 1.
        doc_topic_dists : ndarray of shape (n_nonempty_documents, n_components)
            Topic proportions, with one-vs-rest divided by the number of classes; rows
            sum to 1. Empty documents are omitted, because pyLDAvis weights documents by
            their lengths.
        doc_lengths : ndarray of shape (n_nonempty_documents,)
            Number of tokens of each of these documents.
        vocab : list of str
            Words.
        term_frequency : ndarray of shape (n_features_in_,)
            Number of tokens of each word in X.

    Raises
    ------
    NotFittedError, TypeError
        Before fit; if the estimator has no `components_`, or feature_names is not a
        list of words.
    ValueError
        If the number of feature_names is wrong, `transform` rejects X, or X has no
        tokens.

    References
    ----------
    .. [1] C. Sievert, K. E. Shirley, "LDAvis: a method for visualizing and interpreting
       topics", Workshop on Interactive Language Learning, Visualization, and Interfaces
       (2014), https://doi.org/10.3115/v1/W14-3110

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import pyldavis_data
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> pixels = [f"pixel {i}" for i in range(X.shape[1])]
    >>> data = pyldavis_data(lda, X, pixels)  # then pyLDAvis.prepare(**data)
    >>> data["doc_topic_dists"].shape
    (200, 10)
    """
    estimator = snapshot(estimator)
    components = fitted_components(estimator)
    names = word_names(estimator, feature_names, components.shape[1])
    proportions = topic_proportions(estimator, X)
    counts = check_counts(X)
    lengths = axis_sums(counts, axis=1)
    nonempty = lengths > 0
    if not nonempty.any():
        raise ValueError("X contains no tokens; all of its documents are empty.")
    return {
        "topic_term_dists": normalise(components),
        "doc_topic_dists": proportions[nonempty] / count_models(estimator),
        "doc_lengths": lengths[nonempty],
        "vocab": names,
        "term_frequency": axis_sums(counts, axis=0),
    }


# --- names ------------------------------------------------------------------------


@validates(n_words=POSITIVE_INTEGER, n_documents=POSITIVE_INTEGER)
def name_topics(
    estimator: Any,
    names: Names,
    *,
    X: MatrixLike | None = None,
    feature_names: NameList | None = None,
    n_words: int = 10,
    n_documents: int = 5,
) -> Any:
    """Name the topics of a fitted model; tables and displays then show the names.

    The names are stored in the attribute `topic_names_` of the model and in its
    `draws_`, and are pickled with it. Name the topics before you compute tables from
    the draws. A new or continued fit removes the names, and a clone has none. Models of
    other libraries keep the attribute when they are fitted again, but nothing shows the
    names then.

    Parameters
    ----------
    estimator : estimator
        Fitted topic model with non-negative `components_`.
    names : dict of int to str, array-like of str, or callable
        One of these; None in place of a name removes it:

        - Names by topic numbers, such as ``{3: "oil prices"}``. Other topics keep their
          names.
        - A list with an entry for each topic, such as the file that the explorer saves.
        - A function that is called as ``function(words, documents)`` for each topic
          with tokens. It gets the top words, a list of str, and the row numbers of the
          documents with the largest proportions, an array, and returns a name. If it
          returns the same name for several topics, their numbers are appended.

        Names are stored with single spaces between their words.
    X : {array-like, sparse matrix} of shape (n_documents_of_corpus, n_features_in_), \
default=None
        Documents that the function gets the row numbers of. By default, the training
        documents, in the order of `doc_topic_`.
    feature_names : array-like of str of shape (n_features_in_,), default=None
        Words that the function gets, in the order of the columns of X. By default,
        `feature_names_in_` or, without it, the column numbers, with a warning.
    n_words, n_documents : int, default=10 and 5
        Numbers of words and documents that the function gets, at least 1.

    Returns
    -------
    estimator
        The same model.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If the estimator has no `components_`, names are not of these types, or the
        function needs X because the estimator has no `doc_topic_`.
    ValueError
        If there is no such topic, two topics have the same name, a name is empty, or
        the number of names is wrong.

    See Also
    --------
    save_explorer : A page on which readers edit names, and save them.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.inspection import name_topics
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=4, random_state=0).fit(X)
    >>> name_topics(lda, {3: "first row"}).topic_names_.tolist()
    ['topic 0', 'topic 1', 'topic 2', 'first row']
    >>> pixels = [f"pixel {i}" for i in range(X.shape[1])]
    >>> lda = name_topics(lda, lambda words, _: words[0], feature_names=pixels)
    >>> all(name.startswith("pixel") for name in lda.topic_names_)
    True
    """
    fitted = snapshot(estimator)
    n_topics, _ = shape_of_topics(fitted)
    stored, defaults = default_names(n_topics), default_names(n_topics)
    if isinstance(names, Mapping):
        stored = names_of_topics(fitted, n_topics)
        if names:
            check_indices([*names], "keys of names", n_topics, "topics")
        named = _checked(names)
    elif callable(names):
        words = top_words(fitted, feature_names, n_words)
        documents = _top_documents(fitted, X, n_documents)
        topics = [k for k in range(n_topics) if words[k]]
        named = _checked({k: names(words[k], documents[k]) for k in topics})
        counts = Counter(named.values())
        for k, name in named.items():
            if name is not None and counts[name] > 1:
                named[k] = f"{name} ({k})"
    else:
        entries = check_sequence(names, "names", "the names of the topics")
        if len(entries) != n_topics:
            raise ValueError(f"names has {len(entries)} names for {n_topics} topics.")
        named = _checked(dict(enumerate(entries)))
    for k, name in named.items():
        stored[k] = defaults[k] if name is None else name
    for name, number in Counter(stored).items():
        if number > 1:
            topics = np.flatnonzero(stored == name).tolist()
            raise ValueError(
                f"names must differ, but topics {topics} would all be {name!r}."
            )
    estimator.topic_names_, estimator._named_topics = stored, checksum(fitted)
    if isinstance(getattr(estimator, "draws_", None), PosteriorDraws):
        estimator.draws_ = replace(estimator.draws_, _topic_names=stored)
    return estimator


def _checked(names: Mapping[int, Any]) -> dict[int, str | None]:
    """Return names by topics, with single spaces; raise TypeError or ValueError."""
    checked: dict[int, str | None] = {}
    for k, name in names.items():
        if name is not None and not isinstance(name, str):
            raise TypeError(
                f"The name of topic {k} must be a str or None, got {name!r}."
            )
        checked[k] = name if name is None else " ".join(name.split())
        if checked[k] == "":
            raise ValueError(
                f"The name of topic {k} is empty: pass None to remove a name."
            )
    return checked


def _top_documents(fitted: Any, X: Any, n_documents: int) -> np.ndarray:
    """Return the documents that have most of each topic, (n_topics, n_documents)."""
    if X is not None:
        return top_documents(fitted, X, n_documents)[0]
    if not hasattr(fitted, "doc_topic_"):
        raise TypeError(
            f"{type(fitted).__name__} has no doc_topic_: pass documents as X, so that "
            "the function gets the top documents of each topic."
        )
    return _top_rows(np.asarray(fitted.doc_topic_), n_documents)


def topic_labels(
    estimator: Any,
    feature_names: NameList | None,
    n_words: int | None,
    default_n_words: int,
    metric: str,
) -> list[str]:
    """Return the number of each topic and its name or, without one, its top words.

    If `n_words` is None there are `default_n_words`, or none if words have no names.
    """
    components = fitted_components(estimator)
    n_topics, n_columns = components.shape
    has_words = feature_names is not None or has_names(estimator)
    if n_words is None:
        n_words = min(default_n_words, n_columns) if has_words else 0
    texts = [""] * n_topics
    if n_words:
        names = word_names(estimator, feature_names, n_columns)
        words = [plain(name, _MAX_WORD_LENGTH) for name in names]
        top = top_columns(components, n_words, metric)
        texts = [", ".join(words[column] for column in topic) for topic in top]
        for k in np.flatnonzero(empty_topics(estimator, components)):
            texts[k] = NO_TOKENS
    for k, key in enumerate(keys_of_model(estimator, n_topics)):
        if isinstance(key, str):
            texts[k] = plain(key, _MAX_NAME_LENGTH)
    return [f"{k}: {text}" if text else str(k) for k, text in enumerate(texts)]
