"""Topics that tell classes apart."""

from typing import ClassVar, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from sklda._base.sklearn_private import StrOptions, fit_context
from sklda._core.corpus import check_corpus
from sklda._medlda.base import BaseMedLDA
from sklda._medlda.chain import Hinge


class MedLDAClassifier(ClassifierMixin, BaseMedLDA):
    """Topics that tell classes apart: max-margin supervised LDA.

    Latent Dirichlet Allocation, and for each class a linear score of the topic shares
    of a document: shares are the mean of the indicators of its tokens' topics, and the
    weights of the topics have a normal prior. A document pays the hinge loss of its
    label for each score, so topics are drawn to explain words and labels at once
    [1]_, [2]_.

    Parameters
    ----------
    n_components : int, default=50
        Number of topics K, 1 to 65,535; of each class where `multi_class` is "ovr".
    sampler : "light" or "gibbs", default="light"
        How a sweep draws the topic of a token. Gibbs draws it from its conditional, in
        O(K) [2]_. Light takes Metropolis-Hastings steps in O(1), with proposals that
        are the factors of the conditional [1]_. Both have the same posterior.
    multi_class : "multitask" or "ovr", default="multitask"
        How more than two classes, or several labels, are learned. Multitask has one set
        of topics for all classes, and a weight of each topic for each class. One
        versus rest fits a model of its own, with topics of its own, for each class.
    C : float, default=100.0
        The loss of a document is 2 C max(0, 1 - y s) for the score s and the label y,
        -1 or 1. A program that writes it as 2 c max(0, l - y s) has C = c l: the author
        of [1]_ takes c = 1.6 and l = 64, so C = 102.4.
    prior_precision : float, default=1000.0
        Of the normal prior of the weights. A program with margins of l has weights l
        times as large, so its precision 1 is l ** 2 here, 4096 for that author. Less
        regularised weights tell the training documents apart before the topics have
        found their words, and tell new documents apart less well.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Alpha, from 1e-10 to 1e10: small values give documents few topics. None is
        1 / K.
    topic_word_prior : float, default=0.01
        Beta, from 1e-10 to 1e10: small values give topics few words. None is 1 / K.
    learn_priors : None, "symmetric" or "asymmetric", default=None
        Whether alpha (one value, or one per topic) and beta are fitted to the data, by
        Minka's fixed point: every 10 sweeps during burn-in.
    max_iter : int, default=50
        Sweeps.
    burn_in : int, default=None
        Sweeps at the start of which no sample is kept, less than `max_iter`. None is
        half of `max_iter`.
    thin : int, default=5
        Sweeps between two samples that are kept; the last sweep always is one.
    n_mh_steps : int, default=6
        Of "light": steps for each token of a sweep. Three take about two thirds of the
        time of six, and were as good on 20 Newsgroups with 50 to 200 topics.
    n_weight_steps : int or None, default=2
        Passes over the weights in each sweep, one weight drawn after the other, in O(1)
        for each document and topic of it [1]_. None draws all weights of a task
        jointly, in O(K ** 3) [2]_.
    n_jobs : int, default=None
        Threads of transform and predict, and of fit where `multi_class` is "ovr"; None
        is 1, -1 all processors. The result never depends on it, bit for bit.
    random_state : int, RandomState instance or None, default=None
        Seed; an int makes the fit repeatable.
    verbose : int, default=0
        1 prints a line every 10 sweeps: sweep, loss per document, tokens per second.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes; of indicators, the numbers of the columns.
    coef_ : ndarray of shape (n_tasks, n_components)
        Weights of the topics, mean over the kept samples. There is one task for two
        classes, else one for each class.
    components_ : ndarray of shape (n_topics, n_features_in_)
        Expected tokens of each word on each topic, plus beta. Here and below there are
        `n_components` topics, or as many for each class of "ovr", in the order of
        `classes_`.
    topic_word_ : ndarray of shape (n_topics, n_features_in_)
        Rows of `components_` normalised: the probability of each word in each topic.
    doc_topic_ : ndarray of shape (n_documents, n_topics)
        Topic proportions of the training documents, given their labels, mean over the
        kept samples.
    loss_ : ndarray of shape (n_iter_,)
        Hinge loss after each sweep, sum over the tasks, mean over the documents.
    doc_topic_prior_ : ndarray of shape (n_topics,)
        Alpha at the end.
    topic_word_prior_ : ndarray of shape (n_models,)
        Beta at the end: one value, or one for each class of "ovr".
    n_iter_ : int
        Sweeps done.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Words, where X named its columns.

    See Also
    --------
    MedLDARegressor : The same for numbers in place of classes.
    CollapsedGibbsLDA : Topics without labels.

    Notes
    -----
    Labels are rows of y where y is an indicator matrix (multi-label): each column is a
    task, and predict gives such a matrix.

    There is no intercept: the shares of a document sum to 1, so a constant is a weight
    that all topics have in common. A document without words has the prior mean as its
    shares.

    Cost of a sweep: "light" O(n_mh_steps) per token and O(K) per document, times the
    tasks; "gibbs" O(K) per token, O(K tasks) per document and topic of it, and O(K^3)
    per task. Memory: 4 K bytes per word, 8 K for the averages of words and of
    documents, 24 bytes per document and task.

    References
    ----------
    .. [1] X. Zheng, Y. Yu, E. P. Xing, "Linear time samplers for supervised topic
       models using compositional proposals" (2016).
    .. [2] J. Zhu, N. Chen, H. Perkins, B. Zhang, "Gibbs max-margin topic models with
       data augmentation", JMLR 15 (2014).

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

    def __init__(
        self,
        n_components: int = 50,
        *,
        sampler: str = "light",
        multi_class: str = "multitask",
        C: float = 100.0,
        prior_precision: float = 1000.0,
        doc_topic_prior: float | ArrayLike | None = None,
        topic_word_prior: float | None = 0.01,
        learn_priors: str | None = None,
        max_iter: int = 50,
        burn_in: int | None = None,
        thin: int = 5,
        n_mh_steps: int = 6,
        n_weight_steps: int | None = 2,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.sampler = sampler
        self.multi_class = multi_class
        self.C = C
        self.prior_precision = prior_precision
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learn_priors = learn_priors
        self.max_iter = max_iter
        self.burn_in = burn_in
        self.thin = thin
        self.n_mh_steps = n_mh_steps
        self.n_weight_steps = n_weight_steps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    _parameter_constraints: ClassVar[dict] = {
        **BaseMedLDA._parameter_constraints,
        "multi_class": [StrOptions({"multitask", "ovr"})],
    }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.poor_score = True  # of documents that are not counts
        return tags

    @property
    def _one_vs_rest(self):
        return self.multi_class == "ovr"

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Run the chain and average its kept samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts, of any dtype that holds whole numbers; never changed.
        y : array-like of shape (n_documents,) or (n_documents, n_classes)
            Labels of at least two classes; or an indicator matrix of 0 and 1, with any
            number of labels per document.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X holds anything but counts, y anything but labels of at least two
            classes, or a parameter is out of its range.

        Notes
        -----
        Ctrl-C takes effect between sweeps; an interrupted fit leaves the estimator
        as it was.
        """
        with self._unless_it_fails():
            corpus = check_corpus(self, X, reset=True)
            classes, targets, multilabel = _check_labels(X, y, type(self).__name__)
            fitted = self._fit(X, y, corpus, Hinge(float(self.C)), targets)
        vars(self).update(fitted, classes_=classes, _multilabel=multilabel)
        return self

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Return the score of each class: the weighted shares of the topics.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_classes)
            One for two classes: above 0 for the second one.

        Raises
        ------
        NotFittedError
            Before fit.
        ValueError
            If X does not hold counts of the words seen in fit.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 and not self._multilabel else scores

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the class of the highest score, or all labels with scores above 0.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
            Word counts.

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_classes)
            Classes; or indicators, if y in fit was a matrix of these.

        Raises
        ------
        NotFittedError
            Before fit.
        ValueError
            If X does not hold counts of the words seen in fit.
        """
        scores = self._scores(X)
        if self._multilabel:
            return (scores > 0).astype(np.int64)
        if scores.shape[1] == 1:
            return self.classes_[(scores[:, 0] > 0).astype(np.intp)]
        return self.classes_[scores.argmax(axis=1)]


def _check_labels(X, y, name) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the classes, the targets -1 and 1, and whether there may be several."""
    if y is None:
        raise ValueError(
            f"{name} requires y to be passed, but the target y is None: topics are "
            f"learned from labels; without them take CollapsedGibbsLDA."
        )
    check_consistent_length(X, y)
    if not issparse(y):
        y = np.asarray(y)
        if y.dtype.kind in ("f", "O"):
            assert_all_finite(y, input_name="y")
    if type_of_target(y, input_name="y", raise_unknown=True) != "multilabel-indicator":
        y = column_or_1d(y, warn=True)
    check_classification_targets(y)
    binarizer = LabelBinarizer()
    targets = 2.0 * binarizer.fit_transform(y) - 1
    multilabel = binarizer.y_type_ == "multilabel-indicator"
    if len(binarizer.classes_) < 2 and not multilabel:
        raise ValueError(
            f"y holds one class only, {binarizer.classes_[0]}, and {name} learns to "
            f"tell classes apart: it needs documents of at least 2 classes."
        )
    return binarizer.classes_, targets, multilabel
