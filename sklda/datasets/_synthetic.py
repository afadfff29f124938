"""Synthetic corpora, drawn from Latent Dirichlet Allocation with known topics."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_random_state

from sklda._data.checks import array_or_none
from sklda._data.sklearn_private import Interval
from sklda._sampling.parameters import validates

# A larger corpus is drawn in chunks, because drawing takes about 40 bytes per token.
_TOKENS_PER_CHUNK = 1 << 22

_MAX_SIZE = 2**31 - 1  # of an axis, and of a document: scipy.sparse has 32-bit ids
_MAX_SIDE = math.isqrt(_MAX_SIZE)
_LENGTH_RANGE = 0, _MAX_SIZE
# Outside, NumPy's draws from a Dirichlet distribution do not sum to 1, or are biased.
# Python's floats would be cast to the type that they are compared with, say float16.
_PRIOR_RANGE = np.float64(1e-200), np.float64(1e200)

_SIZE = [Interval(Integral, 1, _MAX_SIZE, closed="both")]


@validates(
    n_samples=_SIZE, n_features=_SIZE, n_components=_SIZE, random_state=["random_state"]
)
def make_lda_corpus(
    n_samples: int = 200,
    n_features: int = 500,
    n_components: int = 10,
    *,
    document_length: int | ArrayLike = 100,
    doc_topic_prior: float | ArrayLike | None = None,
    topic_word_prior: float | ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Draw a corpus from the generative model of Latent Dirichlet Allocation.

    Each topic k is a distribution over words, phi_k ~ Dirichlet(beta). Each document d
    has topic proportions theta_d ~ Dirichlet(alpha). For each of its tokens, a topic is
    drawn from theta_d, and then a word from that topic [1]_.

    Parameters
    ----------
    n_samples : int, default=200
        Number of documents D, from 1 to 2**31 - 1.
    n_features : int, default=500
        Number of words in the vocabulary V, from 1 to 2**31 - 1.
    n_components : int, default=10
        Number of topics K, from 1 to 2**31 - 1.
    document_length : int or array-like of int of shape (n_samples,), default=100
        Number of tokens in each document, from 0 to 2**31 - 1: one for all, or one per
        document, such as ``np.random.default_rng(0).poisson(100, size=n_samples)``.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Concentration alpha of the topic proportions, from 1e-200 to 1e200; a float
        applies to every topic. The default is ``1 / n_components``.
    topic_word_prior : float or array-like of shape (n_features,), default=None
        Concentration beta of the topics, from 1e-200 to 1e200; a float applies to every
        word. The default is ``1 / n_components``.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers. Pass an int to get the same corpus in every call.

    Returns
    -------
    X : csr_matrix of shape (n_samples, n_features) of int64
        Counts, in canonical format: no duplicates, no zeros, sorted indices.
    doc_topic : ndarray of shape (n_samples, n_components)
        True topic proportions theta of each document; rows sum to 1.
    topic_word : ndarray of shape (n_components, n_features)
        True topics phi; rows sum to 1.

    Raises
    ------
    ValueError
        If a size or a length is not an integer in its range, a prior is not a number in
        its range, an array has the wrong shape, or `random_state` is not a seed.

    See Also
    --------
    make_bars : Draw a corpus whose topics can be judged by eye.
    sklearn.datasets.make_multilabel_classification : Draw documents with labels.

    Notes
    -----
    Cost: O(N log V + D K + K V) for N tokens. Tokens are drawn in chunks of about 4
    million, which take about 150 MB; joining the chunks takes up to twice the memory of
    X. No dense (D, V) array is created.

    References
    ----------
    .. [1] Blei, D. M., Ng, A. Y., Jordan, M. I. (2003). Latent Dirichlet
       Allocation. Journal of Machine Learning Research 3, 993-1022.

    Examples
    --------
    >>> from sklda.datasets import make_lda_corpus
    >>> X, doc_topic, topic_word = make_lda_corpus(
    ...     n_samples=50, n_features=30, n_components=4, random_state=0
    ... )
    >>> X.shape, doc_topic.shape, topic_word.shape
    ((50, 30), (50, 4), (4, 30))
    >>> int(X.sum())
    5000
    """
    lengths = _per_item(document_length, "document_length", n_samples, *_LENGTH_RANGE)
    default = 1.0 / n_components
    alpha = default if doc_topic_prior is None else doc_topic_prior
    beta = default if topic_word_prior is None else topic_word_prior
    alpha = _per_item(alpha, "doc_topic_prior", n_components, *_PRIOR_RANGE)
    beta = _per_item(beta, "topic_word_prior", n_features, *_PRIOR_RANGE)
    rng = _make_generator(random_state)
    topic_word = rng.dirichlet(beta, size=n_components)
    return _draw_corpus(alpha, topic_word, lengths, rng)


