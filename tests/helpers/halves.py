"""Documents as kernels take them, and their halves as matrices."""

import numpy as np

from sklda._data.corpus import WeightedCorpus
from sklda._fitted.fitted_topics import word_probabilities
from sklda._fitted.fold_in import FixedTopics, make_topics, renumber, split_tokens


def to_weights(counts: np.ndarray) -> WeightedCorpus:
    docs, words = np.nonzero(counts)
    return WeightedCorpus(
        doc_ptr=np.searchsorted(docs, np.arange(len(counts) + 1)).astype(np.int64),
        word=words.astype(np.int32),
        count=counts[docs, words].astype(np.float32),
    )


def prepare(
    weights: WeightedCorpus, components: np.ndarray, alpha: np.ndarray
) -> tuple[WeightedCorpus, FixedTopics]:
    """Renumber the words that occur, and restrict the topics to them."""
    words, weights = renumber(weights)
    return weights, make_topics(word_probabilities(components, words), alpha)


def dense_halves(counts: np.ndarray) -> np.ndarray:
    """Return the halves that `score` takes, (2, n_docs, n_words)."""
    halves = np.zeros((2, *counts.shape), counts.dtype)
    halves[:, *np.nonzero(counts)] = split_tokens(to_weights(counts))
    return halves
