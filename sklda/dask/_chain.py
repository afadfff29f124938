"""A Markov chain whose documents are on the workers of a cluster.

The state consists of parts of the documents, which hold the topics of their tokens, and
of blocks of words, which hold their counts. A sweep is a graph of tasks. The client
sends it in messages that contain names only, while the sweep before it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, Self

import numpy as np
from dask.delayed import Delayed
from distributed import Future

from sklda._engine.hierarchical_prior import GammaPriors, HierarchicalPrior
from sklda._engine.kept_samples import TopicSums, joined
from sklda._sampling.doc_topic_counts import Histogram, merged
from sklda._sampling.minka import LearnedPriors, PriorUpdate
from sklda._sampling.problem import Problem
from sklda._sampling.random_streams import RandomStreams, advance
from sklda._sampling.sampler import copy_of
from sklda._sampling.schedule import Annealed, Annealing
from sklda.dask._cluster import Cluster
from sklda.dask._corpus import Partitions
from sklda.dask._storage import Storage, read_item, write
from sklda.dask._tasks import (
    add_documents,
    add_up,
    add_words,
    count_documents,
    count_lengths,
    count_part,
    count_words,
    fit_priors,
    log_joint,
    mean_doc_topic,
    start_part,
    table_of,
)

MOST_STORED_TASKS = 200_000  # that a scheduler remembers, to recompute lost results

# Futures of the parts of the documents, and of the blocks of words.
PartsAndBlocks = tuple[list[Future], list[Future]]

# What storage holds of a chain beside parts, blocks and priors.
_STORED = (
    "n_sweeps",
    "n_kept",
    "last_kept",
    "log_joint_sweeps",
    "_log_joint",
    "_learned",
    "_learned_sweeps",
    "rng",
    "prior",  # which shares `rng`
    "annealing",
)


class ClusterChain(Annealed):
    """The futures of a chain, and its trace; call `start` or `resume` first.

    Subclasses say how a sweep runs.
    """

    bounds: list[int]  # of the blocks of words
    n_tasks: int  # of a sweep
    rng: RandomStreams
    parts: list[Future]  # the topics of the tokens of the documents
    word_blocks: list[Future]  # the counts of the blocks of words

    def __init__(
        self,
        cluster: Cluster,
        sampler: Any,
        partitions: Partitions,
        problem: Problem,  # without documents
        storage: Storage,
    ) -> None:
        self.cluster, self.sampler = cluster, sampler
        self.partitions, self.documents = partitions, partitions.futures
        self.n_topics, self.n_tokens = problem.n_topics, sum(partitions.n_tokens)
        self.storage, self._last_stored = storage, 0
        self.n_sweeps = self.last_kept = 0
        self.log_joint_sweeps: list[int] = []
        self._log_joint: list[Any] = []  # numbers, or futures
        self._learned: list[Any] = []  # priors after each update, or futures
        self._learned_sweeps: list[int] = []
        self._histograms: PartsAndBlocks | None = None  # of the present sample
        self.prior: HierarchicalPrior | None = None  # if it is sampled, too
        self._set_priors(problem, "first")
        self._prepare()
        self.n_word_blocks = len(self.bounds) - 1
        self.forget_samples()

    def _gathered_problem(self) -> Problem:
        """Return the priors as they are now."""
        return self.cluster.gather([self.problem])[0]

    def _prepare(self) -> None:
        """Set `bounds` and `n_tasks`; bring documents into the form of sweeps."""
        raise NotImplementedError

    def _submit_sweep(self, problem: Problem) -> None:
        """Submit the tasks of a sweep, and set the parts and the blocks."""
        raise NotImplementedError

    def _take_up(self, parts: list[Delayed], prefix: str = "") -> None:
        """Submit the parts and the counts of the blocks of words, and set both."""
        raise NotImplementedError

    def start(
        self, rng: RandomStreams, annealing: Annealing, priors: GammaPriors | None
    ) -> None:
        """Give each token a topic at random; let sweeps sample priors, if any."""
        self.rng, self.annealing = rng, annealing
        if priors is not None:
            columns = [self.partitions.futures]
            lengths = self._tasks(count_lengths, "lengths", "part", columns)
            lengths = merged(self.cluster.results(lengths))
            self.prior = HierarchicalPrior(self._gathered_problem(), lengths, rng)
            self.prior.priors = priors
        streams = []
        for n_tokens in self.partitions.n_tokens:
            streams.append(rng.kernel.copy())
            advance(rng.kernel, n_tokens)
        columns = self.partitions.futures, streams
        common = self.problem, self.bounds
        self._add_pieces(self._tasks(start_part, "start", "part", columns, *common))

    def resume(self, stored: dict[str, Any]) -> None:
        """Go on from a stored sweep; raise ValueError if it is of other documents."""
        if stored["documents"] != self.partitions.digests:
            self.storage.refuse("to other documents")
        vars(self).update(stored["chain"])
        self._load(self.storage.url(), stored["problem"])

    @property
    def log_joint(self) -> list[float]:
        """The trace; waits until it is computed."""
        self._log_joint = self.cluster.gather(self._log_joint)
        return self._log_joint

    @property
    def prior_updates(self) -> list[PriorUpdate]:
        """Updates of the priors that are learned; waits until they are computed."""
        self._learned = self.cluster.gather(self._learned)
        return [
            PriorUpdate(sweep, problem.doc_topic_prior, float(problem.topic_word_prior))
            for sweep, problem in zip(self._learned_sweeps, self._learned, strict=True)
        ]

    def describe(self) -> str:
        """Return what a verbose fit prints of the present sample."""
        return f"log joint per token {self.log_joint[-1] / max(self.n_tokens, 1):.4f}"

    def sweep(self) -> None:
        """Submit a sweep, and wait for the one before it."""
        if self.n_sweeps >= self._last_stored + self.storage.interval:
            self._store()
        self.n_sweeps, self._histograms = self.n_sweeps + 1, None
        before, problem = self.parts, self.problem
        if self.is_annealed:
            anneal, sweep = self.annealing.problem_of, self.n_sweeps
            task = self.cluster.task(anneal, f"anneal-{sweep}", problem, sweep)
            (problem,) = self.cluster.submit([task])
        self._submit_sweep(problem)
        self.cluster.wait(before)
        if self.prior is not None:  # so the chain is not annealed
            problem = self.prior.draw(
                self._gathered_problem(),
                self._count_topics,
                self._count_words,
                self.n_sweeps,
            )
            self._set_priors(problem, "sampled")

    def _count_topics(self, key: np.uint64) -> tuple[np.ndarray, np.ndarray]:
        """Return restaurant tables, drawn with a key, and tokens of each topic."""
        first = np.cumsum([0, *self.partitions.n_tokens]).tolist()[:-1]
        columns = self.documents, self.parts, first
        tasks = self._tasks(count_part, "tables", "part", columns, self.problem, key)
        tables, totals = np.sum(self.cluster.results(tasks), axis=0)
        return tables, totals

    def _count_words(self) -> Histogram:
        """Return how often each word-topic count occurs."""
        columns = [self.word_blocks]
        tasks = self._tasks(count_words, "pairs", "block", columns, self.n_topics)
        histograms, _ = zip(*self.cluster.results(tasks), strict=True)
        return merged(histograms)

    def _set_priors(self, problem: Problem, origin: str) -> None:
        """Submit the priors of a problem."""
        task = self.cluster.task(Problem, f"{origin}-{self.n_sweeps}-priors", *problem)
        (self.problem,) = self.cluster.submit([task])

    def learn_priors(self, learned: LearnedPriors) -> None:
        """Fit these priors to the present assignments; annealed chains wait."""
        if not self.is_annealed:
            self.problem = self._from_histograms(fit_priors, "learn-priors", learned)
            self._learned.append(self.problem)
            self._learned_sweeps.append(self.n_sweeps)

    def evaluate(self) -> None:
        """Enter log p(w, z | alpha, beta) into the trace."""
        self._log_joint.append(self._from_histograms(log_joint, "log-joint"))
        self.log_joint_sweeps.append(self.n_sweeps)

    def keep(self) -> None:
        """Add the present sample to the averages, unless it is there already.

        An annealed sample is not one of the posterior.
        """
        if self.last_kept == self.n_sweeps or self.is_annealed:
            return
        alpha_sum = None
        if self.prior is not None:
            problem = self._gathered_problem()
            self.prior.keep(problem, self.n_sweeps)
            alpha_sum = problem.doc_topic_prior.sum()
        doc_totals, word_totals = self._totals
        parts = doc_totals, self.documents, self.parts
        common, blocks = (self.problem, alpha_sum), (word_totals, self.word_blocks)
        self._totals = self._submit(
            self._tasks(add_documents, "mean", "part", parts, *common),
            self._tasks(add_words, "mean", "block", blocks, self.n_topics),
        )
        self.n_kept, self.last_kept = self.n_kept + 1, self.n_sweeps

    def forget_samples(self, burn_in: int = 0) -> None:
        """Leave samples so far, and up to the sweep `burn_in`, out of the results."""
        self._totals: Any = [None] * len(self.documents), [None] * self.n_word_blocks
        self.n_kept = 0
        if self.prior is not None:
            self.prior.forget(burn_in)

    def snapshot(self) -> Self:
        """Return a copy of the chain as if it ended here; sweeps do not change it.

        Raises
        ------
        RuntimeError
            While the chain is annealed: the tasks of a sweep of the posterior would
            have the names of the next sweep.
        """
        if self.is_annealed:
            raise RuntimeError(
                "The chain does not sample the posterior before sweep "
                f"{self.annealing.n_sweeps}, where the annealed start ends. Look at "
                "fitted_estimator later, or fit with init='random'."
            )
        duplicate = copy_of(self)
        duplicate.prior = self.prior and copy_of(self.prior)
        duplicate.keep()
        return duplicate

    def finish(self) -> tuple[np.ndarray, list[Future], Problem]:
        """Return mean counts plus beta, (n_topics, n_words), theta, and the priors."""
        doc_totals, word_totals = self._totals
        self.cluster.wait(doc_totals)
        problem, alphas = self._gathered_problem(), None
        if self.prior is not None:
            problem, alphas = self.prior.mean(problem), self.prior.kept_values()
        columns, common = (doc_totals, self.documents), (self.n_kept, self.problem)
        tasks = self._tasks(
            mean_doc_topic, "doc-topic", "part", columns, *common, alphas
        )
        theta = self.cluster.submit(tasks)
        counts = joined(chain.from_iterable(self.cluster.gather(word_totals)))
        beta = problem.topic_word_prior
        sums = TopicSums.of(counts, self.n_kept, self.n_topics, beta)
        return sums.components(), theta, problem

    def check_length(self, max_iter: int) -> None:
        """Raise ValueError if the scheduler would have to remember too many tasks."""
        n_sweeps, n_parts = min(max_iter, self.storage.interval), len(self.documents)
        n_tasks = n_sweeps * self.n_tasks
        if n_tasks > MOST_STORED_TASKS:
            raise ValueError(
                f"{n_sweeps} sweeps of {n_parts} partitions make {n_tasks:,} tasks, "
                "and the scheduler would have to remember all of them. Set storage to "
                "a folder, so that sweeps stored every store_every sweeps need not be "
                "recomputed, or lower store_every."
            )

    def _tasks(
        self, function: Callable, name: str, kind: str, columns: Any, *common: Any
    ) -> list[Delayed]:
        """Return a task for each row of the columns of arguments.

        Tasks of parts run on the workers of their documents.
        """
        name = f"{name}-{self.n_sweeps}-{kind}"
        rows = list(zip(*columns, strict=True))
        places = self.partitions.places if kind == "part" else [None] * len(rows)
        return [
            self.cluster.task(function, f"{name}-{i}", *row, *common, place=place)
            for i, (row, place) in enumerate(zip(rows, places, strict=True))
        ]

    def _submit(self, parts: list[Delayed], blocks: list[Delayed]) -> PartsAndBlocks:
        """Submit tasks of parts and of blocks in one message."""
        futures = self.cluster.submit([*parts, *blocks])
        return futures[: len(parts)], futures[len(parts) :]

    def _add_pieces(self, parts: list[Delayed], prefix: str = "") -> None:
        """Submit parts, and the sum of their pieces of each block of words."""
        pieces = [
            self._tasks(table_of, f"{prefix}split", f"block-{b}-part", [parts], b)
            for b in range(self.n_word_blocks)
        ]
        sums = self._tasks(add_up, f"{prefix}add-up", "block", [pieces])
        self.parts, self.word_blocks = self._submit(parts, sums)

    def _from_histograms(self, function: Callable, name: str, *more: Any) -> Future:
        """Submit a task on the histograms of all parts and blocks."""
        if self._histograms is None:
            parts, blocks = (self.documents, self.parts), [self.word_blocks]
            self._histograms = self._submit(
                self._tasks(count_documents, "count", "part", parts, self.n_topics),
                self._tasks(count_words, "count", "block", blocks, self.n_topics),
            )
        inputs = self.problem, *self._histograms, *more
        task = self.cluster.task(function, f"{name}-{self.n_sweeps}", *inputs)
        return self.cluster.submit([task])[0]

    def _store(self) -> None:
        """Write the present state to storage, and go on from there."""
        folder = self.storage.begin(self.n_sweeps)
        url, (doc_totals, word_totals) = self.storage.url(folder), self._totals
        parts, blocks = self._files(url)
        columns = parts, zip(doc_totals, self.parts, strict=True)
        tasks = self._tasks(write, "store", "part", columns)
        tasks += self._tasks(write, "store", "block", (blocks, zip(word_totals)))
        self.cluster.results(tasks)
        problem = self._gathered_problem()
        self._log_joint = self.cluster.gather(self._log_joint)
        self._learned = self.cluster.gather(self._learned)
        state = {
            "n_partitions": self.partitions.n_partitions,
            "documents": self.partitions.digests,
            "problem": problem,
            "chain": {name: getattr(self, name) for name in _STORED},
        }
        self.storage.finish(folder, state)
        self._load(url, problem)

    def _load(self, url: str, problem: Problem) -> None:
        """Load the state from storage, so that Dask can forget the tasks before it."""
        self._last_stored, self._histograms = self.n_sweeps, None
        parts, blocks = self._files(url)
        self._set_priors(problem, "load")
        self._totals = self._submit(
            self._tasks(read_item, "load", "mean-part", [parts], 0),
            self._tasks(read_item, "load", "mean-block", [blocks], 0),
        )
        self._take_up(self._tasks(read_item, "load", "part", [parts], 1), "load-")

    def _files(self, url: str) -> tuple[list[str], list[str]]:
        """Return the URLs of the files of the parts and of the blocks in a folder."""
        parts = [f"{url}/part-{i}.zip" for i in range(len(self.documents))]
        return parts, [f"{url}/block-{i}.zip" for i in range(self.n_word_blocks)]