@validates(
    n_samples=_SIZE,
    side=[Interval(Integral, 2, _MAX_SIDE, closed="both")],
    random_state=["random_state"],
)
def make_bars(
    n_samples: int = 2000,
    side: int = 5,
    *,
    document_length: int | ArrayLike = 100,
    doc_topic_prior: float | ArrayLike = 1.0,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Draw the bars corpus, in which documents are small images and topics are bars.

    The words are the pixels of a square image. Each topic is the uniform distribution
    over one row or one column of pixels, so you can judge topics by eye. The defaults
    reproduce the data of Griffiths and Steyvers [1]_.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of documents D, from 1 to 2**31 - 1.
    side : int, default=5
        Number of pixels along each side of the image, from 2 to 46,340. The corpus has
        ``side ** 2`` words and ``2 * side`` topics.
    document_length : int or array-like of int of shape (n_samples,), default=100
        Number of tokens in each document, from 0 to 2**31 - 1: one for all, or one per
        document.
    doc_topic_prior : float or array-like of shape (2 * side,), default=1.0
        Concentration alpha of the topic proportions, from 1e-200 to 1e200; a float
        applies to every topic.
    random_state : int, RandomState instance or None, default=None
        Seed of the random numbers. Pass an int to get the same corpus in every call.

    Returns
    -------
    X : csr_matrix of shape (n_samples, side ** 2) of int64
        Counts, in canonical format. Pixel (i, j) is word ``i * side + j``, so
        ``X[d].toarray().reshape(side, side)`` is the image of document d.
    doc_topic : ndarray of shape (n_samples, 2 * side)
        True topic proportions of each document; rows sum to 1.
    topic_word : ndarray of shape (2 * side, side ** 2)
        True topics: the horizontal bars from top to bottom, then the vertical bars
        from left to right; rows sum to 1.

    Raises
    ------
    ValueError
        For the same reasons as in :func:`make_lda_corpus`.

    See Also
    --------
    make_lda_corpus : Draw a corpus whose topics have a Dirichlet prior.

    Notes
    -----
    Cost and memory are those of :func:`make_lda_corpus`.

    References
    ----------
    .. [1] Griffiths, T. L., Steyvers, M. (2004). Finding scientific topics.
       Proceedings of the National Academy of Sciences 101 (suppl. 1), 5228-5235.

    Examples
    --------
    >>> from sklda.datasets import make_bars
    >>> X, doc_topic, topic_word = make_bars(random_state=0)
    >>> X.shape
    (2000, 25)
    >>> topic_word[1].reshape(5, 5)
    array([[0. , 0. , 0. , 0. , 0. ],
           [0.2, 0.2, 0.2, 0.2, 0.2],
           [0. , 0. , 0. , 0. , 0. ],
           [0. , 0. , 0. , 0. , 0. ],
           [0. , 0. , 0. , 0. , 0. ]])
    """
    lengths = _per_item(document_length, "document_length", n_samples, *_LENGTH_RANGE)
    alpha = _per_item(doc_topic_prior, "doc_topic_prior", 2 * side, *_PRIOR_RANGE)
    rng = _make_generator(random_state)
    bar, pixel = np.eye(side), np.full((1, side), 1.0 / side)
    topic_word = np.vstack([np.kron(bar, pixel), np.kron(pixel, bar)])
    return _draw_corpus(alpha, topic_word, lengths, rng)


def _make_generator(random_state: Any) -> np.random.Generator:
    """Return a Generator seeded from scikit-learn's `random_state`.

    RandomState returns NaN for Dirichlet vectors of very small concentration.
    """
    random = check_random_state(random_state)
    return np.random.default_rng(random.randint(0, 2**32, size=4, dtype=np.uint64))


def _draw_corpus(
    alpha, topic_word, lengths, rng
) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Return the counts and the proportions of drawn documents, and the topics."""
    doc_topic = rng.dirichlet(alpha, size=lengths.size)
    chunk_of_last_token = np.cumsum(lengths) // _TOKENS_PER_CHUNK
    starts = np.flatnonzero(np.diff(chunk_of_last_token)) + 1
    chunks = zip(np.split(doc_topic, starts), np.split(lengths, starts), strict=True)
    counts = [_draw_chunk(*chunk, topic_word, rng) for chunk in chunks]
    return sparse.vstack(counts, format="csr"), doc_topic, topic_word


def _draw_chunk(doc_topic, lengths, topic_word, rng) -> sparse.csr_matrix:
    """Draw the counts of some documents: tokens of each topic, then their words."""
    n_tokens = rng.multinomial(lengths, doc_topic)
    n_samples, n_features = lengths.size, topic_word.shape[1]
    docs, words = [], []
    for topic, distribution in enumerate(topic_word):
        in_doc = n_tokens[:, topic]
        docs.append(np.repeat(np.arange(n_samples, dtype=np.int32), in_doc))
        words.append(
            rng.choice(n_features, size=in_doc.sum(), p=distribution).astype(np.int32)
        )
    doc, word = np.concatenate(docs), np.concatenate(words)
    # SciPy sorts the coordinates and adds up duplicates.
    return sparse.csr_matrix(
        (np.ones(doc.size, dtype=np.int64), (doc, word)), shape=(n_samples, n_features)
    )


def _per_item(value: Any, name: str, n: int, low: Any, high: Any) -> np.ndarray:
    """Return one number, or an array of n, as an array (n,) of the type of `low`."""
    array = array_or_none(value)
    is_whole = isinstance(low, int)
    kinds, numbers = ("iu", "integers") if is_whole else ("iuf", "numbers")
    fits = array.shape in ((), (n,)) and array.dtype.kind in kinds
    if not fits or not ((array >= low) & (array <= high)).all():
        raise ValueError(
            f"{name} must be one of the {numbers} from {low} to {high}, or an array of "
            f"shape ({n},) of them, got {value!r}."
        )
    return np.broadcast_to(array.astype(np.int64 if is_whole else np.float64), (n,))
