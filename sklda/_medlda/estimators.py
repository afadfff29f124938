"""Max-margin supervised topics: a classifier and a regressor."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin

from sklda._data.sklearn_private import Interval, StrOptions
from sklda._data.types import MatrixLike
from sklda._fitted.fitted_topics import snapshot
from sklda._fitted.fold_in import MAX_STEPS
from sklda._medlda.base import (
    HIGHEST_STEEPNESS,
    BaseMedLDA,
    check_labels,
    class_targets,
    number_targets,
    standardised,
)
from sklda._medlda.sampler import EpsilonInsensitive, Hinge, Tasks
from sklda._sampling.parameters import POSITIVE_INTEGER

# Words of a document repeat more than the model expects, so the converged proportions
# are too certain of few topics. Chosen on held-out training documents of 20 Newsgroups.
_FEW_STEPS = 3


@dataclass(repr=False, eq=False)
class MedLDAClassifier(ClassifierMixin, BaseMedLDA):
    """Max-margin supervised LDA for classification: topics that separate classes.

    The model is Latent Dirichlet Allocation with a linear score for each class: a
    weighted sum of the topic proportions, the fractions of a document's tokens in each
    topic. The weights have a normal prior, and each document incurs the hinge loss of
    its label and score, so the topics explain words and labels [1]_, [2]_.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics K, 1 to 65,535.
    sampler : "light" or "gibbs", default="light"
        Algorithm that resamples the topics of tokens: "light" uses Metropolis-Hastings
        steps in O(1) each [1]_, "gibbs" takes O(K) [2]_. Both have the same posterior.
    C : float, default=100.0
        Weight of the labels relative to the words, from 1e-10 to 1e10. The loss of a
        document is 2 C max(0, 1 - y s) for the score s and the label y, -1 or 1. If a
        program defines it as 2 c max(0, l - y s), set C = c l: the author of [1]_ uses
        c = 1.6 and l = 64, so C = 102.4.
    prior_precision : float, default=1000.0
        Precision of the normal prior on the weights, from 1e-20 to 1e20. In a program
        with margins of l, weights are l times as large, so its precision of 1 is l ** 2
        here: 4096 for the author of [1]_. If it is small, weights separate the training
        documents before topics fit their words, and predictions suffer.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Dirichlet parameter alpha of the topic proportions, from 1e-10 to 1e10. Small
        values give each document few topics. None means 1 / K.
    topic_word_prior : float or array-like, default=0.01
        Dirichlet parameter beta of the words in topics, from 1e-10 to 1e10: one number,
        or an array of shape (n_words,) or (n_components, n_words), such as the result
        of `seed_word_prior`. Small values give each topic few words. None means 1 / K.
    learn_priors : "auto", "symmetric", "asymmetric", "hierarchical" or None, \
