"""A held-out score that can be compared across vocabularies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.fitted_topics import (
    axis_sums,
    check_counts,
    fitted_components,
    snapshot,
)
from sklda._base.fold_in import mean_log_probability
from sklda._core.checks import check_indices
from sklda._core.types import MatrixLike
from sklda.metrics._completion import document_completion_score


def vocabulary_score(
    estimator: Any, X: MatrixLike, columns: ArrayLike, X_train: MatrixLike
) -> float:
    """Return the mean log probability of held-out tokens of all words, in nats.

    `score` is a mean over the tokens of the words that a model knows, so a model with
    fewer words has an easier task. This function scores models with different
    vocabularies on the tokens of all words. It predicts a word that a model does not
    know by its frequency in the training documents; the known words share the remaining
    probability by document completion. Cost: that of `document_completion_score`.

    Parameters
    ----------
    estimator : estimator
        Topic model that was fitted to ``X_train[:, columns]``, see
        `document_completion_score`.
    X : {array-like, sparse matrix} of shape (n_documents, n_words)
        Counts of all words in documents that were not used for fitting.
    columns : array-like of int of shape (n_features_in_,)
        Columns of X that hold the words of the model, in their order.
    X_train : {array-like, sparse matrix} of shape (n_train_documents, n_words)
        Counts of all words in the training documents.

    Returns
    -------
    float
        Mean over all tokens; higher is better. If X has no tokens, 0 with an
        UndefinedMetricWarning.

    Raises
    ------
    NotFittedError, TypeError
        As `document_completion_score`.
    ValueError
        As `document_completion_score`, and if `columns` are not distinct columns of X,
        one for each word of the model, or `X_train` does not contain counts of the
        words of X.

    Notes
    -----
    With c the counts of the V words in the training documents, word w has the frequency
    f(w) = (c(w) + 1) / sum(c + 1). Let F be the sum over the words without topics. A
    token of these has the log probability log f(w), any other one log(1 - F) plus its
    log probability under the model. A model that knows no word has the score of the
    frequencies. It would be a mistake to replace all unknown words by a single word
    "other": the fewer events a model distinguishes, the higher its score.

    Examples
    --------
    >>> import numpy as np
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.metrics import vocabulary_score
    >>> X, _, _ = make_lda_corpus(300, 500, 5, random_state=0)
    >>> train, test = X[:200], X[200:]
    >>> for least in (1, 100):
    ...     columns = np.flatnonzero(train.sum(axis=0) >= least)
    ...     lda = CollapsedGibbsLDA(5, random_state=0).fit(train[:, columns])
    ...     print(
    ...         f"{columns.size} words: {lda.score(test[:, columns]):.2f} over these, "
    ...         f"{vocabulary_score(lda, test, columns, train):.2f} over all"
    ...     )
    488 words: -5.37 over these, -5.37 over all
    49 words: -3.46 over these, -5.67 over all
    """
    estimator = snapshot(estimator)
    vars(estimator).pop("feature_names_in_", None)  # `columns` say which words they are
    counts = check_counts(X)
    n_words = counts.shape[1]
    known = check_indices(columns, "columns", n_words, "columns")
    n_known = fitted_components(estimator).shape[1]
    if np.unique(known).size < known.size or known.size != n_known:
        raise ValueError(
            f"columns must contain each of the {n_known} words of the model once, got "
            f"{np.unique(known).size} distinct columns out of {known.size}."
        )
    training_counts = check_counts(X_train, "X_train")
    if training_counts.shape[1] != n_words:
        raise ValueError(
            f"X_train has {training_counts.shape[1]} columns, but X has {n_words}: "
            "pass counts of the same words."
        )
    smoothed = axis_sums(training_counts, 0) + 1.0
    frequency = smoothed / smoothed.sum()
    unknown = np.ones(n_words, dtype=bool)
    unknown[known] = False
    tokens = axis_sums(counts, 0)
    n_tokens = tokens.sum()
    n_unknown = tokens[unknown].sum()
    total = float(tokens[unknown] @ np.log(frequency[unknown]))
    if n_tokens > n_unknown:
        score = document_completion_score(estimator, counts[:, known])
        rest = np.log1p(-frequency[unknown].sum())
        total += float((n_tokens - n_unknown) * (score + rest))
    return mean_log_probability(total, n_tokens)
