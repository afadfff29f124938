"""Collapsed Gibbs sampling for LDA: blocks, the choice of a sampler, the estimator.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945. `Blocked` draws the tokens of a block jointly. A block is a
cell of the corpus, or a piece of a large one. The kernels of single-site sampling, for
few topics and for many, are samplers themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from sklda._data.corpus import (
    MAX_32_BITS,
    MOST_STEPS,
    Corpus,
    Part,
    cells_of,
    document_lengths,
    kernel_ranges,
    split_cells,
    take_cells,
    tokens_before,
)
from sklda._data.sklearn_private import Interval, StrOptions
from sklda._engine.estimator import GibbsLDA
from sklda._engine.sharded import sharded
from sklda._gibbs.kernels import blocked, single_site_lists, single_site_registers
from sklda._gibbs.kernels.blocked import SMALL
from sklda._sampling.parameters import SHARD_CONSTRAINTS
from sklda._sampling.problem import Counts, Problem, ProblemOfCells
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.sampler import Sampler, Shardable, info
from sklda._sampling.threads import Threads
from sklda._tables import lists


class Blocks(NamedTuple):
    """The blocks of each document: the largest first, single tokens last."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64; blocks of d: doc_ptr[d]:doc_ptr[d + 1]
    single_ptr: np.ndarray  # (n_docs,) int64, the first single token
    token_ptr: np.ndarray  # (n_docs + 1,) int64; tokens of d
    word: np.ndarray  # (n_blocks,) int32
    first: np.ndarray  # (n_blocks,) int64, the first token
    size: np.ndarray  # (n_blocks,) int32


def make_blocks(corpus: Corpus | Part, most: int | np.ndarray) -> Blocks:
    """Return the cells as blocks, cut where they have more than `most` tokens."""
    cells = take_cells(corpus)
    pieces = split_cells(cells, most)
    count = np.diff(cells.token_ptr)
    n_pieces = np.diff(np.searchsorted(pieces.token_ptr, cells.token_ptr))
    largest = np.repeat(np.minimum(count, most), n_pieces)
    moved = corpus.token_ptr[cells_of(corpus)] - cells.token_ptr[:-1]
    first = pieces.token_ptr[:-1] + np.repeat(moved, n_pieces)
    n_docs = corpus.doc_ptr.size - 1
    document = np.repeat(np.arange(n_docs), np.diff(pieces.doc_ptr))
    size = np.diff(pieces.token_ptr).astype(np.int32)
    is_single = size == 1
    order = np.lexsort((-largest, is_single, document))
    singles = np.bincount(document[is_single], minlength=n_docs)
    return Blocks(
        doc_ptr=pieces.doc_ptr,
        single_ptr=pieces.doc_ptr[1:] - singles,
        token_ptr=tokens_before(corpus),
        word=pieces.word[order],
        first=first[order],
        size=size[order],
    )


