"""AD-LDA: shards of the documents sweep side by side, on counts of their own.

Newman, Asuncion, Smyth & Welling, "Distributed algorithms for topic models", JMLR 2009.
After each sweep the changes of all shards are added up. Two shards do not see each
other's changes within a sweep, so this approximates the chain of the sampler itself.
"""

from typing import Any, NamedTuple

import numpy as np

from sklda._core.corpus import ranges, slice_documents, tokens_before
from sklda._core.problem import Corpus, Counts, Problem, add_changes
from sklda._core.random_streams import RandomStreams
from sklda._core.sampler import Replicable, Sampler
from sklda._core.threads import Threads


class State(NamedTuple):
    """The counts of all documents, and their replicas for the shards."""

    z: np.ndarray  # (n_tokens,) uint16; the shards share it
    topic: np.ndarray  # (n_lanes,) int32
    whole: Any
    corpora: list[Corpus]  # the documents of each shard
    replicas: Any
    shards: list  # the replicas as states


class Sharded(NamedTuple):
    """A sampler over shards of about equal tokens; the threads change no sample."""

    sampler: Replicable
    n_shards: int
    threads: Threads

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> State:
        """Return the state in which the tokens have the topics z."""
        whole = self.sampler.from_topics(problem, z)
        corpora = [
            slice_documents(problem.corpus, first, last)
            for first, last in ranges(tokens_before(problem.corpus), self.n_shards)
        ]
        replicas = self.sampler.replicate(whole, len(corpora))
        shards = [
            self.sampler.replica(replicas, i, problem._replace(corpus=corpus))
            for i, corpus in enumerate(corpora)
        ]
        return State(z, whole.topic, whole, corpora, replicas, shards)

    def sweep(
        self, problem: Problem[Corpus], state: State, rng: RandomStreams
    ) -> State:
        """Sweep the shards side by side, and add up their changes."""
        _, topic, whole, corpora, replicas, shards = state
        streams = [rng.child(i) for i in range(len(shards))]

        def sweep(corpus, shard, stream):
            return self.sampler.sweep(problem._replace(corpus=corpus), shard, stream)

        shards = self.threads.map(sweep, corpora, shards, streams)
        add_changes(topic, [shard.topic for shard in shards])

        def merge(words):
            self.sampler.merge(whole, replicas, *words)

        words_before = np.arange(problem.n_words + 1)
        self.threads.map(merge, list(ranges(words_before, self.threads.n)))
        return state._replace(shards=shards)

    def counts(self, problem: Problem[Corpus], state: State) -> Counts:
        """Return the counts of all documents."""
        return self.sampler.counts(problem, state.whole)


def sharded(
    sampler: Replicable, problem: Problem[Corpus], n_shards: int, threads: Threads
) -> Sampler:
    """Return the sampler over shards, or itself where there is one shard only."""
    n_shards = len(list(ranges(tokens_before(problem.corpus), n_shards)))
    return Sharded(sampler, n_shards, threads) if n_shards > 1 else sampler
