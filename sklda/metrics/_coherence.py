"""Coherence, diversity and exclusivity of the top words of topics.

From top to bottom: in which windows of texts the words occur, the measures of coherence
given these counts, and the public functions with the checks of their arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from sklda._data import checks
from sklda._data.corpus import numbers_of_ranges
from sklda._data.notices import warn_user
from sklda._data.sklearn_private import Interval, StrOptions
from sklda._data.types import MatrixLike, NameList
from sklda._fitted import fitted_topics
from sklda._fitted.topic_words import scores_of_probable_words
from sklda._sampling.parameters import POSITIVE_INTEGER, PROPORTION, validates

# Places of searched words that are counted at once, in some 100 MB: a place is in about
# as many stretches of windows as there are other places in its window.
_BLOCK_SIZE = 2**18

# Which words occur in which units, documents or windows: a matrix (n_rows, n_words) of
# 1s. A row stands for units with the same words; their number, (n_rows,) int64; and the
# number of all units, also of those without words.
Occurrence: TypeAlias = tuple[sparse.csc_array, np.ndarray, int]


def occurrences_in_windows(
    texts: Any, words: list[str], window: int
) -> Iterator[Occurrence]:
    """Yield the occurrences of distinct words in windows, for blocks of texts.

    A window moves by one token at a time; a text shorter than it is one window. A
    phrase, words with spaces between them, occurs in a window that contains all of its
    tokens side by side, or contains it as one token.
    """
    number_of = {word: i for i, word in enumerate(words)}
    lengths = sorted({1, *(len(word.split(" ")) for word in words)})  # in tokens
    places = [np.empty((3, 0), np.int64)]
    n_windows = n_places = 0
    for tokens in token_lists(texts):
        width = min(window, len(tokens))  # window may be too large for an array
        windows_here = max(len(tokens) - width + 1, 1)
        for length in lengths:
            if length > width:
                break
            phrases = zip(*(tokens[i:] for i in range(length)), strict=False)
            numbers = map(number_of.get, map(" ".join, phrases), repeat(-1))
            word = np.fromiter(numbers, np.int64, len(tokens) - length + 1)
            position = np.flatnonzero(word >= 0)
            first = (position + length - width).clip(0) + n_windows
            last = position.clip(max=windows_here - 1) + n_windows
            places.append(np.array([word[position], first, last]))
            n_places += position.size
        n_windows += windows_here
        if n_places >= _BLOCK_SIZE:
            yield *_occurrence_matrix(places, len(words)), n_windows
            places, n_windows, n_places = places[:1], 0, 0
    if n_windows > 0:
        yield *_occurrence_matrix(places, len(words)), n_windows


def _occurrence_matrix(
    places: list[np.ndarray], n_words: int
) -> tuple[sparse.csc_array, np.ndarray]:
    """Return which words occur in each stretch of windows, and the stretches' lengths.

    `places` have three rows: words, and the first and last windows that they are in. A
    stretch ends where the words change.
    """
    word, first, last = np.concatenate(places, axis=1)
    bounds = np.unique([first, last + 1])
    row = np.searchsorted(bounds, first)
    n_rows = np.searchsorted(bounds, last + 1) - row
    rows, columns = numbers_of_ranges(row, n_rows), np.repeat(word, n_rows)
    lengths = np.diff(bounds)
    shape = lengths.size, n_words
    matrix = sparse.csc_array((np.ones_like(rows), (rows, columns)), shape=shape)
    matrix.data[:] = 1  # several places of a word in one window are one occurrence
    return matrix, lengths


def token_lists(texts: Any) -> Iterator[list[str]]:
    """Yield the words of each text; strings are split as CountVectorizer does."""
    split = CountVectorizer().build_analyzer()
    for number, text in enumerate(check_texts(texts)):
        if isinstance(text, str):
            yield split(text)
            continue
        if not isinstance(text, list | tuple | np.ndarray):
            raise TypeError(
                f"texts must contain strings or lists of tokens, but text {number} is "
                f"of type {type(text).__name__}."
            )
        tokens = list(map(str, text))
        phrase = next((token for token in tokens if " " in token), None)
        if phrase is not None:  # its place among the words is unknown
            raise ValueError(
                f"texts must contain single words, but text {number} has the token "
                f"{phrase!r}. Phrases are found where their words stand side by side: "
                "pass texts=map(vectorizer.set_params(ngram_range=(1, 1))"
                ".build_analyzer(), texts)."
            )
        yield tokens


def check_texts(texts: Any) -> Iterable[Any]:
    """Return texts; raise TypeError if they are not a collection."""
    is_single = isinstance(texts, str | bytes | Mapping) or not hasattr(
        texts, "__iter__"
    )
    if is_single or getattr(texts, "ndim", 1) != 1:
        raise TypeError(
            "texts must be a list of strings or of lists of tokens, got "
            f"{type(texts).__name__}. Pass the texts to which the vectorizer was "
            "fitted."
        )
    return texts  # type: ignore[no-any-return]


CoherenceMeasure: TypeAlias = Literal["u_mass", "npmi", "c_v", "c_uci", "c_npmi"]
_IN_DOCUMENTS = {"u_mass", "npmi"}
_WINDOWS = {"c_v": 110, "c_uci": 10, "c_npmi": 10}  # tokens of a window, by default
# Added to the probability of a pair in windows, as Röder et al. do.
_EPSILON = 1e-12


def _coherences(
    measure: str, together: np.ndarray, n_units: int, smoothing: float
) -> np.ndarray:
    """Return the coherence of each topic.

    `together`, (n_topics, n_words, n_words), states in how many units (documents or
    windows) two words of a topic occur together, with the units of one word on the
    diagonal. Words are in the order of the topic.
    """
    units = together.diagonal(axis1=1, axis2=2)
    joint = together / n_units + (_EPSILON if measure in _WINDOWS else 0)
    single = units / n_units
    independent = single[:, :, np.newaxis] * single[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0 where a word never occurs, and normalised also where both always do.
        pmi = np.where(independent > 0, np.log(joint / independent), 0.0)
        npmi = np.where(together < n_units, pmi / -np.log(joint), 0.0)
    if measure == "c_v":
        # The vector of a word is its normalised value with all words.
        total = npmi.sum(axis=1, keepdims=True)
        products = (npmi * total).sum(axis=2)
        norms = np.linalg.norm(npmi, axis=2) * np.linalg.norm(total, axis=2)
        cosines = np.divide(products, norms, out=0 * products, where=norms > 0)
        return np.asarray(cosines.mean(axis=1))
    if measure == "u_mass":
        # If w is in no document, the pair gets log(smoothing / D).
        documents = np.where(units > 0, units, n_units)[:, np.newaxis]
        values = np.log((together + smoothing) / documents)
    elif measure == "npmi":  # rounding can exceed the range
        values = np.where(together > 0, npmi, -1.0).clip(-1, 1)
    else:
        values = pmi if measure == "c_uci" else npmi
    v, w = np.tril_indices(together.shape[1], -1)  # w ranks above v
    return np.asarray(values[:, v, w].mean(axis=1))


@validates(
    measure=[StrOptions({*_IN_DOCUMENTS, *_WINDOWS})],
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

    Parameters
    ----------
    model : estimator, array-like of shape (n_topics, n_words_of_corpus), or list of \
list of str
        Fitted topic model with `components_`; the weights of words in topics, on any
        scale; or the top words of each topic, best first, such as those of another
        program. Ties between words are broken by column, smallest first.
    X : {array-like, sparse matrix} of shape (n_documents, n_words_of_corpus)
        Documents for "u_mass" and "npmi", from the fit or others. A word occurs in a
        document if its value is positive; the size of the value has no effect.
    measure : {"u_mass", "npmi", "c_v", "c_uci", "c_npmi"}, default="u_mass"
        Measure of association. D is the number of documents or windows, D(v) the number
        that contain word v, and D(v, w) the number that contain both v and w; ``p(v) =
        D(v) / D`` and ``p(v, w) = D(v, w) / D``. Measures in documents are means over
        all pairs of top words:

        - "u_mass" [1]_: ``log((D(v, w) + smoothing) / D(w))``, in nats, where w is the
          word of the pair with the larger weight in the topic.
        - "npmi" [2]_: normalised pointwise mutual information,
          ``log(p(v, w) / (p(v) p(w))) / -log(p(v, w))``: 1 for words that occur only
          together, 0 for independent words, -1 for words that never occur together. A
          pair that occurs in every document counts as 0.

        Measures in windows use ``p(v, w) + 1e-12`` in place of p(v, w), as in [3]_:

        - "c_uci": the mean of ``log(p(v, w) / (p(v) p(w)))`` over all pairs, in nats.
        - "c_npmi": the mean of the normalised value, as in "npmi".
        - "c_v": the mean cosine between the vectors of the top words and their sum. The
          vector of a word has its normalised values with all top words and itself.
    n_words : int, default=10
        Number of words with the largest weights in each topic; at least 2.
    texts : iterable of str or of lists of str, default=None
        Texts for "c_v", "c_uci" and "c_npmi". `CountVectorizer()` splits strings. For a
        different vectorizer, pass tokens: ``map(vectorizer.build_analyzer(), texts)``,
        with ``ngram_range=(1, 1)``, because a token must be a single word.
    feature_names : array-like of str of shape (n_words_of_corpus,), default=None
        Words in the order of the columns of X, to find in the texts, or to find the
        columns of words that `model` lists. By default, `feature_names_in_` of the
        estimator. A phrase, such as "new york", occurs in a window that contains its
        tokens side by side.
    window : int, default=None
        Number of tokens in a window, which moves by one token at a time; a shorter text
        is a single window. The default, as in [3]_, is 110 for "c_v" and 10 for the
        others.
    smoothing : float, default=1.0
        Positive number of documents that "u_mass" adds to D(v, w); 1 in [1]_. With a
        tiny value, such as ``1e-12 * D`` in [3]_, a single pair may outweigh all
        others.

    Returns
    -------
    ndarray of shape (n_topics,)
        Coherence of each topic; higher is better. If w (for "npmi", v or w) occurs in
        no document, a pair gets the smallest value, ``log(smoothing / D)`` or -1. If a
        word occurs in no window, its pairs and its cosine are 0; if fewer than two
        words of a topic occur in any, its coherence is NaN. So is that of a topic
        without tokens, of which all words have the same weight.

    Warns
    -----
    UserWarning
        If top words occur in no window, or topics have no tokens.

    Raises
    ------
    NotFittedError, TypeError
        Before fit; if an estimator has no `components_`, texts are not strings or lists
        of tokens, or feature_names is not a list.
    ValueError
        If X or texts are missing, or given for a measure that does not use them; X has
        a different number of words or negative values; texts contain none of the top
        words, or a token of several words; feature_names are missing, not distinct, or
        without a word that a topic lists; a list has a word twice; or a parameter is
        out of range.

    Notes
    -----
    [1]_ defines the sum over pairs; sklda uses the mean, as [3]_ does, because it
    depends less on `n_words`. Compare only values of the same measure on the same
    documents. gensim's `CoherenceModel` gives different values if words repeat within
    windows: it treats a word as absent once one of its occurrences has left the window.

    Cost: one pass over X or the texts, then O(n_words) for each document of each top
    word, or for each change of the words in a window.

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
    >>> texts = ["The cat saw a dog", "Dog and cat", "A moon", "The moon saw a cat"]
    >>> names = ["cat", "dog", "moon"]
    >>> topic_coherence(
    ...     topics, measure="c_v", n_words=2, texts=texts, feature_names=names
    ... ).round(2)
    array([0.92, 0.03])
    >>> lists = [["cat", "dog"], ["moon", "dog"]]
    >>> topic_coherence(lists, measure="c_v", n_words=2, texts=texts).round(2)
    array([0.92, 0.03])
    """
    in_texts = measure in _WINDOWS
    _check_given(measure, in_texts, X, texts, window)
    weights, names = _weights(model, feature_names, n_words, in_texts)
    checks.check_limit(n_words, "n_words", weights.shape[1], "words")
    empty = fitted_topics.empty_topics(model, weights)
    fitted_topics.warn_of_empty(empty, "their coherence is NaN")
    top = fitted_topics.top_indices(weights[~empty], n_words)
    words, topics = np.unique(top, return_inverse=True)
    if in_texts:
        searched = [names[word] for word in words]
        size = _WINDOWS[measure] if window is None else window
        occurrences = occurrences_in_windows(texts, searched, size)
    else:
        given = checks.column_names(X)
        if given and fitted_topics.has_names(model):
            known = model.feature_names_in_.tolist()
            checks.check_same_words("model", known, "X", given)
        occurrences = iter([_in_documents(X, words, weights.shape[1])])
    topics = topics.reshape(top.shape)
    together, n_units = _count(occurrences, topics)
    occurs = together.diagonal(axis1=1, axis2=2) > 0
    if in_texts:
        _check_occurring(searched, topics[occurs])
    values = _coherences(measure, together, n_units, smoothing)
    if in_texts:
        values = np.where(occurs.sum(axis=1) > 1, values, np.nan)
    coherence = np.full(len(weights), np.nan)
    coherence[~empty] = values
    return coherence


