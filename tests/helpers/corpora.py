"""Corpora that are hard on kernels, and documents in other forms."""

import itertools

import numpy as np

from sklda._data.corpus import Corpus, WeightedCorpus
from sklda._fitted.fitted_topics import word_probabilities
from sklda._fitted.fold_in import FixedTopics, make_topics, renumber, split_tokens
from sklda._sampling.problem import LANES


def random_corpus(seed, n_docs=12, n_words=9, mean=0.7):
    """Return a corpus with empty documents, words that never occur, and big cells."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(mean, (n_docs, n_words)) * rng.choice([1, 1, 4], n_words)
    counts[rng.integers(n_docs)] = 0
    if n_words > 1:
        counts[:, rng.integers(n_words)] = 0
    return corpus_of(counts)


def corpus_of(counts):
    docs, words = counts.nonzero()
    return Corpus(
        doc_ptr=np.searchsorted(docs, np.arange(len(counts) + 1)).astype(np.int64),
        word=words.astype(np.int32),
        token_ptr=np.cumsum([0, *counts[docs, words]]).astype(np.int64),
    )


def tight_corpus(lanes=LANES):
    """Return a corpus of words whose lists may be full: of one or two registers.

    Each has cells of one to six tokens. The room of a list is a multiple of `lanes`,
    and no more than what its tokens, and one topic more, can ask for.
    """
    near = np.arange(-2, 3) if lanes > 4 else np.arange(-1, 2)
    totals = np.concatenate([lanes + near, 2 * lanes + near[1:]])
    counts = np.zeros((12, totals.size), np.int64)
    for d, word in itertools.product(range(len(counts)), range(totals.size)):
        left = totals[word] - counts[:, word].sum()
        counts[d, word] = min(left, 1 + (d + word) % 6)
    assert (counts.sum(0) == totals).all()
    return corpus_of(counts)


def words_of(corpus):
    return np.repeat(corpus.word, np.diff(corpus.token_ptr))


def docs_of(corpus):
    lengths = np.diff(corpus.token_ptr[corpus.doc_ptr])
    return np.repeat(np.arange(lengths.size), lengths)


def to_weights(counts: np.ndarray) -> WeightedCorpus:
    corpus, count = corpus_of(counts), counts[np.nonzero(counts)].astype(np.float32)
    return WeightedCorpus(corpus.doc_ptr, corpus.word, count)


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
