"""Parameters that several estimators share: what they may be, and what they mean."""

import os
from collections.abc import Callable
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from sklda._data.checks import check_structure
from sklda._data.notices import warn_user
from sklda._data.sklearn_private import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklda._sampling.minka import LearnedPriors
from sklda._sampling.problem import MAX_TOPICS, Problem, word_prior
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.schedule import Schedule
from sklda._sampling.threads import Threads

# Priors that kernels can multiply and add in float32, with a margin.
LOWEST_PRIOR, HIGHEST_PRIOR = 1e-10, 1e10

PRIOR_RANGE = Interval(Real, LOWEST_PRIOR, HIGHEST_PRIOR, closed="both")
POSITIVE_INTEGER: list = [Interval(Integral, 1, None, closed="left")]
NATURAL_NUMBER: list = [Interval(Integral, 0, None, closed="left")]

CONSTRAINTS: dict = {
    "n_components": [Interval(Integral, 1, MAX_TOPICS, closed="both")],
    "doc_topic_prior": [None, PRIOR_RANGE, "array-like"],
    "topic_word_prior": [None, PRIOR_RANGE, "array-like"],
    "learn_priors": [None, StrOptions({"auto", "symmetric", "asymmetric"})],
    "max_iter": POSITIVE_INTEGER,
    "n_jobs": [None, *POSITIVE_INTEGER, Interval(Integral, None, -1, closed="right")],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}
TRACE_CONSTRAINTS: dict = {"evaluate_every": NATURAL_NUMBER}
DRAWS_CONSTRAINTS: dict = {"keep_draws": NATURAL_NUMBER}
SHARD_CONSTRAINTS: dict = {"n_shards": POSITIVE_INTEGER}
CHAIN_CONSTRAINTS: dict = {
    "learn_priors": [
        None,
        StrOptions({"auto", "symmetric", "asymmetric", "hierarchical"}),
    ],
    "hyperpriors": [None, dict],
    "burn_in": [None, *NATURAL_NUMBER],
    "thin": POSITIVE_INTEGER,
    "init": [
        StrOptions({"annealed", "random"}),
        "array-like",
        HasMethods("fit"),
    ],
    "warm_start": ["boolean"],
}
PROPORTION: list = [Interval(Real, 0, 1, closed="both")]
LEVEL: list = [Interval(Real, 0, 1, closed="neither")]
PATH: list = [str, os.PathLike]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def validates(**constraints: list) -> Callable[[_Function], _Function]:
    """Let scikit-learn check parameters of a function, which gets Python's numbers.

    scikit-learn's own decorator names the function in all errors, also in those of an
    estimator that the function fits.
    """

    def decorate(function: _Function) -> _Function:
        parameters = signature(function)

        @wraps(function)
        def validating(*args: Any, **kwargs: Any) -> Any:
            try:
                call = parameters.bind(*args, **kwargs)
            except TypeError:
                return function(*args, **kwargs)  # for Python's message
            checked = {n: v for n, v in call.arguments.items() if n in constraints}
            validate_parameter_constraints(constraints, checked, function.__qualname__)
            call.arguments |= {n: _python_number(v) for n, v in checked.items()}
            return function(*call.args, **call.kwargs)

        validating.parameter_constraints = constraints  # type: ignore[attr-defined]
        return validating  # type: ignore[return-value]

    return decorate


def python_numbers(parameters: dict) -> SimpleNamespace:
    """Return the parameters with Python's numbers, because NumPy's may wrap round."""
    return SimpleNamespace(**{n: _python_number(v) for n, v in parameters.items()})


def _python_number(value):
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def make_problem(estimator, corpus, first_alpha_sum: float = 1.0) -> Problem:
    """Return the corpus with the priors that the estimator's parameters name.

    Where alpha is learned, and None, its sum is `first_alpha_sum`.
    """
    parameters = estimator._parameters
    n_topics, n_words = parameters.n_components, estimator.n_features_in_
    beta = check_topic_word_prior(parameters.topic_word_prior, n_topics, n_words)
    alpha, learned = parameters.doc_topic_prior, learned_priors(parameters)
    if alpha is None and learned is not None and learned.alpha is not None:
        alpha = first_alpha_sum / n_topics
    return Problem(
        corpus,
        n_words,
        doc_topic_prior=check_doc_topic_prior(alpha, n_topics),
        topic_word_prior=word_prior(beta),
    )


