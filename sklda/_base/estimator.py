"""What all estimators share: parameters, validation, transform, score, the chain."""

import time
import warnings
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sklda._core.corpus import check_corpus, check_weights
from sklda._base.fold_in import completion_log_likelihood, doc_topic, prepare
from sklda._core.problem import MAX_TOPICS
from sklda._gibbs.chain import Chain, Schedule, run
from sklda._base.sklearn_private import CallbackSupportMixin, Interval, StrOptions, fit_context

# What float32 can still multiply and add in the kernels, with some room.
LOWEST_PRIOR, HIGHEST_PRIOR = 1e-10, 1e10


class BaseTopics(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    CallbackSupportMixin,
    BaseEstimator,
):
    """What topics have in common, supervised or not."""

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [Interval(Integral, 1, MAX_TOPICS, closed="both")],
        "doc_topic_prior": [
            None,
            Interval(Real, 0, None, closed="neither"),
            "array-like",
        ],
        "topic_word_prior": [None, Interval(Real, 0, None, closed="neither")],
        "learn_priors": [None, StrOptions({"symmetric", "asymmetric"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "evaluate_every": [Interval(Integral, 0, None, closed="left")],
        "n_shards": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    @property
    def _whole_counts(self) -> bool:
        """Whether X must hold whole numbers."""
        return True

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # Counts, not quantities: the check suite then feeds whole numbers.
        tags.input_tags.categorical = self._whole_counts
        return tags

    def _check_weights(self, X, *, reset):
        return check_weights(self, X, reset=reset, whole=self._whole_counts)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    @property
    def topic_word_(self) -> np.ndarray:
        """Probability of each word in each topic, (n_components, n_words)."""
        check_is_fitted(self)
        return self.components_ / self.components_.sum(axis=1, keepdims=True)

    @contextmanager
    def _unless_it_fails(self):
        """Leave what X sets as it was, if what happens inside fails."""
        names = ("n_features_in_", "feature_names_in_")
        before = {name: vars(self)[name] for name in names if name in vars(self)}
        try:
            yield
        except BaseException:
            for name in names:
                vars(self).pop(name, None)
            vars(self).update(before)
            raise

    @contextmanager
    def _callbacks(self, chain, max_iter, X, y):
        """Tell callbacks of begin and end; yield what tells them of each sweep.

        It is to be called with the chain, and returns True if they ask for the end.
        """
        data = {"estimator": self, "X": X, "y": y}

        def look():
            return self._fitted(chain.glimpse())

        fit_task = self._init_callback_context(max_subtasks=max_iter)
        fit_task.call_on_fit_task_begin(**data)

        def tell(chain):
            task = fit_task.subcontext(task_name=f"sweep {chain.n_sweeps}")
            task.call_on_fit_task_begin(**data)
            return task.call_on_fit_task_end(**data, reconstruction_attributes=look)

        yield tell
        fit_task.call_on_fit_task_end(**data, reconstruction_attributes=look)

    def _check_doc_topic_prior(self) -> np.ndarray:
        """Return alpha as (n_components,) float64."""
        n_topics = self.n_components
        prior = 1 / n_topics if self.doc_topic_prior is None else self.doc_topic_prior
        try:
            prior = np.asarray(prior, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"doc_topic_prior must hold numbers: {error}.") from error
        if prior.ndim > 0 and prior.shape != (n_topics,):
            raise ValueError(
                f"doc_topic_prior has shape {prior.shape}; it takes None, one number "
                f"for all topics, or an array of shape ({n_topics},): one for each of "
                f"the n_components={n_topics} topics."
            )
        fits = (prior >= LOWEST_PRIOR) & (prior <= HIGHEST_PRIOR)
        if not fits.all():
            raise ValueError(
                f"doc_topic_prior must be positive and finite, from {LOWEST_PRIOR} to "
                f"{HIGHEST_PRIOR:.0e}, and it holds {prior[~fits].flat[0]}. A topic "
                f"that is not wanted is left out by a smaller n_components."
            )
        return np.full(n_topics, prior)

    def _check_topic_word_prior(self) -> float:
        prior = self.topic_word_prior
        if prior is None:
            return 1 / self.n_components
        if not LOWEST_PRIOR <= prior <= HIGHEST_PRIOR:
            raise ValueError(
                f"topic_word_prior must be positive and finite, from {LOWEST_PRIOR} to "
                f"{HIGHEST_PRIOR:.0e}, got {prior}."
            )
        return float(prior)


class BaseLDA(BaseTopics):
    """Documents under fitted topics: transform, score, perplexity."""

    def transform(self, X: ArrayLike) -> np.ndarray:
        """Estimate the topic proportions of documents under the fitted topics.

        The result is the mode of the posterior of the proportions, in the softmax
        basis; there is one, so the answer is deterministic and the row of a document
        does not depend on its neighbours.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
            Rows sum to 1. A document without words gets the prior mean.

        Raises
        ------
        NotFittedError
            Before fit.
        ValueError
            If X does not hold counts of the words seen in fit.

        Notes
        -----
        Cost: O(K) per cell and step, about 50 steps; ``n_jobs`` threads. Memory: the
        result, and 4 K bytes per distinct word of X.
        """
        check_is_fitted(self)
        weights = self._check_weights(X, reset=False)
        weights, topics = prepare(weights, self.components_, self.doc_topic_prior_)
        return doc_topic(weights, topics, self.n_jobs)

    def score(self, X: ArrayLike, y: Any = None) -> float:
        """Return the mean log predictive probability of held-out tokens, in nats.

        Document completion: of each document every second token is held out and
        predicted with the topic proportions estimated from the others; then the
        halves change places. Comparable across folds, numbers of topics and of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts.
        y : None
            Ignored.

        Returns
        -------
        float
            Mean over all tokens; higher is better. 0 where X has no tokens, with an
            UndefinedMetricWarning.

        Raises
        ------
        NotFittedError
            Before fit.
        ValueError
            If X does not hold counts of the words seen in fit.

        Notes
        -----
        Cost: two times that of transform.
        """
        check_is_fitted(self)
        weights = self._check_weights(X, reset=False)
        n_tokens = weights.count.sum(dtype=np.float64)
        if n_tokens == 0:
            warnings.warn(
                "X holds no tokens, so their mean log probability is undefined and "
                "set to 0.0.",
                UndefinedMetricWarning,
                stacklevel=2,
            )
            return 0.0
        total = completion_log_likelihood(
            weights, self.components_, self.doc_topic_prior_, self.n_jobs
        )
        return float(total / n_tokens)

    def perplexity(self, X: ArrayLike) -> float:
        """Return ``exp(-score(X))``; lower is better.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts.

        Returns
        -------
        float
            A model that knows nothing has the size of the vocabulary.

        Raises
        ------
        NotFittedError
            Before fit.
        ValueError
            If X does not hold counts of the words seen in fit.
        """
        return float(np.exp(-self.score(X)))


class BaseSampler(BaseTopics):
    """Estimators that average samples of a Markov chain, whatever of."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseTopics._parameter_constraints,
        "burn_in": [None, Interval(Integral, 0, None, closed="left")],
        "thin": [Interval(Integral, 1, None, closed="left")],
    }

    def _schedule(self, evaluate_every: int) -> Schedule:
        burn_in = self.max_iter // 2 if self.burn_in is None else self.burn_in
        if burn_in >= self.max_iter:
            raise ValueError(
                f"burn_in={burn_in} leaves no sweep to keep: it must be smaller than "
                f"max_iter={self.max_iter}. None means half of max_iter."
            )
        return Schedule(
            self.max_iter, burn_in, self.thin, evaluate_every, self.learn_priors
        )

    def _start(self, corpus) -> tuple:
        """Return what a chain starts from: words, both priors and a seed as well."""
        entropy = check_random_state(self.random_state).randint(0, 2**31, size=4)
        return (
            corpus,
            self.n_features_in_,
            self._check_doc_topic_prior(),
            self._check_topic_word_prior(),
            np.random.SeedSequence(entropy.tolist()),
        )

    def _run(self, chain, schedule: Schedule, X, y, report) -> dict[str, Any]:
        """Run the chain and return the fitted attributes.

        ``report(chain)`` is called after the sweeps that the schedule evaluates.
        """
        with self._callbacks(chain, schedule.max_iter, X, y) as tell:

            def after_sweep(chain):
                if schedule.evaluates(chain.n_sweeps):
                    report(chain)
                return tell(chain)

            run(chain, schedule, after_sweep)
        return self._fitted(chain)


class BaseGibbsLDA(BaseSampler, BaseLDA):
    """Samplers of the posterior of LDA."""

    def _make_chain(self, *start) -> Chain:
        """Return a chain for a corpus, its number of words, both priors and a seed."""
        raise NotImplementedError

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Run the chain and average its kept samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts, of any dtype that holds whole numbers; never changed.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X holds anything but counts, or a parameter is out of its range.

        Notes
        -----
        Ctrl-C takes effect between sweeps; an interrupted fit leaves the estimator
        as it was.
        """
        with self._unless_it_fails():
            schedule = self._schedule(self.evaluate_every)
            chain = self._new_chain(X)
            n_tokens = chain.state.z.size
            progress = Progress(self, n_tokens)

            def report(chain):
                value = chain.log_joint[-1] / max(n_tokens, 1)
                progress.report(chain.n_sweeps, "log joint per token", value)

            fitted = self._run(chain, schedule, X, y, report)
        vars(self).update(fitted)
        return self

    def _new_chain(self, X) -> Chain:
        return self._make_chain(*self._start(check_corpus(self, X, reset=True)))

    def _fitted(self, chain: Chain) -> dict[str, Any]:
        """Finish the chain and return the fitted attributes."""
        components, theta = chain.finish()
        return {
            "components_": components,
            "doc_topic_": theta,
            "topic_assignments_": chain.state.z,
            "doc_topic_prior_": chain.doc_topic_prior,
            "topic_word_prior_": chain.topic_word_prior,
            "log_joint_": np.array(chain.log_joint),
            "log_joint_iter_": np.array(chain.log_joint_sweeps, dtype=np.int64),
            "n_iter_": chain.n_sweeps,
        }


class Progress:
    """Prints a line per entry of a trace, where the estimator is verbose."""

    def __init__(self, estimator: BaseTopics, n_tokens):
        self.estimator = estimator
        self.n_tokens = n_tokens
        self.since = time.perf_counter()
        self.swept = 0

    def report(self, sweep: int, name: str, value: float) -> None:
        """Print how far it has come."""
        if not self.estimator.verbose:
            return
        seconds = time.perf_counter() - self.since
        speed = self.n_tokens * (sweep - self.swept) / seconds / 1e6
        print(
            f"[{type(self.estimator).__name__}] "
            f"sweep {sweep}/{self.estimator.max_iter}, "
            f"{name} {value:.4f}, {speed:.1f} M tokens/s",
            flush=True,
        )
        self.since, self.swept = time.perf_counter(), sweep
