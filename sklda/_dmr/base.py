"""Fit, transform and score of models with covariates."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.covariates import numbers_as_in_fit, numbers_of_covariates
from sklda._base.fitted_topics import snapshot
from sklda._base.fitting import fitting
from sklda._base.parameters import make_problem, make_threads, random_streams
from sklda._base.scaling import Scaling
from sklda._base.sklearn_private import fit_context
from sklda._core.corpus import check_corpus
from sklda._core.problem import Corpus, Problem
from sklda._core.sampler import Sampler
from sklda._core.threads import Threads
from sklda._core.types import MatrixLike
from sklda._core.warn import warn_user
from sklda._dmr.covariates import to_units, warn_of_undetermined, with_intercept
from sklda._dmr.prior import CovariatePrior, mean_alpha
from sklda._dmr.weights import NormalPrior
from sklda._gibbs.base import BaseGibbsLDA
from sklda._gibbs.chain import Chain
from sklda._gibbs.kept_draws import check_keep_draws, posterior_draws
from sklda._gibbs.rows_or_lists import collapsed_sampler, uses_rows
from sklda._gibbs.run import Observer, chain_schedule, run_fit
from sklda._gibbs.sharded import sharded
from sklda._gibbs.start import check_init, first_topics
from sklda._gibbs.stored import check_documents, take_up


class BaseCovariateLDA(BaseGibbsLDA):
    """Sampler of topics and weights of covariates."""

    weight_scale: float
    intercept_scale: float
    sampler: Literal["auto", "dense", "sparse"]
    n_shards: int
    coef_: np.ndarray
    intercept_: np.ndarray
    coef_draws_: np.ndarray
    intercept_draws_: np.ndarray
    covariate_names_: np.ndarray
    _covariates_are_named = True  # by the user

    @property
    def _parameters(self) -> SimpleNamespace:
        parameters = super()._parameters
        parameters.learn_priors = None  # Minka's fixed point has no part in it
        return parameters

    @fit_context(prefer_skip_nested_validation=True)
    def _fit_chain(
        self,
        X,
        y=None,
        recorder: Observer | None = None,
        covariates: ArrayLike | None = None,
    ) -> Chain:
        parameters, chain = self._parameters, take_up(self)
        schedule = chain_schedule(parameters, goes_on=chain is not None)
        keep_draws, every = parameters.keep_draws, parameters.evaluate_every
        with fitting(self), make_threads(parameters, in_parallel=True) as threads:
            corpus = check_corpus(self, X, reset=chain is None)
            _warn_of_unused(y, covariates)
            given = numbers_of_covariates(covariates, corpus.doc_ptr.size - 1)
            problem = make_problem(self, corpus)
            sampler = self._make_sampler(problem, threads)
            if chain is None:
                check_keep_draws(keep_draws, schedule, problem)
                init, rng = check_init(self, problem), random_streams(self.random_state)
                scaling = Scaling.of(given.numbers, given.names)
                warn_of_undetermined(given.numbers, scaling)
                scaling = scaling._replace(named=given.named)
                of_weights = NormalPrior.of(
                    problem.doc_topic_prior,
                    parameters.intercept_scale,
                    np.full(len(given.names), parameters.weight_scale),
                )
                prior = CovariatePrior(scaling, given.numbers, of_weights, rng)
                problem = prior.begun(problem)

                def of_part(part, _):
                    return self._make_sampler(part, threads)

                z = first_topics(init, problem, of_part, rng, threads)
                chain = Chain(sampler, problem, rng, keep_draws, z, prior)
            else:
                check_documents(corpus, chain.problem.corpus, may_add=False)
                chain.prior.check_same(given.numbers)
                chain = chain.extended(sampler, corpus, threads)
                check_keep_draws(keep_draws, schedule, problem, len(chain.draws))
            chain.prior.threads = threads
            data = {"X": X, "y": y}
            if covariates is not None:
                data["metadata"] = {"covariates": covariates}
            run_fit(self, data, chain, schedule, every, recorder)
            self._end(chain, recorder)
        return chain

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        in_rows = uses_rows(self.sampler, problem)
        chosen = collapsed_sampler(None, None, in_rows, problem.n_topics)
        return sharded(chosen, problem, self._parameters.n_shards, threads)

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        components, theta = chain.finish()
        scaling = chain.prior.scaling
        coef, intercept = to_units(chain.prior.kept_weights, scaling)
        return {
            "coef_": coef.mean(axis=0),
            "intercept_": intercept.mean(axis=0),
            "coef_draws_": coef,
            "intercept_draws_": intercept,
            "covariate_names_": np.array(scaling.names, dtype=str),
            "_covariates_are_named": scaling.named,
            "components_": components,
            "doc_topic_": theta,
            "topic_assignments_": chain.z,
            "doc_topic_prior_": chain.shared_alpha,
            "topic_word_prior_": chain.problem.beta,
            "draws_": posterior_draws(chain),
            "log_joint_": np.array(chain.log_joint),
            "log_joint_iter_": np.array(chain.log_joint_sweeps, dtype=np.int64),
            "n_iter_": chain.n_sweeps,
        }

    def transform(
        self, X: MatrixLike, *, covariates: ArrayLike | None = None
    ) -> np.ndarray:
        """Estimate the topic proportions of documents under the fitted topics.

        The estimate is that of CollapsedGibbsLDA, with the alpha of the covariates.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.
        covariates : array-like, sparse matrix or DataFrame of shape (n_documents,) or \
