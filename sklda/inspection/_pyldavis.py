"""Fitted topics in the form that the package pyLDAvis takes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import (
    check_counts,
    distributions,
    doc_topic,
    document_lengths,
    fitted_components,
    word_names,
)


def pyldavis_data(
    estimator: Any, X: ArrayLike, feature_names: ArrayLike | None = None
) -> dict[str, Any]:
    """Return what ``pyLDAvis.prepare`` takes, by the names of its parameters.

    Parameters
    ----------
    estimator : estimator
        Fitted, with `components_` and `transform`.
    X : {array-like, sparse matrix} of shape (n_documents, n_features_in_)
        Word counts, as a rule those of the fit.
    feature_names : array-like of str of shape (n_features_in_,), default=None
        Words in the order of the columns of X. None takes `feature_names_in_` of the
        estimator and, where it has none, the numbers of the columns.

    Returns
    -------
    dict
        topic_term_dists : ndarray of shape (n_components, n_features_in_)
            Rows sum to 1.
        doc_topic_dists : ndarray of shape (n_documents_with_tokens, n_components)
            Rows sum to 1.
        doc_lengths : ndarray of shape (n_documents_with_tokens,)
            Tokens of each document; never 0.
        vocab : list of str
            Words.
        term_frequency : ndarray of shape (n_features_in_,)
            Tokens of each word; 0 where X does not hold a word that the fit knew.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If the estimator has no `components_`, or feature_names have no order.
    ValueError
        If there is not a name for each word, X is not what `transform` takes, or it
        holds no token at all.

    Notes
    -----
    Empty documents are left out: pyLDAvis weights documents by their lengths, so they
    count for nothing there. A topic without any weight, or a document that no topic
    explains, as they come from NMF, is uniform. Shares of a factorisation are
    normalised as in `top_documents`.

    Cost: that of `transform`.

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
    >>> data = pyldavis_data(lda, X)  # then pyLDAvis.prepare(**data)
    >>> data["doc_topic_dists"].shape
    (200, 10)
    """
    components = fitted_components(estimator)
    names = word_names(estimator, feature_names, components.shape[1])
    theta = doc_topic(estimator, X)
    counts = check_counts(X)
    lengths = document_lengths(counts)
    if lengths.sum() == 0:
        raise ValueError("X holds no token.")
    return {
        "topic_term_dists": distributions(components),
        "doc_topic_dists": theta[lengths > 0],
        "doc_lengths": lengths[lengths > 0],
        "vocab": names,
        "term_frequency": np.asarray(counts.sum(axis=0)).ravel(),
    }
