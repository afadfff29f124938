"""A corpus of Zipf words drawn from planted topics, without sklda: asv uses it, too."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse

SPREAD = 0.6  # standard deviation of the logarithm of document lengths
RANK_SHIFT, EXPONENT = 2.7, 1.05  # of Zipf and Mandelbrot
WORDS_PER_TOPIC = 0.1  # shape of the gamma variates that make topics differ
TOPICS_PER_DOCUMENT = 5.0  # sum of the Dirichlet parameters
TOKENS_AT_A_TIME = 4_000_000
LABELLED = 0.1  # of the documents


def zipf_corpus(
    n_documents: int, n_words: int, n_tokens: int, n_topics: int = 100, seed: int = 0
) -> sparse.csr_array:
    """Draw documents of log-normal lengths, each of which mixes a few topics.

    Word w has the weight (w + 2.7)^-1.05, times a gamma variate of its own per topic.
    """
    parts = _parts(n_documents, n_words, n_tokens, n_topics, seed)
    return sparse.vstack([X for X, _ in parts], format="csr")


def labelled_corpus(
    n_documents: int,
    n_words: int,
    n_tokens: int,
    n_labels: int,
    n_topics: int = 100,
    seed: int = 0,
) -> tuple[sparse.csr_array, np.ndarray]:
    """Return the documents of `zipf_corpus`, and labels by a planted linear classifier.

    The score of a label is the share of its own topics, each of which has one label,
    among the tokens of a document. The highest tenth of the documents have the label.
    """
    weights = np.arange(n_topics)[:, np.newaxis] % n_labels == np.arange(n_labels)
    documents, scores = [], []
    for X, of_topics in _parts(n_documents, n_words, n_tokens, n_topics, seed):
        documents.append(X)
        lengths = np.maximum(of_topics.sum(axis=1, keepdims=True), 1)
        scores.append((of_topics / lengths) @ weights)
    found = np.vstack(scores)
    thresholds = np.quantile(found, 1 - LABELLED, axis=0)
    X = sparse.vstack(documents, format="csr")
    return X, (found > thresholds).astype(np.int8)


def _parts(n_documents, n_words, n_tokens, n_topics, seed) -> Iterator[tuple]:
    """Yield some documents after others, and their tokens of each topic."""
    rng = np.random.default_rng(seed)
    weights = rng.lognormal(0, SPREAD, n_documents)
    lengths = rng.multinomial(n_tokens, weights / weights.sum())
    topics = _cumulative_topics(n_words, n_topics, rng)
    n_parts = 1 + n_tokens // TOKENS_AT_A_TIME
    for part in np.array_split(lengths, min(n_parts, n_documents)):
        yield _documents(part, topics, rng)


def _cumulative_topics(n_words, n_topics, rng) -> np.ndarray:
    zipf = (np.arange(1, n_words + 1) + RANK_SHIFT) ** -EXPONENT
    topics = rng.standard_gamma(WORDS_PER_TOPIC, (n_topics, n_words)) * zipf
    np.cumsum(topics, axis=1, out=topics)
    return topics / topics[:, -1:]


def _documents(lengths, topics, rng) -> tuple[sparse.csr_array, np.ndarray]:
    n_topics, n_words = topics.shape
    alpha = np.full(n_topics, TOPICS_PER_DOCUMENT / n_topics)
    n_tokens = rng.multinomial(lengths, rng.dirichlet(alpha, lengths.size))
    cells = []
    for topic, of_documents in zip(topics, n_tokens.T, strict=True):
        document = np.repeat(np.arange(lengths.size), of_documents)
        word = np.searchsorted(topic, rng.random(document.size), side="right")
        cells.append(document * n_words + np.minimum(word, n_words - 1))
    cell, count = np.unique(np.concatenate(cells), return_counts=True)
    document, word = np.divmod(cell, n_words)
    cells_before = np.searchsorted(document, np.arange(lengths.size + 1))
    arrays = (a.astype(np.int32) for a in (count, word, cells_before))
    return sparse.csr_array(tuple(arrays), shape=(lengths.size, n_words)), n_tokens
