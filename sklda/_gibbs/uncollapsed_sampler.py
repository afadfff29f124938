"""The sampler of data augmentation: every step is parallel, and exact.

A sweep has two steps. Given the topics of the tokens, gammas are drawn for each word,
which make phi. Given phi, the proportions of each document and the topics of its tokens
are drawn. Gammas depend on a key of the sweep and on the number of their word or
document. Slices of documents depend on the corpus alone, and each has its own random
stream: the samples are the same, bit for bit, for any number of threads.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sklda._core import doc_topic_counts, gammas
from sklda._core.corpus import ranges, some_documents, tokens_before
from sklda._core.problem import Corpus, Problem
from sklda._core.random_streams import RandomStreams, draw_key
from sklda._core.sampler import info
from sklda._core.threads import Threads
from sklda._core.word_prior import words_at
from sklda._gibbs.kernels import uncollapsed
from sklda._gibbs.recounted import RecountedState, counts, new_state, recount

_MOST_SLICES = 64
_WORDS = 128  # of a slice, or more
_TOKENS = 4096  # of a slice, or more
_GAMMAS = 2**16  # drawn at a time, which bounds the memory of a thread


class Uncollapsed(NamedTuple):
    """Draw phi and theta given the topics, then all topics given these."""

    threads: Threads
    counts = staticmethod(counts)
    info = staticmethod(info)

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> RecountedState:
        """Return the state in which the tokens have the topics z."""
        n_word_slices = min(1 + problem.n_words // _WORDS, _MOST_SLICES)
        n_doc_slices = min(1 + z.size // _TOKENS, _MOST_SLICES)
        words = list(ranges(np.arange(problem.n_words + 1), n_word_slices))
        documents = list(ranges(tokens_before(problem.corpus), n_doc_slices))
        return new_state(problem, z, self.threads, words, documents)

    def sweep(
        self, problem: Problem[Corpus], state: RecountedState, rng: RandomStreams
    ) -> RecountedState:
        """Draw phi, theta and the topic of every token once."""
        # The factor goes into theta, which saves a pass through phi.
        phi, factor = self._draw_phi(problem, state, rng.child(0))
        z = state.z

        def resample(documents, streams):
            for chunk, theta in _draw_theta(problem, z, documents, factor, key):
                uncollapsed.resample_topics(chunk, z, theta, phi, streams.kernel)

        key = np.uint64(draw_key(rng.kernel))
        slice_streams = [rng.child(2).child(i) for i in range(len(state.doc_slices))]
        self.threads.map(resample, state.doc_slices, slice_streams)
        recount(problem, state, self.threads)
        return state

    def _draw_phi(self, problem, state, rng) -> tuple[np.ndarray, np.ndarray]:
        """Return gammas of words, each row scaled, and the factor 1 / sum of topics."""
        word_topic, n_topics = state.word_topic, problem.n_topics
        phi = np.zeros(word_topic.shape, np.float32)
        # A token for each empty topic, see `partially_collapsed_sampler.draw_extra`.
        empty = np.flatnonzero(state.topic[:n_topics] == 0)
        word_topic[_words_of_prior(problem, empty, rng.generator), empty] = 1

        def draw(words):
            total = np.zeros(n_topics)
            for first, last in _chunks(words, n_topics):
                counts = word_topic[first:last, :n_topics]
                drawn = counts + _beta_of(problem, first, last)
                gammas.draw_gammas(key, first, drawn)
                uncollapsed.scale(drawn, np.ones(n_topics), phi[first:last])
                total += drawn.sum(axis=0)
            return total

        key = np.uint64(draw_key(rng.kernel))
        total = sum(self.threads.map(draw, state.word_slices))
        return phi, 1 / np.maximum(total, 1e-200)


def _words_of_prior(problem, topics, generator) -> np.ndarray:
    """Draw a word in proportion to beta for each of `topics`."""
    if not problem.has_word_prior:
        return generator.integers(problem.n_words, size=topics.size)
    share = generator.random(topics.size)
    return words_at(problem.topic_word_prior, topics, share)


def _beta_of(problem, first, last):
    """Return beta of the words from `first` to before `last`, (n_words, n_topics)."""
    beta = problem.beta
    return beta[:, first:last].T if problem.has_word_prior else beta


def _draw_theta(problem, z, documents, factor, key) -> Iterator[tuple]:
    """Yield chunks of documents, with theta times `factor`, each row scaled."""
    for first, last in _chunks(documents, problem.n_topics):
        chunk = some_documents(problem.corpus, first, last)
        shape = problem.alpha_of(first, last)
        doc_topic_counts.add_doc_topic(chunk, z, shape)
        theta = np.zeros((last - first, problem.n_lanes), np.float32)
        gammas.draw_gammas(key, first, shape)
        uncollapsed.scale(shape, factor, theta)
        yield chunk, theta


def _chunks(items: tuple[int, int], n_topics) -> Iterator[tuple[int, int]]:
    """Yield first and end of chunks of a slice with `_GAMMAS` numbers each."""
    step = max(1, _GAMMAS // n_topics)
    for first in range(*items, step):
        yield first, min(first + step, items[1])
