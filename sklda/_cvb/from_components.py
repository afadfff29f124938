"""A fitted estimator from topics that were stored as a matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import check_matrix, normalisable_weights
from sklda._base.parameters import (
    CONSTRAINTS,
    LOWEST_PRIOR,
    PRIOR_RANGE,
    check_doc_topic_prior,
    check_topic_word_prior,
    validates,
)
from sklda._cvb.estimator import CVBLDA

_ROUNDING = 1e-6  # of a stored weight, relative to beta


@validates(
    doc_topic_prior=CONSTRAINTS["doc_topic_prior"],
    topic_word_prior=[PRIOR_RANGE, "array-like"],
)
def lda_from_components(
    components: ArrayLike,
    *,
    doc_topic_prior: float | ArrayLike | None = None,
    topic_word_prior: float | ArrayLike = LOWEST_PRIOR,
) -> CVBLDA:
    """Return a fitted estimator with the topics of a matrix, from any program.

    It transforms and scores documents as the model from which the matrix comes, has no
    training documents, and can learn from further ones with `CVBLDA.partial_fit`.
    There, counts weigh as their tokens, and probabilities as `total_samples` documents:
    set it to the number that the topics came from. If it is None, they weigh as 10,000.

    Parameters
    ----------
    components : array-like of shape (n_components, n_words)
        Weight of each word in each topic, at least 0: ``components_`` of a fitted
        estimator, counts plus beta, or probabilities.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Alpha, from 1e-10 to 1e10: ``doc_topic_prior_`` of a fitted estimator. None
        means 1 / K.
    topic_word_prior : float or array-like, default=1e-10
        The beta that `components` contain, from 1e-10 to 1e10: ``topic_word_prior_``
        of a fitted estimator, a number or an array of shape (n_words,) or
        (n_components, n_words). The sizes of topics in displays leave it out. The
        default suits probabilities, and then all topics have the same size: pass X to
        displays.

    Returns
    -------
    CVBLDA
        Fitted estimator, as after `CVBLDA.partial_fit`.

    Raises
    ------
    ValueError
        If `components` is not such a matrix, if a topic or a word has only zeros, if
        weights are smaller than `topic_word_prior`, or a prior is out of range.

    See Also
    --------
    CollapsedGibbsLDA : Its parameter `init` starts a chain from such a matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from sklda import lda_from_components
    >>> lda = lda_from_components([[0.9, 0.1], [0.2, 0.8]], doc_topic_prior=0.1)
    >>> lda.transform([[5, 0], [0, 5]]).argmax(axis=1)
    array([0, 1])
    """
    weights = check_matrix(components, "components", dtype=np.float64)
    # Word after word, as in fitted estimators: so sums round in the same way.
    weights = np.asfortranarray(weights)
    normalisable_weights(weights, "components")  # refuses what cannot be normalised
    unseen = np.flatnonzero(weights.max(axis=0) == 0)
    if unseen.size > 0:
        raise ValueError(
            f"components has only zeros for word {unseen[0]} ({unseen.size} of "
            f"{weights.shape[1]} words), so no topic could contain it. Add beta, as in "
            "components + 0.01, or remove these columns here and from X."
        )
    n_topics, n_words = weights.shape
    alpha = check_doc_topic_prior(doc_topic_prior, n_topics)
    beta = check_topic_word_prior(topic_word_prior, n_topics, n_words)
    least = np.multiply(beta, np.greater(beta, LOWEST_PRIOR) * (1 - _ROUNDING))
    if (weights < least).any():
        raise ValueError(
            "components has weights below topic_word_prior, which they must contain. "
            "Add it to counts; leave it out for probabilities."
        )
    lda = CVBLDA(
        n_topics, doc_topic_prior=doc_topic_prior, topic_word_prior=topic_word_prior
    )
    lda.components_, lda.n_features_in_ = weights, n_words
    lda.doc_topic_prior_, lda.topic_word_prior_ = alpha, beta
    return lda
