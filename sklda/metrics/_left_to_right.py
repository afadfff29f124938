"""The left-to-right estimate of the probability of whole documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState

from sklda._base.fitted_topics import (
    check_one_model,
    fitted_components,
    normalise,
    snapshot,
)
from sklda._base.parameters import POSITIVE_INTEGER, random_streams, validates
from sklda._core.corpus import check_corpus, kernel_ranges
from sklda._core.types import MatrixLike
from sklda.metrics.kernels import left_to_right


@validates(n_particles=POSITIVE_INTEGER, random_state=["random_state"])
def left_to_right_log_likelihood(
    estimator: Any,
    X: MatrixLike,
    *,
    n_particles: int = 20,
    random_state: int | RandomState | None = None,
) -> np.ndarray:
    """Estimate the log probability of each document under the fitted topics.

    Particles, which assign topics to the words so far, predict the words of a document
    one by one. The product of their mean predictions estimates the probability of the
    document [1]_. `document_completion_score` is far cheaper and deterministic.

    Parameters
    ----------
    estimator : estimator
        Fitted LDA model, including that of scikit-learn, with `components_`, whose rows
        are normalised to topics, and `doc_topic_prior_`.
    X : {array-like, sparse matrix} of shape (n_documents, n_features_in_)
        Word counts of documents that were not used for fitting.
    n_particles : int, default=20
        Number of particles, at least 1. More particles make the estimates less
        variable.
    random_state : int, RandomState instance or None, default=None
        Seed. Pass an int for reproducible results.

    Returns
    -------
    ndarray of shape (n_documents,)
        Estimates of log p(document) in nats, for the words in the order of the columns,
        without the multinomial coefficient; 0 for an empty document. The perplexity per
        word is ``exp(-result.sum() / X.sum())``.

    Raises
    ------
    NotFittedError, TypeError
        Before fit; if the estimator has no `components_` or `doc_topic_prior_`, or a
        separate model for each class.
    ValueError
        If X does not contain counts of the same words as in fit, `components_` has
        negative values, or a parameter is out of its range.

    Notes
    -----
    The particles are resampled after each word in proportion to their predictions, so
    the estimated probability is unbiased, but its logarithm is too small on average.
    MALLET's ``evaluate-topics`` and [1]_ do not resample; [2]_ compares variants. Cost:
    O(n_particles K) per pair of words of a document, 10 ms for 100 words, 100 topics.

    References
    ----------
    .. [1] H. M. Wallach, I. Murray, R. Salakhutdinov, D. Mimno, "Evaluation methods for
       topic models", ICML (2009), https://doi.org/10.1145/1553374.1553515
    .. [2] W. Buntine, "Estimating likelihoods for topic models", ACML (2009),
       https://doi.org/10.1007/978-3-642-05224-8_6

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.metrics import left_to_right_log_likelihood
    >>> X, _, _ = make_bars(n_samples=220, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X[:200])
    >>> left_to_right_log_likelihood(lda, X[200:], random_state=0).shape
    (20,)
    """
    estimator = snapshot(estimator)
    topics = normalise(fitted_components(estimator))
    if not hasattr(estimator, "doc_topic_prior_"):
        raise TypeError(
            f"{type(estimator).__name__} has no doc_topic_prior_, so documents have no "
            "probability: pass a fitted LDA model."
        )
    check_one_model(estimator)
    alpha = np.full(len(topics), estimator.doc_topic_prior_, dtype=np.float64)
    corpus = check_corpus(estimator, X, reset=False)
    streams = random_streams(random_state)
    word_topic = np.ascontiguousarray(topics.T)
    tokens = np.repeat(corpus.word, np.diff(corpus.token_ptr))
    ends = corpus.token_ptr[corpus.doc_ptr]

    def log_likelihood(document: int) -> float:
        word = tokens[ends[document] : ends[document + 1]]
        rng = streams.child(document).kernel
        z = np.empty((n_particles, word.size), np.int32)
        counts = np.zeros((n_particles, alpha.size))
        pairs = np.arange(word.size + 1) ** 2 // 2
        return sum(
            left_to_right.extend(word, first, last, word_topic, alpha, z, counts, rng)
            for first, last in kernel_ranges(pairs, n_particles * alpha.size)
        )

    return np.array([log_likelihood(d) for d in range(ends.size - 1)], np.float64)
