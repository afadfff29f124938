"""Efficient collapsed Gibbs sampling: fewer draws than tokens.

`Grouped` is the sampler of Xiao & Stibor, which draws the tokens of a cell in groups:
shortcut sampling makes one draw for all tokens of a cell; dynamic sampling learns the
number of draws.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from numbers import Integral
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from sklda._data.corpus import Corpus, cells_of, kernel_parts
from sklda._data.sklearn_private import Interval, StrOptions
from sklda._ecgs.kernels import draw_numbers, lists
from sklda._engine.chain import Chain
from sklda._engine.estimator import GibbsLDA
from sklda._engine.sharded import sharded
from sklda._gibbs.collapsed import collapsed_sampler
from sklda._sampling.parameters import SHARD_CONSTRAINTS
from sklda._sampling.problem import Counts, Problem, ProblemOfCells
from sklda._sampling.random_streams import N_DRAWS, RandomStreams
from sklda._sampling.sampler import Sampler, Shardable, SweepInfo
from sklda._sampling.threads import Threads
from sklda._tables.lists import ListCounts


class GroupedState(NamedTuple):
    """Counts and numbers of draws of all documents; draw weights of cells in a part."""

    z: np.ndarray  # (n_tokens,) uint16
    topic: np.ndarray  # (n_lanes,) int32
    tables: ListCounts
    n_draws: np.ndarray  # (n_cells,) int32, in the last sweep
    draw_weights: list[draw_numbers.DrawWeights]  # one, if dynamic


class Grouped(NamedTuple):
    """Dynamic sampling; shortcut sampling if `damping` is None."""

    damping: int | None

    def from_topics(self, problem: Problem[Corpus], z: np.ndarray) -> GroupedState:
        """Return the state in which the tokens have the topics z."""
        return self.over(self.tables(problem, z), problem)

    def tables(self, problem: Problem[Corpus], z: np.ndarray) -> GroupedState:
        """Return the counts of the topics z and the first numbers of draws."""
        counts, corpus = lists.from_topics(problem, z), problem.corpus
        n_draws = np.ones(corpus.word.size, np.int32)
        if self.damping is not None:
            n_draws[:] = np.diff(corpus.token_ptr)
        return GroupedState(z, counts.topic, counts, n_draws, [])

    def over(self, tables: GroupedState, problem: ProblemOfCells) -> GroupedState:
        """Return the state for some cells over counts of all documents."""
        draw_weights, cells = [], cells_of(problem.corpus)
        if self.damping is not None:
            n_draws, damping = tables.n_draws, self.damping
            draw_weights.append(
                draw_numbers.first_draw_weights(cells, n_draws, damping)
            )
        counts = tables.tables._replace(topic=tables.topic)
        return tables._replace(tables=counts, draw_weights=draw_weights)

    def sweep(
        self, problem: ProblemOfCells, state: GroupedState, rng: RandomStreams
    ) -> None:
        """Resample every token once, in groups; learn their number."""
        corpus, n_draws = problem.corpus, state.n_draws
        for draw_weights in state.draw_weights:
            stream = rng.child(N_DRAWS).kernel
            draw_numbers.choose_n_draws(draw_weights, stream, n_draws)
        priors, alphas = lists.kernel_priors(problem), problem.kernel_alphas()
        for part in kernel_parts(corpus, problem.n_lanes):
            lists.sweep_groups(part, state.tables, priors, alphas, n_draws, rng.kernel)
        state.draw_weights[:] = [
            draw_numbers.learn_draw_weights(
                corpus.token_ptr, state.z, draw_weights, problem.n_lanes
            )
            for draw_weights in state.draw_weights
        ]

    def counts(self, problem: Problem[Corpus], state: GroupedState) -> Counts:
        """Return the count tables."""
        return lists.counts(problem, state.tables)

    def info(self, problem: Problem[Corpus], state: GroupedState) -> SweepInfo:
        """Return the number of draws of the last sweep: one for each group."""
        return SweepInfo(n_draws=int(state.n_draws.sum()))


@dataclass(repr=False, eq=False)
class ECGSLDA(GibbsLDA):
    """Latent Dirichlet Allocation by efficient collapsed Gibbs sampling.

    The model is that of CollapsedGibbsLDA. If a document contains a word several times,
    its tokens often share one topic, and one draw can replace many. A sweep splits the
    tokens of a word in a document into groups and draws one topic for each group as if
    it were a single token. Dynamic sampling learns from earlier draws how many groups
    to make [1]_.

    This is an approximation: the number of groups depends on the past, and tokens that
    move together are drawn as if they did not attract each other. On text, where most
    words occur once or twice per document, the topics of dynamic sampling are nearly as
    good as those of CollapsedGibbsLDA. If documents repeat their words often, the
    topics are worse unless `damping` is large. Use CollapsedGibbsLDA if you need
    samples from the exact posterior.

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
    strategy : "dynamic", "shortcut" or "standard", default="dynamic"
        Number of draws that a sweep makes for the N tokens of a word in a document.
        "standard" makes N draws, which is the exact chain of CollapsedGibbsLDA.
        "shortcut" makes one. "dynamic" makes N at first; later it makes as many draws
        as there were distinct topics after a randomly chosen earlier sweep. If N is 1
        or 2, it makes N. The more often documents repeat their words, the worse
        "shortcut" becomes, see Notes.
    damping : int, default=1
        Weight of N draws in dynamic sampling, in sweeps, from 1 to 1,000,000,000. A
        sweep makes N draws with probability damping / (damping + sweeps so far), so
        large values approximate the standard strategy. Ignored by other strategies.
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
    sampling_rate_ : ndarray of shape (n_iter_,)
        Number of draws in each sweep, divided by the number of tokens: 1 if every token
        is drawn, or document-word pairs / tokens if each pair is drawn as one group.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, if the columns of X have names.

    See Also
    --------
    CollapsedGibbsLDA : The exact chain, single-site or blocked.
    UncollapsedGibbsLDA : The exact posterior by data augmentation, with exact threads.

    Notes
    -----
    Cost of a sweep: at most O(K) per document-word pair and O(K) per document. The time
    falls less than the number of draws, because the tokens of a pair already share most
    of the work. With 2.6 tokens per pair (NIPS) and K = 400, a sweep of shortcut
    sampling takes 0.5 times as long as a standard sweep, and a sweep of dynamic
    sampling 0.8 times; with 1.3 tokens per pair (KOS), 0.9 times and equally long.
    Memory: at most that of CollapsedGibbsLDA, plus 4 bytes per document-word pair
    for shortcut and dynamic sampling. Dynamic sampling also takes 16 bytes per pair of
    at least three tokens and 8 for each number of topics drawn for it so far.

    Shortcut and dynamic sampling keep a list of topics for each word. With an array for
    beta, the list also holds the topics in which the word has more than its smallest
    beta. A sweep of KOS then takes 1.2 times as long if few words are seeds. If every
    word has a different beta in every topic, it takes 1.3 times as long with 20 topics,
    1.4 times with 40 and 1.9 times with 100.

    Quality, as the mean log probability of held-out tokens in nats, in the order
    standard, dynamic, shortcut: -7.432, -7.435, -7.433 on KOS (1.3 tokens per pair, K =
    20); -7.390, -7.399, -7.421 on NIPS (2.6 tokens, K = 50); -4.74, -4.76, -4.81 on a
    synthetic corpus (8.3 tokens, K = 20), all with alpha = 0.1 and beta = 0.05. Chains
    with different seeds differ by 0.01 to 0.02, and by 0.06 on the last corpus.

    References
    ----------
    .. [1] H. Xiao, T. Stibor, "Efficient collapsed Gibbs sampling for latent Dirichlet
       allocation", ACML 2010, https://proceedings.mlr.press/v13/xiao10a.html
    .. [2] T. P. Minka, "Estimating a Dirichlet distribution" (2000).
    .. [3] F. Yan, N. Xu, Y. Qi, "Parallel inference for latent Dirichlet allocation on
       graphics processing units", NIPS 2009.

    Examples
    --------
    >>> from sklda import ECGSLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = ECGSLDA(n_components=10, random_state=0).fit(X)
    >>> lda.transform(X[:3]).shape
    (3, 10)
    """

    _: KW_ONLY
    strategy: Literal["dynamic", "shortcut", "standard"] = "dynamic"
    damping: int = 1
    n_shards: int = 1

    sampling_rate_: np.ndarray = field(init=False)

    _parameter_constraints: ClassVar[dict] = {
        **GibbsLDA._parameter_constraints,
        **SHARD_CONSTRAINTS,
        "strategy": [StrOptions({"standard", "shortcut", "dynamic"})],
        "damping": [Interval(Integral, 1, 1_000_000_000, closed="both")],
    }

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        parameters = self._parameters
        sampler: Shardable
        if self.strategy == "standard":
            sampler = collapsed_sampler(problem.n_topics)
        else:
            damping = parameters.damping if self.strategy == "dynamic" else None
            sampler = Grouped(damping)
        return sharded(sampler, problem, parameters.n_shards, threads)

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        n_draws = np.array([info.n_draws for info in chain.info], np.float64)
        rate = n_draws / chain.n_tokens if chain.n_tokens > 0 else n_draws + 1
        return super()._attributes(chain) | {"sampling_rate_": rate}
