"""What other libraries call a parameter: errors that translate unknown names.

The tables hold the names in `doc/coming_from.rst`, and no others.
"""

from collections.abc import Callable, Collection, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Self, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

# For each parameter of sklda its names elsewhere; one of these may mean several.
OTHER_NAMES = {
    "n_components": "k n_topics num_topics",
    "doc_topic_prior": "alpha alpha_sum",
    "topic_word_prior": "beta eta",
    "learn_priors": "optim_interval optimize_interval use_symmetric_alpha",
    "max_iter": "iterations iters n_iter num_iterations passes",
    "burn_in": "num_samples",
    "thin": "num_samples sample_interval",
    "keep_draws": "num_theta_draws output_state_interval",
    "evaluate_every": "eval_every refresh show_topics_interval",
    "tol": "perp_tol",
    "learning_decay": "decay",
    "learning_offset": "offset",
    "n_shards": "num_threads workers",
    "n_jobs": "num_threads workers",
    "random_state": "random_seed seed",
    "n_words": "n_top_words num_top_words num_words top_n topn",
    "n_documents": "num_top_docs",
    "feature_names": "dictionary id2word vocab vocabulary",
    "X": "corpus",
    "measure": "coherence",
    "weight": "seed_confidence",
}

# What to do instead of setting a parameter that sklda has under no name.
OTHER_WAYS = {
    "batch_size": "pass minibatches to CVBLDA.partial_fit",
    "chunksize": "pass minibatches to CVBLDA.partial_fit",
    "update_every": "pass minibatches to CVBLDA.partial_fit",
    "learning_method": "fit is batch learning, CVBLDA.partial_fit online learning",
    "corpus": "pass the counts to fit",
    "id2word": "pass the words to sklda.inspection, as feature_names",
    "gamma_threshold": "transform iterates until it converges",
    "max_doc_update_iter": "transform iterates until it converges",
    "mean_change_tol": "transform iterates until it converges",
    "minimum_probability": "transform returns all topics",
    "min_cf": "set min_df of CountVectorizer",
    "min_df": "set min_df of CountVectorizer",
    "rm_top": "set max_df of CountVectorizer",
    "seed_confidence": "set topic_word_prior to seed_word_prior(...)",
    "seed_topics": "set topic_word_prior to seed_word_prior(...)",
    "tw": "weight the counts, and pass them to CVBLDA.fit",
}

# What to set instead of a value that a parameter has elsewhere.
OTHER_VALUES = {
    "doc_topic_prior": {
        "auto": "learn_priors='asymmetric', which learns a value for each topic",
        "symmetric": "doc_topic_prior=None, which is 1 / n_components for each topic",
        "asymmetric": "doc_topic_prior to an array with a value for each topic",
    },
    "topic_word_prior": {
        "auto": "learn_priors='symmetric' or 'asymmetric': both learn this prior, too",
        "symmetric": "topic_word_prior=None, which is 1 / n_components for each word",
    },
}


class TranslatesNames:
    """Mixin: parameters of other libraries raise an error that names those of sklda.

    In the constructor this is the work of `__new__`. It sees the arguments before
    `__init__`, which scikit-learn wants with all parameters by name; a class keeps the
    signature of its `__init__`, and copies and pickles pass no arguments.
    """

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Self:
        refuse_unknown_names(cls.__name__, cls.__init__, kwargs)
        return super().__new__(cls)

    def set_params(self, **params: Any) -> Self:
        """Set parameters.

        Parameters
        ----------
        **params : dict
            Values by the names of the parameters.

        Returns
        -------
        self
            The estimator.

        Raises
        ------
        ValueError
            If the estimator has no parameter of a name. The message suggests one.
        """
        known = list(signature(type(self)).parameters)
        given = [name.partition("__")[0] for name in params]
        if complaint := _complaint(type(self).__name__, given, known):
            raise ValueError(complaint)
        return super().set_params(**params)

    def _validate_params(self) -> None:
        for name, others in OTHER_VALUES.items():
            value = getattr(self, name, None)
            if isinstance(value, str) and value in others:
                raise ValueError(f"{name}={value!r}: set {others[value]}.")
        super()._validate_params()


def translates_names(function: _Function) -> _Function:
    """Return a function that translates unknown names of keywords in its TypeError."""

    @wraps(function)
    def translating(*args: Any, **kwargs: Any) -> Any:
        owner = function.__qualname__
        refuse_unknown_names(owner, function, kwargs)
        try:
            return function(*args, **kwargs)
        except AttributeError as error:  # of matplotlib, which gets all other keywords
            end = "unexpected keyword argument "
            given = [name for name in kwargs if str(error).endswith(f"{end}{name!r}")]
            if complaint := _complaint(owner, given, _names(function)):
                raise TypeError(f"{complaint} Nor has matplotlib: {error}.") from error
            raise

    return translating  # type: ignore[return-value]


def refuse_unknown_names(owner: str, function: Callable, given: Iterable[str]) -> None:
    """Raise TypeError if a function has no parameters of the names that are given.

    A function that takes any keyword, for matplotlib, refuses those alone that other
    libraries have for one of its parameters.
    """
    parameters = signature(function).parameters
    given = [name for name in given if name not in parameters]
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values()):
        given = [name for name in given if _translations(name, parameters)]
    if complaint := _complaint(owner, given, _names(function)):
        raise TypeError(complaint)


def _names(function: Callable) -> list[str]:
    """Return the parameters that a caller may name."""
    parameters = signature(function).parameters.values()
    named = [one.name for one in parameters if one.kind is not Parameter.VAR_KEYWORD]
    return [name for name in named if name not in ("self", "cls")]


def _complaint(owner: str, given: Iterable[str], known: Collection[str]) -> str | None:
    """Return a sentence about the names that are not known, None if there are none."""
    unknown = [name for name in given if name not in known]
    if not unknown:
        return None
    hints = [_suggestion(name, known) for name in unknown]
    listed = ", ".join(
        f"{name!r} ({hint})" if hint else repr(name)
        for name, hint in zip(unknown, hints, strict=True)
    )
    all_of_them = "" if all(hints) else f" Its parameters are {', '.join(known)}."
    return f"{owner} has no parameter {listed}.{all_of_them}"


def _suggestion(name: str, known: Collection[str]) -> str | None:
    """Return what to do instead of passing a name that is not known, if known."""
    if found := _translations(name, known):
        return f"use {' and '.join(found)}"
    if name in OTHER_WAYS:
        return OTHER_WAYS[name]
    foreign = {
        other: " and ".join(_translations(other, known))
        for others in OTHER_NAMES.values()
        for other in others.split()
    }
    candidates = {other.lower(): found for other, found in foreign.items() if found}
    candidates |= {one.lower(): one for one in known}
    close = get_close_matches(name.lower(), candidates, n=1, cutoff=0.75)
    return f"did you mean {candidates[close[0]]}?" if close else None


def _translations(name: str, known: Collection[str]) -> list[str]:
    """Return the known parameters for which other libraries have a name."""
    return [
        one
        for one, others in OTHER_NAMES.items()
        if one in known and name in others.split()
    ]
