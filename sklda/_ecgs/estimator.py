"""Efficient collapsed Gibbs sampling: fewer draws than tokens."""

from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from sklda._base.parameters import SHARD_CONSTRAINTS
from sklda._base.sklearn_private import Interval, StrOptions
from sklda._core.problem import Corpus, Problem
from sklda._core.sampler import Sampler
from sklda._core.threads import Threads
from sklda._ecgs.samplers import Dynamic, Shortcut, draws_made
from sklda._gibbs.base import BaseGibbsLDA
from sklda._gibbs.chain import Chain
from sklda._gibbs.rows_then_lists import single_site_sampler
from sklda._gibbs.sharded import sharded


class ECGSLDA(BaseGibbsLDA):
    """Latent Dirichlet Allocation by efficient collapsed Gibbs sampling.

    The model is that of CollapsedGibbsLDA. But a word that a document holds several
    times often has one topic there, and then one draw for all its tokens does the work
    of many. A sweep parts the tokens of one word in one document into groups, each of
    which moves to a topic that is drawn for it as if it were a single token; dynamic
    sampling learns how many groups to make from the draws so far [1]_.

    This is an approximation: the number of groups depends on the past, and tokens that
    move together are drawn as if they did not attract each other. On text, where most
    words come once or twice, the topics of dynamic sampling are nearly as good as those
    of CollapsedGibbsLDA; where documents repeat their words a lot they are not, unless
    `damping` is large. Who needs the posterior, takes CollapsedGibbsLDA.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    strategy : "dynamic", "shortcut" or "standard", default="dynamic"
        How many draws a sweep makes for the N tokens of a word in a document. Standard
        makes N, and is the exact chain of CollapsedGibbsLDA. Shortcut makes 1, which
        gives clearly worse topics. Dynamic makes N at first, and later as many as
        distinct topics were drawn in a sweep before, chosen at random; where N is 1 or
        2, it makes N.
    damping : int, default=1
        Of dynamic sampling: how many sweeps the wish for N draws weighs, 1 to
        1,000,000,000. A sweep makes N draws with probability damping / (damping +
        sweeps so far): large values come close to the standard strategy.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Alpha, from 1e-10 to 1e10: small values give documents few topics. None is
        1 / K.
    topic_word_prior : float, default=None
        Beta, from 1e-10 to 1e10: small values give topics few words. None is 1 / K.
    learn_priors : None, "symmetric" or "asymmetric", default=None
        Whether alpha (one value, or one per topic) and beta are fitted to the data, by
        Minka's fixed point [2]_: every 10 sweeps during burn-in. Then they are frozen,
        so all kept samples come from one posterior. Both stay within 0.0001 and 1000.
    max_iter : int, default=200
        Sweeps.
    burn_in : int, default=None
        Sweeps at the start of which no sample is kept, less than `max_iter`. None is
        half of `max_iter`.
    thin : int, default=10
        Sweeps between two samples that are kept; the last sweep always is one.
    evaluate_every : int, default=10
        Sweeps between two entries of the trace `log_joint_`; 0 is never.
    n_shards : int, default=1
        Parts of the corpus, of about equal tokens, that sweep side by side: each on its
        own copy of the counts, whose changes are added up after the sweep [3]_. 1 is
        the exact chain. More are an approximation, close as long as there are far fewer
        parts than documents; the fitted model depends on their number.
    n_jobs : int, default=None
        Threads of transform and score, and of fit where `n_shards` is not 1; None is 1,
        -1 all processors. The result never depends on it, bit for bit.
    random_state : int, RandomState instance or None, default=None
        Seed; an int makes the fit repeatable.
    verbose : int, default=0
        1 prints a line per entry of the trace: sweep, log joint per token in nats,
        tokens per second.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features_in_)
        Expected tokens of each word on each topic, plus beta.
    topic_word_ : ndarray of shape (n_components, n_features_in_)
        Rows of `components_` normalised: the probability of each word in each topic.
    doc_topic_ : ndarray of shape (n_documents, n_components)
        Topic proportions of the training documents, mean over the kept samples.
    topic_assignments_ : ndarray of shape (n_tokens,)
        Topic of each training token in the last sweep; tokens in the order of
        documents, and of words within a document.
    log_joint_ : ndarray of shape (n_evaluations,)
        Trace of log p(w, z | alpha, beta), in nats, with all its constants.
    log_joint_iter_ : ndarray of shape (n_evaluations,)
        Sweeps after which the entries of `log_joint_` were taken.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha at the end.
    topic_word_prior_ : float
        Beta at the end.
    n_iter_ : int
        Sweeps done.
    sampling_rate_ : ndarray of shape (n_iter_,)
        Draws made in each sweep, divided by the tokens: 1 where every token is drawn,
        document-word pairs / tokens where each pair is drawn as one.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Words, where X named its columns.

    See Also
    --------
    CollapsedGibbsLDA : The exact chain, also in blocks.
    UncollapsedGibbsLDA : The same posterior by data augmentation, on all processors.

    Notes
    -----
    Cost of a sweep: at most O(K) per document-word pair, and O(K) per document. Time
    falls less than the draws, for the tokens of a pair share most of the work already:
    with 2.6 tokens per pair (NIPS) and K = 400, a sweep of shortcut sampling takes 0.8
    of the time of a standard one, and one of dynamic sampling as long; with 1.3 tokens
    per pair (KOS) both take 1.2 times as long. Memory: as CollapsedGibbsLDA;
    shortcut and dynamic take 4 bytes more per document-word pair, and dynamic 16 per
    pair of at least three tokens and 8 for each number of topics drawn for it so far.

    References
    ----------
    .. [1] H. Xiao, T. Stibor, "Efficient collapsed Gibbs sampling for latent Dirichlet
       allocation", ACML 2010, https://proceedings.mlr.press/v13/xiao10a.html
    .. [2] T. P. Minka, "Estimating a Dirichlet distribution" (2000).
    .. [3] D. Newman, A. Asuncion, P. Smyth, M. Welling, "Distributed algorithms for
       topic models", JMLR 10 (2009).

    Examples
    --------
    >>> from sklda import ECGSLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = ECGSLDA(n_components=10, random_state=0).fit(X)
    >>> lda.transform(X[:3]).shape
    (3, 10)
    """

    sampling_rate_: np.ndarray

    _parameter_constraints: ClassVar[dict] = {
        **BaseGibbsLDA._parameter_constraints,
        **SHARD_CONSTRAINTS,
        "strategy": [StrOptions({"standard", "shortcut", "dynamic"})],
        "damping": [Interval(Integral, 1, 1_000_000_000, closed="both")],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        strategy: Literal["dynamic", "shortcut", "standard"] = "dynamic",
        damping: int = 1,
        doc_topic_prior: float | ArrayLike | None = None,
        topic_word_prior: float | None = None,
        learn_priors: Literal["symmetric", "asymmetric"] | None = None,
        max_iter: int = 200,
        burn_in: int | None = None,
        thin: int = 10,
        evaluate_every: int = 10,
        n_shards: int = 1,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.strategy = strategy
        self.damping = damping
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learn_priors = learn_priors
        self.max_iter = max_iter
        self.burn_in = burn_in
        self.thin = thin
        self.evaluate_every = evaluate_every
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        if self.strategy == "standard":
            return single_site_sampler(problem, self.n_shards, threads)
        sampler = (
            Dynamic(problem.n_topics, int(self.damping))
            if self.strategy == "dynamic"
            else Shortcut(problem.n_topics)
        )
        return sharded(sampler, problem, self.n_shards, threads)

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        rate = np.ones(chain.n_sweeps)
        if self.strategy != "standard" and chain.z.size > 0:
            rate = draws_made(chain.state) / chain.z.size
        return super()._attributes(chain) | {"sampling_rate_": rate}
