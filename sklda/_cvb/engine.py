"""Collapsed variational Bayes: sweep until nothing moves, bound, learn the priors.

It knows no approximation: a kernel is a module of `sklda._kernels` with ``N_TABLES``
and ``sweep(doc_ptr, word, count, gamma, tables, priors)``, which updates all
responsibilities gamma, (n_cells, n_lanes) float32, and the tables, in place, and
returns how far it has moved.
"""

import operator
from typing import NamedTuple

import numpy as np

from sklda._core.corpus import parts
from sklda._core.minka import fit_doc_topic, fit_topic_word
from sklda._core.problem import Priors, Weights, pad_prior, padded
from sklda._core.random_streams import new_stream
from sklda._core.threads import Threaded
from sklda._cvb import bound as _bound
from sklda._cvb.kernels import exact as cvb_exact
from sklda._cvb.kernels import moments
from sklda._cvb.kernels import zero_order as cvb_zero_order
from sklda._cvb.kernels.moments import Moments

LEARNING_INTERVAL = 10  # sweeps between two updates of the priors
_RECOUNT_INTERVAL = 20  # sweeps after which the tables are freed of rounding errors
START_SWEEPS = 10  # zero-order ones that others should begin with


class Schedule(NamedTuple):
    """What happens at which sweep; sweeps are counted from 1."""

    max_iter: int
    tol: float
    evaluate_every: int
    learn_priors: str | None

    def learns(self, sweep: int) -> bool:
        """Whether the priors are learned."""
        return self.learn_priors is not None and sweep % LEARNING_INTERVAL == 0

    def evaluates(self, sweep: int) -> bool:
        """Whether the trace gets an entry."""
        return self.evaluate_every > 0 and sweep % self.evaluate_every == 0

    def converged(self, sweep: int, change: float) -> bool:
        """Whether a sweep that changes so much is the last.

        Where priors are learned, what counts is the sweep that first meets new ones.
        """
        fixed = self.learn_priors is None
        return change < self.tol and (fixed or (sweep > 1 and self.learns(sweep - 1)))


