"""The function that saves a topic model as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklda._base.fitted_topics import (
    axis_sums,
    check_counts,
    empty_topics,
    fitted_components,
    normalise,
    snapshot,
    topic_proportions,
    word_names,
)
from sklda._base.parameters import PATH, POSITIVE_INTEGER, validates
from sklda._core.checks import label_list
from sklda._core.types import MatrixLike, NameList, PathLike, SupportsArray
from sklda._topics.topic_names import keys_of_model
from sklda.inspection._explorer.page import (
    ShownModel,
    build_page,
    class_weights,
    page_contents,
)
from sklda.inspection._groups import check_groups


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
    shown = ShownModel(
        components=components,
        empty=empty_topics(estimator, components),
        proportions=proportions,
        word_counts=axis_sums(counts, axis=0),
        lengths=lengths,
        frequencies=normalise(lengths @ proportions),
        feature_names=names,
        texts=texts,
        topic_keys=keys_of_model(estimator, n_topics),
        groups=None if groups is None else check_groups(groups, len(lengths)),
        classes=class_weights(estimator, n_topics),
    )
    contents = page_contents(shown, max_text_length)
    path.write_bytes(build_page(path.stem if title is None else title, contents))
    return path
