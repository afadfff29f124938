"""The base classes of estimators, and the frame around the sweeps of a fit.

`BaseTopicModel` is that of every estimator, supervised or not; `BaseLDA` adds
transform, score and perplexity of documents under fitted topics. The frame of a fit
handles failures, callbacks and progress.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import signature
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.utils.validation import check_is_fitted

from sklda._data.checks import label_list
from sklda._data.corpus import WeightedCorpus, check_repeatable, check_weights
from sklda._data.sklearn_private import (
    CALLBACK_ATTRIBUTES,
    CallbackSupportMixin,
    validate_parameter_constraints,
)
from sklda._data.types import MatrixLike
from sklda._data.version import __version__, series
from sklda._fitted.fitted_topics import (
    fitted_prior,
    normalisable_weights,
    snapshot,
    word_probabilities,
)
from sklda._fitted.fold_in import (
    FixedTopics,
    completion_score,
    doc_topic,
    make_topics,
    renumber,
    split_tokens,
)
from sklda._sampling.parameters import CONSTRAINTS, python_numbers

_VERSION = "_sklda_version"  # in stored models
# What the display of scikit-learn shows for an array that has not been read.
_UNREAD = type("ndarray", (), {"__repr__": lambda _: "made when it is read"})()


class BaseTopicModel(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    CallbackSupportMixin,
    BaseEstimator,
):
    """A matrix of counts in, topics out."""

    _parameter_constraints: ClassVar[dict] = CONSTRAINTS

    components_: np.ndarray
    doc_topic_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray
    n_iter_: int
    _whole_counts: ClassVar[bool] = True  # whether X must hold whole numbers
    # What the arrays that properties make are made of.
    _made_of: ClassVar[dict[str, str]] = {"topic_word_": "components_"}

    def _has(self, name: str) -> bool:
        """Return whether there is an attribute, without making an array."""
        if name in self._made_of:
            return name in vars(self) or self._has(self._made_of[name])
        return hasattr(self, name)

    def __dir__(self) -> list[str]:
        """Return the names of all attributes, without making arrays."""
        return list(filter(self._has, object.__dir__(self)))

    def _get_fitted_attr_html(self, doc_link: str = "") -> Any:
        """Tell scikit-learn's HTML display what fit has set, without making arrays.

        The name is private to scikit-learn. If another version has another one, its
        display reads all attributes.
        """
        made, shown = filter(self._has, self._made_of), BaseEstimator()
        vars(shown).update(dict.fromkeys(made, _UNREAD), **vars(self))
        return shown._get_fitted_attr_html(doc_link)

    @property
    def _parameters(self) -> SimpleNamespace:
        """The parameters, with numbers of Python."""
        arguments = signature(type(self)).parameters.values()
        hidden = [str(a) for a in arguments if a.kind is a.VAR_KEYWORD]
        if hidden:
            raise TypeError(
                f"The constructor of {type(self).__name__} hides parameters in "
                f"{hidden[0]}, where get_params and clone do not find them: list each "
                "parameter with its default."
            )
        names = self._parameter_constraints
        return python_numbers({n: v for n, v in vars(self).items() if n in names})

    @property
    def _n_jobs(self) -> int | None:
        """The number of threads after fit, checked in case it was changed."""
        return self._checked_parameter("n_jobs")

    def _checked_parameter(self, name: str) -> Any:
        """Return a parameter that is used after fit, checked in case it was changed."""
        constraints = {name: self._parameter_constraints[name]}
        value, caller = getattr(self, name), type(self).__name__
        validate_parameter_constraints(constraints, {name: value}, caller)
        return getattr(self._parameters, name)

    def __getstate__(self) -> dict[str, Any]:
        """Return the parameters, the fitted attributes and the version."""
        return {**super().__getstate__(), _VERSION: __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the parameters and attributes of a model; warn of another series."""
        attributes = dict(state)
        stored_by = attributes.pop(_VERSION, "unknown")
        if series(stored_by) != series(__version__):
            warnings.warn(
                InconsistentVersionWarning(
                    estimator_name=type(self).__name__,
                    current_sklearn_version=__version__,
                    original_sklearn_version=stored_by,
                ),
                stacklevel=2,  # the line that loads it: pickle.loads has no frame
            )
        # Parameters that came later have their defaults.
        super().__setstate__(type(self)().get_params(deep=False) | attributes)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # Counts, not quantities: the check suite then feeds whole numbers.
        tags.input_tags.categorical = self._whole_counts
        return tags

    def _check_weights(self, X, *, reset: bool) -> WeightedCorpus:
        return check_weights(self, X, reset=reset, whole=self._whole_counts)

    def fit_transform(
        self, X: MatrixLike, y: Any = None, **fit_params: Any
    ) -> np.ndarray:
        """Fit, and return ``transform(X)``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            As in fit, but no generator, which could be read only once.
        y : array-like, default=None
            As in fit.
        **fit_params : dict
            Further arguments of fit.

        Returns
        -------
        ndarray of shape (n_documents, n_topics)
            As from transform.
        """
        check_repeatable(X, "fit_transform")
        return super().fit_transform(X, y, **fit_params)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of ``transform(X)``, as in its data frames.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the words; checked against those of fit, otherwise ignored.

        Returns
        -------
        ndarray of shape (n_topics,)
            The names that `sklda.inspection.name_topics` has stored or, without them,
            the name of the class in lower case with the number of each topic.

        Raises
        ------
        NotFittedError
            Before fit.
        ValueError
            If `input_features` differ from the names in fit.
        """
        columns = super().get_feature_names_out(input_features)
        names = getattr(self, "topic_names_", columns)
        names = label_list(names, "topic_names_", "topics", len(columns))
        return np.array(names, dtype=object)

    @property
    def _n_features_out(self):
        return self._topic_shape[0]

    @property
    def _topic_shape(self) -> tuple[int, int]:
        """The numbers of topics and words, without making an array."""
        return self.components_.shape

    def _phi(self, words: np.ndarray) -> np.ndarray:
        """Return the probabilities of some words in topics, (n, n_topics)."""
        return word_probabilities(normalisable_weights(self, "components_"), words)

    def _under_topics(
        self, corpus: WeightedCorpus, alpha: np.ndarray
    ) -> tuple[WeightedCorpus, FixedTopics]:
        """Renumber the words that occur, and restrict the topics to them."""
        words, renumbered = renumber(corpus)
        return renumbered, make_topics(self._phi(words), alpha)

    @property
    def topic_word_(self) -> np.ndarray:
        """Probability of each word in each topic, (n_components, n_words)."""
        check_is_fitted(self)
        return word_probabilities(self.components_, slice(None)).T


class BaseLDA(BaseTopicModel):
    """Topics without labels: transform, score, perplexity."""

    doc_topic_prior_: np.ndarray
    topic_word_prior_: float | np.ndarray

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Estimate the topic proportions of documents under the fitted topics.

        Documents of up to 8 tokens get the posterior mean of the proportions. For
        others, and for weights that are not whole numbers, the result approximates it:
        the zero-order update of collapsed variational Bayes [1]_, repeated to its fixed
        point. It is deterministic, and the row of a document does not depend on other
        documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
            Rows sum to 1. An empty document gets the prior mean.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If X does not contain counts of the same words as in fit.

        Warns
        -----
        ConvergenceWarning
            If the proportions of documents are not within 0.001 of the fixed point
            after 2000 steps (sum of the absolute differences, as estimated).

        Notes
        -----
        Cost: O(K) per cell and step, about 15 steps, or O(2^n K + 3^n) for a document
        of n tokens, up to 8; ``n_jobs`` threads. Memory: the result, and 4 K bytes per
        distinct word of X.

        References
        ----------
        .. [1] A. Asuncion, M. Welling, P. Smyth, Y. W. Teh, "On smoothing and inference
           for topic models", UAI 2009.
        """
        return snapshot(self)._proportions(X)

    def score(self, X: MatrixLike, y: Any = None) -> float:
        """Return the mean log predictive probability of held-out tokens, in nats.

        Document completion: the tokens of each document are split at random into two
        halves. Those of one half are predicted with the topic proportions estimated
        from the other half; then the halves swap roles. Scores are comparable across
        folds, across numbers of topics and for any number of documents, but not across
        vocabularies: with fewer words, the task is easier, so a search over `min_df` or
        `max_features` would choose the smallest vocabulary. See
        `sklda.metrics.vocabulary_score`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.
        y : None
            Ignored.

        Returns
        -------
        float
            Mean over all tokens; higher is better. It is -inf if no topic has a word of
            X. If X has no tokens, 0 with an UndefinedMetricWarning.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If X does not contain counts of the same words as in fit.

        Notes
        -----
        The halves depend only on the words and counts of the document, so the score is
        repeatable, and all models with the same columns use the same halves. Their
        sizes differ by at most one token. A weight of 2.3, which CVBLDA accepts, counts
        as two tokens of weight 1 and one of 0.3.

        Over random halves, the standard deviation of the score is 0.0016 nats for 858
        documents of the KOS corpus (116,000 tokens) with 20 to 200 topics, and 0.002
        for the difference between two such models. It falls with the square root of the
        number of tokens.

        Cost: twice that of transform.
        """
        return snapshot(self)._score(X)

    def perplexity(self, X: MatrixLike) -> float:
        """Return ``exp(-score(X))``; lower is better.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.

        Returns
        -------
        float
            A uniform model scores the number of words.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If X does not contain counts of the same words as in fit.
        """
        return float(np.exp(-self.score(X)))

    # What follows is for snapshots: it reads several attributes.

    def _proportions(self, X: MatrixLike, covariates: Any = None) -> np.ndarray:
        """Return the topic proportions of documents, (n_documents, n_components)."""
        corpus = self._check_weights(X, reset=False)
        alpha, row = self._alpha_of(covariates, corpus.doc_ptr.size - 1)
        corpus, topics = self._under_topics(corpus, alpha)
        return doc_topic(corpus, topics, self._n_jobs, prior_row=row)

    def _score(self, X: MatrixLike, covariates: Any = None) -> float:
        """Return the mean log predictive probability of held-out tokens."""
        corpus = self._check_weights(X, reset=False)
        alpha, row = self._alpha_of(covariates, corpus.doc_ptr.size - 1)
        halves = split_tokens(corpus)
        corpus, topics = self._under_topics(corpus, alpha)
        n_jobs = self._n_jobs
        return completion_score(
            corpus,
            halves,
            topics,
            lambda half: doc_topic(half, topics, n_jobs, prior_row=row),
        )

    def _alpha_of(
        self, covariates: Any, n_documents: int
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return alpha, or several rows of it with the row of each document."""
        return fitted_prior(self, "doc_topic_prior_"), None


REPORT_EVERY = 10  # sweeps, where a verbose fit has no trace


@contextmanager
def fitting(estimator: BaseTopicModel) -> Iterator[None]:
    """Restore the attributes if the fit inside fails.

    The names of the topics go when the fit begins, before there are other topics.

    Set all attributes inside: after the check of X has set the first ones, Ctrl-C may
    come before the others.
    """
    before = dict(vars(estimator))
    vars(estimator).pop("topic_names_", None)
    try:
        yield
    except BaseException:
        now = vars(estimator)
        callbacks = {name: now[name] for name in CALLBACK_ATTRIBUTES if name in now}
        estimator.__dict__ = before | callbacks
        raise


@contextmanager
def fit_callbacks(
    estimator: BaseTopicModel,
    data: dict[str, Any],
    attributes: Callable[[], dict[str, Any]],
) -> Iterator[Callable[[int], bool]]:
    """Notify scikit-learn's callbacks of begin and end of the fit and of each sweep.

    `data` are X and y, and the "metadata" of a fit that takes more. Yield
    ``notify(sweep)``; call it after each sweep. It returns True if a callback wants the
    fit to stop. ``attributes()`` returns all fitted attributes as if the fit had
    stopped now.
    """
    data = {"estimator": estimator} | data
    end = data | {"reconstruction_attributes": attributes}
    fit_task = estimator._init_callback_context(max_subtasks=estimator.max_iter)
    fit_task.call_on_fit_task_begin(**data)

    def notify(sweep: int) -> bool:
        task = fit_task.subcontext(task_name=f"sweep {sweep}")
        task.call_on_fit_task_begin(**data)
        return task.call_on_fit_task_end(**end)

    yield notify
    fit_task.call_on_fit_task_end(**end)


@dataclass
class Progress:
    """Report every few sweeps, if the estimator is verbose.

    A line is logged if the user has a handler for information of "sklda", or printed.
    """

    estimator: BaseTopicModel
    n_tokens: float
    interval: int  # sweeps between two lines; 0 means 10, without what describes them
    until: int  # the last sweep
    describe: Callable[[], str]  # the present sample
    last_sweep: int = 0  # in the last line, which was printed at the time `since`
    since: float = field(default_factory=time.perf_counter)

    def report(self, sweep: int) -> None:
        """Report the sweep, what describes it, and the speed since the last line."""
        if not self.estimator.verbose or sweep % (self.interval or REPORT_EVERY) != 0:
            return
        rate = (sweep - self.last_sweep) / (time.perf_counter() - self.since)
        sample = [self.describe()] if self.interval > 0 else []
        speed = f"{self.n_tokens * rate / 1e6:.1f} M tokens/s"
        parts = [f"sweep {sweep}/{self.until}", *sample, speed]
        line = f"[{type(self.estimator).__name__}] {', '.join(parts)}"
        logger = logging.getLogger("sklda")
        if logger.hasHandlers() and logger.isEnabledFor(logging.INFO):
            logger.info(line)
        else:
            print(line, flush=True)
        self.since, self.last_sweep = time.perf_counter(), sweep
