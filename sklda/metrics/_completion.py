"""Held-out likelihood: how well half of a document predicts the other half."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from sklda._base.fitted_topics import (
    check_one_model,
    fitted_components,
    snapshot,
    topic_proportions,
)
from sklda._base.fold_in import completion_score, split_tokens, topics_of_words
from sklda._base.parameters import PROPORTION, validates
from sklda._core.corpus import check_weights
from sklda._core.problem import WeightedCorpus

DEFAULT_SMOOTHING = 0.05  # of models without a prior


@validates(smoothing=[None, *PROPORTION])
def document_completion_score(
    estimator: Any, X: Any, y: Any = None, *, smoothing: float | None = None
) -> float:
    """Return the mean log predictive probability of held-out tokens, in nats.

    Document completion: the tokens of each document are dealt to two halves at random.
    Those of one half are predicted with the topic proportions that `transform` gives
    for the other half; then the halves swap roles. Scores of all models of the same
    words can be compared, and all meet the same halves.

    Parameters
    ----------
    estimator : estimator or Pipeline
        Fitted topic model with `components_`, whose rows are normalised to topics, and
        `transform`, whose rows are normalised to proportions: LDA, also that of
        scikit-learn, or a matrix factorisation (NMF). A Pipeline may count words before
        it; its last step is the model.
    X : {array-like, sparse matrix} of shape (n_documents, n_words) or list of str
        Word counts of documents that were not in the fit; for a Pipeline what its first
        step takes, such as texts.
    y : None
        Ignored.
    smoothing : float, default=None
        Weight of the uniform distribution over words that the topics are mixed with,
        from 0 to 1. The default is 0 for models with a prior, `topic_word_prior_`, and
        0.05 for others: their topics give words the probability 0, and a single
        held-out token of such a word would make the score -inf.

    Returns
    -------
    float
        Mean over all tokens; higher is better. If X has no tokens, 0 with an
        UndefinedMetricWarning.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If the estimator has no `components_`, or holds a model for each class.
    ValueError
        If X does not hold counts of the same words as in fit, `components_` contains
        negative values, or smoothing is out of its range.

    See Also
    --------
    left_to_right_log_likelihood : Estimate the probability of whole documents.

    Notes
    -----
    For an unsupervised estimator of sklda this is its `score`, whose notes say how
    documents are halved. Pass the function as
    ``scoring`` to scikit-learn's ``cross_val_score`` or ``GridSearchCV``, to compare
    models that have another `score` or none.

    Scores of different vocabularies cannot be compared, and words outside the
    vocabulary of a vectorizer are left out. Neither can scores of counts and of other
    weights, such as tf-idf.

    Cost: `transform` of all documents, twice.

    Examples
    --------
    >>> from sklearn.decomposition import NMF, LatentDirichletAllocation
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.metrics import document_completion_score
    >>> X, _, _ = make_bars(n_samples=300, random_state=0)
    >>> for model in (
    ...     NMF(10, tol=0.01, random_state=0),
    ...     LatentDirichletAllocation(10, random_state=0),
    ...     CollapsedGibbsLDA(10, random_state=0),
    ... ):
    ...     scores = cross_val_score(model, X, scoring=document_completion_score, cv=3)
    ...     print(f"{scores.mean():.2f}")
    -3.16
    -3.13
    -3.11
    """
    estimator, X = _counted(estimator, X)
    estimator = snapshot(estimator)
    components = fitted_components(estimator)
    check_one_model(estimator)
    if smoothing is None:
        has_prior = hasattr(estimator, "topic_word_prior_")
        smoothing = 0.0 if has_prior else DEFAULT_SMOOTHING
    weights = check_weights(estimator, X, reset=False, whole=False)
    vars(estimator).pop("feature_names_in_", None)  # the halves have no names
    n_words = components.shape[1]

    def doc_topic(half: WeightedCorpus) -> np.ndarray:
        # Counts of the words of X; those of `seen` are renumbered.
        counts = (half.count.astype(np.float64), weights.word, weights.doc_ptr)
        shape = (half.doc_ptr.size - 1, n_words)
        matrix = sparse.csr_matrix(counts, shape, copy=True)
        matrix.eliminate_zeros()  # in place, hence the copy
        return topic_proportions(estimator, matrix)

    used = components.any(axis=1, keepdims=True)  # NMF can leave topics without words
    seen, word_topic = topics_of_words(weights, np.where(used, components, 1))
    word_topic = np.float32(1 - smoothing) * word_topic + np.float32(
        smoothing / n_words
    )
    return completion_score(seen, split_tokens(weights), word_topic, doc_topic)


def _counted(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the topic model and its counts, whatever steps come before it."""
    if not isinstance(estimator, Pipeline):
        return estimator, X
    for _, step in estimator.steps[:-1]:
        if step is not None and step != "passthrough":
            X = step.transform(X)
    return estimator.steps[-1][1], X
