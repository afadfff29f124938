"""A corpus of Zipf words drawn from planted topics, without sklda: asv uses it, too."""

from collections.abc import Iterator
from typing import NamedTuple

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
    for X, topic_counts in _parts(n_documents, n_words, n_tokens, n_topics, seed):
        documents.append(X)
        lengths = np.maximum(topic_counts.sum(axis=1, keepdims=True), 1)
        scores.append((topic_counts / lengths) @ weights)
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
    for topic, document_counts in zip(topics, n_tokens.T, strict=True):
        document = np.repeat(np.arange(lengths.size), document_counts)
        word = np.searchsorted(topic, rng.random(document.size), side="right")
        cells.append(document * n_words + np.minimum(word, n_words - 1))
    cell, count = np.unique(np.concatenate(cells), return_counts=True)
    document, word = np.divmod(cell, n_words)
    cells_before = np.searchsorted(document, np.arange(lengths.size + 1))
    arrays = (a.astype(np.int32) for a in (count, word, cells_before))
    return sparse.csr_array(tuple(arrays), shape=(lengths.size, n_words)), n_tokens


class Shape(NamedTuple):
    """How counts of single cells are drawn: see `cell_counts`."""

    spread: float
    fold: float
    dispersion: float | None


# Counts of genes: some have hundreds of molecules in a cell, most none or one, and vary
# more than Poisson counts. Regions of open chromatin are seen once, or not at all.
CELLS = {"genes": Shape(2.3, 1.5, 2.0), "regions": Shape(0.7, 2.0, None)}
CHANGED = 0.1  # of the columns, in each topic
TOPICS_PER_CELL = 2.0  # sum of the Dirichlet parameters
CELLS_AT_A_TIME = 250


def cell_counts(
    kind: str, n_cells: int, n_columns: int, n_tokens: int, n_topics: int, seed: int = 0
) -> tuple[sparse.csr_array, np.ndarray]:
    """Return counts of cells, about `n_tokens` each, and the topics of the columns.

    Columns have log-normal means, with the standard deviation `spread` of the
    logarithm. In each topic a tenth of them are multiplied by a log-normal number, with
    that of `fold`. Counts are negative binomial, with the variance
    m + m^2 / `dispersion` at the mean m, or Poisson.
    """
    rng, shape = np.random.default_rng(seed), CELLS[kind]
    changed = rng.random((n_topics, n_columns)) < CHANGED
    fold = np.exp(changed * rng.normal(0, shape.fold, changed.shape))
    topics = fold * rng.lognormal(0, shape.spread, n_columns)
    topics /= topics.sum(axis=1, keepdims=True)
    shares = rng.dirichlet(np.full(n_topics, TOPICS_PER_CELL / n_topics), n_cells)
    sizes = n_tokens * rng.lognormal(-(SPREAD**2) / 2, SPREAD, (n_cells, 1))
    parts = []
    for first in range(0, n_cells, CELLS_AT_A_TIME):
        cells = slice(first, first + CELLS_AT_A_TIME)
        mean = sizes[cells] * (shares[cells] @ topics)
        if shape.dispersion:
            mean *= rng.standard_gamma(shape.dispersion, mean.shape) / shape.dispersion
        parts.append(sparse.csr_array(rng.poisson(mean).astype(np.int32)))
    return sparse.vstack(parts, format="csr"), topics