def _weights(
    model: Any, feature_names: Any, n_words: int, in_texts: bool
) -> tuple[np.ndarray, list[str]]:
    """Return the weights of words in topics and, if they are needed, their names."""
    lists = fitted_topics.word_lists(model)
    if lists is None:
        weights = fitted_topics.word_weights(model)
        if not in_texts:
            return weights, []
        if feature_names is None and not fitted_topics.has_names(model):
            raise ValueError(
                "feature_names must be given, because the model only knows columns of "
                "X, but texts contain words. Pass `vectorizer.get_feature_names_out()`."
            )
        return weights, _distinct(
            fitted_topics.word_names(model, feature_names, weights.shape[1])
        )
    if feature_names is not None:
        names = _distinct(fitted_topics.check_feature_names(feature_names))
    elif in_texts:
        names = fitted_topics.words_of(lists)
    else:
        raise ValueError(
            "feature_names must be given, because the topics are lists of words, but X "
            "has columns. Pass `vectorizer.get_feature_names_out()`."
        )
    return fitted_topics.rank_weights(lists, names, n_words), names


def _check_occurring(searched: list[str], occurring: np.ndarray) -> None:
    """Warn of words that occur in no window; raise ValueError if none does."""
    lost = np.delete(np.arange(len(searched)), occurring)
    if lost.size == 0:
        return
    words = checks.shown(searched[word] for word in lost)
    way_out = (
        "feature_names must be spelt like the tokens in texts. CountVectorizer() "
        "splits strings; for a different vectorizer, pass "
        "texts=map(vectorizer.build_analyzer(), texts)."
    )
    if lost.size == len(searched):
        raise ValueError(f"texts contain none of the top words ({words}): {way_out}")
    warn_user(
        f"texts contain no window with {lost.size} of the {len(searched)} top words "
        f"({lost.size / len(searched):.0%}): {words}. Their pairs count as "
        f"independent, so the coherence is not that of the topics. If they should "
        f"occur, {way_out}"
    )


