"""The partially collapsed sampler: phi is drawn, theta integrated out; in parallel.

A sweep draws phi given the topics of the tokens, in blocks of words, then the topics of
each document given phi. The draws for a word or a document depend on a key of the sweep
and on its number alone: the samples are the same, bit for bit, for any threads or
machines.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.corpus import kernel_ranges, ranges, some_documents, tokens_before
from sklda._core.problem import Corpus, Problem, pad_prior, padded
from sklda._core.random_streams import RandomStreams, next_uint64
from sklda._core.sampler import info
from sklda._core.threads import Threads
from sklda._core.word_prior import words_at
from sklda._gibbs.kernels import gammas, partially_collapsed
from sklda._gibbs.recounted import RecountedState, counts, new_state, recount

BLOCK = 256  # words whose gammas are added up; then the sums of blocks are
_SLICES = 8  # of the work per thread, as slices differ in time
_SCALE = 2.0**40  # keeps products of small probabilities in the range of float32


class Keys(NamedTuple):
    """Keys of the random numbers of one sweep."""

    phi: np.uint64
    topics: np.uint64


def draw_keys(rng: RandomStreams) -> Keys:
    """Return the keys of the next sweep."""
    return Keys(*(np.uint64(next_uint64(rng.kernel)) for _ in Keys._fields))


def draw_extra(key: np.uint64, is_empty: np.ndarray, problem: Problem) -> np.ndarray:
    """Return a word for each topic without tokens, else -1, (n_topics,).

    All gammas of such a topic can be too small for a float64. But Dirichlet(b) is
    Dirichlet(b_1, ..., b_w + 1, ..., b_V) with w drawn in proportion to b.
    """
    n_words = problem.n_words
    share = np.empty(problem.n_topics)
    gammas.draw_shares(key, n_words, share)
    empty = np.flatnonzero(is_empty[: problem.n_topics])
    words = np.full(problem.n_topics, -1)
    if problem.has_word_prior:
        words[empty] = words_at(problem.topic_word_prior, empty, share[empty])
    else:
        words[empty] = (share[empty] * n_words).astype(np.int64)
    return words


def draw_phi_block(
    key: np.uint64,
    block: int,
    counts: np.ndarray,
    extra: np.ndarray,
    problem: Problem,
    phi: np.ndarray,
) -> np.ndarray:
    """Fill `phi` with the gammas of a block of words; return their sums, (n_topics,).

    `counts` and `phi`, (n, n_lanes), are of the block alone; `extra` is from
    `draw_extra`. The padding of `phi` does not change.
    """
    total = np.zeros(problem.n_topics)
    first = block * BLOCK
    draw, beta = gammas.draw_rows, problem.beta
    if problem.has_word_prior:
        draw = gammas.draw_rows_of_each
        beta = np.ascontiguousarray(beta[:, first : first + BLOCK].T)
    draw(key, first, counts, extra, beta, phi, total)
    return total


def factors(totals: np.ndarray) -> np.ndarray:
    """Return 1 / sum of each topic's gammas, scaled, (n_lanes,) float32.

    `totals`, (n_blocks, n_topics), are the sums of all blocks.
    """
    n_topics = totals.shape[1]
    factor = np.zeros(padded(n_topics), np.float32)
    factor[:n_topics] = _SCALE / np.add.accumulate(totals)[-1]
    return factor


def sweep_documents(
    corpus: Corpus,
    z: np.ndarray,
    first: int,
    phi: np.ndarray,
    factor: np.ndarray,
    doc_topic_prior: np.ndarray,
    key: np.uint64,
) -> None:
    """Resample each token of documents `first` and after once, in place.

    `phi`, (n_words, n_lanes), holds gammas; `factor` is from `factors`.
    """
    prior = pad_prior(doc_topic_prior)
    for begin, end in kernel_ranges(tokens_before(corpus), factor.size):
        some = some_documents(corpus, begin, end)
        partially_collapsed.sweep_tokens(
            some, z, first + begin, phi, prior, factor, key
        )


class PartiallyCollapsed(NamedTuple):
    """Draw phi given the topics, then the topics given phi."""

    threads: Threads
    counts = staticmethod(counts)
    info = staticmethod(info)

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> RecountedState:
        """Return the state in which the tokens have the topics z."""
        n_slices = _SLICES * self.threads.n
        blocks = np.arange(-(-problem.n_words // BLOCK) + 1)
        word_slices = list(ranges(blocks, n_slices))
        return new_state(problem, z, self.threads, word_slices, n_slices)

    def sweep(
        self, problem: Problem[Corpus], state: RecountedState, rng: RandomStreams
    ) -> RecountedState:
        """Draw phi and the topic of every token once."""
        keys = draw_keys(rng)
        corpus, z, alpha = problem.corpus, state.z, problem.doc_topic_prior
        phi, factor = self._draw_phi(problem, state, keys.phi)

        def resample(documents):
            some, first = some_documents(corpus, *documents), documents[0]
            sweep_documents(some, z, first, phi, factor, alpha, keys.topics)

        self.threads.map(resample, state.doc_slices)
        recount(problem, state, self.threads)
        return state

    def _draw_phi(self, problem, state, key) -> tuple[np.ndarray, np.ndarray]:
        """Return gammas of words, and the factor 1 / sum of each topic."""
        phi = np.zeros(state.word_topic.shape, np.float32)
        totals = np.empty((-(-problem.n_words // BLOCK), problem.n_topics))
        extra = draw_extra(key, state.topic == 0, problem)

        def draw(blocks):
            for block in range(*blocks):
                words = slice(block * BLOCK, (block + 1) * BLOCK)
                some, rows = state.word_topic[words], phi[words]
                totals[block] = draw_phi_block(key, block, some, extra, problem, rows)

        self.threads.map(draw, state.word_slices)
        return phi, factors(totals)