default=None
        "auto" learns the priors that are None: one alpha per topic, and beta.
        "symmetric" and "asymmetric" learn both, from where they start, with one alpha
        for all topics or one per topic. They use Minka's fixed point in every sweep of
        the burn-in, once an annealed start has ended. Both priors remain between 0.0001
        and 1000, and an array for beta does not change. "hierarchical" samples alpha
        after each sweep, from the posterior of a hierarchical Dirichlet process with at
        most `n_components` topics. See "Let the data choose the number of topics" in
        the user guide. None leaves both priors as they are.
    hyperpriors : dict or None, default=None
        Shapes and rates of the gamma priors of "hierarchical", by name, as in
        CollapsedGibbsLDA. Ignored for other values of `learn_priors`.
    max_iter : int, default=50
        Number of sweeps.
    burn_in : int, default=None
        Number of sweeps to discard at the start, less than `max_iter`. None means half
        of `max_iter`.
    thin : int, default=5
        Keep every `thin`-th sample after burn-in, counted back from the last sweep,
        which is always kept.
    init : "annealed", "random", array-like or estimator, default="annealed"
        Start of the chain; the posterior is the same. "random" draws the topics of
        tokens uniformly or, if `topic_word_prior` is an array, in proportion to it.
        "annealed" also lets beta, if it is one number, fall from a large value to its
        own in at most 250 sweeps of the burn-in: better topics in fewer sweeps. An
        array of topics, of shape (n_components, n_words), or a fitted model with such
        `components_`, starts from these topics.
    warm_start : bool, default=False
        If True, fit continues the chain of the last fit for `max_iter` more sweeps, bit
        for bit as in one long fit. "Continue a fit" in the user guide explains what may
        change in between. The stored chain takes the memory of a fit.
    n_mh_steps : int, default=6
        Metropolis-Hastings steps per token and sweep of "light". On 20 Newsgroups,
        three steps were as accurate and took two thirds of the time.
    n_weight_steps : int or None, default=2
        Passes over the weights in each sweep. A pass resamples the weights one by one
        [1]_. None draws all weights of a task jointly, in O(K ** 3) [2]_.
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
    class_weight : dict, "balanced" or None, default=None
        Factors that multiply the loss of the documents of each class; the default
        factor is 1. "balanced" uses n_documents / (n_classes * n_documents of the
        class), which helps with rare classes. If y is an indicator matrix, the factor
        of a column applies to the documents with its label, and "balanced" gives them
        the same total weight as the others, in each column.
    n_fold_in_steps : int, default=None
        Maximum number of steps that estimate the topic proportions of a document in
        transform and predict; 2000 reach convergence. None means 3 if each document has
        one of three or more classes, otherwise 2000. You can change it after fit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes; if y is an indicator matrix, its column numbers.
    coef_ : ndarray of shape (n_tasks, n_components)
        Weights of the topics, averaged over the kept samples.
    components_ : ndarray of shape (n_components, n_features_in_)
        Expected number of tokens of each word in each topic, plus beta.
    topic_word_ : ndarray of shape (n_components, n_features_in_)
        Probability of each word in each topic: the rows of `components_` normalised.
    doc_topic_ : ndarray of shape (n_documents, n_components)
        Expected topic proportions of the training documents.
    loss_ : ndarray of shape (n_iter_,)
        Hinge loss after each sweep, including the factors of `class_weight`: sum over
        the tasks, mean over the documents.
    acceptance_rate_ : ndarray of shape (n_iter_,)
        Share of proposed topic changes that each sweep accepts; 1 for "gibbs".
    moved_tokens_ : ndarray of shape (n_iter_,)
        Share of the tokens whose topic each sweep changes, measured on up to 65,536.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha after the last sweep; its mean over the kept samples if it is sampled.
    topic_word_prior_ : float or ndarray of shape (n_components, n_features_in_)
        Beta after the last sweep; an array if the parameter is an array.
    topic_weights_ : ndarray of shape (n_components,) or None
        With "hierarchical", the share of each topic in alpha, averaged over the kept
        samples; otherwise None.
    n_topics_ : dict of str to ndarray of shape (3,), or None
        With "hierarchical", the mean and the ends of the 95 % interval, over the sweeps
        after burn-in, of "n_topics", the number of topics that hold all but 1 % of the
        tokens, and "n_nonempty", the number of topics with any tokens.
    prior_trace_ : dict of str to ndarray of shape (n_updates,), or None
        Priors after each "sweep" that changed them: "doc_concentration" (the sum of
        alpha) and "topic_word_prior" (beta). With "hierarchical", the values sampled,
        under the names in `hyperpriors`, and "n_topics" and "n_nonempty" of that sweep.
    n_iter_ : int
        Number of sweeps performed.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, if the columns of X have names.

    See Also
    --------
    MedLDARegressor : The same model for numbers instead of classes.
    CollapsedGibbsLDA : Topics without labels.

    Notes
    -----
    Two classes are one task. Otherwise each class, or column of an indicator matrix, is
    a task, and all tasks share the topics. To give each class topics of its own, wrap
    the estimator in :class:`sklearn.multiclass.OneVsRestClassifier`. There is no
    intercept: topic proportions sum to 1, so adding a constant to all weights has the
    same effect. If you need no topics, a linear SVM of tf-idf is usually more accurate,
    above all for rare labels: see "Accuracy" in the user guide.

    Cost of a sweep: "light" O(n_mh_steps) per token and O(K) per document, times the
    number of tasks; "gibbs" O(K) per token and O(K tasks) per document and topic of it.
    A joint draw of the weights adds O(K^3) per task. Shards resample topics in
    parallel, and tasks their weights. Memory: 4 K bytes per word, 2 to 4 per pair of a
    kept topic and document or word, 24 bytes per document and task, 64 during a sweep.

    References
    ----------
    .. [1] X. Zheng, Y. Yu, E. P. Xing, "Linear time samplers for supervised topic
       models using compositional proposals" (2016).
    .. [2] J. Zhu, N. Chen, H. Perkins, B. Zhang, "Gibbs max-margin topic models with
       data augmentation", JMLR 15 (2014).
    .. [3] F. Yan, N. Xu, Y. Qi, "Parallel inference for latent Dirichlet allocation on
       graphics processing units", NIPS 2009.
    .. [4] T. P. Minka, "Estimating a Dirichlet distribution" (2000).

    Examples
    --------
    >>> from sklda import MedLDAClassifier
    >>> from sklda.datasets import make_bars
    >>> X, doc_topic, _ = make_bars(n_samples=200, random_state=0)
    >>> y = doc_topic[:, :5].sum(axis=1) > 0.5  # rows or columns?
    >>> model = MedLDAClassifier(n_components=10, random_state=0).fit(X[:150], y[:150])
    >>> model.predict(X[150:]).shape
    (50,)
    """

    _: KW_ONLY
    class_weight: dict[Any, float] | Literal["balanced"] | None = None
    n_fold_in_steps: int | None = None

    classes_: np.ndarray = field(init=False)
    _multilabel: bool = field(init=False)

    _parameter_constraints: ClassVar[dict] = {
        **BaseMedLDA._parameter_constraints,
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_fold_in_steps": [None, *POSITIVE_INTEGER],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.poor_score = True  # of documents that are not counts
        return tags

    def fit(self, X: MatrixLike, y: ArrayLike | MatrixLike) -> Self:
        """Run the chain and average the kept samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts: whole numbers of any dtype. X is not modified.
        y : array-like of shape (n_documents,) or (n_documents, n_classes)
            Labels of at least two classes, or an indicator matrix: 1 for each label of
            a document, otherwise 0 (or -1 in an ndarray).

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X does not contain counts, y does not contain labels of at least two
            classes, or a parameter is out of range.

        Notes
        -----
        Ctrl-C takes effect within about a second or, with several threads, after the
        current sweep. An interrupted fit leaves the estimator unchanged.
        """
        self._fit_chain(X, y)
        return self

    def _tasks(self, y: Any) -> Tasks:
        parameters, name = self._parameters, type(self).__name__
        classes, targets, multilabel = class_targets(y, name, parameters.class_weight)
        loss, largest = Hinge(float(parameters.C)), abs(targets).max(initial=0)
        if loss.C * largest > HIGHEST_STEEPNESS:
            raise ValueError(
                f"C times the largest weight of a class must be at most "
                f"{HIGHEST_STEEPNESS:.0e}, got C={loss.C:g} times {largest:.3g}. Use a "
                "smaller C or smaller values of class_weight."
            )
        return Tasks(loss, targets, {"classes_": classes, "_multilabel": multilabel})

    @property
    def _most_steps(self) -> int:
        n_steps = self._checked_parameter("n_fold_in_steps")
        if n_steps is not None:
            return min(n_steps, MAX_STEPS)
        highest_wins = not self._multilabel and len(self.classes_) > 2
        return _FEW_STEPS if highest_wins else MAX_STEPS

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return the score of each class, a weighted sum of topic proportions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_classes)
            Two classes share one score, which is above 0 for the second class.

        Raises
        ------
        NotFittedError, ValueError
            Before fit; if X does not contain counts of the words seen in fit.
        """
        fitted = snapshot(self)
        scores = fitted._scores(X)
        return scores if fitted._multilabel or scores.shape[1] > 1 else scores[:, 0]

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Return the class with the highest score, or all labels with positive scores.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_classes)
            Classes, or indicators 0 and 1 if y was an indicator matrix in fit.

        Raises
        ------
        NotFittedError, ValueError
            Before fit; if X does not contain counts of the words seen in fit.
        """
        fitted = snapshot(self)
        scores = fitted._scores(X)
        if fitted._multilabel:
            return (scores > 0).astype(np.int64)
        if scores.shape[1] == 1:
            return fitted.classes_[(scores[:, 0] > 0).astype(np.intp)]
        return fitted.classes_[scores.argmax(axis=1)]

    def score(
        self,
        X: MatrixLike,
        y: ArrayLike | MatrixLike,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the accuracy, the fraction of documents whose labels are all correct.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.
        y : array-like of shape (n_documents,) or (n_documents, n_classes)
            Labels, or an indicator matrix as in fit.
        sample_weight : array-like of shape (n_documents,), default=None
            Weights of the documents.

        Returns
        -------
        float
            Accuracy, from 0 to 1.

        Raises
        ------
        NotFittedError, ValueError
            Before fit; if X does not contain counts of the words in fit, or y no
            labels.
        """
        return float(super().score(X, check_labels(y), sample_weight))


