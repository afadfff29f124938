"""What topics contain, for readers: words, documents, names, and a page of them all.

`top_words` and `top_documents` rank the content of topics, and `pyldavis_data` passes
it to pyLDAvis. `name_topics` stores names, which tables and displays show.
`save_explorer` collects topics, words, documents, groups and classes, packs their
arrays as base64, and writes them as JSON into a page with its style and its script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.pipeline import Pipeline

from sklda._data.checks import check_indices, check_limit, check_sequence, label_list
from sklda._data.notices import import_pandas
from sklda._data.types import MatrixLike, NameList, PathLike, SupportsArray, WordMetric
from sklda._fitted import fitted_topics
from sklda._fitted.posterior_draws import PosteriorDraws
from sklda._fitted.topic_words import RANKING_CONSTRAINTS, top_columns
from sklda._sampling.parameters import PATH, POSITIVE_INTEGER, validates
from sklda.inspection._display import shorten
from sklda.inspection._figures import topic_positions
from sklda.inspection._topic_means import Groups, check_groups

TopicNamer: TypeAlias = Callable[[list[str], np.ndarray], str | None]
Names: TypeAlias = Mapping[int, str | None] | NameList | TopicNamer

# Of the explorer.
N_RANKED = 30  # words of a topic, for each weight
WEIGHTS = [i / 10 for i in range(11)]  # of the relevance
N_TYPICAL = 10  # documents of a topic
MIN_PROPORTION = 0.01  # smaller proportions of topics are left out
MAX_TOPICS_OF_WORD = 8
MAX_TOPICS_OF_DOCUMENT = 12
SHORT_TEXT = 5  # texts of documents that are not typical are this many times shorter
FULL = 255  # the integer that stands for a proportion of 1

# --- words and documents ----------------------------------------------------------


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
        rank; None where there is no word.

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
    estimator = fitted_topics.snapshot(estimator)
    components = fitted_topics.fitted_components(estimator)
    names = fitted_topics.word_names(estimator, feature_names, components.shape[1])
    columns = top_columns(components, n_words, metric, weight)
    words: list[list[Any]]
    words = [[names[column] for column in topic] for topic in columns]
    for k in np.flatnonzero(fitted_topics.empty_topics(estimator, components)):
        words[k] = [None] * n_words if as_frame else []
    if not as_frame:
        return words
    pandas = import_pandas()
    keys = fitted_topics.keys_of_model(estimator, len(words))
    return pandas.DataFrame(words, index=pandas.Index(keys, name="topic"))


@validates(n_documents=POSITIVE_INTEGER, n_words=[None, *POSITIVE_INTEGER])
def top_documents(
    estimator: Any, X: MatrixLike, n_documents: int = 10, *, n_words: int | None = None
) -> tuple[Any, ...]:
    """Return the documents with the largest proportions of each topic.

    Proportions are the output of `transform`. If its rows do not sum to 1, the model is
    treated as a matrix factorisation (NMF): each column is multiplied by the sum of its
    row of `components_`, which gives expected numbers of tokens, and rows are
    normalised. Cost: that of `transform` and, with `n_words`, O(K) for each word of the
    documents.

    Parameters
    ----------
    estimator : estimator
        Fitted topic model with `components_` and `transform`.
    X : {array-like, sparse matrix} of shape (n_documents_of_corpus, n_features_in_)
        Documents to choose from.
    n_documents : int, default=10
        Number of documents for each topic, from 1 to n_documents_of_corpus.
    n_words : int, default=None
        Number of words to return for each of these documents, from 1 to
        `n_features_in_`. By default, words are not returned.

    Returns
    -------
    documents : ndarray of shape (n_components, n_documents)
        Row numbers in X, largest proportion first; ties are broken by row.
    proportions : ndarray of shape (n_components, n_documents)
        Proportion of the topic in each of these documents, from 0 to 1.
    words : list of list of ndarray of int
        Only with `n_words`: for each topic and each of its documents, the words that
        speak for the topic, as columns of X. These are the words of the document with
        the most tokens of the topic, most first; fewer if fewer words have any.
        If word w occurs n times in document d, it has n p(k | w, d) tokens of topic k
        on average. p(k | w, d) is proportional to the proportion of the topic in the
        document times p(w | k).

    Raises
    ------
    NotFittedError, TypeError
        Before fit, or if the estimator has no `components_`.
    ValueError
        If `transform` rejects X, X has fewer than `n_documents` rows, or `n_words` is
        out of range.

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
    >>> _, _, words = top_documents(lda, X, n_documents=3, n_words=2)
    >>> set(words[0][0]) <= set(X[documents[0, 0]].nonzero()[-1])
    True
    """
    estimator = fitted_topics.snapshot(estimator)
    proportions = fitted_topics.topic_proportions(estimator, X)
    documents = _top_rows(proportions, n_documents)
    shares = np.take_along_axis(proportions.T, documents, axis=1)
    if n_words is None:
        return documents, shares
    topics = fitted_topics.normalise(fitted_topics.fitted_components(estimator))
    check_limit(n_words, "n_words", topics.shape[1], "words")
    counts = fitted_topics.check_counts(X)
    words: list[list[np.ndarray]] = [[] for _ in topics]
    for (k, _), d in np.ndenumerate(documents):
        tokens = fitted_topics.axis_sums(counts[[d]], axis=0)
        columns = np.flatnonzero(tokens * topics[k] * proportions[d, k])
        joint = topics[:, columns].T * proportions[d]
        expected = tokens[columns] * fitted_topics.normalise(joint)[:, k]
        words[k].append(columns[np.argsort(-expected, kind="stable")[:n_words]])
    return documents, shares, words


def _top_rows(proportions: np.ndarray, n_documents: int) -> np.ndarray:
    """Return the documents with most of each topic, (n_topics, n_documents)."""
    check_limit(n_documents, "n_documents", len(proportions), "documents")
    return fitted_topics.top_indices(np.asarray(proportions).T, n_documents)


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
            Topic proportions; rows sum to 1. Empty documents are omitted, because
            pyLDAvis weights documents by their lengths.
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
    estimator = fitted_topics.snapshot(estimator)
    components = fitted_topics.fitted_components(estimator)
    names = fitted_topics.word_names(estimator, feature_names, components.shape[1])
    proportions = fitted_topics.topic_proportions(estimator, X)
    counts, lengths = _counts_and_lengths(X)
    nonempty = lengths > 0
    return {
        "topic_term_dists": fitted_topics.normalise(components),
        "doc_topic_dists": proportions[nonempty],
        "doc_lengths": lengths[nonempty],
        "vocab": names,
        "term_frequency": fitted_topics.axis_sums(counts, axis=0),
    }


def _counts_and_lengths(X: Any) -> tuple[Any, np.ndarray]:
    """Return counts and the tokens of each document; ValueError if there are none."""
    counts = fitted_topics.check_counts(X)
    lengths = fitted_topics.axis_sums(counts, axis=1)
    if not lengths.any():
        raise ValueError("X contains no tokens; all of its documents are empty.")
    return counts, lengths


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
    fitted = fitted_topics.snapshot(estimator)
    n_topics, _ = fitted_topics.shape_of_topics(fitted)
    defaults = fitted_topics.default_names(n_topics)
    stored = defaults.copy()
    if isinstance(names, Mapping):
        stored = fitted_topics.names_of_topics(fitted, n_topics)
        if names:
            check_indices([*names], "keys of names", n_topics, "topics")
        named = _checked(names)
    elif callable(names):
        if X is None and not hasattr(fitted, "doc_topic_"):
            raise TypeError(
                f"{type(fitted).__name__} has no doc_topic_: pass documents as X, so "
                "that the function gets the top documents of each topic."
            )
        if X is None:
            proportions = fitted.doc_topic_
        else:
            proportions = fitted_topics.topic_proportions(fitted, X)
        words = top_words(fitted, feature_names, n_words)
        documents = _top_rows(proportions, n_documents)
        topics = [k for k in range(n_topics) if words[k]]
        named = _checked({k: names(words[k], documents[k]) for k in topics})
        counts = Counter(named.values())
        for k, name in named.items():
            if name is not None and counts[name] > 1:
                named[k] = f"{name} ({k})"
    else:
        entries = check_sequence(names, "names", "the names of the topics")
        if len(entries) != n_topics:
            raise ValueError(f"names has {len(entries)} entries for {n_topics} topics.")
        named = _checked(dict(enumerate(entries)))
    for k, name in named.items():
        stored[k] = defaults[k] if name is None else name
    for name, number in Counter(stored).items():
        if number > 1:
            topics = np.flatnonzero(stored == name).tolist()
            raise ValueError(
                f"names must differ, but topics {topics} would all be {name!r}."
            )
    estimator.topic_names_ = stored
    estimator._named_topics = fitted_topics.checksum(fitted)
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


# --- the explorer -----------------------------------------------------------------


@validates(path=PATH, title=[str, None], max_text_length=POSITIVE_INTEGER)
def save_explorer(
    path: PathLike,
    estimator: Any,
    X: MatrixLike | NameList,
    *,
    feature_names: NameList | None = None,
    texts: NameList | None = None,
    groups: list[Any] | SupportsArray | None = None,
    title: str | None = None,
    max_text_length: int = 400,
) -> Path:
    """Save an HTML file in which readers explore topics in the browser.

    The page shows a map of the topics, the words of a topic with a slider for their
    relevance, its most typical documents, the topics of a word or of a document, the
    share of a topic in groups of documents or over time, and its weight for the classes
    of a classifier. The file works offline and loads nothing. Its address stores the
    selection and the edited labels, so readers can share a view.

    Readers can edit the names of topics (see `name_topics`); a topic without a name is
    labelled by its three most relevant words. The browser remembers edited names; the
    button "Save labels" stores them as a JSON list, which `name_topics` accepts.

    Parameters
    ----------
    path : str or path-like
        File to write, usually with the suffix ".html"; an existing file is replaced.
    estimator : estimator or Pipeline
        Fitted topic model with non-negative `components_` and `transform`, or a
        pipeline that ends with one.
    X : {array-like, sparse matrix} of shape (n_documents, n_features_in_), or texts
        Word counts of the documents to show, usually those of the fit; with a pipeline,
        what it was fitted to, such as texts.
    feature_names : array-like of str of shape (n_features_in_,), default=None
        Words in the order of the columns of X. By default, those of the vectorizer of a
        pipeline, `feature_names_in_` of the estimator or, without both, the column
        numbers, with a warning.
    texts : array-like of str of shape (n_documents,), default=None
        Texts of the documents. Markup is shown literally. With a pipeline, the default
        is X, if it contains texts.
    groups : array-like of shape (n_documents,), default=None
        Group of each document. Numbers and dates are binned, such as by weeks or
        months, into at most 60 bins and shown as a line, with the number of documents
        below it and gaps where there are no documents; documents show their own dates,
        and those without a date are counted above it. Strings are categories, at most
        200, each shown as a bar, in the order that `topic_means` describes.
    title : str, default=None
        Title of the page, such as the name of the corpus. By default, the name of the
        file without its suffix.
    max_text_length : int, default=400
        Number of characters to store of each text, at least 1; documents that are not
        typical of any topic get a fifth of this number.

    Returns
    -------
    Path
        The written file.

    Raises
    ------
    NotFittedError, TypeError
        Before fit; if the estimator has no `components_`, `path` is neither a str nor
        path-like, or names are not a list.
    ValueError
        If the number of names, texts or groups is wrong, `topic_means` would
        reject the groups, `transform` rejects X, X has no tokens, `components_` has
        negative values, or `max_text_length` is below 1.
    OSError
        If the file cannot be written; FileNotFoundError if its folder does not exist or
        `path` is a folder.

    Notes
    -----
    The file contains

    - for each topic, its share of the tokens of X, its position on the map (see
      `TopicMapDisplay`), its 30 most relevant words for each weight 0, 0.1, ..., 1, and
      its ten most typical documents (see `top_words` and `top_documents`);
    - for each word, its number of tokens in X and their share p(k | w) in the eight
      largest topics, if at least 1 %, and in the topics that list the word;
    - for each document, its number of tokens, its group, the beginning of its text, and
      its twelve largest topics, if at least 1 %, and the topics that list the document.

    Shares and proportions are rounded to multiples of 1/255 after the shares in groups
    are computed. Texts highlight the words of a topic if they are spelled as in
    `feature_names`, in upper or lower case; stemmed words are not found. A topic
    without tokens is marked as such, without words or documents. The user guide
    states the size of the file. Cost: that of `transform`, plus O(K V) for the words,
    with K topics and V words.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.inspection import save_explorer
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["cat dog cat", "dog cat dog dog", "star moon", "moon star moon star"]
    >>> lda = CollapsedGibbsLDA(2, random_state=0)
    >>> pipeline = make_pipeline(CountVectorizer(), lda).fit(texts)
    >>> save_explorer("pets.html", pipeline, texts)  # doctest: +SKIP
    PosixPath('pets.html')
    """
    path = Path(path)
    if path.is_dir() or not path.parent.is_dir():
        raise FileNotFoundError(
            f"path={str(path)!r} must be a file in a folder that exists."
        )
    if isinstance(estimator, Pipeline) and len(estimator) > 1:
        feature_names, texts = _of_pipeline(estimator, X, feature_names, texts)
        estimator, X = estimator[-1], estimator[:-1].transform(X)
    estimator = fitted_topics.snapshot(estimator)
    components = fitted_topics.fitted_components(estimator)
    n_topics, n_words = components.shape
    names = fitted_topics.word_names(estimator, feature_names, n_words)
    proportions = fitted_topics.topic_proportions(estimator, X)
    counts, lengths = _counts_and_lengths(X)
    bins = None if groups is None else check_groups(groups, len(lengths))
    dates = None if bins is None else bins.dates
    topics = fitted_topics.normalise(components)
    frequencies = fitted_topics.normalise(lengths @ proportions)
    empty = fitted_topics.empty_topics(estimator, components)
    keys = fitted_topics.keys_of_model(estimator, n_topics)
    positions, explained = topic_positions(topics)
    typical = fitted_topics.top_indices(proportions.T, min(N_TYPICAL, len(proportions)))
    is_typical = np.zeros(proportions.shape, dtype=bool)
    np.put_along_axis(is_typical.T, typical, ~empty[:, np.newaxis], axis=1)
    if texts is not None:
        whole_texts = label_list(texts, "texts", "documents", len(lengths))
        short = max(max_text_length // SHORT_TEXT, 1)
        sizes = np.where(is_typical.any(axis=1), max_text_length, short)
        texts = list(map(shorten, whole_texts, sizes))
    contents = {
        "topics": {
            "names": [key if isinstance(key, str) else None for key in keys],
            "empty": np.flatnonzero(empty).tolist(),
            "shares": frequencies.round(6).tolist(),
            "positions": positions.round(4).tolist(),
            "explained": explained.round(3).tolist(),
        },
        "words": {
            "names": names,
            "counts": pack(fitted_topics.axis_sums(counts, axis=0)),
            **_words(components, frequencies[:, np.newaxis] * topics, empty),
        },
        "documents": {
            "texts": texts,
            "dates": None if dates is None else dates.tolist(),
            "lengths": pack(lengths),
            **_pack_rows(proportions, MAX_TOPICS_OF_DOCUMENT, is_typical),
            "n_typical": typical.shape[1],
            "typical": pack(typical.ravel()),
        },
        "groups": bins and _groups(bins, lengths[:, np.newaxis] * proportions),
        "classes": _classes(estimator),
    }
    path.write_bytes(build_page(path.stem if title is None else title, contents))
    return path


def _of_pipeline(
    pipeline: Pipeline, X: Any, feature_names: Any, texts: Any
) -> tuple[Any, Any]:
    """Return the words and texts that the page shows, by default of the pipeline."""
    if feature_names is None and hasattr(pipeline[-2], "get_feature_names_out"):
        feature_names = pipeline[:-1].get_feature_names_out()
    has_texts = getattr(X, "ndim", 1) == 1 and all(isinstance(x, str) for x in X)
    return feature_names, X if texts is None and has_texts else texts


def _words(
    components: np.ndarray, joint: np.ndarray, empty: np.ndarray
) -> dict[str, Any]:
    """Return the ranked words of the topics, and the topics of the words.

    `joint` contains the probabilities of topics and words, (n_topics, n_words).
    """
    n_ranked = min(N_RANKED, joint.shape[1])
    ranked = [top_columns(components, n_ranked, "relevance", w) for w in WEIGHTS]
    ranking = np.concatenate(ranked, axis=1)  # by topic, weight and rank
    # p(k | w); 0 for words without weight in any topic that occurs.
    has_tokens = joint.any(axis=0)[:, np.newaxis]
    topics_of_words = fitted_topics.normalise(joint.T) * has_tokens
    needed = np.zeros(joint.shape, dtype=bool)
    np.put_along_axis(needed, ranking, ~empty[:, np.newaxis], axis=1)
    return {
        **_pack_rows(topics_of_words, MAX_TOPICS_OF_WORD, needed.T),
        "weights": WEIGHTS,
        "n_ranked": n_ranked,
        "ranking": pack(ranking.ravel()),
    }


def _groups(groups: Groups, tokens: np.ndarray) -> dict[str, Any]:
    """Return the groups, and the share of each topic in their tokens; 0 without any.

    `tokens` contains the expected tokens of documents in topics.
    """
    sums = np.zeros((len(groups.names), tokens.shape[1]))
    is_member = groups.members >= 0
    np.add.at(sums, groups.members[is_member], tokens[is_member])
    shares = fitted_topics.normalise(sums) * sums.any(axis=1, keepdims=True)
    return {
        "names": groups.names,
        "places": None if groups.places is None else groups.places.tolist(),
        "are_dates": groups.dates is not None,
        "sizes": pack(groups.sizes()),
        "members": pack(groups.members),
        "shares": pack(shares.astype(np.float32).ravel()),
    }


def _classes(estimator: Any) -> dict[str, Any] | None:
    """Return the weight of each topic for each class, or None without classes.

    Two classes share one task: "other" is the first and "names" the second.
    """
    if not hasattr(estimator, "classes_") or not hasattr(estimator, "coef_"):
        return None
    names = list(map(str, estimator.classes_))
    other = names.pop(0) if len(estimator.coef_) == 1 else None
    by_topic = np.transpose(estimator.coef_)
    weights = [[float(f"{weight:.4g}") for weight in row] for row in by_topic]
    return {"names": names, "other": other, "weights": weights}


def pack(values: np.ndarray) -> dict[str, str]:
    """Return an array as base64 of little-endian numbers, and their type.

    Non-negative whole numbers below 2 ** 32 take the smallest type that holds them, all
    others float32.
    """
    low, high = values.min(initial=0), values.max(initial=0)
    kind = np.dtype(np.float32)
    if low >= 0 and high < 2**32 and not (values % 1).any():
        kind = np.min_scalar_type(int(high))
    data = values.astype(kind.newbyteorder("<")).tobytes()
    return {"type": kind.name, "base64": base64.b64encode(data).decode("ascii")}


def _pack_rows(
    proportions: np.ndarray, n_largest: int, needed: np.ndarray
) -> dict[str, dict[str, str]]:
    """Pack the largest topics of each row, from `MIN_PROPORTION`, and those needed."""
    largest = np.zeros(proportions.shape, dtype=bool)
    n_largest = min(n_largest, proportions.shape[1])
    columns = fitted_topics.top_indices(proportions, n_largest)
    np.put_along_axis(largest, columns, True, axis=1)
    kept = (largest & (proportions >= MIN_PROPORTION)) | needed
    return {
        "n_topics": pack(kept.sum(axis=1)),
        "topics": pack(np.nonzero(kept)[1]),
        "parts": pack(np.rint(FULL * proportions[kept].clip(0, 1))),
    }


def build_page(title: str, contents: dict[str, Any]) -> bytes:
    """Return the page in UTF-8.

    Its content security policy names script and style by their hashes: the browser
    runs nothing else, and loads nothing.
    """
    folder = files("sklda.inspection") / "_explorer_assets"
    names = "explorer.html", "explorer.js", "explorer.css"
    template, script, style = [(folder / name).read_text("utf-8") for name in names]
    data = json.dumps(
        contents, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    parts = {
        "TITLE": html.escape(title),
        "SCRIPT_HASH": _source_hash(script),
        "STYLE_HASH": _source_hash(style),
        "STYLE": style,
        "SCRIPT": script,
        "DATA": data.replace("<", "\\u003c"),  # so that no text ends the element
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda field: parts[field[1]], template)
    # Lone surrogates, which only texts in the JSON can hold, become its escapes.
    return page.encode("utf-8", errors="backslashreplace")


def _source_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
