"""Base classes of the estimators that run Markov chains."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from sklda._base.estimator import BaseTopicModel
from sklda._base.fitting import Progress, fit_callbacks, fitting
from sklda._base.lda import BaseLDA
from sklda._base.parameters import (
    CHAIN_CONSTRAINTS,
    DRAWS_CONSTRAINTS,
    INIT_CONSTRAINTS,
    TRACE_CONSTRAINTS,
    make_problem,
    make_schedule,
    make_threads,
    random_streams,
)
from sklda._base.schedule import Schedule
from sklda._base.sklearn_private import fit_context
from sklda._core.corpus import check_corpus, without_memory_of_x
from sklda._core.memory import check_memory
from sklda._core.problem import Corpus, Problem
from sklda._core.sampler import Sampler
from sklda._core.threads import Threads
from sklda._core.types import MatrixLike
from sklda._core.warn import warn_user
from sklda._gibbs.chain import Chain, Runnable, run
from sklda._gibbs.kept_draws import most_bytes, posterior_draws
from sklda._gibbs.paused import Paused, check_documents
from sklda._gibbs.scalars import Recorder
from sklda._gibbs.start import check_init, first_topics, with_new_documents
from sklda._topics.posterior_draws import PosteriorDraws


class BaseChainEstimator(BaseTopicModel):
    """Estimators that average the samples of a Markov chain."""

    _progress_name: ClassVar[str]  # of what `_report` prints
    _paused: Paused  # where the next fit goes on, with `warm_start`

    _parameter_constraints: ClassVar[dict] = {
        **BaseTopicModel._parameter_constraints,
        **CHAIN_CONSTRAINTS,
    }

    def _start(self, X, y, threads: Threads) -> tuple[Any, dict[str, Any]]:
        """Check X and y; return a chain, and the attributes that y alone decides."""
        raise NotImplementedError

    def _resume(self, chain, X, y) -> tuple[Any, dict[str, Any]]:
        """Check X and y against those of a chain; return the same as `_start`.

        What goes on may be another chain, if there are more documents.
        """
        raise NotImplementedError

    @property
    def _goes_on(self) -> bool:
        """Whether a fit goes on where the last one stopped."""
        return self.warm_start and hasattr(self, "_paused")

    def _corpus(self, X) -> Corpus:
        """Check X and return it; it outlives the fit with `warm_start`."""
        corpus = check_corpus(self, X, reset=not self._goes_on)
        return without_memory_of_x(corpus) if self.warm_start else corpus

    def _report(self, chain, schedule: Schedule, progress: Progress) -> None:
        """Report the last sweep, if it is one of those that are reported."""
        raise NotImplementedError

    def _attributes(self, chain) -> dict[str, Any]:
        """End the chain and return the fitted attributes."""
        raise NotImplementedError

    def _schedule(self) -> Schedule:
        """Return the schedule of a fit, its sweeps counted from 1."""
        parameters = self._parameters
        burn_in, max_iter = parameters.burn_in, parameters.max_iter
        burn_in = max_iter // 2 if burn_in is None else burn_in
        if burn_in >= max_iter:
            raise ValueError(
                f"burn_in={burn_in} leaves no sweep to keep: it must be smaller than "
                f"max_iter={max_iter}. None means half of max_iter."
            )
        evaluate_every = getattr(parameters, "evaluate_every", 0)
        schedule = make_schedule(
            parameters, burn_in, parameters.thin, evaluate_every, goes_on=self._goes_on
        )
        if not self._goes_on:
            self._check_draws(schedule, 0)
        return schedule

    def _check_draws(self, schedule: Schedule, n_before: int) -> None:
        """Raise ValueError if there will not be as many samples as draws to keep."""
        keep_draws = getattr(self._parameters, "keep_draws", 0)
        if keep_draws > schedule.n_kept + n_before:
            before = f", and {n_before} of the fits before" if n_before > 0 else ""
            raise ValueError(
                f"keep_draws={keep_draws} exceeds the number of kept samples, "
                f"{schedule.n_kept}: every thin={schedule.thin}-th of the sweeps "
                f"between burn_in={schedule.burn_in} and "
                f"max_iter={schedule.max_iter}{before}. Lower thin or keep_draws, or "
                f"raise max_iter."
            )

    def _check_memory(self, problem: Problem[Corpus], n_chains: int = 1) -> None:
        """Raise MemoryError if the draws that chains keep can take too much memory."""
        keep_draws = getattr(self._parameters, "keep_draws", 0)
        if keep_draws > 0:
            n_bytes = n_chains * keep_draws * most_bytes(problem)
            of_chains = f" of {n_chains} chains" if n_chains > 1 else ""
            what = f"What keep_draws={keep_draws}{of_chains} keeps"
            check_memory(n_bytes, what, "keep fewer draws, with a larger thin")

    def _sample(self, X, y, schedule: Schedule, recorder: Recorder | None = None):
        """Run a chain and set the fitted attributes.

        The chain that is returned can go on, with `warm_start` or if a recorder looks
        at it. Else it has ended, which saves memory.
        """
        if self._goes_on:
            paused = self._paused.resumed(self)
            begin, threads = partial(self._resume, paused, X, y), paused.threads
        else:
            self._warn_if_nothing_goes_on()
            threads = make_threads(self._parameters)
            begin = partial(self._start, X, y, threads)
        with fitting(self), threads:
            chain, of_y = begin()
            chain.threads = threads
            if self._goes_on:
                schedule = self._schedule_after(chain, schedule)
            self._run(chain, schedule, X, y, recorder)
            goes_on = self.warm_start or recorder is not None
            ended = chain.snapshot() if goes_on else chain
            vars(self).update(self._attributes(ended), **of_y)
            vars(self).pop("_paused", None)
            if self.warm_start:
                self._paused = Paused.of(self, chain)
        return chain

    def _schedule_after(self, chain, schedule: Schedule) -> Schedule:
        """Return the schedule after the sweeps so far, whose samples burn-in ends."""
        if schedule.burn_in > 0:
            chain.forget_samples()
        self._check_draws(schedule, len(chain.chains[0].draws))
        return schedule.after(chain.n_sweeps)

    def _warn_if_nothing_goes_on(self) -> None:
        if self.warm_start and hasattr(self, "components_"):
            warn_user(
                "warm_start=True, but the last fit kept no chain because it had "
                "warm_start=False: this fit starts anew."
            )

    @fit_context(prefer_skip_nested_validation=True)
    def _sample_recorded(self, X, y, recorder: Recorder) -> Runnable:
        """Fit as `fit` does, record scalars, and return a chain that can go on."""
        return self._sample(X, y, self._schedule(), recorder)

    @fit_context(prefer_skip_nested_validation=True)
    def _go_on(self, chain: Runnable, X, y, recorder: Recorder) -> None:
        """Run the chain of an earlier fit up to `max_iter` sweeps."""
        with fitting(self), chain.threads:
            self._run(chain, self._schedule(), X, y, recorder)
            vars(self).update(self._attributes(chain.snapshot()))

    def _run(
        self, chain: Runnable, schedule: Schedule, X, y, recorder: Recorder | None
    ) -> None:
        """Run the chain; report to callbacks, to the recorder and, if verbose, here."""
        first = chain.n_sweeps
        progress = Progress(self, chain.n_tokens, self._progress_name, first)

        def attributes():
            return self._attributes(chain.snapshot())

        with fit_callbacks(self, X, y, attributes) as notify:
            for sweep in run(chain, schedule):
                if recorder is not None:
                    recorder.look(chain, kept=schedule.keeps(sweep))
                self._report(chain, schedule, progress)
                if notify(sweep):
                    chain.keep()
                    break


class BaseGibbsLDA(BaseChainEstimator, BaseLDA):
    """Samplers of the posterior of LDA."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseChainEstimator._parameter_constraints,
        **DRAWS_CONSTRAINTS,
        **INIT_CONSTRAINTS,
        **TRACE_CONSTRAINTS,
    }

    _progress_name = "log joint per token"

    topic_assignments_: np.ndarray
    log_joint_: np.ndarray
    log_joint_iter_: np.ndarray
    draws_: PosteriorDraws | None

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        """Return the sampler that the parameters choose."""
        raise NotImplementedError

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Run the chain and average its kept samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts of any numeric dtype, as whole numbers. Not modified.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X holds values other than counts, or a parameter is out of range.
        MemoryError
            If the draws of `keep_draws` can take more than half of the free memory.

        Notes
        -----
        Ctrl-C takes effect within about a second, or after the sweep where threads
        share it. An interrupted fit leaves the estimator as it was.
        """
        self._sample(X, y, self._schedule())
        return self

    def _start(self, X, y, threads: Threads) -> tuple[Chain, dict[str, Any]]:
        problem = make_problem(self, self._corpus(X))
        self._check_memory(problem)
        names = getattr(self, "feature_names_in_", None)
        init = check_init(self.init, problem, names)
        make_sampler = partial(self._make_sampler, threads=threads)
        rng = random_streams(self.random_state)
        z = first_topics(init, problem, make_sampler, rng, threads)
        sampler, keep_draws = make_sampler(problem), self._parameters.keep_draws
        return Chain(sampler, problem, rng, keep_draws, z), {}

    def _resume(self, chain: Chain, X, y) -> tuple[Chain, dict[str, Any]]:
        corpus, before = self._corpus(X), chain.problem.corpus
        check_documents(corpus, before, may_add=True)
        self._check_memory(chain.problem._replace(corpus=corpus))
        if corpus.doc_ptr.size == before.doc_ptr.size:
            return chain, {}
        make_sampler = partial(self._make_sampler, threads=chain.threads)
        return with_new_documents(chain, corpus, make_sampler), {}

    def _report(self, chain: Chain, schedule: Schedule, progress: Progress) -> None:
        if schedule.evaluates(chain.n_sweeps):
            value = chain.log_joint[-1] / max(chain.n_tokens, 1)
            progress.report(chain.n_sweeps, value)

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        components, theta = chain.finish()
        return {
            "components_": components,
            "doc_topic_": theta,
            "topic_assignments_": chain.z,
            "doc_topic_prior_": chain.problem.doc_topic_prior,
            "topic_word_prior_": chain.problem.beta,
            "draws_": posterior_draws(chain.problem, list(chain.draws)),
            "log_joint_": np.array(chain.log_joint),
            "log_joint_iter_": np.array(chain.log_joint_sweeps, dtype=np.int64),
            "n_iter_": chain.n_sweeps,
        }
