"""Uncollapsed Gibbs sampling: data augmentation, in which every step is parallel.

A sweep has two steps. Given the topics of the tokens, gammas are drawn for each word,
which make phi. Given phi, the proportions of each document and the topics of its tokens
are drawn. Gammas depend on a key of the sweep and on the number of their word or
document. Slices of documents depend on the corpus alone, and each has its own random
stream: the samples are the same, bit for bit, for any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sklda._data.corpus import Corpus, ranges, some_documents, tokens_before
from sklda._engine.estimator import GibbsLDA
from sklda._gibbs.kernels import uncollapsed
from sklda._gibbs.partially_collapsed import RecountedState, counts, new_state, recount
from sklda._sampling import doc_topic_counts, variates
from sklda._sampling.problem import Problem, words_at
from sklda._sampling.random_streams import DOCUMENTS, PHI, RandomStreams, draw_key
from sklda._sampling.sampler import Sampler, info
from sklda._sampling.threads import Threads

_MOST_SLICES = 64
_WORDS = 128  # of a slice, or more
_TOKENS = 4096  # of a slice, or more
_GAMMAS = 2**16  # drawn at a time, which bounds the memory of a thread


class Uncollapsed(NamedTuple):
    """Draw phi and theta given the topics, then all topics given these."""

    threads: Threads
    counts = staticmethod(counts)
    info = staticmethod(info)

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> RecountedState:
        """Return the state in which the tokens have the topics z."""
        n_word_slices = min(1 + problem.n_words // _WORDS, _MOST_SLICES)
        n_doc_slices = min(1 + z.size // _TOKENS, _MOST_SLICES)
        words = list(ranges(np.arange(problem.n_words + 1), n_word_slices))
        documents = list(ranges(tokens_before(problem.corpus), n_doc_slices))
        return new_state(problem, z, self.threads, words, documents)

    def sweep(
        self, problem: Problem[Corpus], state: RecountedState, rng: RandomStreams
    ) -> None:
        """Draw phi, theta and the topic of every token once."""
        # The factor goes into theta, which saves a pass through phi.
        phi, factor = self._draw_phi(problem, state, rng.child(PHI))
        z = state.z

        def resample(documents, streams):
            for chunk, theta in _draw_theta(problem, z, documents, factor, key):
                uncollapsed.resample_topics(chunk, z, theta, phi, streams.kernel)

        key = np.uint64(draw_key(rng.kernel))
        stream, slices = rng.child(DOCUMENTS), state.doc_slices
        self.threads.map(
            resample, slices, [stream.child(i) for i in range(len(slices))]
        )
        recount(problem, state, self.threads)

    def _draw_phi(self, problem, state, rng) -> tuple[np.ndarray, np.ndarray]:
        """Return gammas of words, each row scaled, and the factor 1 / sum of topics."""
        word_topic, n_topics = state.word_topic, problem.n_topics
        phi, beta = np.zeros(word_topic.shape, np.float32), np.transpose(problem.beta)
        # A token for each empty topic, see `partially_collapsed.draw_extra`.
        empty = np.flatnonzero(state.topic[:n_topics] == 0)
        word_topic[_words_of_prior(problem, empty, rng.generator), empty] = 1

        def draw(words):
            total = np.zeros(n_topics)
            for first, last in _chunks(words, n_topics):
                counts = word_topic[first:last, :n_topics]
                drawn = counts + (beta[first:last] if np.ndim(beta) else beta)
                variates.draw_gammas(key, first, drawn)
                uncollapsed.scale(drawn, np.ones(n_topics), phi[first:last])
                total += drawn.sum(axis=0)
            return total

        key = np.uint64(draw_key(rng.kernel))
        total = sum(self.threads.map(draw, state.word_slices))
        return phi, 1 / np.maximum(total, 1e-200)


def _words_of_prior(problem, topics, generator) -> np.ndarray:
    """Draw a word in proportion to beta for each of `topics`."""
    if not problem.has_word_prior:
        return generator.integers(problem.n_words, size=topics.size)
    share = generator.random(topics.size)
    return words_at(problem.topic_word_prior, topics, share)


def _draw_theta(problem, z, documents, factor, key) -> Iterator[tuple]:
    """Yield chunks of documents, with theta times `factor`, each row scaled."""
    for first, last in _chunks(documents, problem.n_topics):
        chunk = some_documents(problem.corpus, first, last)
        shape = problem.alpha_of(first, last)
        doc_topic_counts.add_doc_topic(chunk, z, shape)
        theta = np.zeros((last - first, problem.n_lanes), np.float32)
        variates.draw_gammas(key, first, shape)
        uncollapsed.scale(shape, factor, theta)
        yield chunk, theta


def _chunks(items: tuple[int, int], n_topics) -> Iterator[tuple[int, int]]:
    """Yield first and end of chunks of a slice with `_GAMMAS` numbers each."""
    step = max(1, _GAMMAS // n_topics)
    for first in range(*items, step):
        yield first, min(first + step, items[1])


class UncollapsedGibbsLDA(GibbsLDA):
    """Latent Dirichlet Allocation by data augmentation: exact on all processors.

    A document is a mixture of topics, theta_d ~ Dirichlet(alpha); a topic is a
    distribution over words, phi_k ~ Dirichlet(beta). A sweep draws phi and theta given
    the topics of the tokens, then the topic of each token given phi and theta [1]_,
    [2]_. Given phi and theta, tokens are independent: threads share the work, and the
    chain is the same for any number of threads. It converges to the exact posterior,
    but needs more sweeps than CollapsedGibbsLDA, which integrates out phi and theta.
    Prefer PartiallyCollapsedGibbsLDA, which is also exact and parallel, but faster and
    needs less memory, unless you need the sampler of [1]_.

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
    CollapsedGibbsLDA : Fewer sweeps, on one processor.
    PartiallyCollapsedGibbsLDA : Theta is integrated out; exact threads, too.
    sklearn.decomposition.LatentDirichletAllocation : Variational Bayes.

    Notes
    -----
    Cost of a sweep: O(K) per document-word pair, and one gamma variate per topic for
    each word and each document, about 0.07 microseconds each. The threads share all of
    it. Memory: 2 bytes per token, 12 per document-word pair, 16 K per word, 2 to 4 per
    document-topic and word-topic pair of the kept samples, and 2 MB per thread.

    References
    ----------
    .. [1] X. Zhang, S. A. Sisson, "Blocking collapsed Gibbs sampler for latent
       Dirichlet allocation models" (2016), https://arxiv.org/abs/1608.00945
    .. [2] M. A. Tanner, W. H. Wong, "The calculation of posterior distributions by
       data augmentation", JASA 82 (1987),
       https://doi.org/10.1080/01621459.1987.10478458
    .. [3] T. P. Minka, "Estimating a Dirichlet distribution" (2000).

    Examples
    --------
    >>> from sklda import UncollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = UncollapsedGibbsLDA(n_components=10, n_jobs=2, random_state=0).fit(X)
    >>> lda.transform(X[:3]).shape
    (3, 10)
    """

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        return Uncollapsed(threads)
