"""The input of pyLDAvis, made from a fitted topic model."""

from __future__ import annotations

from typing import Any

from sklda._base.fitted_topics import (
    axis_sums,
    check_counts,
    count_models,
    fitted_components,
    normalise,
    snapshot,
    topic_proportions,
    word_names,
)
from sklda._core.types import MatrixLike, NameList


def pyldavis_data(
    estimator: Any, X: MatrixLike, feature_names: NameList | None = None
) -> dict[str, Any]:
    """Return the arguments of ``pyLDAvis.prepare`` for a fitted topic model.

    Parameters
    ----------
    estimator : estimator
        Fitted topic model with `components_` and `transform`.
    X : {array-like, sparse matrix} of shape (n_documents, n_features_in_)
        Word counts, usually those of the fit.
    feature_names : array-like of str of shape (n_features_in_,), default=None
        Words in the order of the columns of X. By default `feature_names_in_` or,
        without it, the column numbers, with a warning.

    Returns
    -------
    dict
        Arguments by their names:

        topic_term_dists : ndarray of shape (n_components, n_features_in_)
            Word probabilities of each topic; rows sum to 1.
        doc_topic_dists : ndarray of shape (n_nonempty_documents, n_components)
            Topic proportions of each document that is not empty, with one-vs-rest
            divided by the number of classes; rows sum to 1.
        doc_lengths : ndarray of shape (n_nonempty_documents,)
            Number of tokens of each of these documents.
        vocab : list of str
            Words.
        term_frequency : ndarray of shape (n_features_in_,)
            Number of tokens of each word in X.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If the estimator has no `components_`, or feature_names is not a list of words.
    ValueError
        If the number of feature_names is wrong, `transform` rejects X, or X has no
        tokens.

    Notes
    -----
    Empty documents are left out, because pyLDAvis weights documents by their lengths. A
    topic or a document whose weights are all 0, which NMF can produce, becomes uniform.
    Proportions of a matrix factorisation are normalised as in `top_documents`. Cost:
    that of `transform`.

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
        raise ValueError("X contains no token; all of its documents are empty.")
    return {
        "topic_term_dists": normalise(components),
        "doc_topic_dists": proportions[nonempty] / count_models(estimator),
        "doc_lengths": lengths[nonempty],
        "vocab": names,
        "term_frequency": axis_sums(counts, axis=0),
    }
