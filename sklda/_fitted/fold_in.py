"""Topic proportions of documents under fixed topics, and how well they predict."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning

from sklda._data.corpus import WeightedCorpus, ranges
from sklda._data.notices import warn_user
from sklda._fitted.kernels import fold_in
from sklda._sampling.problem import pad_prior, padded
from sklda._sampling.threads import Threads

MAX_STEPS = fold_in.MAX_STEPS

Halves = tuple[np.ndarray, np.ndarray]  # weights of the cells in each half, float32


class FixedTopics(NamedTuple):
    """Fixed topics: phi of the words that occur, one row per word, and alpha.

    Each row of phi is divided by a power of 2 such that its largest entry is 0.5 to 1.
    So kernels can divide by the likelihoods of rare words in float32.
    """

    word_topic: np.ndarray  # (n_words_seen, n_lanes) float32
    exponent: np.ndarray  # (n_words_seen,) int32, of the power of 2
    doc_topic_prior: np.ndarray  # (n_lanes,) or (n_rows, n_lanes) float32
    n_topics: int


def renumber(corpus: WeightedCorpus) -> tuple[np.ndarray, WeightedCorpus]:
    """Return the words that occur, and the corpus with these numbered from 0."""
    words, word = np.unique(corpus.word, return_inverse=True)
    return words, corpus._replace(word=word.astype(np.int32))


def make_topics(phi: np.ndarray, doc_topic_prior: np.ndarray) -> FixedTopics:
    """Return topics from the probabilities of words in them, (n_words, n_topics)."""
    n_words, n_topics = phi.shape
    word_topic = np.zeros((n_words, padded(n_topics)), np.float32)
    _, exponent = np.frexp(phi.max(axis=1))
    scaled = word_topic[:, :n_topics]
    np.ldexp(phi, -exponent[:, np.newaxis], out=scaled, casting="same_kind")
    return FixedTopics(word_topic, exponent, pad_prior(doc_topic_prior), n_topics)


def doc_topic(
    corpus: WeightedCorpus,
    topics: FixedTopics,
    n_jobs=None,
    max_steps: int = MAX_STEPS,
    prior_row: np.ndarray | None = None,
) -> np.ndarray:
    """Estimate theta, (n_docs, n_topics); warn of documents that did not converge.

    If alpha of the topics has rows, `prior_row` is the row of each document. There is
    no warning if the caller chose fewer than MAX_STEPS.
    """
    n_docs = corpus.doc_ptr.size - 1
    alphas = np.atleast_2d(topics.doc_topic_prior)
    row = np.zeros(n_docs, np.int32) if prior_row is None else prior_row
    is_few = _have_few_tokens(corpus) & (max_steps >= fold_in.MAX_STEPS)
    theta = np.empty((n_docs, topics.n_topics))

    def fill(first, last):
        doc_ptr = corpus.doc_ptr[first : last + 1]
        docs = corpus._replace(doc_ptr=doc_ptr), is_few[first:last]
        settings = topics.word_topic, alphas, row[first:last]
        if is_few[first:last].any():
            fold_in.fold_in_few(*docs, *settings, theta[first:last])
        n_cells = np.diff(doc_ptr).max(initial=0)
        return fold_in.fold_in(*docs, n_cells, *settings, max_steps, theta[first:last])

    with Threads(n_jobs) as threads:
        n_slices = 4 * threads.n if threads.n > 1 else 1
        slices = ranges(corpus.doc_ptr, n_slices)
        n_failed = sum(threads.map(fill, *zip(*slices, strict=True)))
    if max_steps == MAX_STEPS and n_failed > 0:
        warn_user(
            f"The topic proportions of {n_failed} of {n_docs} documents did not "
            f"converge in {max_steps} steps: the topics are so similar that these "
            "documents hardly tell them apart. Fewer topics may suffice.",
            ConvergenceWarning,
        )
    return theta


def _have_few_tokens(corpus: WeightedCorpus) -> np.ndarray:
    """Return whether each document has at most MOST_TOKENS tokens, and whole ones."""
    count, first = corpus.count[: corpus.doc_ptr[-1]], corpus.doc_ptr[:-1]
    is_filled = first < corpus.doc_ptr[1:]
    n_tokens = np.add.reduceat(count, first[is_filled], dtype=np.float64)
    has_parts = np.logical_or.reduceat(count % 1 > 0, first[is_filled])
    are_few = ~is_filled
    are_few[is_filled] = (n_tokens <= fold_in.MOST_TOKENS) & ~has_parts
    return are_few


def split_tokens(corpus: WeightedCorpus) -> Halves:
    """Return the weights of each cell in two random halves of its document.

    They depend on the words and counts of the document alone: call it before
    `renumber`, while `corpus` has the words of X.
    """
    first = np.empty(corpus.count.size)
    tokens_until = np.empty(np.diff(corpus.doc_ptr).max(initial=0), np.int64)
    fold_in.deal_tokens(*corpus, corpus.count.view(np.uint32), tokens_until, first)
    seen = first.astype(np.float32)
    return seen, corpus.count - seen


def completion_score(
    corpus: WeightedCorpus,
    halves: Halves,
    topics: FixedTopics,
    doc_topic_of: Callable[[WeightedCorpus], np.ndarray],
) -> float:
    """Return the mean log probability of all tokens in nats.

    Each half of a document is scored with theta of the other half, which `doc_topic_of`
    estimates.
    """
    total = 0.0
    for seen, held_out in (halves, halves[::-1]):
        theta = doc_topic_of(corpus._replace(count=seen))
        cells = corpus._replace(count=held_out)
        total += fold_in.log_predictive(
            *cells, topics.word_topic, topics.exponent, theta
        )
    return mean_log_probability(total, corpus.count.sum(dtype=np.float64))


def mean_log_probability(total: float, n_tokens: float) -> float:
    """Return the mean per token, or 0 with a warning if there are no tokens."""
    if n_tokens > 0:
        return float(total / n_tokens)
    warn_user(
        "X has no tokens, so their mean log probability is undefined and set to 0.0.",
        UndefinedMetricWarning,
    )
    return 0.0
