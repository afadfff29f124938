"""Document completion: how well half of a document predicts the other half."""

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
from sklda._base.fold_in import completion_score, prepare, split_tokens
from sklda._base.parameters import PROPORTION, validates
from sklda._core.corpus import check_weights
from sklda._core.problem import WeightedCorpus

DEFAULT_SMOOTHING = 0.05  # of models without a prior


@validates(smoothing=[None, *PROPORTION])
def document_completion_score(
    estimator: Any, X: Any, y: Any = None, *, smoothing: float | None = None
) -> float:
    """Return the mean log predictive probability of held-out tokens, in nats.

    The tokens of each document are split at random into two halves. Those of one half
    are predicted with the topic proportions that `transform` returns for the other
    half; then the halves swap roles. All models of the same words use the same halves.
    Scores of different vocabularies (but see `vocabulary_score`), or of counts and
    weights such as tf-idf, are not comparable. For an unsupervised estimator of sklda,
    the result equals `score`. Pass the function as ``scoring`` to `GridSearchCV` to
    compare other models. Cost: `transform` of all documents, twice.

    Parameters
    ----------
    estimator : estimator or Pipeline
        Fitted topic model with `components_` and `transform`, whose rows are
        normalised: LDA, including that of scikit-learn, or a matrix factorisation
        (NMF). Earlier steps of a Pipeline may count words.
    X : {array-like, sparse matrix} of shape (n_documents, n_words) or list of str
        Word counts of documents that were not used for fitting; a Pipeline may take
        texts.
    y : None
        Ignored.
    smoothing : float, default=None
        Weight of a uniform distribution over words that is mixed into the topics, from
        0 to 1. The default is 0 for models with `topic_word_prior_` and 0.05 for
        others, because a held-out token of probability 0 would make the score -inf.

    Returns
    -------
    float
        Mean over all tokens; higher is better. If X has no tokens, 0 with an
        UndefinedMetricWarning.

    Raises
    ------
    NotFittedError, TypeError
        Before fit; if the estimator has no `components_`, or a separate model for each
        class.
    ValueError
        If X does not contain counts of the same words as in fit, `components_` has
        negative values, or smoothing is out of its range.

    Examples
    --------
    >>> from sklearn.decomposition import NMF
    >>> from sklda.datasets import make_bars
    >>> from sklda.metrics import document_completion_score
    >>> X, _, _ = make_bars(n_samples=300, random_state=0)
    >>> nmf = NMF(10, tol=0.01, random_state=0).fit(X[:200])
    >>> round(document_completion_score(nmf, X[200:]), 2)
    -3.16
    """
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps[:-1]:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        estimator = estimator.steps[-1][1]
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
        # In the columns of X: the words of `seen` are renumbered.
        counts = (half.count.astype(np.float64), weights.word, weights.doc_ptr)
        shape = (half.doc_ptr.size - 1, n_words)
        matrix = sparse.csr_matrix(counts, shape, copy=True)
        matrix.eliminate_zeros()  # in place, hence the copy
        return topic_proportions(estimator, matrix)

    used = components.any(axis=1, keepdims=True)  # NMF can leave topics without words
    alpha = np.ones(len(components))  # unused: transform has its own
    seen, topics = prepare(weights, np.where(used, components, 1), alpha)
    uniform = np.float32(smoothing / n_words)
    word_topic = np.float32(1 - smoothing) * topics.word_topic + uniform
    return completion_score(seen, split_tokens(weights), word_topic, doc_topic)
