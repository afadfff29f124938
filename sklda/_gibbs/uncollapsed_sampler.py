"""The chain of data augmentation, of which every step is parallel, and exact.

Given the topics of the tokens, each word draws its gammas by itself; given these, each
document draws its proportions and then its tokens. Words and documents are cut into
slices that depend on the corpus alone, and each slice has its own random numbers: the
samples are the same, bit for bit, whatever the number of threads.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sklda._core.corpus import parts
from sklda._core import doc_topic_counts as tally
from sklda._gibbs.kernels import uncollapsed
from sklda._core.problem import Corpus, padded
from sklda._core.random_streams import new_stream
from sklda._gibbs.chain import Chain, Shard

_MOST_SLICES = 64
_WORDS = 128  # of a slice, or more
_TOKENS = 4096  # of a slice, or more
_GAMMAS = 2**16  # drawn at a time, which bounds the memory of a thread


class Slice(NamedTuple):
    """Neighbouring words or documents, and the random numbers of their own."""

    first: int
    last: int  # one past it
    gammas: np.random.Generator
    rng: np.ndarray  # (2,) uint64, the stream of the kernel


class AugmentedChain(Chain):
    """A chain that draws topics and proportions as well; `n_jobs` threads do it."""

    def __init__(self, corpus: Corpus, n_words, doc_topic_prior, beta, seed, n_jobs):
        super().__init__(uncollapsed, corpus, n_words, doc_topic_prior, beta, seed)
        own, of_words, of_documents = seed.spawn(3)
        self._rng = np.random.default_rng(own)
        n_slices = min(1 + n_words // _WORDS, _MOST_SLICES)
        self._words = _slices(np.arange(n_words + 1), n_slices, of_words)
        tokens_before = corpus.token_ptr[corpus.doc_ptr]
        n_slices = min(1 + tokens_before[-1] // _TOKENS, _MOST_SLICES)
        self._documents = _slices(tokens_before, n_slices, of_documents)
        # Counts are the same however words are divided, so here by the threads.
        self._use_threads(n_jobs, max(len(self._words), len(self._documents)))
        cells = np.bincount(corpus.word, minlength=n_words)
        cells_before = np.concatenate([[0], np.cumsum(cells)])
        self._shares = list(parts(cells_before, self.n_threads))

    def _cut(self, n_shards, seed) -> list[Shard]:
        return []  # slices take their place

    def _redraw(self) -> None:
        phi, factor = self._draw_phi()
        doc_ptr, word, token_ptr = self.corpus
        z, word_topic, topic = self.state

        def redraw(documents):
            for block, theta in self._draw_theta(documents, factor):
                uncollapsed.draw_topics(
                    block, word, token_ptr, z, theta, phi, documents.rng
                )

        def count(share):
            first, last = share
            rows = word_topic[first:last]
            rows[:] = 0
            uncollapsed.count(doc_ptr, word, token_ptr, z, first, last, word_topic)
            return rows.sum(axis=0)

        list(self._map(redraw, self._documents))
        topic[:] = sum(self._map(count, self._shares))

    def _draw_phi(self) -> tuple[np.ndarray, np.ndarray]:
        """Return gammas of words, scaled word by word, and the factor of each topic.

        Times the factor, 1 / sum, the gammas of a topic are phi. It is left to theta,
        which saves a pass through the table.
        """
        _, word_topic, topic = self.state
        phi = np.zeros(word_topic.shape, np.float32)
        # All gammas of a topic without tokens can be too small for a float64. But
        # Dirichlet(b, ..., b) is Dirichlet(b, ..., b + 1, ..., b), the 1 at a uniformly
        # drawn word: the distribution before a token is the mean of those after it.
        empty = np.flatnonzero(topic[: self.n_topics] == 0)
        word_topic[self._rng.integers(self.n_words, size=empty.size), empty] = 1

        def draw(words):
            total = np.zeros(self.n_topics)
            for first, last in _blocks(words, self.n_topics):
                counts = word_topic[first:last, : self.n_topics]
                shape = counts + self.topic_word_prior
                gammas = words.gammas.standard_gamma(shape)
                uncollapsed.scale(gammas, np.ones(self.n_topics), phi[first:last])
                total += gammas.sum(axis=0)
            return total

        total = sum(self._map(draw, self._words))
        return phi, 1 / np.maximum(total, 1e-200)

    def _draw_theta(self, documents: Slice, factor) -> Iterator[tuple]:
        """Yield a block of documents, and theta of each times `factor`, scaled."""
        doc_ptr, word, token_ptr = self.corpus
        n_lanes = padded(self.n_topics)
        for first, last in _blocks(documents, self.n_topics):
            block = doc_ptr[first : last + 1]
            shape = np.tile(self.doc_topic_prior, (last - first, 1))
            tally.add_doc_topic(Corpus(block, word, token_ptr), self.state.z, shape)
            theta = np.zeros((last - first, n_lanes), np.float32)
            uncollapsed.scale(documents.gammas.standard_gamma(shape), factor, theta)
            yield block, theta


def _slices(weight_before, n_slices, seed: np.random.SeedSequence) -> list[Slice]:
    """Give each of these parts its random numbers."""
    slices = []
    for first, last in parts(weight_before, n_slices):
        gammas, stream = seed.spawn(2)
        rng = np.random.default_rng(gammas)
        slices.append(Slice(first, last, rng, new_stream(stream)))
    return slices


def _blocks(items: Slice, n_topics) -> Iterator[tuple[int, int]]:
    """Yield first and last of parts of a slice that take `_GAMMAS` numbers each."""
    step = max(1, _GAMMAS // n_topics)
    for first in range(items.first, items.last, step):
        yield first, min(first + step, items.last)
