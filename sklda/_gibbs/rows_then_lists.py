"""Sampling that keeps the word-topic counts in the faster way.

Words lose topics while a chain sharpens, most of all in its first sweeps: rows are
faster at first, lists later. Only counts decide, so the samples do not depend on the
time that anything took.
"""

from typing import Any, NamedTuple

import numpy as np

from sklda._core.problem import Corpus, Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.sampler import Replicable, Sampler
from sklda._core.threads import Threads
from sklda._core.vectors import are_wide
from sklda._gibbs.kernels import (
    single_site_lists,
    single_site_registers,
    single_site_rows,
)
from sklda._gibbs.sharded import sharded

# A listed topic costs as much as so many lanes of a row, because its ratio has to be
# looked up. Measured on NIPS, with 100 to 1,000 topics. Rows that hold an array of beta
# are twice as wide.
LANES_PER_LISTED, WIDE_LANES_PER_LISTED = 10, 5
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
        if in_rows and (n_sweeps < 10 or n_sweeps % 10 == 0):
            word_topic = self.rows.counts(problem, inner).word_topic
            n_listed = _with_excess(np.count_nonzero(word_topic, axis=1), problem)
            in_rows = rows_are_faster(n_listed, problem)
            if not in_rows:
                inner = self.lists.from_topics(problem, z)
        return State(z, inner.topic, inner, in_rows, n_sweeps)

    def counts(self, problem: Problem[Corpus], state: State) -> Counts:
        """Return the counts of the sampler in use."""
        sampler = self.rows if state.in_rows else self.lists
        return sampler.counts(problem, state.inner)


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
    corpus, n_topics = problem.corpus, problem.n_topics
    tokens = np.bincount(corpus.word, np.diff(corpus.token_ptr), problem.n_words)
    expected = n_topics * -np.expm1(-tokens / n_topics)  # of random topics
    n_listed = _with_excess(expected, problem)
    bytes_of_rows = 4 * problem.n_words * problem.n_lanes
    bytes_of_lists = 8 * _with_excess(tokens, problem).sum()
    rows_fit = bytes_of_rows <= MOST_MEMORY * bytes_of_lists
    if rows_fit and rows_are_faster(n_listed, problem):
        return RowsThenLists(over_rows, over_lists)
    return over_lists


def single_site_sampler(
    problem: Problem[Corpus], n_shards: int, threads: Threads
) -> Sampler:
    """Return the fastest single-site sampler for a random start."""
    rows = single_site_rows_of(problem)
    return fastest(rows, single_site_lists, problem, n_shards, threads)


def single_site_rows_of(problem: Problem[Corpus]) -> Replicable:
    """Return the fastest single-site sampler over rows."""
    is_narrow = problem.n_lanes <= single_site_registers.MOST_LANES
    return single_site_registers if is_narrow and are_wide() else single_site_rows


def _with_excess(n_listed, problem) -> np.ndarray:
    """Return about how many topics each word lists, with those of a large prior."""
    n_excess = np.diff(problem.excess.word_ptr)
    return np.minimum(n_listed + n_excess, problem.n_topics)


def rows_are_faster(n_listed: np.ndarray, problem: Problem[Corpus]) -> bool:
    """Return whether they are where each word has so many topics, cell by cell."""
    word = problem.corpus.word
    mean = n_listed[word].mean() if word.size > 0 else 0
    per_listed = WIDE_LANES_PER_LISTED if problem.has_word_prior else LANES_PER_LISTED
    return per_listed * mean >= problem.n_lanes