(n_documents, n_covariates), default=None
            Covariates of the documents, with the same columns as in fit. If None, alpha
            is `doc_topic_prior_`, which describes the training documents as a whole.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
            Rows sum to 1. An empty document gets the prior mean.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If X does not contain counts of the same words as in fit, or covariates do
            not have a row of numbers for each document with as many columns as in fit.
        """
        return snapshot(self)._proportions(X, covariates)

    def score(
        self, X: MatrixLike, y: Any = None, *, covariates: ArrayLike | None = None
    ) -> float:
        """Return the mean log predictive probability of held-out tokens, in nats.

        Document completion as in CollapsedGibbsLDA, with the alpha of the covariates.
        Scores of both estimators are comparable if the vocabulary is the same; for
        others, see `sklda.metrics.vocabulary_score`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.
        y : None
            Ignored.
        covariates : array-like, sparse matrix or DataFrame of shape (n_documents,) or \
(n_documents, n_covariates), default=None
            As in transform.

        Returns
        -------
        float
            Mean over all tokens; higher is better. If X has no tokens, 0 with an
            UndefinedMetricWarning.

        Raises
        ------
        NotFittedError, ValueError
            As transform.
        """
        return snapshot(self)._score(X, covariates)

    def perplexity(
        self, X: MatrixLike, *, covariates: ArrayLike | None = None
    ) -> float:
        """Return ``exp(-score(X, covariates=covariates))``; lower is better.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.
        covariates : array-like, sparse matrix or DataFrame, default=None
            As in transform.

        Returns
        -------
        float
            A uniform model scores the number of words.

        Raises
        ------
        NotFittedError, ValueError
            As transform.
        """
        return float(np.exp(-self.score(X, covariates=covariates)))

    def _alpha_of(
        self, covariates: Any, n_documents: int
    ) -> tuple[np.ndarray, np.ndarray | None]:
        if covariates is None:
            return super()._alpha_of(None, n_documents)
        matrix = numbers_as_in_fit(self, covariates, n_documents)
        rows, row = np.unique(matrix, axis=0, return_inverse=True)
        return self._mean_alpha(rows), row.ravel().astype(np.int32)

    def _mean_alpha(self, covariates: np.ndarray) -> np.ndarray:
        """Return the posterior mean of alpha of rows of covariates."""
        return mean_alpha(with_intercept(covariates), weights_of(self))


def _warn_of_unused(y: Any, covariates: ArrayLike | None) -> None:
    """Warn of covariates that stand in the place of y, which no fit uses."""
    if covariates is None and getattr(y, "ndim", 1) == 2:
        warn_user(
            "DMRLDA does not use y, and covariates are missing: pass them by name, "
            "fit(X, covariates=...)."
        )


def weights_of(fitted: Any) -> np.ndarray:
    """Return intercepts and coefficients of all kept samples of a fitted model."""
    intercepts = fitted.intercept_draws_[..., np.newaxis]
    return np.concatenate([intercepts, fitted.coef_draws_], axis=-1)
