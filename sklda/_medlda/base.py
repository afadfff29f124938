"""The base class of MedLDA: the run of the chain, topic proportions, scores."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, NoReturn

import numpy as np

from sklda._base.fitted_topics import fitted_prior, snapshot
from sklda._base.fold_in import MAX_STEPS, doc_topic
from sklda._base.parameters import (
    SHARD_CONSTRAINTS,
    learned_priors,
    random_streams,
)
from sklda._base.schedule import Schedule
from sklda._base.sklearn_private import Interval, StrOptions
from sklda._chain.chain import Chain
from sklda._chain.estimator import BaseChainEstimator, sum_attributes
from sklda._chain.hierarchical_prior import prior_attributes
from sklda._chain.start import check_init, first_topics
from sklda._chain.stored import check_documents
from sklda._core.problem import Corpus, Problem
from sklda._core.sampler import acceptance_rate
from sklda._core.threads import Threads
from sklda._core.types import MatrixLike
from sklda._medlda.kernels.weights import fill_scores_of_task
from sklda._medlda.losses import SampledWeights, Tasks
from sklda._medlda.sampler import MaxMargin
from sklda._medlda.targets import HIGHEST_STEEPNESS, check_size

# A sweep with labels takes longer than one without, so there are fewer than without.
STAGES_OF_MANY = ((0.02, 100), (0.1, 20))


class BaseMedLDA(BaseChainEstimator):
    """Topics whose proportions are the features of linear scores, one for each task."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseChainEstimator._parameter_constraints,
        **SHARD_CONSTRAINTS,
        "sampler": [StrOptions({"light", "gibbs"})],
        "C": [Interval(Real, 1e-10, HIGHEST_STEEPNESS, closed="both")],
        "prior_precision": [Interval(Real, 1e-20, 1e20, closed="both")],
        "n_mh_steps": [Interval(Integral, 1, None, closed="left")],
        "n_weight_steps": [Interval(Integral, 1, None, closed="left"), None],
    }

    coef_: np.ndarray
    loss_: np.ndarray
    acceptance_rate_: np.ndarray
    moved_tokens_: np.ndarray
    doc_topic_prior_: np.ndarray
    topic_word_prior_: np.ndarray
    topic_weights_: np.ndarray | None
    n_topics_: dict[str, np.ndarray] | None
    prior_trace_: dict[str, np.ndarray] | None

    def _tasks(self, documents, y) -> Tasks:
        """Return the tasks of labels, checked."""
        raise NotImplementedError

    def _check_beside(self, corpus: Corpus, y: Any) -> Tasks:
        check_size(corpus)
        return self._tasks(corpus.begin, y)

    def _started(
        self,
        problem: Problem[Corpus],
        schedule: Schedule,
        beside: Tasks,
        threads: Threads,
    ) -> Chain:
        init, rng = check_init(self, problem), random_streams(self.random_state)
        annealing = schedule.annealing(problem, init, problem.corpus.token_ptr[-1])

        def sampler_of_part(_, documents, weights):
            return self._make_sampler(beside.of(documents), threads, weights)

        # Each part begins with the weights of the one before it, and so does the chain.
        z, weights = first_topics(
            init,
            problem,
            sampler_of_part,
            rng,
            threads,
            STAGES_OF_MANY,
            hand_on=lambda state: state.weights,
        )
        sampler = self._make_sampler(beside, threads, weights)
        response = SampledWeights(beside, sampler.prior_precision, problem.n_topics)
        return Chain(sampler, problem, rng, z=z, response=response, annealing=annealing)

    def _continued(
        self,
        chain: Chain,
        problem: Problem[Corpus],
        schedule: Schedule,
        beside: Tasks,
        threads: Threads,
    ) -> Chain:
        check_documents(problem.corpus, chain.problem.corpus, may_add=False)
        _check_labels(chain.response.tasks, beside)
        chain.sampler = self._make_sampler(beside, threads)
        chain.response.tasks = beside
        return chain

    def _make_sampler(
        self,
        tasks: Tasks,
        threads: Threads,
        first_weights: np.ndarray | None = None,
    ) -> MaxMargin:
        """Return the sampler that the parameters choose."""
        parameters = self._parameters
        return MaxMargin(
            prior_precision=float(parameters.prior_precision),
            n_weight_steps=parameters.n_weight_steps,
            n_mh_steps=parameters.n_mh_steps if self.sampler == "light" else None,
            loss=tasks.loss,
            targets=tasks.targets,
            n_shards=parameters.n_shards,
            threads=threads,
            first_weights=first_weights,
        )

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        problem, learned = chain.mean_problem, learned_priors(self._parameters)
        return {
            **chain.response.attributes(),
            **sum_attributes(*chain.sums()),
            "doc_topic_prior_": problem.doc_topic_prior,
            "topic_word_prior_": np.atleast_1d(problem.beta),
            **prior_attributes(chain.prior, learned, chain.prior_updates),
            "acceptance_rate_": acceptance_rate(chain.info),
            "moved_tokens_": np.array(chain.moved),
            "n_iter_": chain.n_sweeps,
        }

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Estimate the topic proportions among the tokens of documents.

        The result is their expectation under the fitted topics or, for a classifier,
        the estimate after `n_fold_in_steps` steps towards them. It is
        deterministic, and the row of a document does not depend on other rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents, n_topics)
            Rows sum to 1; in a one-vs-rest model, the proportions for each class do. A
            document without words gets the prior mean.

        Raises
        ------
        NotFittedError, ValueError
            Before fit; if X does not contain counts of the words seen in fit.

        Notes
        -----
        Cost: O(K) per cell and step, about 15 steps to convergence; `n_jobs` threads.
        """
        return snapshot(self)._proportions(X)

    @property
    def predict_proba(self) -> NoReturn:
        """Not available: raises AttributeError, which names the way out."""
        raise AttributeError(
            f"{type(self).__name__} has no predict_proba, because it predicts scores: "
            "sklearn.calibration.CalibratedClassifierCV(MedLDAClassifier(...)) "
            "estimates probabilities from them."
        )

    predict_log_proba = predict_proba

    # What follows is for snapshots: it reads several attributes.

    @property
    def _most_steps(self) -> int:
        """Most steps to the topic proportions of a document."""
        return MAX_STEPS

    def _proportions(self, X: MatrixLike) -> np.ndarray:
        """Return the topic proportions of documents, (n_documents, n_topics)."""
        weights = self._check_weights(X, reset=False)
        n_tokens = np.add.reduceat(
            np.append(weights.count, 0).astype(np.float64), weights.doc_ptr[:-1]
        )
        n_tokens[np.diff(weights.doc_ptr) == 0] = 0
        n_tokens = n_tokens[:, np.newaxis]
        proportions = np.empty((n_tokens.size, self._n_topics))
        for model in self._models():
            alpha = fitted_prior(self, "doc_topic_prior_")[model]
            prepared = self._under_topics(weights, alpha, model)
            theta = doc_topic(*prepared, self._n_jobs, self._most_steps)
            # theta (N + A) = N zbar + alpha, where A is the sum of alpha.
            expected = np.maximum(theta * (n_tokens + alpha.sum()) - alpha, 0)
            total = expected.sum(axis=1, keepdims=True)
            has_tokens = (n_tokens > 0) & (total > 0)
            zbar = expected / np.where(has_tokens, total, 1)
            proportions[:, model] = np.where(has_tokens, zbar, theta)
        return proportions

    @property
    def _n_models(self) -> int:
        """Number of models: that of the classes with one-vs-rest, otherwise 1."""
        return self._n_topics // self.coef_.shape[1]

    def _models(self) -> list[slice]:
        """Return which topics belong together."""
        n_topics = self.coef_.shape[1]
        return [slice(k * n_topics, (k + 1) * n_topics) for k in range(self._n_models)]

    def _scores(self, X: MatrixLike) -> np.ndarray:
        """Return the score of each task, (n_documents, n_tasks)."""
        by_topic = np.ascontiguousarray(self._proportions(X).T)
        coef = np.ascontiguousarray(self.coef_)
        scores = np.empty((len(coef), by_topic.shape[1]))
        models = self._models()
        for t, weights in enumerate(coef):
            model = models[t] if len(models) > 1 else models[0]
            fill_scores_of_task(by_topic[model], weights, scores[t])
        return scores.T


def _check_labels(before: Tasks, tasks: Tasks) -> None:
    """Raise ValueError unless the labels are those of the last fit."""
    unchanged = all(
        np.array_equal(value, before.attributes[name])
        for name, value in tasks.attributes.items()
    )
    if not np.array_equal(tasks.targets, before.targets) or not unchanged:
        raise ValueError(
            "With warm_start=True, fit continues the chain of the last fit, so y "
            "must be the same; but it differs. Pass the same y, or start again "
            "with warm_start=False."
        )
