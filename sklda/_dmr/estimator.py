"""Dirichlet-multinomial regression: alpha depends on covariates of the documents.

The sampler of topics is that of collapsed Gibbs sampling; `sklda._dmr.prior` has the
weights of the covariates, which the chain samples as the prior of the topics.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from numbers import Real
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from sklda._covariates.design import (
    FORMULA_CONSTRAINTS,
    CovariateDesign,
    Scaling,
    check_same_order,
    design_of,
)
from sklda._data.corpus import Corpus, check_repeatable
from sklda._data.notices import warn_user
from sklda._data.sklearn_private import Interval
from sklda._data.types import InitLike, MatrixLike
from sklda._dmr.prior import (
    CovariatePrior,
    NormalPrior,
    add_covariate_priors,
    alpha_of,
    warn_of_undetermined,
    with_intercept,
)
from sklda._engine.chain import Chain
from sklda._engine.estimator import BaseGibbsLDA, Fit
from sklda._engine.sharded import sharded
from sklda._fitted.fitted_topics import snapshot
from sklda._gibbs.collapsed import collapsed_sampler
from sklda._sampling.linear_algebra import logs
from sklda._sampling.parameters import SHARD_CONSTRAINTS
from sklda._sampling.problem import Problem
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.sampler import Sampler
from sklda._sampling.threads import Threads

_SCALE = Interval(Real, 1e-3, 10, closed="both")
_CONSTRAINTS = {
    name: constraints
    for name, constraints in BaseGibbsLDA._parameter_constraints.items()
    if name not in ("learn_priors", "hyperpriors")
}


@dataclass(repr=False, eq=False)
class DMRLDA(BaseGibbsLDA):
    """Latent Dirichlet Allocation whose topic proportions depend on covariates.

    Dirichlet-multinomial regression [1]_: a document with covariates c_d has the
    proportions theta_d ~ Dirichlet(alpha_d), alpha_dk = exp(b_k + c_d . w_k). The
    topics of the tokens and the weights are sampled in turn, so intervals for the
    effects of covariates include the uncertainty of both.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    weight_scale : float, default=1.0
        Standard deviation of the normal prior on the weights of standardised
        covariates, from 0.001 to 10. A weight is the change of the logarithm of alpha
        for one standard deviation of a covariate.
    intercept_scale : float, default=3.0
        Standard deviation of the normal prior on the intercepts, from 0.001 to 10.
    formula : str, default=None
        Formula of the covariates for formulaic, such as ``"rating + bs(day, 4)"``:
        interactions, curves, and contrasts such as ``C(party, Treatment('ind'))``. It
        needs ``pip install "sklda[formulas]"``, a frame of covariates, and an
        intercept. New documents are treated as in fit: `bs` keeps its knots, `center`
        its mean and `C` its levels; terms with statistics of their own, such as
        ``age.mean()``, are refused. Beyond the values of fit, `bs` warns unless its
        argument `extrapolation` says what to do. Store such a model with pickle or
        joblib; skops does not know formulas. None means the columns themselves.
    reference : dict of str to str, default=None
        Reference level of categorical covariates, ``{"party": "ind"}``. By default the
        first level.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Median of the prior of alpha for a document with mean covariates, from 1e-10 to
        1e10. None means 1 / K.
    topic_word_prior : float or array-like, default=None
        Dirichlet parameter beta of the words in topics, from 1e-10 to 1e10: one number,
        or an array of shape (n_words,) or (n_components, n_words), such as the result
        of `seed_word_prior`. Small values give each topic few words. None means 1 / K.
    max_iter : int, default=1000
        Number of sweeps.
    burn_in : int, default=None
        Number of sweeps to discard at the start, less than `max_iter`. None means half
        of `max_iter`.
    thin : int, default=5
        Keep every `thin`-th sample after burn-in, counted back from the last sweep,
        which is always kept.
    keep_draws : int, default=0
        Number of kept samples whose counts are stored in `draws_`, evenly spaced. The
        weights of all kept samples are in `coef_draws_` and `intercept_draws_`.
    evaluate_every : int, default=10
        Number of sweeps between two entries of the trace; 0 means no trace.
    init : "annealed", "random", array-like or estimator, default="annealed"
        Start of the chain; the posterior is the same. "random" draws the topics of
        tokens uniformly or, if `topic_word_prior` is an array, in proportion to it.
        "annealed" also lets beta, if it is one number, fall from a large value to its
        own in at most 250 sweeps of the burn-in: better topics in fewer sweeps. An
        array of topics, of shape (n_components, n_words), or a fitted model with such
        `components_`, starts from these topics.
    warm_start : bool, default=False
        If True, fit continues the chain of the last fit to the same documents and
        covariates for `max_iter` more sweeps, bit for bit as in one long fit.
    n_shards : int, default=1
        Number of shards, at most 128, that sweep in parallel on `n_jobs` threads.
        Documents and words are both divided into shards; no two shards work on the same
        word at the same time, so all share one table of counts [3]_. One shard is
        exact. Several are an approximation, because topic totals are updated only after
        each of the `n_shards` phases of a sweep; it is close if there are far more
        documents than shards. The fitted model depends on `n_shards`.
    n_jobs : int, default=None
        Number of threads. None means 1, -1 all processors. The result is bit-identical
        for any number.
    random_state : int, RandomState instance or None, default=None
        Seed. Pass an int for reproducible results.
    verbose : int, default=0
        If 1, print the progress of fit and the compilation of kernels.

    Attributes
    ----------
    coef_ : ndarray of shape (n_components, n_covariates)
        Posterior means of the weights: the change of the logarithm of alpha for one
        unit of a covariate.
    intercept_ : ndarray of shape (n_components,)
        Posterior means of the intercepts.
    coef_draws_ : ndarray of shape (n_kept, n_components, n_covariates)
        Weights of each kept sample.
    intercept_draws_ : ndarray of shape (n_kept, n_components)
        Intercepts of each kept sample.
    covariate_names_ : ndarray of shape (n_covariates,)
        Names of the covariates, or x0, x1, ... if they have none, with the level for
        categories, as in "party[right]"; those of formulaic for a formula.
    components_ : ndarray of shape (n_components, n_features_in_)
        Expected number of tokens of each word in each topic, plus beta.
    topic_word_ : ndarray of shape (n_components, n_features_in_)
        Probability of each word in each topic: the rows of `components_` normalised.
    doc_topic_ : ndarray of shape (n_documents, n_components)
        Expected topic proportions of the training documents.
    draws_ : sklda.inspection.PosteriorDraws or None
        The samples stored by `keep_draws`; None if it is 0.
    topic_assignments_ : ndarray of shape (n_tokens,)
        Topic of each training token in the last sweep. Tokens are ordered by document,
        then by word.
    moved_tokens_ : ndarray of shape (n_iter_,)
        Share of the tokens whose topic each sweep changes, measured on up to 65,536 of
        them. It falls while topics form, and is steady once they have.
    log_joint_ : ndarray of shape (n_evaluations,)
        Trace of log p(w, z, weights | beta) in nats, including all constants, with the
        weights of standardised covariates.
    log_joint_iter_ : ndarray of shape (n_evaluations,)
        Sweeps after which the entries of `log_joint_` were recorded.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha for documents of unknown covariates: the one alpha that best explains the
        topics of all training documents in the last sweep (Minka's fixed point, by
        which CollapsedGibbsLDA learns alpha).
    topic_word_prior_ : float or ndarray of shape (n_components, n_features_in_)
        Beta after the last sweep; an array if the parameter is an array.
    n_iter_ : int
        Number of sweeps performed.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, if the columns of X have names.

    See Also
    --------
    sklda.inspection.predicted_proportions : What the model says of covariates.
    sklda.inspection.estimate_effect : Regressions after a fit without covariates.

    Notes
    -----
    Given the topics, the weights are drawn by data augmentation. Tables of Chinese
    restaurant processes and a beta variate for each document turn the likelihood into
    that of one Poisson regression per topic, whose weights are drawn by elliptical
    slice sampling [2]_ around their mode. Nothing needs tuning. Threads share these
    draws, which are exact with any number of shards.

    Covariates are standardised internally, and weights are returned in the units of the
    covariates. Weights that make any alpha smaller than 1e-11 or larger than 1e11 have
    a prior density of 0.

    Cost of a sweep: that of CollapsedGibbsLDA, plus O(tokens) for the tables and about
    ten passes of O(F^2) for each topic and distinct row of F covariates. Memory: that
    of CollapsedGibbsLDA, plus 24 bytes for each topic and row and 8 for each kept
    weight.

    References
    ----------
    .. [1] D. Mimno, A. McCallum, "Topic models conditioned on arbitrary features with
       Dirichlet-multinomial regression", UAI 2008.
    .. [2] R. Nishihara, I. Murray, R. P. Adams, "Parallel MCMC with generalized
       elliptical slice sampling", JMLR 15 (2014).
    .. [3] F. Yan, N. Xu, Y. Qi, "Parallel inference for latent Dirichlet allocation on
       graphics processing units", NIPS 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from sklda import DMRLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> X, theta, _ = make_lda_corpus(50, 30, 3, random_state=0)
    >>> year = 2000 + 20 * theta[:, 0]
    >>> dmr = DMRLDA(3, max_iter=100, random_state=0).fit(X, covariates=year)
    >>> dmr.coef_.shape, dmr.transform(X, covariates=year).shape
    ((3, 1), (50, 3))
    """

    n_components: int = 10
    _: KW_ONLY
    weight_scale: float = 1.0
    intercept_scale: float = 3.0
    formula: str | None = None
    reference: dict[str, str] | None = None
    doc_topic_prior: float | ArrayLike | None = None
    topic_word_prior: float | ArrayLike | None = None
    max_iter: int = 1000
    burn_in: int | None = None
    thin: int = 5
    keep_draws: int = 0
    evaluate_every: int = 10
    init: InitLike = "annealed"
    warm_start: bool = False
    n_shards: int = 1
    n_jobs: int | None = None
    random_state: int | RandomState | None = None
    verbose: int = 0

    coef_: np.ndarray = field(init=False)
    intercept_: np.ndarray = field(init=False)
    coef_draws_: np.ndarray = field(init=False)
    intercept_draws_: np.ndarray = field(init=False)
    covariate_names_: np.ndarray = field(init=False)
    _covariate_design: dict = field(init=False)
    _may_add_documents = False
    _add_priors = staticmethod(add_covariate_priors)
    _is_parallel = True  # threads share the topics whose weights are drawn

    # With metadata routing, covariates are passed on unless set_fit_request and so on
    # say otherwise.
    __metadata_request__fit: ClassVar[dict] = {"covariates": True}
    __metadata_request__transform: ClassVar[dict] = {"covariates": True}
    # Pipeline.score of scikit-learn 1.9 always passes a sample_weight, most often None.
    __metadata_request__score: ClassVar[dict] = {
        "covariates": True,
        "sample_weight": None,
    }

    _parameter_constraints: ClassVar[dict] = {
        **_CONSTRAINTS,
        "weight_scale": [_SCALE],
        "intercept_scale": [_SCALE],
        **FORMULA_CONSTRAINTS,
        **SHARD_CONSTRAINTS,
    }

    def fit(
        self,
        X: MatrixLike,
        y: Any = None,
        *,
        covariates: ArrayLike | None = None,
    ) -> Self:
        """Run the chain and average its kept samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts, as in CollapsedGibbsLDA.
        y : None
            Ignored.
        covariates : array-like, sparse matrix or DataFrame of shape (n_documents,) or \
