"""The partially collapsed sampler: phi is drawn, theta integrated out; in parallel.

A sweep draws phi given the topics of the tokens, then the topics of each document given
phi. The draws for a word or a document depend on a key of the sweep and on its number
alone: the samples are the same, bit for bit, for any threads or machines.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sklda._core import gammas
from sklda._core.corpus import kernel_ranges, ranges, some_documents, tokens_before
from sklda._core.problem import Corpus, Problem, padded
from sklda._core.random_streams import RandomStreams, draw_key
from sklda._core.sampler import info
from sklda._core.threads import Threads
from sklda._core.word_prior import words_at
from sklda._gibbs.kernels import partially_collapsed
from sklda._gibbs.recounted import RecountedState, Slices, counts, new_state, recount

CHUNK = 256  # words whose gammas are added up; then the sums of chunks are
_SLICES = 8  # of the work per thread, as slices differ in time
_SCALE = 2.0**40  # keeps products of small probabilities in the range of float32


class Keys(NamedTuple):
    """Keys of the random numbers of one sweep."""

    phi: np.uint64
    topics: np.uint64


def draw_keys(rng: RandomStreams) -> Keys:
    """Return the keys of the next sweep."""
    return Keys(*(np.uint64(draw_key(rng.kernel)) for _ in Keys._fields))


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


def draw_phi_chunk(
    key: np.uint64,
    first: int,
    counts: np.ndarray,
    extra: np.ndarray,
    problem: Problem,
    phi: np.ndarray,
) -> np.ndarray:
    """Fill `phi` with the gammas of words `first` and after; return sums of topics."""
    total = np.zeros(problem.n_topics)
    draw, beta = gammas.draw_rows, problem.beta
    if problem.has_word_prior:
        draw = gammas.draw_rows_of_each
        beta = np.ascontiguousarray(beta[:, first : first + CHUNK].T)
    draw(key, first, counts, extra, beta, phi, total)
    return total


def factors(totals: np.ndarray) -> np.ndarray:
    """Return 1 / sum of the gammas of each topic, scaled, from the sums of chunks."""
    n_topics = totals.shape[1]
    factor = np.zeros(padded(n_topics), np.float32)
    factor[:n_topics] = _SCALE / np.add.accumulate(totals)[-1]
    return factor


def draw_phi(
    key: np.uint64,
    is_empty: np.ndarray,
    counts_of: Callable[[int, int], np.ndarray],
    problem: Problem,
    slices: Slices,
    threads: Threads,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the gammas of all words, (n_words, n_lanes), and the factor of each topic.

    `is_empty`, (n_lanes,), says which topics have no tokens. ``counts_of(first, last)``
    returns the counts of some words, (n, n_lanes) int32.
    """
    phi = np.zeros((problem.n_words, problem.n_lanes), np.float32)
    totals = np.empty((_n_chunks(problem), problem.n_topics))
    extra = draw_extra(key, is_empty, problem)

    def draw(*chunks):
        for chunk in range(*chunks):
            first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, problem.n_words)
            counts, rows = counts_of(first, last), phi[first:last]
            totals[chunk] = draw_phi_chunk(key, first, counts, extra, problem, rows)

    threads.map(draw, *zip(*slices, strict=True))
    return phi, factors(totals)


def sweep_documents(
    problem: Problem[Corpus],
    z: np.ndarray,
    n_before: int,
    topics: tuple[np.ndarray, np.ndarray],  # from `draw_phi`
    key: np.uint64,
    slices: Slices,
    threads: Threads,
) -> None:
    """Resample each token, in place; `n_before` documents are before the first one."""
    (phi, factor), corpus = topics, problem.corpus
    prior, alphas = problem.kernel_priors().doc_topic, problem.kernel_alphas()

    def resample(first, last):
        before = tokens_before(some_documents(corpus, first, last))
        for begin, end in kernel_ranges(before, factor.size):
            documents = some_documents(corpus, first + begin, first + end)
            number = n_before + first + begin
            partially_collapsed.sweep_tokens(
                documents, z, number, phi, prior, alphas, factor, key
            )

    threads.map(resample, *zip(*slices, strict=True))


def slices_of(problem: Problem[Corpus], threads: Threads) -> tuple[Slices, Slices]:
    """Return slices of the chunks of words, and of the documents, for the threads."""
    n, chunks = _SLICES * threads.n, np.arange(_n_chunks(problem) + 1)
    return list(ranges(chunks, n)), list(ranges(tokens_before(problem.corpus), n))


def _n_chunks(problem):
    return -(-problem.n_words // CHUNK)


class PartiallyCollapsed(NamedTuple):
    """Draw phi given the topics, then the topics given phi."""

    threads: Threads
    counts = staticmethod(counts)
    info = staticmethod(info)

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> RecountedState:
        """Return the state in which the tokens have the topics z."""
        return new_state(problem, z, self.threads, *slices_of(problem, self.threads))

    def sweep(
        self, problem: Problem[Corpus], state: RecountedState, rng: RandomStreams
    ) -> RecountedState:
        """Draw phi and the topic of every token once."""
        keys, threads, is_empty = draw_keys(rng), self.threads, state.topic == 0

        def counts_of(first, last):
            return state.word_topic[first:last]

        words, documents = state.word_slices, state.doc_slices
        topics = draw_phi(keys.phi, is_empty, counts_of, problem, words, threads)
        sweep_documents(problem, state.z, 0, topics, keys.topics, documents, threads)
        recount(problem, state, threads)
        return state
