"""How well models predict held-out words: document completion, and left to right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.pipeline import Pipeline

from sklda._data.checks import check_indices
from sklda._data.corpus import (
    WeightedCorpus,
    check_corpus,
    check_weights,
    kernel_ranges,
)
from sklda._data.types import MatrixLike
from sklda._fitted import fitted_topics
from sklda._fitted.fold_in import (
    completion_score,
    make_topics,
    mean_log_probability,
    renumber,
    split_tokens,
)
from sklda._sampling.parameters import (
    POSITIVE_INTEGER,
    PROPORTION,
    random_streams,
    validates,
)
from sklda.metrics.kernels import left_to_right

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
        Before fit; if the estimator has no `components_`.
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
        X = estimator[:-1].transform(X) if len(estimator) > 1 else X
        estimator = estimator[-1]
    estimator = fitted_topics.snapshot(estimator)
    components = fitted_topics.fitted_components(estimator)
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
        return fitted_topics.topic_proportions(estimator, matrix)

    words, seen = renumber(weights)
    # NMF can leave topics without words: they become uniform.
    phi = fitted_topics.normalise(components)[:, words].T
    phi = (1 - smoothing) * phi + smoothing / n_words
    topics = make_topics(phi, np.ones(len(components)))  # transform has its own alpha
    return completion_score(seen, split_tokens(weights), topics, doc_topic)


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
    estimator = fitted_topics.snapshot(estimator)
    vars(estimator).pop("feature_names_in_", None)  # `columns` say which words they are
    counts = fitted_topics.check_counts(X)
    n_words = counts.shape[1]
    known = check_indices(columns, "columns", n_words, "columns")
    _, n_model = fitted_topics.shape_of_topics(estimator)
    if np.unique(known).size < known.size or known.size != n_model:
        raise ValueError(
            f"columns must contain each of the {n_model} words of the model once, got "
            f"{np.unique(known).size} distinct columns out of {known.size}."
        )
    training_counts = fitted_topics.check_counts(X_train, "X_train")
    if training_counts.shape[1] != n_words:
        raise ValueError(
            f"X_train has {training_counts.shape[1]} columns, but X has {n_words}: "
            "pass counts of the same words."
        )
    smoothed = fitted_topics.axis_sums(training_counts, 0) + 1.0
    frequency = smoothed / smoothed.sum()
    unknown = np.delete(np.arange(n_words), known)
    tokens = fitted_topics.axis_sums(counts, 0)
    total = float(tokens[unknown] @ np.log(frequency[unknown]))
    n_known = tokens[known].sum()
    if n_known > 0:
        score = document_completion_score(estimator, counts[:, known])
        rest = np.log1p(-frequency[unknown].sum())
        total += float(n_known * (score + rest))
    return mean_log_probability(total, tokens.sum())


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
        Before fit; if the estimator has no `components_` or `doc_topic_prior_`.
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
    estimator = fitted_topics.snapshot(estimator)
    topics = fitted_topics.normalise(fitted_topics.fitted_components(estimator))
    if not hasattr(estimator, "doc_topic_prior_"):
        raise TypeError(
            f"{type(estimator).__name__} has no doc_topic_prior_, so documents have no "
            "probability: pass a fitted LDA model."
        )
    alpha = np.full(
        len(topics), fitted_topics.fitted_prior(estimator, "doc_topic_prior_")
    )
    corpus = check_corpus(estimator, X, reset=False)
    streams = random_streams(random_state)
    # Times a power of 2 for each word: the probabilities of a rare one could underflow.
    exponent = np.frexp(topics.max(axis=0))[1]
    word_topic = np.ascontiguousarray(np.ldexp(topics, -exponent).T)
    tokens = np.repeat(corpus.word, np.diff(corpus.token_ptr))
    ends = corpus.token_ptr[corpus.doc_ptr]

    def log_likelihood(document: int) -> float:
        word = tokens[ends[document] : ends[document + 1]]
        rng = streams.child(document).kernel
        z = np.empty((n_particles, word.size), np.int32)
        counts = np.zeros((n_particles, alpha.size))
        pairs = np.arange(word.size + 1) ** 2 // 2
        total = float(exponent[word].sum() * np.log(2))
        for first, last in kernel_ranges(pairs, n_particles * alpha.size):
            total += left_to_right.extend(
                word, first, last, word_topic, alpha, z, counts, rng
            )
            if total == -np.inf:  # z of the tokens before `last` may be unknown
                break
        return total

    return np.array([log_likelihood(d) for d in range(ends.size - 1)], np.float64)