def make_schedule(
    parameters,
    burn_in: int,
    thin: int,
    evaluate_every: int,
    *,
    learning_interval: int = 1,
    goes_on: bool = False,
) -> Schedule:
    """Return the schedule of a fit; warn if the chain never learns its priors."""
    learn_priors = parameters.learn_priors
    is_wanted = learn_priors in ("symmetric", "asymmetric")
    if is_wanted and burn_in < learning_interval and not goes_on:
        warn_user(
            f"learn_priors={learn_priors!r} has no effect: the priors are learned "
            f"during burn-in, and {burn_in} sweeps are too few. Increase burn_in and "
            "max_iter, or set learn_priors=None."
        )
    return Schedule(
        parameters.max_iter,
        burn_in,
        thin,
        evaluate_every,
        learned_priors(parameters),
        is_hierarchical=learn_priors == "hierarchical",
        learning_interval=learning_interval,
    )


def learned_priors(parameters: SimpleNamespace) -> LearnedPriors | None:
    """Return which priors are learned by a fixed point; None if none are.

    "hierarchical" ones are not: the chain samples them itself.
    """
    how = parameters.learn_priors
    if how in (None, "hierarchical"):
        return None
    if how != "auto":
        return LearnedPriors(how, beta=True)
    alpha = "asymmetric" if parameters.doc_topic_prior is None else None
    beta = parameters.topic_word_prior is None
    return LearnedPriors(alpha, beta) if alpha is not None or beta else None


def make_threads(parameters, in_parallel: bool = False) -> Threads:
    """Return the threads of a fit; warn if only one of them has work.

    A fit that is `in_parallel` has work for several threads even without shards.
    """
    n_jobs, threads = parameters.n_jobs, Threads(parameters.n_jobs)
    idle = n_jobs is not None and threads.n > 1 and not in_parallel
    idle &= getattr(parameters, "n_shards", None) == 1
    if idle:
        warn_user(
            f"n_jobs={n_jobs} does not make fit faster: with n_shards=1, fit runs on "
            f"one thread, and only transform and score use {threads.n}. Set "
            f"n_shards={threads.n} to fit on {threads.n} threads, which is an "
            "approximation."
        )
    return threads


def random_streams(random_state) -> RandomStreams:
    """Return the random streams of a fit, made from its `random_state`."""
    entropy = check_random_state(random_state).randint(0, 2**31, size=4)
    return RandomStreams(np.random.SeedSequence(entropy.tolist()))


def check_doc_topic_prior(prior, n_topics: int) -> np.ndarray:
    """Return alpha as (n_topics,) float64."""
    prior = _as_numbers(1 / n_topics if prior is None else prior, "doc_topic_prior")
    if prior.ndim > 0 and prior.shape != (n_topics,):
        raise ValueError(
            f"doc_topic_prior has shape {prior.shape}. It must be None, one number for "
            f"all topics, or an array of shape ({n_topics},) with a value for each of "
            f"the n_components={n_topics} topics."
        )
    way_out = "To remove a topic, use a smaller n_components."
    _check_range(prior, "doc_topic_prior", way_out)
    return np.full(n_topics, prior)


def check_topic_word_prior(prior, n_topics: int, n_words: int) -> float | np.ndarray:
    """Return beta: a float, or a float64 array of shape (n_topics, n_words)."""
    prior = _as_numbers(1 / n_topics if prior is None else prior, "topic_word_prior")
    if prior.size == 1:  # also as an array
        prior = prior.reshape(())
    if prior.ndim > 0 and prior.shape not in ((n_words,), (n_topics, n_words)):
        raise ValueError(
            f"topic_word_prior has shape {prior.shape}. It must be None, one number, "
            f"or an array of shape ({n_words},) with a value for each of the n_words="
            f"{n_words} columns of X, or ({n_topics}, {n_words}) with one for each of "
            f"the n_components={n_topics} topics and each word."
        )
    way_out = f"To keep a word out of a topic, use a small number such as {1e-6:g}."
    _check_range(prior, "topic_word_prior", way_out)
    if prior.ndim == 0:
        return float(prior)
    return np.array(np.broadcast_to(prior, (n_topics, n_words)))


def _as_numbers(prior, name) -> np.ndarray:
    check_structure(prior, name)
    try:
        return np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} must contain numbers: {error}.") from error


def _check_range(prior: np.ndarray, name: str, way_out: str) -> None:
    valid = (prior >= LOWEST_PRIOR) & (prior <= HIGHEST_PRIOR)
    if not valid.all():
        raise ValueError(
            f"{name} must be from {LOWEST_PRIOR} to {HIGHEST_PRIOR:.0e}, got "
            f"{prior[~valid].flat[0]}. {way_out}"
        )
