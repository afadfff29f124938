"""The function that names topics, and the labels of topics in displays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from sklda._base.fitted_topics import (
    empty_topics,
    fitted_components,
    has_names,
    shape_of_topics,
    snapshot,
    word_names,
)
from sklda._base.parameters import NATURAL_NUMBER, POSITIVE_INTEGER, validates
from sklda._core.checks import check_numbers, check_sequence, shown
from sklda._core.types import MatrixLike, NameList
from sklda._topics.posterior_draws import PosteriorDraws
from sklda._topics.topic_names import (
    checksum,
    default_names,
    keys_of_model,
    names_of_topics,
)
from sklda._topics.word_scores import top_columns
from sklda.inspection._plotting import plain
from sklda.inspection._words import top_documents, top_rows, top_words

TopicNamer: TypeAlias = Callable[[list[str], np.ndarray], str | None]
Names: TypeAlias = Mapping[int, str | None] | NameList | TopicNamer

# Characters of a word and of a name in a label.
_MAX_WORD_LENGTH = 18
_MAX_NAME_LENGTH = 60
_CONTENT = "the names of the topics"
NO_TOKENS = "(no tokens)"  # in place of the words of a topic
NUMBER_OF_WORDS = [None, *NATURAL_NUMBER]  # in a label


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
        named = _check_entries(names, n_topics)
    elif callable(names):
        words = top_words(fitted, feature_names, n_words)
        documents = _top_documents(fitted, X, n_documents)
        topics = [k for k in range(n_topics) if words[k]]
        answers = {k: names(words[k], documents[k]) for k in topics}
        named = _with_numbers(_check_entries(answers, n_topics))
    else:
        entries = dict(enumerate(check_sequence(names, "names", _CONTENT)))
        if len(entries) != n_topics:
            raise ValueError(f"names has {len(entries)} names for {n_topics} topics.")
        named = _check_entries(entries, n_topics)
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


def _check_entries(entries: Mapping[Any, Any], n_topics: int) -> dict[int, str | None]:
    """Return names by topics, with single spaces; raise TypeError or ValueError."""
    unknown = [
        k
        for k in entries
        if not isinstance(k, Integral) or isinstance(k, bool) or not 0 <= k < n_topics
    ]
    if unknown:
        raise ValueError(
            f"names has the keys {shown(unknown)}, but the topics are numbered from 0 "
            f"to {n_topics - 1}."
        )
    checked: dict[int, str | None] = {}
    for k, name in entries.items():
        if name is not None and not isinstance(name, str):
            raise TypeError(
                f"The name of topic {k} must be a str or None, got {name!r}."
            )
        checked[int(k)] = name if name is None else " ".join(name.split())
        if checked[int(k)] == "":
            raise ValueError(
                f"The name of topic {k} is empty: pass None to remove a name."
            )
    return checked


def _with_numbers(names: dict[int, str | None]) -> dict[int, str | None]:
    """Append the numbers of topics to names that several topics have."""
    counts = Counter(names.values())
    return {
        k: f"{name} ({k})" if name is not None and counts[name] > 1 else name
        for k, name in names.items()
    }


def _top_documents(fitted: Any, X: Any, n_documents: int) -> np.ndarray:
    """Return the documents that have most of each topic, (n_topics, n_documents)."""
    if X is not None:
        return top_documents(fitted, X, n_documents)[0]
    if not hasattr(fitted, "doc_topic_"):
        raise TypeError(
            f"{type(fitted).__name__} has no doc_topic_: pass documents as X, so that "
            "the function gets the top documents of each topic."
        )
    shape = "n_documents", "n_topics"
    return top_rows(check_numbers(fitted.doc_topic_, "doc_topic_", shape), n_documents)


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
    has_words = feature_names is not None or has_names(estimator)
    n_topics, n_columns = components.shape
    if n_words is None:
        n_words = min(default_n_words, n_columns) if has_words else 0
    texts = [""] * n_topics
    if has_words or n_words:
        words = word_names(estimator, feature_names, n_columns)
    if n_words:
        words = [plain(word, _MAX_WORD_LENGTH) for word in words]
        top = top_columns(components, n_words, metric)
        texts = [", ".join(words[column] for column in topic) for topic in top]
        for k in np.flatnonzero(empty_topics(estimator, components)):
            texts[k] = NO_TOKENS
    for k, key in enumerate(keys_of_model(estimator, n_topics)):
        if isinstance(key, str):
            texts[k] = plain(key, _MAX_NAME_LENGTH)
    return [f"{k}: {text}" if text else str(k) for k, text in enumerate(texts)]