class Fit(Threaded):
    """The responsibilities of all cells, their tables, and the trace of the bound.

    Where sweeps end depends on where they begin: the first one begins with `n_start`
    sweeps of the zero-order approximation, and all then end with better topics.
    """

    def __init__(
        self,
        kernel,
        weights: Weights,
        n_words,
        alpha,
        beta,
        seed,
        n_shards=1,
        n_jobs=None,
        n_start=0,
    ):
        self.kernel = kernel
        self.n_start = n_start
        self.weights = weights
        self.n_words = n_words
        self.n_topics = alpha.size
        self.doc_topic_prior = alpha
        self.topic_word_prior = beta
        n_docs = weights.doc_ptr.size - 1
        self.document = np.repeat(
            np.arange(n_docs, dtype=np.int32), np.diff(weights.doc_ptr)
        )
        self.lengths = np.bincount(self.document, weights.count, minlength=n_docs)
        self.shards = list(parts(weights.doc_ptr, n_shards))
        self._use_threads(n_jobs, len(self.shards))
        self.n_sweeps = 0
        self.change = np.inf  # of responsibilities in the last sweep, mean per token
        self.bound: list[float] = []  # in nats per token
        self.bound_sweeps: list[int] = []
        self.gamma = np.zeros((weights.word.size, padded(self.n_topics)), np.float32)
        cvb_zero_order.seat(
            *weights, self.gamma, self._no_counts(), self._priors(), new_stream(seed)
        )
        self._use(cvb_zero_order if n_start else kernel)

    def _use(self, kernel) -> None:
        self._kernel = kernel
        self.tables = self._count_anew()
        several = len(self.shards) > 1
        self._copies = [_like(self.tables) for _ in self.shards] if several else []

    def _priors(self) -> Priors:
        alpha = pad_prior(self.doc_topic_prior)
        return Priors(alpha, np.float32(self.topic_word_prior))

    def _no_counts(self) -> Moments:
        n_lanes = self.gamma.shape[1]
        word_topic = np.zeros((self.n_words, n_lanes), np.float32)
        return Moments(word_topic, np.zeros(n_lanes))

    def _count_anew(self) -> tuple[Moments, ...]:
        adders = (moments.add_means, moments.add_variances)
        return tuple(map(self._count, adders[: self._kernel.N_TABLES]))

    def _count(self, add) -> Moments:
        table = self._no_counts()
        add(self.weights.word, self.weights.count, self.gamma, table.word_topic)
        table.topic[:] = table.word_topic.sum(axis=0, dtype=np.float64)
        return table

    def sweep(self) -> None:
        """Update every cell once."""
        if self._kernel is not self.kernel:
            for _ in range(self.n_start):
                self._sweep_once()
            self._use(self.kernel)
        moved = self._sweep_once()
        self.change = moved / max(self.lengths.sum(), np.finfo(float).tiny)
        self.n_sweeps += 1
        if self.n_sweeps % _RECOUNT_INTERVAL == 0:
            self.tables = self._count_anew()

    def _sweep_once(self) -> float:
        if len(self.shards) > 1:
            return self._sweep_shards()
        priors = self._priors()
        return self._kernel.sweep(*self.weights, self.gamma, self.tables, priors)

    def _sweep_shards(self) -> float:
        """Let each shard sweep on its own copy of the tables, and add the changes."""
        doc_ptr, word, count = self.weights
        priors = self._priors()

        def sweep(shard, tables):
            first, last = shard
            _each(np.copyto, tables, self.tables)
            docs = doc_ptr[first : last + 1]
            moved = self._kernel.sweep(docs, word, count, self.gamma, tables, priors)
            _each(operator.isub, tables, self.tables)  # what is left are the changes
            return moved

        moved = sum(self._map(sweep, self.shards, self._copies))
        for changes in self._copies:
            _each(operator.iadd, self.tables, changes)
        return moved

    def _spreads(self) -> _bound.Spreads:
        exact = self.kernel is cvb_exact
        spreads = _bound.exact_spreads if exact else _bound.spreads
        return spreads(self.weights, self.gamma, self.n_words, self.n_topics)

    def learn_priors(self, *, symmetric: bool) -> None:
        """Fit both priors to the present responsibilities."""
        spreads = self._spreads()
        totals = self._count(moments.add_means).topic[: self.n_topics]
        self.doc_topic_prior = fit_doc_topic(
            self.doc_topic_prior, spreads.docs, self.lengths, symmetric=symmetric
        )
        self.topic_word_prior = fit_topic_word(
            self.topic_word_prior, spreads.words[1:], totals, self.n_words
        )

    def evaluate(self) -> float:
        """Enter the bound into the trace, and return it."""
        total = _bound.bound(
            self._spreads(),
            _bound.entropy(self.weights, self.gamma),
            self.lengths,
            self.doc_topic_prior,
            self.topic_word_prior,
            self.n_words,
        )
        self.bound.append(total / max(self.lengths.sum(), np.finfo(float).tiny))
        self.bound_sweeps.append(self.n_sweeps)
        return self.bound[-1]

    def glimpse(self) -> "Fit":
        """Return what `finish` may be asked of while the fit goes on: itself."""
        return self

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """Return E[n_kw] + beta, (n_topics, n_words), and theta, (n_docs, n_topics)."""
        counts = self._count(moments.add_means).word_topic[:, : self.n_topics]
        components = counts.T.astype(np.float64, order="C") + self.topic_word_prior
        doc_topic = np.zeros((self.lengths.size, self.gamma.shape[1]), np.float32)
        moments.add_means(self.document, self.weights.count, self.gamma, doc_topic)
        theta = doc_topic[:, : self.n_topics] + self.doc_topic_prior
        return components, theta / theta.sum(axis=1, keepdims=True)


def _like(tables: tuple[Moments, ...]) -> tuple[Moments, ...]:
    return tuple(Moments(*map(np.empty_like, table)) for table in tables)


def _each(change, tables, others) -> None:
    """Change each array of some tables, in place, by its counterpart in others."""
    for table, other in zip(tables, others, strict=True):
        for mine, theirs in zip(table, other, strict=True):
            change(mine, theirs)


def run(fit: Fit, schedule: Schedule, after_sweep) -> bool:
    """Sweep until it has converged, and return whether it has.

    ``after_sweep(fit)`` may return True to stop it early.
    """
    with fit.threads():
        for sweep in range(1, schedule.max_iter + 1):
            fit.sweep()
            if schedule.learns(sweep):
                fit.learn_priors(symmetric=schedule.learn_priors == "symmetric")
            converged = schedule.converged(sweep, fit.change)
            if schedule.evaluates(sweep):
                fit.evaluate()
            if after_sweep(fit) or converged:
                return True
    return False
