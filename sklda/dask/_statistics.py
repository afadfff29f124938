"""Tasks that compute statistics of all parts: priors, log joint, averages.

Parts return histograms and sums, which are whole numbers: the order of addition does
not matter.
"""

from typing import Any

import numpy as np
from scipy import sparse

from sklda._chain.hierarchical import TopicWeights, skip_noise
from sklda._chain.hierarchical_prior import (
    HierarchicalPrior,
    KeptPriors,
    TraceEntry,
    add_priors,
)
from sklda._chain.log_joint import doc_likelihood, word_likelihood
from sklda._chain.tables import count_tables
from sklda._core.corpus import document_lengths, tokens_before
from sklda._core.doc_topic_counts import (
    Histogram,
    doc_topic_cells,
    doc_topic_histogram,
    length_histogram,
    merged,
    pairs_of,
)
from sklda._core.minka import (
    LearnedPriors,
    doc_topic_fixed_point,
    topic_word_fixed_point,
)
from sklda._core.problem import Problem, padded
from sklda.dask._parts import (
    PackedCounts,
    PartDocuments,
    PartState,
    topic_totals,
    unpack,
    writable,
)


def count_documents(
    documents: PartDocuments, part: PartState, n_topics: int
) -> tuple[Histogram, Histogram]:
    """Return histograms of the document-topic counts above 0, and of the lengths."""
    corpus = writable(documents.corpus)
    pairs = doc_topic_histogram(corpus, part.z.copy(), padded(n_topics))
    return pairs, length_histogram(corpus)


def count_words(block: PackedCounts, n_topics: int) -> tuple[Histogram, np.ndarray]:
    """Return a histogram of the word-topic counts, and the tokens on each topic."""
    counts = unpack([block])
    values, times = np.unique(counts.count, return_counts=True)
    n_zeros = block.size.size * padded(n_topics) - counts.count.size
    if n_zeros > 0:
        values, times = np.append(0, values), np.append(n_zeros, times)
    return (values, times), topic_totals(counts, n_topics)


def fit_priors(
    problem: Problem, parts: list, blocks: list, learned: LearnedPriors
) -> Problem:
    """Return the problem with the learned priors fitted to the histograms."""
    pairs, lengths, (counts, times), topic = _joined_histograms(parts, blocks)
    alpha, beta = problem.doc_topic_prior, problem.topic_word_prior
    if learned.alpha is not None:
        symmetric = learned.alpha == "symmetric"
        alpha = doc_topic_fixed_point(alpha, pairs, lengths, symmetric=symmetric)
    if learned.beta:
        is_positive = counts > 0
        positive = counts[is_positive], times[is_positive]
        beta = topic_word_fixed_point(beta, positive, topic, problem.n_words)
    return problem._replace(doc_topic_prior=alpha, topic_word_prior=beta)


def log_joint(problem: Problem, parts: list, blocks: list) -> float:
    """Return log p(w, z | alpha, beta), computed from the histograms."""
    pairs, lengths, counts, topic = _joined_histograms(parts, blocks)
    value = doc_likelihood(problem.doc_topic_prior, pairs, lengths)
    beta, n_words = problem.topic_word_prior, problem.n_words
    return float(value + word_likelihood(beta, counts, topic, n_words))


def _joined_histograms(parts, blocks):
    pairs, lengths = map(merged, zip(*parts, strict=True))
    counts, totals = zip(*blocks, strict=True)
    return pairs_of(pairs), lengths, merged(counts), np.sum(totals, axis=0)


def add_documents(
    total: sparse.csr_array | None,
    documents: PartDocuments,
    part: PartState,
    n_topics: int,
    alpha_sum: float | None,
) -> sparse.csr_array:
    """Add the document-topic counts of a sample, (n_documents, n_topics) int64.

    If alpha is sampled, add n_dk / (n_d + alpha_sum) instead, as float64.
    """
    corpus = writable(documents.corpus)
    topics, counts = doc_topic_cells(corpus, part.z.copy(), padded(n_topics))
    # The counts of a document add up to its tokens.
    ends = np.searchsorted(np.cumsum(counts), tokens_before(corpus), side="right")
    counts = counts.astype(np.int64)
    if alpha_sum is not None:
        scale = 1 / (document_lengths(corpus) + alpha_sum)
        counts = counts * np.repeat(scale, np.diff(ends))
    return _add(total, counts, topics, ends, n_topics)


def add_words(
    total: sparse.csr_array | None, block: PackedCounts, n_topics: int
) -> sparse.csr_array:
    """Add the word-topic counts of a sample, (n_words, n_topics) int64."""
    start, topics, counts = unpack([block])
    return _add(total, counts.astype(np.int64), topics, start, n_topics)


def _add(total, counts, topics, start, n_topics):
    cells = (counts, topics.astype(np.int32), start)
    sample = sparse.csr_array(cells, shape=(start.size - 1, n_topics))
    sample.sort_indices()
    return sample if total is None else total + sample


def mean_doc_topic(
    total: sparse.csr_array,
    documents: PartDocuments,
    n_kept: int,
    problem: Problem,
    alphas: np.ndarray | None,
) -> np.ndarray:
    """Return theta, the mean over the kept samples, (n_documents, n_topics)."""
    alpha, lengths = problem.doc_topic_prior, document_lengths(documents.corpus)
    theta = total.toarray().astype(np.float64)
    theta /= n_kept
    if alphas is not None:  # of each sample
        add_priors(theta, alphas, lengths)
        return theta
    theta += alpha
    theta /= (lengths + alpha.sum())[:, np.newaxis]
    return theta


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
