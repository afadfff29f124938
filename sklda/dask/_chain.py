r"""A Markov chain whose documents are on the workers of a cluster.

A sweep is a graph of tasks: each partition sweeps over its documents with the counts of
all; its new counts are split into blocks of words; each block adds up its pieces.

    part 0 --.-- piece 0, 0 -->-- block 0 --.-- part 0 of the next sweep
             '-- piece 0, 1 -.          |   X
    part 1 --.-- piece 1, 0 -'          |  / \
             '-- piece 1, 1 -->-- block 1 --'-- part 1 of the next sweep

So no worker receives all counts of all partitions. The client sends one message per
sweep, with names only.
"""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from distributed import Future

from sklda._core.problem import padded
from sklda._core.random_streams import RandomStreams, advance
from sklda._core.threads import Threads
from sklda.dask import _counts, _parts, _statistics, _storage
from sklda.dask._cluster import MOST_TASKS, Cluster
from sklda.dask._corpus import Partitions
from sklda.dask._parts import Priors, Words
from sklda.dask._storage import Storage

LEAST_BLOCK = 2**20  # entries of a dense block: smaller ones cost more than they save
MOST_STORED_TASKS = 200_000  # that a scheduler remembers, to compute anew what is lost


class Chain:
    """The futures of a chain, and its trace."""

    def __init__(
        self,
        cluster: Cluster,
        sampler: Any,
        partitions: Partitions,
        priors: Priors,
        rng: RandomStreams,
    ) -> None:
        self.cluster, self.sampler, self.rng = cluster, sampler, rng
        self.partitions = partitions
        self.documents = partitions.documents
        self.n_topics = priors.doc_topic.size
        self.words = Words(_bounds(len(self.documents), partitions, self.n_topics))
        self.n_sweeps = 0
        self.log_joint_sweeps: list[int] = []
        self._log_joint: list[Any] = []  # floats, or futures of them
        self.n_kept = self.last_kept = 0
        self.threads = Threads()
        self.storage: Storage | None = None
        self.store_every, self.content = 0, {}  # of storage
        self._stored = 0  # the last sweep that was
        (self.priors,) = cluster.submit([cluster.task(Priors, "priors-0", *priors)])
        self._statistics: list[list[Future]] | None = None  # of the present sample
        self._totals: list[list[Future]] | None = None  # of the kept samples
        self._before: list[Future] = []  # the sweep before the last one

    def start(self) -> None:
        """Give each token a topic at random."""
        stream = self.rng.kernel
        tasks = []
        for i, n_tokens in enumerate(self.partitions.n_tokens):
            # One shard is no shard: it draws from the stream of the chain itself.
            alone = len(self.documents) == 1
            own = None if alone else self.rng.child(i).kernel
            tasks.append(
                self._task(
                    _parts.start,
                    f"start-part-{i}",
                    self.documents[i],
                    stream.copy(),
                    own,
                    self.priors,
                    self.words,
                )
            )
            advance(stream, n_tokens)
        self._reduce(tasks, [None] * self.n_blocks)

    def resume(self, stored: dict[str, Any], folder: str) -> None:
        """Go on from a stored sweep."""
        advance(self.rng.kernel, sum(self.partitions.n_tokens))
        self.n_sweeps = self._stored = stored["sweep"]
        for _ in range(self.n_sweeps):
            self.sampler.draw(self.rng)
        self.n_kept, self.last_kept = stored["n_kept"], stored["last_kept"]
        self._log_joint = list(stored["log_joint"])
        self.log_joint_sweeps = list(stored["log_joint_sweeps"])
        priors = Priors(np.array(stored["doc_topic_prior"]), stored["topic_word_prior"])
        self._load(folder, priors, stored["digests"])

    @property
    def n_blocks(self) -> int:
        """Return the number of blocks of words."""
        return len(self.words.bounds) - 1

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus."""
        return sum(self.partitions.n_tokens)

    @property
    def log_joint(self) -> list[float]:
        """The trace; waits until it is computed."""
        waiting = [i for i, v in enumerate(self._log_joint) if isinstance(v, Future)]
        found = self.cluster.gather([self._log_joint[i] for i in waiting])
        for i, value in zip(waiting, found, strict=True):
            self._log_joint[i] = value
        return self._log_joint

    @property
    def chains(self) -> list[Self]:
        """The chain itself, as the only one."""
        return [self]

    def sweep(self) -> None:
        """Ask for a sweep, and wait for the one before it."""
        if (
            self.storage is not None
            and self.n_sweeps >= self._stored + self.store_every
        ):
            self._store()
        before = [*self.parts, *self.blocks]
        sweep = self.n_sweeps + 1
        draw = self.sampler.draw(self.rng)
        tasks = [
            self._task(
                self.sampler.sweep,
                f"sweep-{sweep}-part-{i}",
                self.documents[i],
                part,
                self.blocks,
                self.priors,
                self.words,
                draw,
            )
            for i, part in enumerate(self.parts)
        ]
        self.n_sweeps, self._statistics = sweep, None
        self._reduce(tasks, self.blocks)
        self.cluster.wait(before)

    def learn_priors(self, *, symmetric: bool) -> None:
        """Fit both priors to the present assignments."""
        statistics = (*self._present_statistics(), self.words.n, symmetric)
        name = f"learn-priors-{self.n_sweeps}"
        (self.priors,) = self._submit(
            [self._task(_statistics.learn, name, self.priors, *statistics)]
        )

    def evaluate(self) -> None:
        """Enter log p(w, z | alpha, beta) into the trace."""
        statistics = (*self._present_statistics(), self.words.n)
        name = f"log-joint-{self.n_sweeps}"
        self._log_joint += self._submit(
            [self._task(_statistics.log_joint, name, self.priors, *statistics)]
        )
        self.log_joint_sweeps.append(self.n_sweeps)

    def keep(self) -> None:
        """Add the present sample to the averages, unless it is there already."""
        if self.last_kept == self.n_sweeps:
            return
        of_documents, of_words = self._totals or (
            [None] * len(self.parts),
            [None] * self.n_blocks,
        )
        sweep, n_topics = self.n_sweeps, self.n_topics
        tasks = [
            self._task(
                _statistics.add_documents,
                f"mean-{sweep}-part-{i}",
                total,
                self.documents[i],
                self.parts[i],
                n_topics,
            )
            for i, total in enumerate(of_documents)
        ]
        tasks += [
            self._task(
                _statistics.add_words,
                f"mean-{sweep}-block-{i}",
                total,
                self.blocks[i],
                n_topics,
            )
            for i, total in enumerate(of_words)
        ]
        self._totals = self._split(self._submit(tasks))
        self.n_kept += 1
        self.last_kept = sweep

    def snapshot(self) -> Self:
        """Return a copy, as if stopped here, that further sweeps do not change."""
        other = copy(self)
        other._log_joint = list(self.log_joint)
        other.log_joint_sweeps = list(self.log_joint_sweeps)
        other.keep()
        return other

    def finish(self) -> tuple[np.ndarray, list[Future]]:
        """Return the mean word-topic counts plus beta, and futures of theta.

        The former is (n_topics, n_words).
        """
        of_documents, of_words = self._totals
        self.cluster.wait(of_documents)
        theta = self._submit(
            [
                self._task(
                    _statistics.doc_topic,
                    f"doc-topic-{self.n_sweeps}-part-{i}",
                    total,
                    self.n_kept,
                    self.documents[i],
                    self.priors,
                )
                for i, total in enumerate(of_documents)
            ]
        )
        components = np.empty((self.words.n, self.n_topics))
        for i, total in enumerate(of_words):
            rows = slice(*self.words.bounds[i : i + 2])
            components[rows] = self.cluster.gather([total])[0].toarray()
        components /= self.n_kept
        components += self.cluster.gather([self.priors])[0].topic_word
        return components.T, theta

    def _task(self, function, name, *arguments):
        return self.cluster.task(function, name, *arguments)

    def _submit(self, tasks) -> list[Future]:
        return self.cluster.submit(tasks)

    def _split(self, futures) -> list[list[Future]]:
        """Split futures of partitions and blocks."""
        n = len(self.documents)
        return [futures[:n], futures[n:]]

    def _reduce(self, parts, blocks) -> None:
        """Submit the partitions of a sweep, and what adds up their pieces."""
        sweep = self.n_sweeps
        sums = []
        for b, block in enumerate(blocks):
            pieces = [
                self._task(_parts.piece, f"split-{sweep}-part-{i}-block-{b}", part, b)
                for i, part in enumerate(parts)
            ]
            name = f"add-up-{sweep}-block-{b}"
            sums.append(self._task(_counts.add_up, name, block, pieces))
        self.parts, self.blocks = self._split(self._submit([*parts, *sums]))

    def _present_statistics(self) -> list[list[Future]]:
        if self._statistics is None:
            sweep, n_topics = self.n_sweeps, self.n_topics
            tasks = [
                self._task(
                    _statistics.of_documents,
                    f"count-{sweep}-part-{i}",
                    self.documents[i],
                    part,
                    n_topics,
                )
                for i, part in enumerate(self.parts)
            ]
            tasks += [
                self._task(
                    _statistics.of_words, f"count-{sweep}-block-{i}", block, n_topics
                )
                for i, block in enumerate(self.blocks)
            ]
            self._statistics = self._split(self._submit(tasks))
        return self._statistics

    def _store(self) -> None:
        """Write the present state to storage, and go on from what is written there."""
        sweep = self.n_sweeps
        folder = self.storage.begin(sweep)
        totals = self._totals or [[None] * len(self.parts), [None] * self.n_blocks]
        tasks = []
        for store, names, values, sums in (
            (_storage.store_part, self._names[0], self.parts, totals[0]),
            (_storage.store_block, self._names[1], self.blocks, totals[1]),
        ):
            tasks += [
                self._task(store, f"store-{sweep}-{name}", *both, folder, name)
                for name, *both in zip(names, values, sums, strict=True)
            ]
        digests = self._split(self.cluster.gather(self._submit(tasks)))
        (priors,) = self.cluster.gather([self.priors])
        content = {
            "n_kept": self.n_kept,
            "last_kept": self.last_kept,
            "log_joint": self.log_joint,
            "log_joint_sweeps": self.log_joint_sweeps,
            "doc_topic_prior": priors.doc_topic.tolist(),
            "topic_word_prior": priors.topic_word,
            "digests": digests,
        }
        self.storage.finish(sweep, {**self.content, **content})
        self._stored = sweep
        self._load(folder, priors, digests)

    @property
    def _names(self) -> list[list[str]]:
        """Return the names of the files of partitions and blocks in storage."""
        return [
            [f"part-{i}" for i in range(len(self.documents))],
            [f"block-{i}" for i in range(self.n_blocks)],
        ]

    def _load(self, folder: str, priors: Priors, digests: list[list[str]]) -> None:
        """Take the state from storage, so that Dask can forget how it came about."""
        sweep = self.n_sweeps
        files = [
            list(zip(*both, strict=True))
            for both in zip(self._names, digests, strict=True)
        ]
        loaders = (_storage.load_part, _storage.load_block)
        tasks = [
            self._task(load, f"load-{sweep}-{name}", folder, name, digest)
            for load, kind in zip(loaders, files, strict=True)
            for name, digest in kind
        ]
        tasks += [self._task(Priors, f"load-{sweep}-priors", *priors)]
        *futures, self.priors = self._submit(tasks)
        self.parts, self.blocks = self._split(futures)
        self._statistics = None
        if self.n_kept > 0:
            tasks = [
                self._task(
                    _storage.load_total,
                    f"load-{sweep}-mean-{name}",
                    folder,
                    name,
                    digest,
                )
                for kind in files
                for name, digest in kind
            ]
            self._totals = self._split(self._submit(tasks))


def n_blocks(n_parts: int, n_words: int, n_topics: int) -> int:
    """Return into how many blocks the words are cut: as many as parts, or fewer.

    Raises
    ------
    ValueError
        If even one block makes too many tasks of a sweep.
    """
    # A sweep has a task for each part, block and piece; at most five more for each part
    # and block (count, mean, store, load, load the mean); and three for the priors.
    most = (MOST_TASKS - 6 * n_parts - 3) // (n_parts + 6)
    if most < 1:
        raise ValueError(
            f"{n_parts} partitions make more than {MOST_TASKS:,} tasks in a sweep, too "
            f"many for a scheduler: use at most {(MOST_TASKS - 9) // 7} (n_shards or "
            f"n_partitions), with more threads each (n_jobs)."
        )
    by_size = 1 + n_words * padded(n_topics) // LEAST_BLOCK
    return min(n_parts, most, by_size, n_words)


def _bounds(n_parts: int, partitions: Partitions, n_topics: int) -> list[int]:
    n_words = partitions.n_words
    n = n_blocks(n_parts, n_words, n_topics)
    return [n_words * i // n for i in range(n + 1)]


def check_length(n_parts: int, n_words: int, n_topics: int, max_iter: int) -> None:
    """Raise ValueError if a fit without storage has too many tasks."""
    n = n_blocks(n_parts, n_words, n_topics)
    n_tasks = max_iter * (n_parts * n + n_parts + n)
    if n_tasks > MOST_STORED_TASKS:
        raise ValueError(
            f"max_iter={max_iter} sweeps of {n_parts} partitions make {n_tasks:,} "
            f"tasks, and the scheduler would have to remember all of them. Set storage "
            f"to a folder: what is written there every store_every sweeps need not be "
            f"computed anew."
        )