class BlockState(NamedTuple):
    """The counts in lists, and the blocks."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: Any
    blocks: Blocks


class Blocked(NamedTuple):
    """Blocks of up to `max_block_size` tokens, whole cells if None.

    Large blocks are drawn by nested or by backward simulation. Blocks of m tokens in a
    document of N tokens cost O(N m K), so in very long documents they are smaller.
    """

    nested: bool
    max_block_size: int | None
    info = staticmethod(info)

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> BlockState:
        """Return the state in which the tokens have the topics z."""
        return self.over(self.tables(problem, z), problem)

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> Any:
        """Return the counts of the topics z."""
        return lists.from_topics(problem, z)

    def over(self, tables: Any, problem: ProblemOfCells) -> BlockState:
        """Return the state for some cells over counts of all documents."""
        corpus = problem.corpus
        n_steps = np.maximum(document_lengths(corpus) * problem.n_topics, 1)
        most = np.maximum(MOST_STEPS // n_steps, 1)
        if self.max_block_size is not None:
            most = np.minimum(most, min(self.max_block_size, MAX_32_BITS))
        blocks = make_blocks(corpus, np.repeat(most, corpus.end - corpus.begin))
        return BlockState(tables.z, tables.topic, tables, blocks)

    def sweep(
        self, problem: ProblemOfCells, state: BlockState, rng: RandomStreams
    ) -> None:
        """Resample every block once: first the large ones, then all others."""
        blocks, priors = state.blocks, lists.kernel_priors(problem)
        tables, stream, n_lanes = state.tables, rng.kernel, problem.n_lanes
        largest = int(blocks.size.max(initial=1))
        if largest > SMALL:
            for part in _in_parts(blocks, largest * n_lanes):
                blocked.sweep_large_blocks(part, tables, priors, stream, self.nested)
        depth = 2 if largest <= 2 else SMALL
        for part in _in_parts(blocks, depth * n_lanes):
            blocked.sweep_blocks(part, tables, priors, stream, depth)

    def counts(self, problem: Problem[Corpus], state: BlockState) -> Counts:
        """Return the count tables."""
        return lists.counts(problem, state.tables)


def _in_parts(blocks: Blocks, n_steps: int) -> Iterator[Blocks]:
    """Yield the blocks of documents that take a kernel a short time."""
    for first, last in kernel_ranges(blocks.token_ptr, n_steps):
        yield blocks._replace(
            doc_ptr=blocks.doc_ptr[first : last + 1],
            single_ptr=blocks.single_ptr[first:last],
            token_ptr=blocks.token_ptr[first : last + 1],
        )


def collapsed_sampler(
    n_topics: int, blocking: str | None = None, max_block_size: int | None = None
) -> Shardable:
    """Return the sampler for a number of topics, and for a way of blocking."""
    if blocking is not None:
        return Blocked(blocking == "nested", max_block_size)
    few = n_topics <= single_site_registers.MOST_TOPICS
    return single_site_registers if few else single_site_lists


@dataclass(repr=False, eq=False, kw_only=True)
class CollapsedGibbsLDA(GibbsLDA):
    """Latent Dirichlet Allocation by collapsed Gibbs sampling.

    A document is a mixture of topics, theta_d ~ Dirichlet(alpha); a topic is a
    distribution over words, phi_k ~ Dirichlet(beta). Both are integrated out. A sweep
    draws the topic of each token given the topics of all other tokens [1]_, and the
    chain converges to the exact posterior.

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
    blocking : None, "backward" or "nested", default=None
        Draw tokens one at a time (None), or draw tokens of one word in one document
        jointly [4]_, in blocks. The posterior is the same. A blocked sweep moves more
        tokens and takes longer; the user guide explains when this pays off. "backward"
        and "nested" differ only for blocks of more than four tokens: nested simulation
        splits the tokens down a binary tree over the topics; backward simulation finds
        the last topic that receives tokens, then the one before it, and so on.
    max_block_size : int or None, default=2
        Maximum number of tokens in a block; ignored if `blocking` is None. If a
        document contains a word more often, its tokens are split into several blocks,
        each drawn given the others, which is still exact. A block of up to four tokens
        needs one sum over the topics per token; a larger block needs a table over all
        topics: O(C^2 K) time and 24 C K bytes for C tokens. None means all tokens of a
        word in a document. In a document of N tokens, no block has more than 5e8 / (N
        K) tokens, so that even the longest document takes about a second.
    n_shards : int, default=1
        Number of shards, at most 128, that sweep in parallel on `n_jobs` threads.
        Documents and words are both divided into shards; no two shards work on the same
        word at the same time, so all share one table of counts [3]_. One shard is
        exact. Several are an approximation, because topic totals are updated only after
        each of the `n_shards` phases of a sweep; it is close if there are far more
        documents than shards. The fitted model depends on `n_shards`.

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
    PartiallyCollapsedGibbsLDA : The same posterior, exact on several threads.
    UncollapsedGibbsLDA : Data augmentation, exact on several threads.
    sklearn.decomposition.LatentDirichletAllocation : Variational Bayes.

    Notes
    -----
    Cost of a sweep: at most O(K) per document-word pair and O(K) per document; with
    many topics far less, because lists hold only the topics of a word. Memory: 2 bytes
    per token, 12 per document-word pair, 4 per word-topic pair that can occur (4 K per
    word with up to 56 topics), and 2 to 4 per document-topic and word-topic pair of the
    kept samples; with several shards, each takes another 8 per document.

    With an array for beta, a sweep takes 1.1 times as long, and a word-topic pair twice
    the memory. Beyond 56 topics, lists also hold the topics in which a word has more
    than its smallest beta. If every word has a different beta in every topic, a sweep
    of KOS takes about 2 times as long with 100 topics, 2.5 times with 200 and 4 times
    with 400. The first fit compiles separate kernels.

    References
    ----------
    .. [1] T. L. Griffiths, M. Steyvers, "Finding scientific topics", PNAS 101 (2004),
       https://doi.org/10.1073/pnas.0307752101
    .. [2] T. P. Minka, "Estimating a Dirichlet distribution" (2000).
    .. [3] F. Yan, N. Xu, Y. Qi, "Parallel inference for latent Dirichlet allocation on
       graphics processing units", NIPS 2009.
    .. [4] X. Zhang, S. A. Sisson, "Blocking collapsed Gibbs sampler for latent
       Dirichlet allocation models" (2016), https://arxiv.org/abs/1608.00945

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> lda.transform(X[:3]).shape
    (3, 10)
    """

    blocking: Literal["backward", "nested"] | None = None
    max_block_size: int | None = 2
    n_shards: int = 1

    _parameter_constraints: ClassVar[dict] = {
        **GibbsLDA._parameter_constraints,
        **SHARD_CONSTRAINTS,
        "blocking": [None, StrOptions({"backward", "nested"})],
        "max_block_size": [None, Interval(Integral, 1, None, closed="left")],
    }

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        parameters = self._parameters
        chosen = collapsed_sampler(
            problem.n_topics, self.blocking, parameters.max_block_size
        )
        return sharded(chosen, problem, parameters.n_shards, threads)