def _check_given(measure: str, in_texts: bool, X: Any, texts: Any, window: Any) -> None:
    """Raise ValueError unless the documents of the measure are given, and no others."""
    needed, value = ("texts", texts) if in_texts else ("X", X)
    others = {"X": X} if in_texts else {"texts": texts, "window": window}
    if value is None:
        raise ValueError(
            f"{needed} must be given: measure={measure!r} counts in {needed}."
        )
    for name, other in others.items():
        if other is not None:
            raise ValueError(
                f"{name} has no effect for measure={measure!r}, which counts in "
                f"{needed}; leave {name} at None."
            )


def _distinct(names: list[str]) -> list[str]:
    """Return names, or raise ValueError if one occurs several times."""
    ((repeated, count),) = Counter(names).most_common(1)
    if count > 1:
        raise ValueError(
            f"feature_names must be distinct, but {repeated!r} occurs {count} times."
        )
    return names


def _in_documents(X: Any, words: np.ndarray, n_words: int) -> Occurrence:
    """Return which of the words occur in which rows of X."""
    counts = fitted_topics.check_counts(X)
    n_documents, n_columns = counts.shape
    if n_columns != n_words:
        raise ValueError(
            f"model has {n_words} columns, but X has {n_columns}: both must have the "
            "same words as columns."
        )
    matrix = sparse.csc_array(counts[:, words])
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    matrix.data = np.ones(matrix.nnz, np.int64)
    return matrix, np.ones(n_documents, np.int64), n_documents


