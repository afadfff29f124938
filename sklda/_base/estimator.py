"""The base class of every estimator, supervised or not."""

import warnings
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

from sklda._base.fitted_topics import (
    normalisable_weights,
    word_probabilities,
)
from sklda._base.fold_in import FixedTopics, make_topics, renumber
from sklda._base.parameters import CONSTRAINTS, python_numbers
from sklda._base.sklearn_private import (
    CallbackSupportMixin,
    validate_parameter_constraints,
)
from sklda._core.blocks import check_repeatable
from sklda._core.checks import label_list
from sklda._core.corpus import check_weights
from sklda._core.problem import WeightedCorpus
from sklda._core.types import MatrixLike
from sklda._core.version import __version__, series

_VERSION = "_sklda_version"  # in stored models
ALL = slice(None)
# What the display of scikit-learn shows for an array that no one has read.
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
        return self._n_topics

    @property
    def _n_topics(self) -> int:
        """Topics of the fitted model, or of all its models."""
        return self.components_.shape[0]

    @property
    def _n_words(self) -> int:
        """Words of the topics; `n_features_in_` may be that of a fit that runs."""
        return self.components_.shape[1]

    def _phi(self, words: np.ndarray, model: slice) -> np.ndarray:
        """Return the probabilities of some words in topics, (n, n_topics)."""
        components = normalisable_weights(self, "components_")
        return word_probabilities(components[model], words)

    def _under_topics(
        self, corpus: WeightedCorpus, alpha: np.ndarray, model: slice = ALL
    ) -> tuple[WeightedCorpus, FixedTopics]:
        """Renumber the words that occur, and restrict the topics to them."""
        words, renumbered = renumber(corpus)
        return renumbered, make_topics(self._phi(words, model), alpha)

    @property
    def topic_word_(self) -> np.ndarray:
        """Probability of each word in each topic, (n_components, n_words)."""
        check_is_fitted(self)
        return word_probabilities(self.components_, ALL).T
