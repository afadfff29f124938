"""Parameters that several estimators share: what they may be, and what they mean."""

import warnings
from numbers import Integral, Real
from types import SimpleNamespace

import numpy as np
from sklearn.utils import check_random_state

from sklda._base.schedule import LEARNING_INTERVAL, Schedule
from sklda._base.sklearn_private import Interval, StrOptions
from sklda._core.problem import MAX_TOPICS, Problem
from sklda._core.random_streams import RandomStreams

# What float32 can still multiply and add in the kernels, with some room.
LOWEST_PRIOR, HIGHEST_PRIOR = 1e-10, 1e10

CONSTRAINTS: dict = {
    "n_components": [Interval(Integral, 1, MAX_TOPICS, closed="both")],
    "doc_topic_prior": [
        None,
        Interval(Real, LOWEST_PRIOR, HIGHEST_PRIOR, closed="both"),
        "array-like",
    ],
    "topic_word_prior": [
        None,
        Interval(Real, LOWEST_PRIOR, HIGHEST_PRIOR, closed="both"),
    ],
    "learn_priors": [None, StrOptions({"symmetric", "asymmetric"})],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "n_jobs": [
        None,
        Interval(Integral, 1, None, closed="left"),
        Interval(Integral, None, -1, closed="right"),
    ],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}
TRACE_CONSTRAINTS: dict = {
    "evaluate_every": [Interval(Integral, 0, None, closed="left")],
}
DRAWS_CONSTRAINTS: dict = {
    "keep_draws": [Interval(Integral, 0, None, closed="left")],
}
SHARD_CONSTRAINTS: dict = {
    "n_shards": [Interval(Integral, 1, None, closed="left")],
}
CHAIN_CONSTRAINTS: dict = {
    "burn_in": [None, Interval(Integral, 0, None, closed="left")],
    "thin": [Interval(Integral, 1, None, closed="left")],
}


def python_numbers(parameters: dict) -> SimpleNamespace:
    """Return the parameters with Python's numbers, because NumPy's may wrap round."""
    return SimpleNamespace(**{n: _python_number(v) for n, v in parameters.items()})


def _python_number(value):
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def make_problem(estimator, corpus) -> Problem:
    """Return the corpus with the priors that the estimator's parameters name."""
    parameters = estimator._parameters
    n_topics, beta = parameters.n_components, parameters.topic_word_prior
    return Problem(
        corpus,
        estimator.n_features_in_,
        doc_topic_prior=check_doc_topic_prior(parameters.doc_topic_prior, n_topics),
        topic_word_prior=float(1 / n_topics if beta is None else beta),
    )


def make_schedule(parameters, burn_in: int, thin: int, evaluate_every: int) -> Schedule:
    """Return the schedule of a fit; warn if it never learns the priors it should."""
    learn_priors = parameters.learn_priors
    if learn_priors is not None and burn_in < LEARNING_INTERVAL:
        warnings.warn(
            f"learn_priors={learn_priors!r} has no effect: the priors are learned "
            f"after every {LEARNING_INTERVAL} sweeps of burn-in, which has {burn_in}. "
            f"Increase max_iter, or set learn_priors=None.",
            UserWarning,
            stacklevel=5,
        )
    return Schedule(parameters.max_iter, burn_in, thin, evaluate_every, learn_priors)


def random_streams(random_state) -> RandomStreams:
    """Return the random numbers of a fit."""
    entropy = check_random_state(random_state).randint(0, 2**31, size=4)
    return RandomStreams(np.random.SeedSequence(entropy.tolist()))


def check_doc_topic_prior(prior, n_topics: int) -> np.ndarray:
    """Return alpha as (n_topics,) float64."""
    prior = 1 / n_topics if prior is None else prior
    try:
        prior = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"doc_topic_prior must hold numbers: {error}.") from error
    if prior.ndim > 0 and prior.shape != (n_topics,):
        raise ValueError(
            f"doc_topic_prior has shape {prior.shape}. It must be None, one number for "
            f"all topics, or an array of shape ({n_topics},) with a value for each of "
            f"the n_components={n_topics} topics."
        )
    valid = (prior >= LOWEST_PRIOR) & (prior <= HIGHEST_PRIOR)
    if not valid.all():
        raise ValueError(
            f"doc_topic_prior must be from {LOWEST_PRIOR} to {HIGHEST_PRIOR:.0e}, got "
            f"{prior[~valid].flat[0]}. To remove a topic, use a smaller n_components."
        )
    return np.full(n_topics, prior)