def _count(
    occurrences: Iterable[Occurrence], topics: np.ndarray
) -> tuple[np.ndarray, int]:
    """Return D(v, w) for the words of each topic, with D(v) on the diagonal; and D."""
    together = np.zeros((*topics.shape, topics.shape[1]), np.int64)
    n_units = 0
    for matrix, lengths, n_units_here in occurrences:
        n_units += n_units_here
        for words, counts in zip(topics, together, strict=True):
            present = matrix[:, words]
            weighted = present.copy()
            weighted.data = lengths[present.indices]
            counts += (present.T @ weighted).toarray()
    return together, n_units


@validates(n_words=POSITIVE_INTEGER)
def topic_diversity(model: Any | ArrayLike, n_words: int = 25) -> float:
    """Return the proportion of distinct words among the top words of all topics.

    Parameters
    ----------
    model : estimator, array-like of shape (n_topics, n_words_of_corpus), or list of \
list of str
        Fitted topic model with `components_`; the weights of words in topics, on any
        scale; or the top words of each topic, best first, such as those of another
        program. Ties between words are broken by column, smallest first.
    n_words : int, default=25
        Number of top words of each topic, from 1 to n_words_of_corpus.

    Returns
    -------
    float
        From ``1 / n_topics``, if all topics have the same top words, to 1, if no word
        is a top word of two topics [1]_. Topics without tokens do not count; if there
        are no others, NaN.

    Raises
    ------
    NotFittedError, TypeError
        Before fit, or if the estimator has no `components_`.
    ValueError
        If a weight is not finite, a list has a word twice, or `n_words` is out of its
        range.

    Warns
    -----
    UserWarning
        If topics have no tokens, see `topic_coherence`.

    References
    ----------
    .. [1] A. B. Dieng, F. J. R. Ruiz, D. M. Blei, "Topic modeling in embedding
       spaces", TACL 8 (2020), https://doi.org/10.1162/tacl_a_00325

    Examples
    --------
    >>> from sklda.metrics import topic_diversity
    >>> topic_diversity([[0.5, 0.4, 0.1], [0.1, 0.4, 0.5]], n_words=2)
    0.75
    >>> topic_diversity([["cat", "dog"], ["moon", "dog"]], n_words=2)
    0.75
    """
    lists = fitted_topics.word_lists(model)
    if lists is None:
        weights = fitted_topics.word_weights(model)
    else:
        weights = fitted_topics.rank_weights(
            lists, fitted_topics.words_of(lists), n_words
        )
    checks.check_limit(n_words, "n_words", weights.shape[1], "words")
    empty = fitted_topics.empty_topics(model, weights)
    fitted_topics.warn_of_empty(empty, "the diversity is that of the others")
    words = fitted_topics.top_indices(weights[~empty], n_words)
    return float(np.unique(words).size / words.size) if words.size > 0 else np.nan


