"""Fit, transform and score of models with covariates."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from sklda._base.covariates import CovariateDesign, Scaling, design_of
from sklda._base.fitted_topics import snapshot
from sklda._base.schedule import Schedule
from sklda._chain.chain import Chain
from sklda._chain.estimator import BaseGibbsLDA
from sklda._chain.sharded import sharded
from sklda._core.problem import Corpus, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.sampler import Sampler
from sklda._core.threads import Threads
from sklda._core.types import MatrixLike
from sklda._core.warn import warn_user
from sklda._dmr.covariates import warn_of_undetermined, with_intercept
from sklda._dmr.prior import CovariatePrior, add_covariate_priors, mean_alpha
from sklda._dmr.weights import NormalPrior
from sklda._gibbs.rows_or_lists import collapsed_sampler, uses_rows


class BaseCovariateLDA(BaseGibbsLDA):
    """Estimators that sample topics and covariate weights."""

    weight_scale: float
    intercept_scale: float
    sampler: Literal["auto", "dense", "sparse"]
    n_shards: int
    coef_: np.ndarray
    intercept_: np.ndarray
    coef_draws_: np.ndarray
    intercept_draws_: np.ndarray
    covariate_names_: np.ndarray
    _covariate_design: dict
    formula: str | None
    reference: dict[str, str] | None
    _may_add_documents = False
    _add_priors = staticmethod(add_covariate_priors)
    _is_parallel = True  # threads share the topics whose weights are drawn

    @property
    def _parameters(self) -> SimpleNamespace:
        parameters = super()._parameters
        parameters.learn_priors = None  # covariates determine alpha instead
        parameters.hyperpriors = None
        return parameters

    def _check_beside(
        self, corpus: Corpus, y: Any, covariates: ArrayLike | None = None
    ) -> tuple[CovariateDesign, np.ndarray]:
        _warn_of_unused(y, covariates)
        n_documents = corpus.doc_ptr.size - 1
        return CovariateDesign.of(covariates, n_documents, self.formula, self.reference)

    def _sampled_prior(
        self,
        problem: Problem[Corpus],
        beside: tuple[CovariateDesign, np.ndarray],
        rng: RandomStreams,
    ) -> CovariatePrior:
        design, covariates = beside
        scaling = Scaling.of(covariates, design.names)
        warn_of_undetermined(covariates, scaling)
        weight_prior = NormalPrior.of(
            problem.doc_topic_prior,
            self._parameters.intercept_scale,
            np.full(len(design.names), self._parameters.weight_scale),
        )
        return CovariatePrior(design, scaling, covariates, weight_prior, rng)

    def _continued(
        self,
        chain: Chain,
        problem: Problem[Corpus],
        schedule: Schedule,
        beside: tuple[CovariateDesign, np.ndarray],
        threads: Threads,
    ) -> Chain:
        chain = super()._continued(chain, problem, schedule, beside, threads)
        chain.prior.check_same(beside[1])
        return chain

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        in_rows = uses_rows(self.sampler, problem)
        chosen = collapsed_sampler(None, None, in_rows, problem.n_topics)
        return sharded(chosen, problem, self._parameters.n_shards, threads)

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
        matrix = design_of(self).numbers(covariates, n_documents)
        rows, row = np.unique(matrix, axis=0, return_inverse=True)
        return self._mean_alpha(rows), row.ravel().astype(np.int32)

    def _mean_alpha(self, covariates: np.ndarray) -> np.ndarray:
        """Return the posterior mean of alpha for each row of covariates."""
        return mean_alpha(with_intercept(covariates), weights_of(self))


def _warn_of_unused(y: Any, covariates: ArrayLike | None) -> None:
    """Warn if covariates were passed in place of y, which fit ignores."""
    if covariates is None and getattr(y, "ndim", 1) == 2:
        warn_user(
            "DMRLDA does not use y, and covariates are missing: pass them by name, "
            "fit(X, covariates=...)."
        )


def weights_of(fitted: Any) -> np.ndarray:
    """Return intercepts and coefficients of all kept samples of a fitted model."""
    intercepts = fitted.intercept_draws_[..., np.newaxis]
    return np.concatenate([intercepts, fitted.coef_draws_], axis=-1)
