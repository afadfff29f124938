"""The protocol of all samplers, stated once.

A sampler is a module or a small immutable object with the functions below. What it
changes is its state; what it needs beside the problem (settings, labels, threads)
belongs to the sampler, and `tests/test_protocol.py` walks every one through it.
Sharding, a change of representation, groups of tokens and labels are samplers composed
around other samplers.
"""

from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from sklda._core.problem import Corpus, Counts, Part, Problem
from sklda._core.random_streams import RandomStreams


class State(Protocol):
    """What a sweep changes: the topics of the tokens, and counts made from them."""

    @property
    def z(self) -> np.ndarray:
        """Topic of each token in the order of the corpus, (n_tokens,) uint16."""

    @property
    def topic(self) -> np.ndarray:
        """Tokens on each topic, (n_lanes,) int32."""


S = TypeVar("S", bound=State)


class SweepInfo(NamedTuple):
    """What a sweep did; the numbers add up over shards."""

    n_draws: int  # of topics: fewer than tokens where several move together
    n_proposed: int = 0  # Metropolis-Hastings steps
    n_accepted: int = 0


class Sampler(Protocol[S]):
    """A transition of the topics of all tokens."""

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> S:
        """Return the state in which the tokens have the topics z.

        The state takes z over and changes it in place: a chain keeps one array of
        topics, whichever sampler it goes on with.
        """

    def sweep(self, problem: Problem[Corpus], state: S, rng: RandomStreams) -> S:
        """Resample every token once, in place, and return the state.

        It is another object only where the sampler now keeps its counts in another
        way. The priors of the problem may differ from sweep to sweep; only where
        `topic_word_prior` is an array, it must remain the one of `from_topics`.
        """

    def counts(self, problem: Problem[Corpus], state: S) -> Counts:
        """Return the count tables, (n_words, n_lanes) and (n_lanes,), of the state.

        They may be the state's own: read them before the next sweep.
        """

    def info(self, problem: Problem[Corpus] | Problem[Part], state: S) -> SweepInfo:
        """Return what the last sweep did, in far less time than a sweep takes."""


class Shardable(Sampler[S], Protocol[S]):
    """A sampler that can be sharded: several sweep parts of the cells at a time.

    No two of them share a word or a document while they sweep, so that they share the
    topics of the tokens and all counts but `topic`.
    """

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> Any:
        """Return counts of the topics z, a named tuple with fields `z` and `topic`."""

    def over(self, tables: Any, problem: Problem[Corpus] | Problem[Part]) -> S:
        """Return a state over such counts, for the cells in the corpus of `problem`.

        Counts are of all documents; `sweep` is given the same part of the cells.
        """


def over(tables: Any, problem: Problem[Corpus] | Problem[Part]) -> Any:
    """Return the tables: `over` of samplers that need nothing else for any cells."""
    return tables


def info(problem: Problem[Corpus] | Problem[Part], state: Any) -> SweepInfo:
    """Return one draw for each token: `info` of samplers that draw each by itself."""
    corpus = problem.corpus
    return SweepInfo(
        int((corpus.token_ptr[corpus.end] - corpus.token_ptr[corpus.begin]).sum())
    )
