"""Lists of the topics that words have, once for each shard of the documents."""

import numpy as np

from sklda._core.compile import njit
from sklda._core.lists import State
from sklda._core.problem import LANES


def replicate(state, n):
    """Return a state of n lists for each word, for n shards of the documents.

    What a shard writes to is far from what others write to: two processors that write
    to one line of the cache wait for each other.
    """
    return State(
        z=state.z,
        topic=np.tile(np.pad(state.topic, (0, 2 * LANES)), (n, 1)),
        start=state.start,
        size=np.tile(state.size, (n, 1)),
        list_topic=np.tile(state.list_topic, (n, 1)),
        list_count=np.tile(state.list_count, (n, 1)),
    )


def replica(replicas, i, problem):
    """Return the i-th of them, a state that `sweep` takes."""
    return State(
        z=replicas.z,
        topic=replicas.topic[i, : problem.n_lanes],
        start=replicas.start,
        size=replicas.size[i],
        list_topic=replicas.list_topic[i],
        list_count=replicas.list_count[i],
    )


@njit(cache=True, nogil=True)
def merge(state, replicas, first, last):
    """Add what the replicas changed of the words from `first` to before `last`.

    A list keeps its order; new topics follow in the order of the replicas.
    """
    _, topic, start, sizes, list_topic, list_count = state
    _, _, _, replica_size, replica_topic, replica_count = replicas
    n = replica_size.shape[0]
    total = np.zeros(topic.size, list_count.dtype)
    for w in range(first, last):
        begin, end = start[w], start[w] + sizes[w]
        for j in range(begin, end):
            total[list_topic[j]] = (1 - n) * list_count[j]
        for i in range(n):
            for j in range(begin, begin + replica_size[i, w]):
                total[replica_topic[i, j]] += replica_count[i, j]
        last_listed, end = end, begin
        for j in range(begin, last_listed):
            end = _append(list_topic[j], total, list_topic, list_count, end)
        for i in range(n):
            for j in range(begin, begin + replica_size[i, w]):
                end = _append(replica_topic[i, j], total, list_topic, list_count, end)
        for j in range(end, last_listed):
            list_topic[j], list_count[j] = topic.size, 0
        sizes[w] = end - begin
        for i in range(n):
            for j in range(begin, max(end, begin + replica_size[i, w])):
                replica_topic[i, j] = list_topic[j]
                replica_count[i, j] = list_count[j]
            replica_size[i, w] = sizes[w]


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _append(k, total, list_topic, list_count, end):
    """Append topic k at `end`, once, if it has tokens; return the new end."""
    count = total[k]
    if count > 0:
        list_topic[end], list_count[end] = k, count
        total[k] = 0
        end += 1
    return end
