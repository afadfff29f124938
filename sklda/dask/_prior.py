"""Priors that a chain on a cluster samples: what parts count, and what is stored."""

from typing import Any

import numpy as np

from sklda._chain.hierarchical import TopicWeights, skip_noise
from sklda._chain.hierarchical_prior import HierarchicalPrior, KeptPriors, TraceEntry
from sklda._chain.tables import count_tables
from sklda._core.corpus import tokens_before
from sklda._core.doc_topic_counts import Histogram, length_histogram
from sklda._core.problem import Problem
from sklda.dask._parts import PartDocuments


def count_lengths(documents: PartDocuments) -> Histogram:
    """Return how many documents have each length."""
    return length_histogram(documents.corpus)


def count_part(
    documents: PartDocuments,
    part: Any,
    first_token: int,
    problem: Problem,
    key: np.uint64,
) -> np.ndarray:
    """Return restaurant tables and tokens of each topic, (2, n_topics) int64."""
    # Kernels take writable arrays, but what came from another worker is read-only.
    z, alpha = part.z.copy(), problem.doc_topic_prior.copy()
    before = tokens_before(documents.corpus)
    tables = count_tables(before, z, alpha, key, first_token=first_token)
    return np.array([tables, np.bincount(z, minlength=alpha.size)])


def to_json(prior: HierarchicalPrior) -> dict[str, Any]:
    """Return what storage holds of the priors."""
    weights, *concentrations = prior.current
    kept = [
        (sample.sweep, sample.weights.tolist(), sample.alpha.tolist(), sample.beta)
        for sample in prior.kept
    ]
    current = [weights.tolist(), *concentrations]
    return {
        "current": current,
        "trace": prior.trace,
        "kept": kept,
        "burn_in": prior.burn_in,
    }


def go_on(prior: HierarchicalPrior, stored: dict[str, Any]) -> None:
    """Let new priors go on where those in storage stopped."""
    weights, *concentrations = stored["current"]
    prior.current = TopicWeights(np.array(weights), *concentrations)
    prior.trace = [TraceEntry(*entry) for entry in stored["trace"]]
    prior.kept = [
        KeptPriors(sweep, np.array(weights), np.array(alpha), beta)
        for sweep, weights, alpha, beta in stored["kept"]
    ]
    prior.burn_in = stored["burn_in"]
    skip_noise(prior.rng, len(prior.trace))
