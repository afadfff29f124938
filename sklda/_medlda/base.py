"""What both estimators of MedLDA share: targets, the chain, proportions and scores.

`class_targets` and `number_targets` check y and make targets of it; `BaseMedLDA` fits a
chain to them and scores documents by their topic proportions.
"""

import sys
from dataclasses import KW_ONLY, dataclass, field
from numbers import Real
from textwrap import shorten
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array

from sklda._data.checks import check_structure
from sklda._data.corpus import MAX_32_BITS, Corpus
from sklda._data.sklearn_private import Interval, StrOptions
from sklda._data.types import InitLike, LearnPriors, MatrixLike
from sklda._engine.chain import Chain
from sklda._engine.estimator import (
    BaseChainEstimator,
    Fit,
    check_documents,
    check_unchanged,
)
from sklda._engine.start import check_init, first_topics
from sklda._fitted.fitted_topics import fitted_prior, snapshot
from sklda._fitted.fold_in import MAX_STEPS, doc_topic
from sklda._medlda.kernels.labels import fill_scores_of_task
from sklda._medlda.sampler import MaxMargin, SampledWeights, Tasks
from sklda._sampling.linear_algebra import pairwise_sum
from sklda._sampling.parameters import (
    POSITIVE_INTEGER,
    SHARD_CONSTRAINTS,
    random_streams,
)
from sklda._sampling.sampler import acceptance_rate
from sklda._sampling.threads import Threads

# Of C times the largest target: its square times `variates.HIGHEST_XI`, the largest
# exponent in kernels, is far from the limit of float32. Standardised numbers do not
# exceed the square root of the number of documents.
HIGHEST_STEEPNESS = 1e10


def check_labels(y):
    """Return labels of documents, or an indicator matrix of 0 and 1, also for -1 and 1.

    Raises
    ------
    ValueError
        If y is neither.
    """
    y = check_structure(y, "y")
    try:
        y = y.toarray() if issparse(y) else np.asarray(y)
        assert_all_finite(y, input_name="y")
        kind = type_of_target(y)
        problem = f"Unknown label type: {kind}."
    except (TypeError, ValueError) as error:  # which may print all of y
        kind, problem = "", shorten(str(error), 200)
    if kind == "multilabel-indicator":
        if np.isin(y, (0, 1)).all():
            return y
        if np.isin(y, (-1, 1)).all():
            return (y > 0).astype(np.int64)
        problem = f"its {y.shape[1]} columns have other values."
    elif kind in ("binary", "multiclass"):
        return y
    raise ValueError(
        "y must have a label for each document, or be an indicator matrix of 0 and 1: "
        f"{problem.rstrip('.')}. Leave out documents without a label. Convert lists of "
        "labels by sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y). For "
        "numbers, use MedLDARegressor."
    )


