"""Coherence of topics: how often their top words occur together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from sklda._base.fitted_topics import (
    check_counts,
    has_names,
    top_indices,
    topic_weights,
    word_names,
)
from sklda._base.parameters import POSITIVE_INTEGER, validates
from sklda._base.sklearn_private import Interval, StrOptions
from sklda._core.checks import check_limit
from sklda._core.types import MatrixLike, NameList
from sklda.metrics._associations import DEFAULT_WINDOWS, OF_DOCUMENTS, OF_WINDOWS
from sklda.metrics._windows import Occurrence, occurrences_in_windows

CoherenceMeasure: TypeAlias = Literal["u_mass", "npmi", "c_v", "c_uci", "c_npmi"]


@validates(
    measure=[StrOptions({*OF_DOCUMENTS, *OF_WINDOWS})],
    n_words=[Interval(Integral, 2, None, closed="left")],
    window=[None, *POSITIVE_INTEGER],
    smoothing=[Interval(Real, 0, None, closed="neither")],
)
def topic_coherence(
    model: Any | ArrayLike,
    X: MatrixLike | None = None,
    measure: CoherenceMeasure = "u_mass",
    n_words: int = 10,
    *,
    texts: Iterable[str] | Iterable[Sequence[str]] | None = None,
    feature_names: NameList | None = None,
    window: int | None = None,
    smoothing: float = 1.0,
) -> np.ndarray:
    """Measure how often the top words of each topic occur together.

    The top words are the `n_words` words with the largest weights. Two measures count
    in how many documents of X they occur, the others in how many windows of texts.

    Parameters
    ----------
    model : estimator or array-like of shape (n_topics, n_words_of_corpus)
        Fitted topic model with `components_`, or the weights of words in topics, on any
        scale. Ties between words are broken by column, smallest first.
    X : {array-like, sparse matrix} of shape (n_documents, n_words_of_corpus)
        Documents for "u_mass" and "npmi"; those of the fit, or others. A word occurs in
        a document if its value there is positive; the size of the value has no effect.
    measure : {"u_mass", "npmi", "c_v", "c_uci", "c_npmi"}, default="u_mass"
        Measure of association. D is the number of documents, or of windows, D(v) the
        number that contain word v, and D(v, w) the number that contain both v and w;
        ``p(v) = D(v) / D`` and ``p(v, w) = D(v, w) / D``. In documents, means over all
        pairs of top words:

        - "u_mass" [1]_: ``log((D(v, w) + smoothing) / D(w))``, in nats, where w is the
          word of the pair with the larger weight in the topic.
        - "npmi" [2]_: normalised pointwise mutual information,
          ``log(p(v, w) / (p(v) p(w))) / -log(p(v, w))``, unsmoothed. It is 1 for words
          that occur only together, 0 for independent words, and -1 (the limit) for
          words that never occur together. A pair that occurs in every document carries
          no information and counts as 0.

        In windows, with ``p(v, w) + 1e-12`` in place of p(v, w), as [3]_ defines them:

        - "c_uci": the mean of ``log(p(v, w) / (p(v) p(w)))`` over all pairs, in nats.
        - "c_npmi": the mean of the normalised value, as in "npmi".
        - "c_v": each top word has a vector, its normalised values with all top words,
          itself included. The mean cosine between these vectors and their sum.
    n_words : int, default=10
        Number of top words of each topic, at least 2.
    texts : iterable of str or of lists of str, default=None
        Texts for "c_v", "c_uci" and "c_npmi". Strings are split into words as
        `CountVectorizer` does by default; for any other vectorizer pass tokens,
        ``map(vectorizer.build_analyzer(), texts)``. Tokens that are no top words keep
        their places in windows.
    feature_names : array-like of str of shape (n_words_of_corpus,), default=None
        Words in the order of the columns of X, by which texts are searched. By default
        `feature_names_in_` of the estimator.
    window : int, default=None
        Number of tokens in a window, which moves by one token at a time; a shorter text
        is one window. The default is that of [3]_: 110 for "c_v", 10 for "c_uci" and
        "c_npmi".
    smoothing : float, default=1.0
        Positive number of documents that "u_mass" adds to D(v, w); the others ignore
        it. [1]_ uses 1. [3]_ uses ``1e-12 * D``, with which a single pair that never
        occurs together outweighs all others.

    Returns
    -------
    ndarray of shape (n_topics,)
        Coherence of each topic; higher is better. "npmi" ranges from -1 to 1. The
        result is never NaN. If w (for "npmi", v or w) occurs in no document, a pair
        gets the smallest value, ``log(smoothing / D)`` or -1. A word that occurs in no
        window says nothing: its pairs, and its cosine, are 0.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        If an estimator has no `components_`, texts are not strings or lists of tokens,
        or feature_names is not a list or an array of words.
    ValueError
        If X or texts are missing, or given to a measure that does not count in them;
        if the model and X have different numbers of words, X contains negative values,
        texts contain none of the top words, feature_names are missing or not distinct,
        or a parameter is out of its range.

    See Also
    --------
    topic_diversity : Proportion of distinct words among the top words of all topics.
    topic_exclusivity : How much the top words of a topic belong to it alone.

    Notes
    -----
    [1]_ defines the sum over pairs. sklda takes the mean, as [3]_ does, because it
    depends less on `n_words`. Do not compare values of different measures, or values
    computed on different documents or texts.

    gensim's `CoherenceModel` has the same measures. It takes a word for absent from a
    window once one of its occurrences has left, even if another one remains. Where
    words are repeated within windows, its values therefore differ.

    Cost: one pass over X, then O(n_words) for each document-word pair of each top word;
    or one pass over the texts, then O(n_words) for each top word and each change of a
    window's words.

    References
    ----------
    .. [1] D. Mimno, H. Wallach, E. Talley, M. Leenders, A. McCallum, "Optimizing
       semantic coherence in topic models", EMNLP (2011).
    .. [2] G. Bouma, "Normalized (pointwise) mutual information in collocation
       extraction", GSCL (2009).
    .. [3] M. Röder, A. Both, A. Hinneburg, "Exploring the space of topic coherence
       measures", WSDM (2015), https://doi.org/10.1145/2684822.2685324

    Examples
    --------
    >>> from sklda.metrics import topic_coherence
    >>> X = [[1, 1, 0], [2, 1, 0], [0, 0, 1], [1, 0, 3]]
    >>> topics = [[0.5, 0.4, 0.1], [0.1, 0.4, 0.5]]
    >>> topic_coherence(topics, X, measure="npmi", n_words=2).round(2)
    array([ 0.42, -1.  ])

    In texts:

    >>> texts = ["The cat saw a dog", "Dog and cat", "A moon", "The moon saw a cat"]
    >>> names = ["cat", "dog", "moon"]
    >>> topic_coherence(
    ...     topics, measure="c_v", n_words=2, texts=texts, feature_names=names
    ... ).round(2)
    array([0.92, 0.03])
    """
    weights = topic_weights(model)
    check_limit(n_words, "n_words", weights.shape[1], "words")
    top = top_indices(weights, n_words)
    if measure in OF_DOCUMENTS:
        _check_given(measure, X=X, texts=texts, window=window)
        together, n_units = _in_documents(X, top, weights.shape[1])
    else:
        _check_given(measure, texts=texts, X=X)
        names = _distinct_names(model, feature_names, weights.shape[1])
        size = DEFAULT_WINDOWS[measure] if window is None else window
        together, n_units = _in_windows(texts, top, names, size)
    value = (OF_DOCUMENTS | OF_WINDOWS)[measure]
    return np.array([value(counts, n_units, smoothing) for counts in together])


def _check_given(measure: str, **given: Any) -> None:
    """Raise ValueError unless the first parameter is given, and no other."""
    (needed, value), *others = given.items()
    if value is None:
        raise ValueError(
            f"{needed} must be given: measure={measure!r} counts in {needed}."
        )
    for name, value in others:
        if value is not None:
            raise ValueError(
                f"{name} has no effect for measure={measure!r}, which counts in "
                f"{needed}; leave {name} at None."
            )


def _distinct_names(model: Any, feature_names: Any, n_words: int) -> list[str]:
    """Return the name of each word; texts can be searched for no numbers of columns."""
    if feature_names is None and not has_names(model):
        raise ValueError(
            "feature_names must be given: the model knows columns of X, texts hold "
            "words. Pass `vectorizer.get_feature_names_out()`."
        )
    names = word_names(model, feature_names, n_words)
    unique, counts = np.unique(names, return_counts=True)
    if unique.size < len(names):
        repeated = str(unique[counts.argmax()])
        raise ValueError(
            f"feature_names must be distinct, but {repeated!r} occurs {counts.max()} "
            f"times."
        )
    return names


def _in_documents(X: Any, top: np.ndarray, n_words: int) -> tuple[np.ndarray, int]:
    """Return the co-occurrences of the top words of each topic in rows of X."""
    counts = check_counts(X)
    if counts.shape[1] != n_words:
        raise ValueError(
            f"model has {n_words} columns, but X has {counts.shape[1]}: the columns of "
            f"both must be the same words."
        )
    words, topics = np.unique(top, return_inverse=True)
    matrix = sparse.csc_array(counts[:, words])
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    matrix.data = np.ones(matrix.nnz, np.int64)
    return _count(
        iter([Occurrence(matrix, counts.shape[0])]), topics.reshape(top.shape)
    )


def _in_windows(
    texts: Any, top: np.ndarray, names: list[str], window: int
) -> tuple[np.ndarray, int]:
    """Return the co-occurrences of the top words of each topic in windows of texts."""
    words, topics = np.unique(top, return_inverse=True)
    searched = [names[word] for word in words]
    occurrences = occurrences_in_windows(texts, searched, window)
    together, n_windows = _count(occurrences, topics.reshape(top.shape))
    if not together.any():
        shown = ", ".join(repr(name) for name in searched[:5])
        raise ValueError(
            f"texts contain none of the top words ({shown}, ...): feature_names must "
            f"be spelt as the tokens of texts are."
        )
    return together, n_windows


def _count(
    occurrences: Iterable[Occurrence], topics: np.ndarray
) -> tuple[np.ndarray, int]:
    """Return D(v, w) for the words of each topic, with D(v) on the diagonal; and D."""
    together = np.zeros((*topics.shape, topics.shape[1]), np.int64)
    n_units = 0
    for matrix, n_units_here in occurrences:
        n_units += n_units_here
        for words, counts in zip(topics, together, strict=True):
            weighted = matrix[:, words]
            present = weighted.copy()
            present.data = np.ones_like(present.data)
            counts += (present.T @ weighted).toarray()
    return together, n_units
