"""Partially collapsed Gibbs sampling: phi is drawn, theta integrated out; in parallel.

A sweep draws phi given the topics of the tokens, then the topics of each document given
phi. The draws for a word or a document depend on a key of the sweep and on its number
alone: the samples are the same, bit for bit, for any threads or machines. All tokens
move at once, and then they are counted again (`RecountedState`, which uncollapsed Gibbs
sampling shares).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sklda._data.corpus import (
    Corpus,
    kernel_ranges,
    ranges,
    some_documents,
    starts,
    tokens_before,
)
from sklda._engine.estimator import GibbsLDA
from sklda._gibbs.kernels import partially_collapsed
from sklda._sampling import variates
from sklda._sampling.problem import Counts, Problem, padded, word_cells, words_at
from sklda._sampling.random_streams import RandomStreams, draw_key
from sklda._sampling.sampler import Sampler, info
from sklda._sampling.threads import Threads
from sklda._tables import rows

Slices = list[tuple[int, int]]  # first and end of each


class RecountedState(NamedTuple):
    """The topics of the tokens, their counts without beta, and slices of the work."""

    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) int32 or int64
    topic: np.ndarray  # (n_lanes,) of that type
    word_slices: Slices  # of words, or of chunks of words
    doc_slices: Slices
    count_ranges: Slices  # of words, of about equal cells, one for each thread


def new_state(
    problem: Problem[Corpus],
    z: np.ndarray,
    threads: Threads,
    word_slices: Slices,
    doc_slices: Slices,
) -> RecountedState:
    """Return the state in which the tokens have the topics z."""
    without_beta = problem._replace(topic_word_prior=0.0)
    counts = rows.from_topics(without_beta, z)
    count_ranges = list(ranges(starts(word_cells(problem)), threads.n))
    return RecountedState(*counts, word_slices, doc_slices, count_ranges)


def recount(problem: Problem[Corpus], state: RecountedState, threads: Threads) -> None:
    """Count the tokens again by topic; the ranges do not change the result."""

    def count_words(first, last):
        table = state.word_topic[first:last]
        table[:] = 0
        rows.add_tokens_of_words(problem.corpus, state.z, first, last, state.word_topic)
        return table.sum(axis=0)

    words = zip(*state.count_ranges, strict=True)
    state.topic[:] = sum(threads.map(count_words, *words))


def counts(problem: Problem[Corpus], state: RecountedState) -> Counts:
    """Return the count tables, which are those of the state."""
    return Counts(state.word_topic, state.topic)


CHUNK = 256  # words whose gammas are added up; then the sums of chunks are
_SLICES = 8  # of the work per thread, as slices differ in time
_SCALE = 2.0**40  # keeps products of small probabilities in the range of float32


class Keys(NamedTuple):
    """Keys of the random numbers of one sweep."""

    phi: np.uint64
    topics: np.uint64


def draw_keys(rng: RandomStreams) -> Keys:
    """Return the keys of the next sweep."""
    return Keys(*(np.uint64(draw_key(rng.kernel)) for _ in Keys._fields))


def draw_extra(key: np.uint64, is_empty: np.ndarray, problem: Problem) -> np.ndarray:
    """Return a word for each topic without tokens, else -1, (n_topics,).

    All gammas of such a topic can be too small for a float64. But Dirichlet(b) is
    Dirichlet(b_1, ..., b_w + 1, ..., b_V) with w drawn in proportion to b.
    """
    n_words = problem.n_words
    share = np.empty(problem.n_topics)
    variates.draw_shares(key, n_words, share)
    empty = np.flatnonzero(is_empty[: problem.n_topics])
    words = np.full(problem.n_topics, -1)
    if problem.has_word_prior:
        words[empty] = words_at(problem.topic_word_prior, empty, share[empty])
    else:
        words[empty] = (share[empty] * n_words).astype(np.int64)
    return words


def draw_phi_chunk(
    key: np.uint64,
    first: int,
    counts: np.ndarray,
    extra: np.ndarray,
    problem: Problem,
    phi: np.ndarray,
) -> np.ndarray:
    """Fill `phi` with the gammas of words `first` and after; return sums of topics."""
    n_topics, beta = problem.n_topics, problem.beta
    if not problem.has_word_prior:
        total = np.zeros(n_topics)
        variates.draw_rows(key, first, counts, extra, beta, phi, total)
        return total
    beta = beta[:, first : first + CHUNK].T
    shapes = np.add(counts[:, :n_topics], beta, order="C")
    topics = np.flatnonzero((first <= extra) & (extra < first + len(counts)))
    shapes[extra[topics] - first, topics] += 1
    variates.draw_gammas(key, first, shapes)
    phi[:, :n_topics] = shapes
    return np.add.accumulate(phi[:, :n_topics], dtype=float)[-1]


def factors(totals: np.ndarray) -> np.ndarray:
    """Return 1 / sum of the gammas of each topic, scaled, from the sums of chunks."""
    n_topics = totals.shape[1]
    factor = np.zeros(padded(n_topics), np.float32)
    factor[:n_topics] = _SCALE / np.add.accumulate(totals)[-1]
    return factor


def draw_phi(
    key: np.uint64,
    is_empty: np.ndarray,
    counts_of: Callable[[int, int], np.ndarray],
    problem: Problem,
    slices: Slices,
    threads: Threads,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the gammas of all words, (n_words, n_lanes), and the factor of each topic.

    `is_empty`, (n_lanes,), says which topics have no tokens. ``counts_of(first, last)``
    returns the counts of some words, (n, n_lanes) int32.
    """
    phi = np.zeros((problem.n_words, problem.n_lanes), np.float32)
    totals = np.empty((_n_chunks(problem), problem.n_topics))
    extra = draw_extra(key, is_empty, problem)

    def draw(*chunks):
        for chunk in range(*chunks):
            first, last = chunk * CHUNK, min((chunk + 1) * CHUNK, problem.n_words)
            counts, rows = counts_of(first, last), phi[first:last]
            totals[chunk] = draw_phi_chunk(key, first, counts, extra, problem, rows)

    threads.map(draw, *zip(*slices, strict=True))
    return phi, factors(totals)