def class_targets(
    y: Any, name: str, class_weight: dict[Any, float] | str | None = None
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the classes, the targets, and whether y is multi-label.

    Targets are the weights of the classes of the documents, negative for documents that
    do not have the label of a task.
    """
    y = check_labels(y)
    if type_of_target(y) != "multilabel-indicator":
        y = column_or_1d(y, warn=True)
    binarizer = LabelBinarizer()
    targets = 2.0 * binarizer.fit_transform(y) - 1
    multilabel = binarizer.y_type_ == "multilabel-indicator"
    if len(binarizer.classes_) < 2 and not multilabel:
        raise ValueError(
            f"y contains only one class, {binarizer.classes_[0]}. {name} needs "
            "documents of at least 2 classes."
        )
    if class_weight is not None:
        _check_class_weight(class_weight)
        if multilabel:
            targets = _weigh_labels(targets, class_weight)
        else:
            targets *= compute_sample_weight(class_weight, y)[:, np.newaxis]
    return binarizer.classes_, targets, multilabel


def _weigh_labels(targets, class_weight) -> np.ndarray:
    """Return targets with weights for each column of an indicator matrix alone."""
    if class_weight == "balanced":  # columns with one value keep their targets
        weights = [compute_sample_weight("balanced", column) for column in targets.T]
        return targets * np.transpose(weights)
    labels = range(targets.shape[1])
    unknown = set(class_weight) - set(labels)
    if unknown:
        raise ValueError(
            f"class_weight has weights for {sorted(map(str, unknown))}, but the "
            f"labels are the columns of y, 0 to {len(labels) - 1}."
        )
    weights = np.array([class_weight.get(k, 1.0) for k in labels], float)
    return np.where(targets > 0, weights, -1.0)


def _check_class_weight(class_weight) -> None:
    """Raise ValueError unless a dict has finite weights above 0."""
    weights = [] if class_weight == "balanced" else class_weight.values()
    for weight in weights:
        if not isinstance(weight, Real) or not 0 < weight <= sys.float_info.max:
            raise ValueError(
                f"class_weight must contain finite weights above 0, got {weight!r}. "
                "Remove documents that should not count."
            )


def number_targets(y: Any) -> np.ndarray:
    """Return y as finite floats, (n_documents,)."""
    y = check_structure(y, "y")
    try:
        y = column_or_1d(y, warn=True)
        return check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(
            "y must have a finite number for each document. For labels, use "
            "MedLDAClassifier; for several columns, "
            f"sklearn.multioutput.MultiOutputRegressor. Problem: {error}"
        ) from error


def standardised(y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return y in standard deviations from its mean; the mean, the standard deviation.

    A constant becomes 0 and has the standard deviation 0. No finite y overflows, and
    units that are powers of two change no bit.
    """
    exponent = np.frexp(abs(y).max())[1]
    scaled = np.ldexp(y, -exponent)
    first = scaled[0]
    deviations = scaled - first  # exact where y is nearly constant
    mean = pairwise_sum(deviations) / deviations.size
    deviations -= mean
    scale = np.sqrt(pairwise_sum(deviations**2) / deviations.size)
    targets = deviations / (scale or 1.0)
    return targets, *(float(np.ldexp(x, exponent)) for x in (first + mean, scale))


# Hints are evaluated here, not strings: so subclasses elsewhere need not import them.
@dataclass(repr=False, eq=False)
class BaseMedLDA(BaseChainEstimator):
    """Topics whose proportions are the features of linear scores, one for each task."""

    n_components: int = 50
    _: KW_ONLY
    sampler: Literal["light", "gibbs"] = "light"
    C: float = 100.0
    prior_precision: float = 1000.0
    doc_topic_prior: float | ArrayLike | None = None
    topic_word_prior: float | ArrayLike | None = 0.01
    learn_priors: LearnPriors = None
    hyperpriors: dict[str, tuple[float, float]] | None = None
    max_iter: int = 50
    burn_in: int | None = None
    thin: int = 5
    init: InitLike = "annealed"
    warm_start: bool = False
    n_mh_steps: int = 6
    n_weight_steps: int | None = 2
    n_shards: int = 1
    n_jobs: int | None = None
    random_state: int | RandomState | None = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        **BaseChainEstimator._parameter_constraints,
        **SHARD_CONSTRAINTS,
        "sampler": [StrOptions({"light", "gibbs"})],
        "C": [Interval(Real, 1e-10, HIGHEST_STEEPNESS, closed="both")],
        "prior_precision": [Interval(Real, 1e-20, 1e20, closed="both")],
        "n_mh_steps": POSITIVE_INTEGER,
        "n_weight_steps": [None, *POSITIVE_INTEGER],
    }

    coef_: np.ndarray = field(init=False)
    loss_: np.ndarray = field(init=False)
    acceptance_rate_: np.ndarray = field(init=False)

    _most_steps: ClassVar[int] = MAX_STEPS  # to the proportions of a document

    def _tasks(self, y: Any) -> Tasks:
        """Return what is fitted to y, which is checked."""
        raise NotImplementedError

    def _check_extra(self, corpus: Corpus, y: Any) -> Tasks:
        n_tokens, name = corpus.token_ptr[-1], type(self).__name__
        if n_tokens > MAX_32_BITS:  # kernels number tokens in 32 bits
            raise ValueError(
                f"X has {n_tokens:,} tokens, above the limit of {MAX_32_BITS:,} for "
                "supervised models: fit on a sample of the documents."
            )
        if y is None:
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None."
            )
        check_consistent_length(corpus.begin, y)
        return self._tasks(y)

    def _started(self, fit: Fit) -> Chain:
        problem, schedule, tasks, threads = fit
        init, rng = check_init(self, problem), random_streams(self.random_state)
        annealing = schedule.annealing(problem, init, problem.corpus.token_ptr[-1])

        z = first_topics(init, problem, rng, threads)
        sampler = self._make_sampler(tasks, threads)
        response = SampledWeights(tasks, sampler.prior_precision, problem.n_topics)
        return Chain(sampler, problem, rng, z=z, response=response, annealing=annealing)

    def _continued(self, chain: Chain, fit: Fit) -> Chain:
        tasks = fit.extra
        check_documents(fit.problem.corpus, chain.problem.corpus, may_add=False)
        before = chain.response.tasks
        is_same = np.array_equal(tasks.targets, before.targets)
        for name, value in tasks.attributes.items():
            is_same = is_same and np.array_equal(value, before.attributes[name])
        check_unchanged(is_same, "y")
        chain.sampler = self._make_sampler(tasks, fit.threads)
        chain.response.tasks = tasks
        return chain

    def _make_sampler(
        self,
        tasks: Tasks,
        threads: Threads,
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
        )

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        own = {"acceptance_rate_": acceptance_rate(chain.info)}
        return super()._attributes(chain) | chain.response.attributes() | own

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
        ndarray of shape (n_documents, n_components)
            Rows sum to 1. A document without words gets the prior mean.

        Raises
        ------
        NotFittedError, ValueError
            Before fit; if X does not contain counts of the words seen in fit.

        Notes
        -----
        Cost: O(K) per cell and step, about 15 steps to convergence; `n_jobs` threads.
        """
        return snapshot(self)._proportions(X)

    # What follows is for snapshots: it reads several attributes.

    def _proportions(self, X: MatrixLike) -> np.ndarray:
        """Return the topic proportions of documents, (n_documents, n_topics)."""
        weights = self._check_weights(X, reset=False)
        before = np.append(0, np.cumsum(weights.count, dtype=np.float64))
        n_tokens = np.diff(before[weights.doc_ptr])[:, np.newaxis]
        alpha = fitted_prior(self, "doc_topic_prior_")
        prepared = self._under_topics(weights, alpha)
        theta = doc_topic(*prepared, self._n_jobs, self._most_steps)
        # theta (N + A) = N zbar + alpha, where A is the sum of alpha.
        expected = np.maximum(theta * (n_tokens + alpha.sum()) - alpha, 0)
        total = expected.sum(axis=1, keepdims=True)
        has_tokens = (n_tokens > 0) & (total > 0)
        zbar = expected / np.where(has_tokens, total, 1)
        return np.where(has_tokens, zbar, theta)

    def _scores(self, X: MatrixLike) -> np.ndarray:
        """Return the score of each task, (n_documents, n_tasks)."""
        by_topic = np.ascontiguousarray(self._proportions(X).T)
        coef = np.ascontiguousarray(self.coef_)
        scores = np.empty((len(coef), by_topic.shape[1]))
        for weights, score in zip(coef, scores, strict=True):
            fill_scores_of_task(by_topic, weights, score)
        return scores.T
