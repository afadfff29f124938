"""Parameters that several estimators share: what they may be, and what they mean."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from sklda._base.sklearn_private import Interval, StrOptions
from sklda._core.problem import MAX_TOPICS, Problem
from sklda._core.random_streams import RandomStreams

# What float32 can still multiply and add in the kernels, with some room.
LOWEST_PRIOR, HIGHEST_PRIOR = 1e-10, 1e10

CONSTRAINTS: dict = {
    "n_components": [Interval(Integral, 1, MAX_TOPICS, closed="both")],
    "doc_topic_prior": [
        None,
        Interval(Real, 0, None, closed="neither"),
        "array-like",
    ],
    "topic_word_prior": [None, Interval(Real, 0, None, closed="neither")],
    "learn_priors": [None, StrOptions({"symmetric", "asymmetric"})],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "n_jobs": [None, Integral],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}
TRACE_CONSTRAINTS: dict = {
    "evaluate_every": [Interval(Integral, 0, None, closed="left")],
}
SHARD_CONSTRAINTS: dict = {
    "n_shards": [Interval(Integral, 1, None, closed="left")],
}
CHAIN_CONSTRAINTS: dict = {
    "burn_in": [None, Interval(Integral, 0, None, closed="left")],
    "thin": [Interval(Integral, 1, None, closed="left")],
}


def make_problem(estimator, corpus) -> Problem:
    """Return the corpus with the priors that the estimator's parameters name."""
    n_topics = estimator.n_components
    return Problem(
        corpus,
        estimator.n_features_in_,
        check_doc_topic_prior(estimator.doc_topic_prior, n_topics),
        check_topic_word_prior(estimator.topic_word_prior, n_topics),
    )


def random_streams(random_state) -> RandomStreams:
    """Return the random numbers of a fit."""
    entropy = check_random_state(random_state).randint(0, 2**31, size=4)
    return RandomStreams(np.random.SeedSequence(entropy.tolist()))


def check_doc_topic_prior(prior, n_topics: int) -> np.ndarray:
    """Return alpha as (n_topics,) float64."""
    prior = 1 / n_topics if prior is None else prior
    try:
        prior = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError) as error:
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


def check_topic_word_prior(prior, n_topics: int) -> float:
    """Return beta."""
    if prior is None:
        return 1 / n_topics
    if not LOWEST_PRIOR <= prior <= HIGHEST_PRIOR:
        raise ValueError(
            f"topic_word_prior must be from {LOWEST_PRIOR} to {HIGHEST_PRIOR:.0e}, got "
            f"{prior}."
        )
    return float(prior)
