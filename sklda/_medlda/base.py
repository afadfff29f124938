"""What supervised estimators share: the chain of a fit, shares of topics, scores."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sklda._base.estimator import BaseSampler, Progress
from sklda._base.fold_in import doc_topic, prepare
from sklda._base.sklearn_private import Interval, StrOptions
from sklda._medlda.chain import Loss, OneVsRest, Settings, SupervisedChain
from sklda._medlda.kernels import gibbs as medlda_gibbs
from sklda._medlda.kernels import light as medlda_light

_REPORT_EVERY = 10  # sweeps, where verbose
_NOT_OURS = {"evaluate_every", "n_shards"}  # constraints of parameters of others


class BaseMedLDA(BaseSampler):
    """Topics whose proportions are the features of linear scores, one for each task."""

    _parameter_constraints: ClassVar[dict] = {
        **{
            name: constraint
            for name, constraint in BaseSampler._parameter_constraints.items()
            if name not in _NOT_OURS
        },
        "sampler": [StrOptions({"light", "gibbs"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "prior_precision": [Interval(Real, 0, None, closed="neither")],
        "n_mh_steps": [Interval(Integral, 1, None, closed="left")],
        "n_weight_steps": [Interval(Integral, 1, None, closed="left"), None],
    }

    _one_vs_rest = False  # topics of its own for each task

    def _make_chain(self, loss: Loss, targets, start):
        light = self.sampler == "light"
        settings = Settings(
            kernel=medlda_light if light else medlda_gibbs,
            kernel_arguments=(self.n_mh_steps,) if light else (),
            loss=loss,
            prior_precision=float(self.prior_precision),
            n_weight_steps=self.n_weight_steps or 0,
        )
        if self._one_vs_rest and targets.shape[1] > 1:
            return OneVsRest(settings, targets, *start, n_jobs=self.n_jobs)
        return SupervisedChain(settings, targets, *start)

    def _fit(self, X, y, corpus, loss: Loss, targets) -> dict[str, Any]:
        """Run the chain on valid targets, (n_documents, n_tasks)."""
        schedule = self._schedule(_REPORT_EVERY)
        chain = self._make_chain(loss, targets, self._start(corpus))
        progress = Progress(self, int(corpus.token_ptr[-1]))

        def report(chain):
            progress.report(chain.n_sweeps, "loss per document", chain.loss[-1])

        return self._run(chain, schedule, X, y, report)

    def _fitted(self, chain) -> dict[str, Any]:
        """Finish the chain and return the fitted attributes."""
        chains = chain.chains if isinstance(chain, OneVsRest) else [chain]
        coef = np.concatenate([one.coef() for one in chains])
        components, theta = zip(*(one.finish() for one in chains), strict=True)
        alpha = [one.doc_topic_prior for one in chains]
        beta = np.array([one.topic_word_prior for one in chains])
        return {
            "components_": np.concatenate(components),
            "doc_topic_": np.concatenate(theta, axis=1),
            "coef_": coef,
            "doc_topic_prior_": np.concatenate(alpha),
            "topic_word_prior_": beta,
            "loss_": np.array(chain.loss),
            "n_iter_": chain.n_sweeps,
        }

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Estimate the shares of the topics among the tokens of documents.

        They are expected under the fitted topics, without regard to labels: the answer
        is deterministic, and the row of a document does not depend on its neighbours.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents, n_topics)
            Rows sum to 1. A document without words gets the prior mean. One-vs-rest
            models have topics of their own for each class: their shares stand side by
            side, and each class sums to 1.

        Raises
        ------
        NotFittedError
            Before fit.
        ValueError
            If X does not hold counts of the words seen in fit.

        Notes
        -----
        Cost: O(K) per cell and step, about 50 steps; ``n_jobs`` threads.
        """
        check_is_fitted(self)
        weights = self._check_weights(X, reset=False)
        n_tokens = np.add.reduceat(
            np.append(weights.count, 0).astype(np.float64), weights.doc_ptr[:-1]
        )
        n_tokens[np.diff(weights.doc_ptr) == 0] = 0
        shares = np.empty((n_tokens.size, self.components_.shape[0]))
        for model in self._models():
            alpha = self.doc_topic_prior_[model]
            theta = doc_topic(
                *prepare(weights, self.components_[model], alpha), self.n_jobs
            )
            shares[:, model] = _shares(theta, n_tokens[:, np.newaxis], alpha)
        return shares

    def _models(self) -> list[slice]:
        """Return which topics belong together."""
        n_topics = self.coef_.shape[1]
        firsts = range(0, self.components_.shape[0], n_topics)
        return [slice(first, first + n_topics) for first in firsts]

    def _scores(self, X) -> np.ndarray:
        """Return the score of each task, (n_documents, n_tasks)."""
        shares = self.transform(X)
        models = self._models()
        if len(models) == 1:
            return shares @ self.coef_.T
        columns = [
            shares[:, model] @ coef
            for model, coef in zip(models, self.coef_, strict=True)
        ]
        return np.column_stack(columns)


def _shares(theta, n_tokens, alpha):
    """Turn theta, the mode, into expected shares: theta (N + A) = N zbar + alpha."""
    expected = np.maximum(theta * (n_tokens + alpha.sum()) - alpha, 0)
    total = expected.sum(axis=1, keepdims=True)
    has_tokens = (n_tokens > 0) & (total > 0)
    return np.where(has_tokens, expected / np.where(has_tokens, total, 1), theta)
