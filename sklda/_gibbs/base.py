"""What the estimators of Markov chains share; the fit of unsupervised ones."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from sklda._base.estimator import BaseTopicModel
from sklda._base.fitting import Progress, fit_callbacks, undone_on_failure
from sklda._base.lda import BaseLDA
from sklda._base.parameters import (
    CHAIN_CONSTRAINTS,
    TRACE_CONSTRAINTS,
    make_problem,
    make_schedule,
    random_streams,
)
from sklda._base.schedule import Schedule
from sklda._base.sklearn_private import fit_context
from sklda._core.corpus import check_corpus
from sklda._core.problem import Corpus, Problem
from sklda._core.sampler import Sampler
from sklda._core.threads import Threads
from sklda._core.types import MatrixLike
from sklda._gibbs.chain import Chain, run


class BaseChainEstimator(BaseTopicModel):
    """Estimators that average the samples of a Markov chain."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseTopicModel._parameter_constraints,
        **CHAIN_CONSTRAINTS,
    }

    def _schedule(self, evaluate_every: int) -> Schedule:
        parameters = self._parameters
        burn_in, max_iter = parameters.burn_in, parameters.max_iter
        burn_in = max_iter // 2 if burn_in is None else burn_in
        if burn_in >= max_iter:
            raise ValueError(
                f"burn_in={burn_in} leaves no sweep to keep: it must be smaller than "
                f"max_iter={max_iter}. None means half of max_iter."
            )
        return make_schedule(parameters, burn_in, parameters.thin, evaluate_every)


class BaseGibbsLDA(BaseChainEstimator, BaseLDA):
    """Samplers of the posterior of LDA."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseChainEstimator._parameter_constraints,
        **TRACE_CONSTRAINTS,
    }

    topic_assignments_: np.ndarray
    log_joint_: np.ndarray
    log_joint_iter_: np.ndarray

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

        Notes
        -----
        Ctrl-C takes effect within about a second, or after the sweep where threads
        share it. An interrupted fit leaves the estimator as it was.
        """
        parameters = self._parameters
        with undone_on_failure(self), Threads(parameters.n_jobs) as threads:
            schedule = self._schedule(parameters.evaluate_every)
            corpus = check_corpus(self, X, reset=True)
            problem = make_problem(self, corpus)
            sampler = self._make_sampler(problem, threads)
            chain = Chain(sampler, problem, random_streams(self.random_state))
            self._run(chain, schedule, X, y)
            vars(self).update(self._attributes(chain))
        return self

    def _run(self, chain: Chain, schedule: Schedule, X, y) -> None:
        """Run the chain; report to callbacks and, if verbose, the trace."""
        n_tokens = chain.z.size
        progress = Progress(self, n_tokens, "log joint per token")

        def attributes():
            return self._attributes(chain.snapshot())

        with fit_callbacks(self, X, y, attributes) as notify:
            for sweep in run(chain, schedule):
                if schedule.evaluates(sweep):
                    progress.report(sweep, chain.log_joint[-1] / max(n_tokens, 1))
                if notify(sweep):
                    chain.keep()
                    break

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        """End the chain and return the fitted attributes."""
        components, theta = chain.finish()
        return {
            "components_": components,
            "doc_topic_": theta,
            "topic_assignments_": chain.z,
            "doc_topic_prior_": chain.problem.doc_topic_prior,
            "topic_word_prior_": chain.problem.topic_word_prior,
            "log_joint_": np.array(chain.log_joint),
            "log_joint_iter_": np.array(chain.log_joint_sweeps, dtype=np.int64),
            "n_iter_": chain.n_sweeps,
        }
