"""AD-LDA on one machine, written as plainly as possible."""

from typing import Any, NamedTuple

import numpy as np

from sklda._core.corpus import ranges, tokens_before
from sklda._core.problem import Corpus
from sklda._core.sampler import info


class State(NamedTuple):
    z: np.ndarray
    topic: np.ndarray
    tables: Any


class PlainAdLda(NamedTuple):
    """Each shard of the documents sweeps on a copy of all counts; changes are added."""

    sampler: Any
    n_shards: int

    def from_topics(self, problem, z):
        tables = self.sampler.tables(problem, z)
        return State(z, tables.topic, tables)

    def sweep(self, problem, state, rng):
        tables, copies = state.tables, []
        documents = ranges(tokens_before(problem.corpus), self.n_shards)
        for i, some in enumerate(documents):
            own = problem._replace(corpus=_some(problem.corpus, *some))
            copy = type(tables)(*map(np.copy, tables))._replace(z=state.z)
            self.sampler.sweep(own, self.sampler.over(copy, own), rng.child(i))
            copies.append(copy)
        if hasattr(tables, "word_topic"):
            tables.word_topic[:] = _sum([copy.word_topic for copy in copies], tables[1])
        else:
            _add_lists(tables, copies)
        tables.topic[:] = _sum([copy.topic for copy in copies], tables.topic)
        return state

    info = staticmethod(info)

    def counts(self, problem, state):
        return self.sampler.counts(problem, self.sampler.over(state.tables, problem))


def _sum(copies, before):
    return before + sum(copy - before for copy in copies)


def _listed(tables, w):
    """Return the counts of a word by topic, in the order of its list."""
    slots = slice(tables.start[w], tables.start[w] + tables.size[w])
    return dict(zip(tables.list_topic[slots], tables.list_count[slots], strict=True))


def _add_lists(tables, copies):
    """Add the changes to each list: its own topics first, then those of the copies."""
    for w in range(tables.size.size):
        before, after = _listed(tables, w), [_listed(copy, w) for copy in copies]
        order = dict.fromkeys([k for one in (before, *after) for k in one])
        total = {
            k: sum(one.get(k, 0) for one in after)
            - (len(copies) - 1) * before.get(k, 0)
            for k in order
        }
        left = [(k, n) for k, n in total.items() if n > 0]
        first, last = tables.start[w : w + 2]
        tables.list_topic[first:last] = tables.topic.size
        tables.list_count[first:last] = 0
        tables.size[w] = len(left)
        for slot, (k, n) in enumerate(left, first):
            tables.list_topic[slot], tables.list_count[slot] = k, n


def _some(corpus, first, last):
    """Return some documents as a corpus whose tokens keep their numbers."""
    begin, end = corpus.doc_ptr[[first, last]]
    doc_ptr = corpus.doc_ptr[first : last + 1] - begin
    return Corpus(doc_ptr, corpus.word[begin:end], corpus.token_ptr[begin : end + 1])
