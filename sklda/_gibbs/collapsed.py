"""Collapsed Gibbs sampling for LDA: single-site or in blocks."""

from numbers import Integral
from typing import ClassVar, Literal

from numpy.random import RandomState
from numpy.typing import ArrayLike

from sklda._base.parameters import SHARD_CONSTRAINTS
from sklda._base.sklearn_private import Interval, StrOptions
from sklda._core.problem import Corpus, Problem
from sklda._core.sampler import Replicable, Sampler
from sklda._core.threads import Threads
from sklda._gibbs.base import BaseGibbsLDA
from sklda._gibbs.blocked_sampler import Blocked
from sklda._gibbs.kernels import single_site_lists, single_site_rows
from sklda._gibbs.rows_then_lists import single_site_sampler
from sklda._gibbs.sharded import sharded

_SINGLE_SITE = {"dense": single_site_rows, "sparse": single_site_lists}


class CollapsedGibbsLDA(BaseGibbsLDA):
    """Latent Dirichlet Allocation by collapsed Gibbs sampling.

    A document is a mixture of topics, theta_d ~ Dirichlet(alpha); a topic is a
    distribution over words, phi_k ~ Dirichlet(beta). Both are integrated out, and a
    sweep draws the topic of each token given those of all other tokens [1]_. The
    chain converges to the exact posterior.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    blocking : None, "backward" or "nested", default=None
        How many tokens are drawn at a time. None is one. The others draw a block of
        tokens of one word in one document jointly, from the same posterior [3]_: a
        sweep changes more, and costs two to four times as much. They differ in how
        blocks of more than four tokens are drawn: nested simulation parts the tokens
        down a binary tree over the topics; backward simulation seeks the last topic
        that has any, then the one before it.
    max_block_size : int or None, default=4
        Tokens of the largest block where `blocking` is not None; a document that holds
        a word more often has several blocks of it, each drawn given the others: still
        exact. Up to four tokens a block is drawn by a few sums over the topics that the
        word has, larger ones by a table over all topics: O(C^2 K) time and 24 C K bytes
        for C tokens. None is no limit.
    sampler : "auto", "dense" or "sparse", default="auto"
        How the single-site chain keeps the counts of words on topics; the posterior is
        the same. Dense keeps whole rows, and the weights of all topics are computed at
        once; sparse keeps a list of the topics that a word has, which pays when there
        are many and words have few of them. Auto takes what is faster by the length of
        these lists, and looks again while the topics sharpen. Only "auto" goes with
        `blocking`.
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
        own copy of the counts, whose changes are added up after the sweep [4]_. 1 is
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
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Words, where X named its columns.

    See Also
    --------
    UncollapsedGibbsLDA : The same posterior by data augmentation, on all processors.
    sklearn.decomposition.LatentDirichletAllocation : Variational Bayes.

    Notes
    -----
    Cost of a sweep: at most O(K) per document-word pair, and O(K) per document; far
    less for many topics, once only those count that a word has. Memory: 2 bytes per
    token, 12 per document-word pair, 8 per word-topic pair that can occur (and again
    for each of several shards; while topics are many for each word, up to four times
    as much), 8 K per document and 24 K per word.

    References
    ----------
    .. [1] T. L. Griffiths, M. Steyvers, "Finding scientific topics", PNAS 101 (2004),
       https://doi.org/10.1073/pnas.0307752101
    .. [2] T. P. Minka, "Estimating a Dirichlet distribution" (2000).
    .. [3] X. Zhang, S. A. Sisson, "Blocking collapsed Gibbs sampler for latent
       Dirichlet allocation models" (2016), https://arxiv.org/abs/1608.00945
    .. [4] D. Newman, A. Asuncion, P. Smyth, M. Welling, "Distributed algorithms for
       topic models", JMLR 10 (2009).

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> X, _, _ = make_bars(n_samples=200, random_state=0)
    >>> lda = CollapsedGibbsLDA(n_components=10, random_state=0).fit(X)
    >>> lda.transform(X[:3]).shape
    (3, 10)
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseGibbsLDA._parameter_constraints,
        **SHARD_CONSTRAINTS,
        "blocking": [None, StrOptions({"backward", "nested"})],
        "max_block_size": [None, Interval(Integral, 1, None, closed="left")],
        "sampler": [StrOptions({"auto", "dense", "sparse"})],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        blocking: Literal["backward", "nested"] | None = None,
        max_block_size: int | None = 4,
        sampler: Literal["auto", "dense", "sparse"] = "auto",
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
        self.blocking = blocking
        self.max_block_size = max_block_size
        self.sampler = sampler
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
        if self.blocking is not None and self.sampler != "auto":
            raise ValueError(
                f"sampler={self.sampler!r} is for single-site sampling, and blocking="
                f"{self.blocking!r} is another: set sampler='auto' or blocking=None"
            )
        sampler: Replicable
        if self.blocking is not None:
            sampler = Blocked(self.blocking == "nested", self.max_block_size)
        elif self.sampler == "auto":
            return single_site_sampler(problem, self.n_shards, threads)
        else:
            sampler = _SINGLE_SITE[self.sampler]
        return sharded(sampler, problem, self.n_shards, threads)
