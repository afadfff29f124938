"""The function that saves a topic model as one HTML page.

`save_explorer` collects what the page shows: topics, words, documents, groups and
classes. Arrays are packed as base64. The page is ``explorer.html`` with the style,
the script and the collected JSON in it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from sklda._data.checks import label_list
from sklda._data.types import MatrixLike, NameList, PathLike, SupportsArray
from sklda._fitted.fitted_topics import (
    axis_sums,
    check_counts,
    count_models,
    empty_topics,
    fitted_components,
    keys_of_model,
    normalise,
    snapshot,
    top_indices,
    topic_proportions,
    word_names,
)
from sklda._fitted.topic_words import top_columns
from sklda._sampling.parameters import PATH, POSITIVE_INTEGER, validates
from sklda.inspection._display import shorten
from sklda.inspection._figures import topic_positions
from sklda.inspection._topic_means import Groups, check_groups

N_RANKED = 30  # words of a topic, for each weight
WEIGHTS = [i / 10 for i in range(11)]  # of the relevance
N_TYPICAL = 10  # documents of a topic
MIN_PROPORTION = 0.01  # smaller proportions of topics are left out
MAX_TOPICS_OF_WORD = 8
MAX_TOPICS_OF_DOCUMENT = 12
SHORT_TEXT = 5  # texts of documents that are not typical are this many times shorter
FULL = 255  # the integer that stands for a proportion of 1


@validates(path=PATH, title=[str, None], max_text_length=POSITIVE_INTEGER)
def save_explorer(
    path: PathLike,
    estimator: Any,
    X: MatrixLike,
    *,
    feature_names: NameList | None,
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
    estimator : estimator
        Fitted topic model with non-negative `components_` and `transform`.
    X : {array-like, sparse matrix} of shape (n_documents, n_features_in_)
        Word counts of the documents to show, usually those of the fit.
    feature_names : array-like of str of shape (n_features_in_,) or None
        Words in the order of the columns of X. None means `feature_names_in_` of the
        estimator or, if it has none, the column numbers.
    texts : array-like of str of shape (n_documents,), default=None
        Texts of the documents. Markup is shown literally.
    groups : array-like of shape (n_documents,), default=None
        Group of each document. Numbers and dates are binned, such as by weeks or
        months, into at most 60 bins and shown as a line, with the number of documents
        below it and gaps where there are no documents; documents show their own dates.
        Strings are categories, at most 200, each shown as a bar, in the order that
        `topic_means` describes.
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
    >>> texts = ["cat dog cat", "dog cat dog dog", "star moon", "moon star moon star"]
    >>> vectorizer = CountVectorizer()
    >>> X = vectorizer.fit_transform(texts)
    >>> lda = CollapsedGibbsLDA(2, random_state=0).fit(X)
    >>> words = vectorizer.get_feature_names_out()
    >>> save_explorer("pets.html", lda, X, feature_names=words)  # doctest: +SKIP
    PosixPath('pets.html')
    """
    path = Path(path)
    if path.is_dir() or not path.parent.is_dir():
        raise FileNotFoundError(
            f"path={str(path)!r} must be a file in a folder that exists."
        )
    estimator = snapshot(estimator)
    components = fitted_components(estimator)
    n_topics, n_words = components.shape
    names = word_names(estimator, feature_names, n_words)
    proportions = topic_proportions(estimator, X)
    counts = check_counts(X)
    lengths = axis_sums(counts, axis=1)
    if not lengths.any():
        raise ValueError("X contains no tokens; all of its documents are empty.")
    if texts is not None:
        texts = label_list(texts, "texts", "documents", len(lengths))
    bins = None if groups is None else check_groups(groups, len(lengths))
    dates = None if bins is None else bins.dates
    topics, frequencies = normalise(components), normalise(lengths @ proportions)
    empty = empty_topics(estimator, components)
    keys = keys_of_model(estimator, n_topics)
    positions, explained = topic_positions(topics)
    typical = top_indices(proportions.T, min(N_TYPICAL, len(proportions)))
    is_typical = np.zeros(proportions.shape, dtype=bool)
    np.put_along_axis(is_typical.T, typical, ~empty[:, np.newaxis], axis=1)
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
            "counts": pack(axis_sums(counts, axis=0)),
            **_words(components, frequencies[:, np.newaxis] * topics, empty),
        },
        "documents": {
            "texts": _excerpts(texts, is_typical.any(axis=1), max_text_length),
            "dates": None if dates is None else dates.astype(str).tolist(),
            "lengths": pack(lengths),
            **_pack_rows(proportions, MAX_TOPICS_OF_DOCUMENT, is_typical),
            "n_typical": typical.shape[1],
            "typical": pack(typical.ravel()),
        },
        "groups": bins and _groups(bins, lengths[:, np.newaxis] * proportions),
        "classes": _classes(estimator, n_topics),
    }
    path.write_bytes(build_page(path.stem if title is None else title, contents))
    return path


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
    topics_of_words = normalise(joint.T) * joint.any(axis=0)[:, np.newaxis]
    needed = np.zeros(joint.shape, dtype=bool)
    np.put_along_axis(needed, ranking, ~empty[:, np.newaxis], axis=1)
    return {
        **_pack_rows(topics_of_words, MAX_TOPICS_OF_WORD, needed.T),
        "weights": WEIGHTS,
        "n_ranked": n_ranked,
        "ranking": pack(ranking.ravel()),
    }


def _excerpts(
    texts: list[str] | None, is_typical: np.ndarray, max_length: int
) -> list[str] | None:
    """Return the beginnings of texts, in which white space is one space."""
    if texts is None:
        return None
    lengths = np.where(is_typical, max_length, max(max_length // SHORT_TEXT, 1))
    return list(map(shorten, texts, lengths))


def _groups(groups: Groups, tokens: np.ndarray) -> dict[str, Any]:
    """Return the groups, and the share of each topic in their tokens; 0 without any.

    `tokens` contains the expected tokens of documents in topics.
    """
    sums = np.zeros((len(groups.names), tokens.shape[1]))
    np.add.at(sums, groups.members, tokens)
    shares = normalise(sums) * sums.any(axis=1, keepdims=True)
    return {
        "names": groups.names,
        "places": None if groups.places is None else groups.places.tolist(),
        "are_dates": groups.dates is not None,
        "sizes": pack(groups.sizes()),
        "members": pack(groups.members),
        "shares": pack(shares.astype(np.float32).ravel()),
    }


def _classes(estimator: Any, n_topics: int) -> dict[str, Any] | None:
    """Return the weight of each topic for each class, or None without classes.

    Two classes share one task: "other" is the first and "names" the second. With
    one-vs-rest, the weight of a topic is None except for the task that it belongs to.
    """
    if not hasattr(estimator, "classes_") or not hasattr(estimator, "coef_"):
        return None
    names = list(map(str, estimator.classes_))
    other = names.pop(0) if len(estimator.coef_) == 1 else None
    weights = np.full((n_topics, len(names)), None)
    for task, row in enumerate(estimator.coef_):
        first = task * len(row) if count_models(estimator) > 1 else 0
        rounded = [float(f"{weight:.4g}") for weight in row]
        weights[first : first + len(row), task] = rounded
    return {"names": names, "other": other, "weights": weights.tolist()}


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
    columns = top_indices(proportions, min(n_largest, proportions.shape[1]))
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