def sweep_documents(
    problem: Problem[Corpus],
    z: np.ndarray,
    n_before: int,
    topics: tuple[np.ndarray, np.ndarray],  # from `draw_phi`
    key: np.uint64,
    slices: Slices,
    threads: Threads,
) -> None:
    """Resample each token, in place; `n_before` documents are before the first one."""
    (phi, factor), corpus = topics, problem.corpus
    prior, alphas = problem.kernel_priors().doc_topic, problem.kernel_alphas()

    def resample(first, last):
        before = tokens_before(some_documents(corpus, first, last))
        for begin, end in kernel_ranges(before, factor.size):
            documents = some_documents(corpus, first + begin, first + end)
            number = n_before + first + begin
            partially_collapsed.sweep_tokens(
                documents, z, number, phi, prior, alphas, factor, key
            )

    threads.map(resample, *zip(*slices, strict=True))


def slices_of(problem: Problem[Corpus], threads: Threads) -> tuple[Slices, Slices]:
    """Return slices of the chunks of words, and of the documents, for the threads."""
    n, chunks = _SLICES * threads.n, np.arange(_n_chunks(problem) + 1)
    return list(ranges(chunks, n)), list(ranges(tokens_before(problem.corpus), n))


def _n_chunks(problem):
    return -(-problem.n_words // CHUNK)


class PartiallyCollapsed(NamedTuple):
    """Draw phi given the topics, then the topics given phi."""

    threads: Threads
    counts = staticmethod(counts)
    info = staticmethod(info)

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> RecountedState:
        """Return the state in which the tokens have the topics z."""
        return new_state(problem, z, self.threads, *slices_of(problem, self.threads))

    def sweep(
        self, problem: Problem[Corpus], state: RecountedState, rng: RandomStreams
    ) -> None:
        """Draw phi and the topic of every token once."""
        keys, threads, is_empty = draw_keys(rng), self.threads, state.topic == 0

        def counts_of(first, last):
            return state.word_topic[first:last]

        words, documents = state.word_slices, state.doc_slices
        topics = draw_phi(keys.phi, is_empty, counts_of, problem, words, threads)
        sweep_documents(problem, state.z, 0, topics, keys.topics, documents, threads)
        recount(problem, state, threads)


class PartiallyCollapsedGibbsLDA(GibbsLDA):
    """Latent Dirichlet Allocation with sampled topics: exact on all processors.

    A document is a mixture of topics, theta_d ~ Dirichlet(alpha); a topic is a
    distribution over words, phi_k ~ Dirichlet(beta). A sweep draws phi given the topics
    of the tokens, then the topics of the tokens given phi, document by document, with
    theta integrated out [1]_. Given phi, documents are independent: threads share the
    work, and the chain is the same for any number of threads. It converges to the exact
    posterior, but needs more sweeps than CollapsedGibbsLDA, which also integrates out
    phi. Prefer it to UncollapsedGibbsLDA, unless you need the sampler of that paper: on
    NIPS and KOS, with 20 to 1,000 topics and two threads, it reached the same
    perplexity in 0.3 to 0.7 of the time, with less memory.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Dirichlet parameter alpha of the topic proportions, from 1e-10 to 1e10. Small
        values give each document few topics. None means 1 / K or, with `learn_priors`,
        that it is learned, starting at 10 / K; lower if burn-in is below 100 sweeps.
    topic_word_prior : float or array-like, default=None
        Dirichlet parameter beta of the words in topics, from 1e-10 to 1e10: one number,
        or an array of shape (n_words,) or (n_components, n_words), such as the result
        of `seed_word_prior`. Small values give each topic few words. None means 1 / K
        or, with `learn_priors`, that it is learned, starting there.
    learn_priors : "auto", "symmetric", "asymmetric", "hierarchical" or None, \
default="auto"
        "auto" learns the priors that are None: one alpha per topic, and beta.
        "symmetric" and "asymmetric" learn both, from where they start, with one alpha
        for all topics or one per topic. They use Minka's fixed point in every sweep of
        the burn-in, once an annealed start has ended. Both priors remain between 0.0001
        and 1000, and an array for beta does not change. "hierarchical" samples alpha
        after each sweep, from the posterior of a hierarchical Dirichlet process with at
        most `n_components` topics. See "Let the data choose the number of topics" in
        the user guide. None leaves both priors as they are.
    hyperpriors : dict or None, default=None
        Shapes and rates of the gamma priors of "hierarchical", by name:
        "doc_concentration" (the sum of alpha; by default (1, 1)),
        "weight_concentration" (by default (1, 0.1); small values give few topics most
        of the weight) and "topic_word_prior" (beta, which is sampled only if its prior
        is given here). Ignored for other values of `learn_priors`.
    max_iter : int, default=200
        Number of sweeps.
    burn_in : int, default=None
        Number of sweeps to discard at the start, less than `max_iter`. None means half
        of `max_iter`.
    thin : int, default=2
        Keep every `thin`-th sample after burn-in, counted back from the last sweep,
        which is always kept.
    keep_draws : int, default=0
        Number of kept samples to store in `draws_`, evenly spaced after burn-in, for
        intervals and regressions of topic proportions. Each takes about 4 bytes per
        document-topic and word-topic pair that occurs in it. On Linux, fit raises an
        error if they could exceed half of the free memory.
    evaluate_every : int, default=10
        Number of sweeps between two entries of the trace; 0 means no trace.
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
    n_jobs : int, default=None
        Number of threads. None means 1, -1 all processors. The result is bit-identical
        for any number.
    random_state : int, RandomState instance or None, default=None
        Seed. Pass an int for reproducible results.
    verbose : int, default=0
        If 1, print the progress of fit and the compilation of kernels.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        Expected number of tokens of each word in each topic, plus beta.
    topic_word_ : ndarray of shape (n_components, n_features_in_)
        Probability of each word in each topic: the rows of `components_` normalised.
    doc_topic_ : ndarray of shape (n_documents, n_components)
        Expected topic proportions of the training documents.
    draws_ : sklda.inspection.PosteriorDraws or None
        The samples stored by `keep_draws`; None if it is 0.
    topic_assignments_ : ndarray of shape (n_tokens,)
        Topic of each training token in the last sweep. Tokens are ordered by document,
        then by word.
    moved_tokens_ : ndarray of shape (n_iter_,)
        Share of the tokens whose topic each sweep changes, measured on up to 65,536 of
        them. It falls while topics form, and is steady once they have.
    log_joint_ : ndarray of shape (n_evaluations,)
        Trace of log p(w, z | alpha, beta) in nats, including all constants.
    log_joint_iter_ : ndarray of shape (n_evaluations,)
        Sweeps after which the entries of `log_joint_` were recorded.
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
    CollapsedGibbsLDA : Fewer sweeps, on one processor; or shards, an approximation.
    UncollapsedGibbsLDA : Theta is drawn, too, which takes more sweeps.
    sklearn.decomposition.LatentDirichletAllocation : Variational Bayes.

    Notes
    -----
    Cost of a sweep: O(K) per document-word pair, and one gamma variate per topic for
    each word: about 0.005 microseconds if the topic has no token of the word and beta
    is below 1, otherwise 0.02. The threads share all of it. Memory: 2 bytes per token,
    12 per document-word pair, 12 K per word, and 2 to 4 per document-topic and
    word-topic pair of the kept samples.

    The draws for a word or a document depend only on `random_state`, the sweep and its
    number. Phi is stored in float32; gamma variates below 1e-30 count as 0.

    References
    ----------
    .. [1] M. Magnusson, L. Jonsson, M. Villani, D. Broman, "Sparse partially collapsed
       MCMC for parallel inference in topic models", Journal of Computational and
       Graphical Statistics 27 (2018), https://arxiv.org/abs/1506.03784
    .. [2] T. P. Minka, "Estimating a Dirichlet distribution" (2000).

    Examples
    --------
    >>> from sklda import PartiallyCollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = PartiallyCollapsedGibbsLDA(10, n_jobs=2, random_state=0).fit(X)
    >>> lda.transform(X[:3]).shape
    (3, 10)
    """

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        return PartiallyCollapsed(threads)