@dataclass(repr=False, eq=False)
class MedLDARegressor(RegressorMixin, BaseMedLDA):
    """Max-margin supervised LDA for regression: topics that explain a number.

    The model is that of MedLDAClassifier with one score s per document and the
    epsilon-insensitive loss 2 C max(0, abs(y - s) - epsilon) [2]_, for y in standard
    deviations from its mean. So the unit and the origin of y do not matter: a y + b
    with a > 0 gives the same fit, to rounding.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics K, 1 to 65,535.
    sampler : "light" or "gibbs", default="light"
        Algorithm that resamples the topics of tokens: "light" uses Metropolis-Hastings
        steps in O(1) each [1]_, "gibbs" takes O(K) [2]_. Both have the same posterior.
    C : float, default=100.0
        Weight of the loss, for errors in standard deviations of y, relative to the
        words, from 1e-10 to 1e10.
    prior_precision : float, default=100.0
        Precision of the normal prior on the weights of standardised y, from 1e-20 to
        1e20.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Dirichlet parameter alpha of the topic proportions, from 1e-10 to 1e10. Small
        values give each document few topics. None means 1 / K.
    topic_word_prior : float or array-like, default=0.01
        Dirichlet parameter beta of the words in topics, from 1e-10 to 1e10: one number,
        or an array of shape (n_words,) or (n_components, n_words), such as the result
        of `seed_word_prior`. Small values give each topic few words. None means 1 / K.
    learn_priors : "auto", "symmetric", "asymmetric", "hierarchical" or None, \
default=None
        "auto" learns the priors that are None: one alpha per topic, and beta.
        "symmetric" and "asymmetric" learn both, from where they start, with one alpha
        for all topics or one per topic. They use Minka's fixed point in every sweep of
        the burn-in, once an annealed start has ended. Both priors remain between 0.0001
        and 1000, and an array for beta does not change. "hierarchical" samples alpha
        after each sweep, from the posterior of a hierarchical Dirichlet process with at
        most `n_components` topics. See "Let the data choose the number of topics" in
        the user guide. None leaves both priors as they are.
    hyperpriors : dict or None, default=None
        Shapes and rates of the gamma priors of "hierarchical", by name, as in
        CollapsedGibbsLDA. Ignored for other values of `learn_priors`.
    max_iter : int, default=50
        Number of sweeps.
    burn_in : int, default=None
        Number of sweeps to discard at the start, less than `max_iter`. None means half
        of `max_iter`.
    thin : int, default=5
        Keep every `thin`-th sample after burn-in, counted back from the last sweep,
        which is always kept.
    init : "annealed", "random", array-like or estimator, default="annealed"
        Start of the chain; the posterior is the same. "random" draws the topics of
        tokens uniformly or, if `topic_word_prior` is an array, in proportion to it.
        "annealed" also lets beta, if it is one number, fall from a large value to its
        own in at most 250 sweeps of the burn-in: better topics in fewer sweeps. An
        array of topics, of shape (n_components, n_words), or a fitted model with such
        `components_`, starts from these topics.
    warm_start : bool, default=False
        If True, fit continues the chain of the last fit for `max_iter` more sweeps, bit
        for bit as in one long fit. "Continue a fit" in the user guide explains what may
        change in between. The stored chain takes the memory of a fit.
    n_mh_steps : int, default=6
        Metropolis-Hastings steps per token and sweep of "light". On 20 Newsgroups,
        three steps were as accurate and took two thirds of the time.
    n_weight_steps : int or None, default=2
        Passes over the weights in each sweep. A pass resamples the weights one by one
        [1]_. None draws all weights of a task jointly, in O(K ** 3) [2]_.
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
    epsilon : float, default=0.1
        Largest error without loss, in standard deviations of y, from 0 to 1e10.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_components)
        Weights of the topics, averaged over the kept samples.
    intercept_ : float
        Mean of y in fit, towards which the prior on the weights shrinks predictions.
    scale_ : float
        Standard deviation of y in fit, the unit of `C`, `epsilon` and `loss_`. If it is
        0, all predictions are `intercept_`.
    components_ : ndarray of shape (n_components, n_features_in_)
        Expected number of tokens of each word in each topic, plus beta.
    topic_word_ : ndarray of shape (n_components, n_features_in_)
        Probability of each word in each topic: the rows of `components_` normalised.
    doc_topic_ : ndarray of shape (n_documents, n_components)
        Expected topic proportions of the training documents.
    loss_ : ndarray of shape (n_iter_,)
        Mean of max(0, abs(y - s) - epsilon) over the documents, after each sweep, in
        standard deviations of y.
    acceptance_rate_ : ndarray of shape (n_iter_,)
        Share of proposed topic changes that each sweep accepts; 1 for "gibbs".
    moved_tokens_ : ndarray of shape (n_iter_,)
        Share of the tokens whose topic each sweep changes, measured on up to 65,536.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha after the last sweep; its mean over the kept samples if it is sampled.
    topic_word_prior_ : float or ndarray of shape (n_components, n_features_in_)
        Beta after the last sweep; an array if the parameter is an array.
    topic_weights_ : ndarray of shape (n_components,) or None
        With "hierarchical", the share of each topic in alpha, averaged over the kept
        samples; otherwise None.
    n_topics_ : dict of str to ndarray of shape (3,), or None
        With "hierarchical", the mean and the ends of the 95 % interval, over the sweeps
        after burn-in, of "n_topics", the number of topics that hold all but 1 % of the
        tokens, and "n_nonempty", the number of topics with any tokens.
    prior_trace_ : dict of str to ndarray of shape (n_updates,), or None
        Priors after each "sweep" that changed them: "doc_concentration" (the sum of
        alpha) and "topic_word_prior" (beta). With "hierarchical", the values sampled,
        under the names in `hyperpriors`, and "n_topics" and "n_nonempty" of that sweep.
    n_iter_ : int
        Number of sweeps performed.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, if the columns of X have names.

    See Also
    --------
    MedLDAClassifier : The same model for classes; its notes give cost and memory.

    References
    ----------
    .. [1] X. Zheng, Y. Yu, E. P. Xing, "Linear time samplers for supervised topic
       models using compositional proposals" (2016).
    .. [2] J. Zhu, N. Chen, H. Perkins, B. Zhang, "Gibbs max-margin topic models with
       data augmentation", JMLR 15 (2014).
    .. [3] F. Yan, N. Xu, Y. Qi, "Parallel inference for latent Dirichlet allocation on
       graphics processing units", NIPS 2009.
    .. [4] T. P. Minka, "Estimating a Dirichlet distribution" (2000).

    Examples
    --------
    >>> from sklda import MedLDARegressor
    >>> from sklda.datasets import make_bars
    >>> X, doc_topic, _ = make_bars(n_samples=200, random_state=0)
    >>> y = doc_topic[:, :5].sum(axis=1)
    >>> model = MedLDARegressor(n_components=10, random_state=0).fit(X[:150], y[:150])
    >>> model.predict(X[150:]).shape
    (50,)
    """

    _: KW_ONLY
    prior_precision: float = 100.0
    epsilon: float = 0.1

    intercept_: float = field(init=False)
    scale_: float = field(init=False)

    _parameter_constraints: ClassVar[dict] = {
        **BaseMedLDA._parameter_constraints,
        "epsilon": [Interval(Real, 0, 1e10, closed="both")],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # of documents that are not counts
        return tags

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Run the chain and average the kept samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts: whole numbers of any dtype. X is not modified.
        y : array-like of shape (n_documents,)
            Numbers to predict.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X does not contain counts, or y or a parameter is out of range.

        Notes
        -----
        Ctrl-C takes effect within about a second or, with several threads, after the
        current sweep. An interrupted fit leaves the estimator unchanged.
        """
        self._fit_chain(X, y)
        return self

    def _tasks(self, y: Any) -> Tasks:
        parameters = self._parameters
        targets, mean, scale = standardised(number_targets(y))
        loss = EpsilonInsensitive(float(parameters.C), float(parameters.epsilon), scale)
        attributes = {"intercept_": mean, "scale_": scale}
        return Tasks(loss, targets[:, np.newaxis], attributes)

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Predict y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents,)
            The intercept plus the score of each document.

        Raises
        ------
        NotFittedError, ValueError
            Before fit; if X does not contain counts of the words seen in fit.
        """
        fitted = snapshot(self)
        return fitted._scores(X)[:, 0] + fitted.intercept_