@validates(
    measure=[StrOptions({"exclusivity", "frex"})],
    n_words=POSITIVE_INTEGER,
    weight=[None, *PROPORTION],
)
def topic_exclusivity(
    model: Any | ArrayLike,
    measure: Literal["exclusivity", "frex"] = "exclusivity",
    n_words: int = 10,
    *,
    weight: float | None = None,
) -> np.ndarray:
    """Measure how exclusive the most probable words of each topic are.

    Exclusivity depends on the number of topics: K equal topics have an exclusivity of 1
    / K. The R package stm [2]_ reports the sum of "frex" over ten words, with a weight
    of 0.7.

    Parameters
    ----------
    model : estimator or array-like of shape (n_topics, n_words_of_corpus)
        Fitted topic model with `components_`, or the non-negative weights of words in
        topics. Rows are normalised to distributions p(w | k). Ties between words are
        broken by column, smallest first.
    measure : {"exclusivity", "frex"}, default="exclusivity"
        Quantity to average over the top words:

        - "exclusivity": p(w | k) divided by the sum of p(w | j) over all topics j.
        - "frex", frequency and exclusivity [1]_: the score that ranks words in
          :func:`sklda.inspection.top_words` with ``metric="frex"``.
    n_words : int, default=10
        Number of top words of each topic, from 1 to n_words_of_corpus.
    weight : float, default=None
        Weight of the exclusivity in "frex", from 0 to 1. The default is 0.5.

    Returns
    -------
    ndarray of shape (n_topics,)
        Exclusivity of each topic, above 0 and at most 1. It is 1 if the top words have
        no weight in other topics or, for "frex", if no words rank higher in frequency
        or exclusivity. It is NaN for a topic without tokens.

    Raises
    ------
    NotFittedError, TypeError
        Before fit, or if the estimator has no `components_`.
    ValueError
        If a weight is negative or not finite, all weights of a topic are 0, weight is
        given for "exclusivity", or a parameter is out of its range.

    Warns
    -----
    UserWarning
        If topics have no tokens, see `topic_coherence`.

    References
    ----------
    .. [1] J. M. Bischof, E. M. Airoldi, "Summarizing topical content with word
       frequency and exclusivity", ICML (2012).
    .. [2] M. E. Roberts, B. M. Stewart, D. Tingley, "stm: an R package for structural
       topic models", Journal of Statistical Software 91 (2019),
       https://doi.org/10.18637/jss.v091.i02

    Examples
    --------
    >>> from sklda.metrics import topic_exclusivity
    >>> topics = [[0.6, 0.4, 0.0, 0.0], [0.0, 0.4, 0.3, 0.3]]
    >>> topic_exclusivity(topics, n_words=2)
    array([0.75, 0.75])
    """
    weights = fitted_topics.normalisable_weights(model)
    empty = fitted_topics.empty_topics(model, weights)
    fitted_topics.warn_of_empty(empty, "their exclusivity is NaN")
    scores = scores_of_probable_words(weights, n_words, measure, weight)
    return np.where(empty, np.nan, scores.mean(axis=1))
