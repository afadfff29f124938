"""Sampling that keeps the word-topic counts in the faster way.

Words lose topics while a chain sharpens, most of all in its first sweeps: rows are
faster at first, lists later. Only counts decide, so the samples do not depend on the
time that anything took.
"""

from typing import Any, NamedTuple

import numpy as np

from sklda._core.corpus import word_cells
from sklda._core.problem import Corpus, Counts, Problem, padded
from sklda._core.random_streams import RandomStreams
from sklda._core.sampler import Replicable, Sampler
from sklda._core.threads import Threads
from sklda._core.vectors import are_wide
from sklda._gibbs.blocked_sampler import Blocked
from sklda._gibbs.kernels import (
    single_site_lists,
    single_site_registers,
    single_site_rows,
)
from sklda._gibbs.kernels.blocked import lists as blocked_lists
from sklda._gibbs.kernels.blocked import rows as blocked_rows
from sklda._gibbs.sharded import sharded

# A listed topic costs as much as so many lanes of a row, because its ratio has to be
# looked up. Measured on NIPS, with 100 to 1,000 topics. Rows that hold an array of beta
# are of doubles.
LANES_PER_LISTED, DOUBLES_PER_LISTED = 4, 2
FEW_TOPICS = 100  # below, a row is short enough whatever the lists are
MOST_MEMORY = 4  # of rows, relative to lists


class State(NamedTuple):
    """The state of the sampler in use."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    inner: Any
    in_rows: bool
    n_sweeps: int


class RowsThenLists(NamedTuple):
    """Two samplers of the same posterior; the first gives way to the second once."""

    rows: Sampler
    lists: Sampler

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> State:
        """Return the state in which the tokens have the topics z."""
        inner = self.rows.from_topics(problem, z)
        return State(z, inner.topic, inner, in_rows=True, n_sweeps=0)

    def sweep(
        self, problem: Problem[Corpus], state: State, rng: RandomStreams
    ) -> State:
        """Resample every token once; change to lists if that pays from now on."""
        z, _, inner, in_rows, n_sweeps = state
        sampler = self.rows if in_rows else self.lists
        inner = sampler.sweep(problem, inner, rng)
        n_sweeps += 1
        if in_rows and compares_after(n_sweeps):
            word_topic = self.rows.counts(problem, inner).word_topic
            n_listed = np.count_nonzero(word_topic, axis=1)
            cells = word_cells(problem)
            in_rows = rows_are_faster(n_listed, cells, *_topics_and_prior(problem))
            if not in_rows:
                inner = self.lists.from_topics(problem, z)
        return State(z, inner.topic, inner, in_rows, n_sweeps)

    def counts(self, problem: Problem[Corpus], state: State) -> Counts:
        """Return the counts of the sampler in use."""
        sampler = self.rows if state.in_rows else self.lists
        return sampler.counts(problem, state.inner)


def collapsed_samplers(
    blocking: str | None, max_block_size: int | None, n_topics: int
) -> tuple[Replicable, Replicable]:
    """Return the sampler over rows and the one over lists, for a way of blocking."""
    if blocking is None:
        return _single_site_rows(n_topics), single_site_lists
    nested = blocking == "nested"
    return (
        Blocked(blocked_rows, nested, max_block_size),
        Blocked(blocked_lists, nested, max_block_size),
    )


def _single_site_rows(n_topics):
    """Return the fastest single-site sampler over rows on this machine."""
    is_narrow = padded(n_topics) <= single_site_registers.MOST_LANES
    return single_site_registers if is_narrow and are_wide() else single_site_rows


def fastest(
    rows: Replicable,
    lists: Replicable,
    problem: Problem[Corpus],
    n_shards: int,
    threads: Threads,
) -> Sampler:
    """Return the fastest of both, or one after the other, for a random start."""
    over_rows = sharded(rows, problem, n_shards, threads)
    over_lists = sharded(lists, problem, n_shards, threads)
    if problem.n_topics < FEW_TOPICS:
        return over_rows
    corpus = problem.corpus
    tokens = np.bincount(corpus.word, np.diff(corpus.token_ptr), problem.n_words)
    if starts_in_rows(tokens, word_cells(problem), *_topics_and_prior(problem)):
        return RowsThenLists(over_rows, over_lists)
    return over_lists


def single_site_sampler(
    problem: Problem[Corpus], n_shards: int, threads: Threads
) -> Sampler:
    """Return the fastest single-site sampler for a random start."""
    rows, lists = collapsed_samplers(None, None, problem.n_topics)
    return fastest(rows, lists, problem, n_shards, threads)


def _topics_and_prior(problem):
    """Return n_topics, the excess topics of each word, whether rows are of doubles.

    Topics where a word has more than its least beta are always listed.
    """
    return problem.n_topics, np.diff(problem.excess.word_ptr), problem.has_word_prior


def starts_in_rows(tokens, cells, n_topics, n_excess=0, double=False) -> bool:
    """Return whether random topics should be in rows, by tokens and cells per word."""
    bytes_of_rows = 4 * tokens.size * padded(n_topics)
    bytes_of_lists = 8 * np.minimum(tokens + n_excess, n_topics).sum()
    if bytes_of_rows > MOST_MEMORY * bytes_of_lists:
        return False
    n_listed = n_topics * -np.expm1(-tokens / n_topics)  # expected of random topics
    return rows_are_faster(n_listed, cells, n_topics, n_excess, double)


def compares_after(n_sweeps: int) -> bool:
    """Return whether rows are compared with lists after so many sweeps."""
    return n_sweeps < 10 or n_sweeps % 10 == 0


def rows_are_faster(n_listed, cells, n_topics, n_excess=0, double=False) -> bool:
    """Return whether they are where each word has so many topics, cell by cell."""
    n_cells = cells.sum()
    mean = np.minimum(n_listed + n_excess, n_topics) @ cells / max(n_cells, 1)
    per_listed = DOUBLES_PER_LISTED if double else LANES_PER_LISTED
    return bool(per_listed * mean >= padded(n_topics))