(n_documents, n_covariates), default=None
            What describes the documents, in the same order: numbers, categories or
            dates, see `sklda.inspection.estimate_effect`. None means intercepts only.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X contains values other than counts, covariates do not have a row of
            finite numbers, categories or dates for each document, X and covariates are
            frames with the same index in another order, standard deviations of
            covariates are not from 1e-50 to 1e50, or a parameter is out of range.

        Warns
        -----
        UserWarning
            If covariates are constant or collinear, or a category has more than 20
            levels or one document each.
        """
        more = {} if covariates is None else {"covariates": covariates}
        self._fit_chain(X, y, **more)
        return self

    def fit_transform(
        self, X: MatrixLike, y: Any = None, *, covariates: ArrayLike | None = None
    ) -> np.ndarray:
        """Fit, and return ``transform(X, covariates=covariates)``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts, but no generator, which could be read only once.
        y : None
            Ignored.
        covariates : array-like, sparse matrix or DataFrame, default=None
            As in fit.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
            Rows sum to 1.
        """
        check_repeatable(X, "fit_transform")
        return self.fit(X, y, covariates=covariates).transform(X, covariates=covariates)

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

    @property
    def _parameters(self) -> SimpleNamespace:
        parameters = super()._parameters
        parameters.learn_priors = None  # covariates determine alpha instead
        parameters.hyperpriors = None
        return parameters

    def _fit_chain(self, X, y=None, recorder: Any = None, **more) -> Any:
        check_same_order(X, more.get("covariates"))
        return super()._fit_chain(X, y, recorder, **more)

    def _check_extra(
        self, corpus: Corpus, y: Any, covariates: ArrayLike | None = None
    ) -> tuple[CovariateDesign, np.ndarray]:
        if covariates is None and getattr(y, "ndim", 1) == 2:
            warn_user(
                "DMRLDA does not use y, and covariates are missing: pass them by name, "
                "fit(X, covariates=...)."
            )
        n_documents = corpus.doc_ptr.size - 1
        return CovariateDesign.of(covariates, n_documents, self.formula, self.reference)

    def _sampled_prior(
        self,
        problem: Problem[Corpus],
        extra: tuple[CovariateDesign, np.ndarray],
        rng: RandomStreams,
    ) -> CovariatePrior:
        design, covariates = extra
        scaling = Scaling.of(covariates, design.names)
        warn_of_undetermined(covariates, scaling)
        # Under this prior, `doc_topic_prior` is the median of alpha.
        centre = np.zeros((problem.n_topics, 1 + len(design.names)))
        centre[:, 0] = logs(problem.doc_topic_prior)
        scale = np.full(1 + len(design.names), float(self._parameters.weight_scale))
        scale[0] = self._parameters.intercept_scale
        weight_prior = NormalPrior(centre, scale)
        return CovariatePrior(design, scaling, covariates, weight_prior, rng)

    def _continued(self, chain: Chain, fit: Fit) -> Chain:
        chain = super()._continued(chain, fit)
        chain.prior.check_same(fit.extra[1])
        return chain

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        chosen = collapsed_sampler(problem.n_topics)
        return sharded(chosen, problem, self._parameters.n_shards, threads)

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
        intercepts = self.intercept_draws_[..., np.newaxis]
        weights = np.concatenate([intercepts, self.coef_draws_], axis=-1)
        x = with_intercept(covariates)
        return sum(alpha_of(x, sample) for sample in weights) / len(weights)
