"""The estimators on Dask: collapsed and partially collapsed Gibbs sampling."""

from __future__ import annotations

from typing import ClassVar, Literal

from distributed import Client
from numpy.random import RandomState
from numpy.typing import ArrayLike

from sklda._base.parameters import SHARD_CONSTRAINTS
from sklda._core.types import LearnPriors, PathLike
from sklda._gibbs import collapsed, partially_collapsed
from sklda.dask._base import BaseDaskLDA
from sklda.dask._cluster import Cluster
from sklda.dask._counting import CountingChain, ExactParts
from sklda.dask._phases import InPhases, PhasesChain


class CollapsedGibbsLDA(BaseDaskLDA):
    """Latent Dirichlet Allocation by collapsed Gibbs sampling in shards, on Dask.

    A sweep has as many phases as there are shards. In each phase, a shard of the
    documents resamples its tokens from one shard of the words, whose counts then move
    on to another worker [1]_. The fit is bit-identical to that of
    :class:`sklda.CollapsedGibbsLDA` with the same parameters, for any number of workers
    and any blocks of X. The defaults of `thin` and `n_shards` differ.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    blocking : None, "backward" or "nested", default=None
        As in :class:`sklda.CollapsedGibbsLDA`, but slower, because each phase rebuilds
        the blocks.
    max_block_size : int or None, default=2
        As in :class:`sklda.CollapsedGibbsLDA`.
    sampler : "auto", "dense" or "sparse", default="auto"
        As in :class:`sklda.CollapsedGibbsLDA`.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Dirichlet parameter alpha of the topic proportions, from 1e-10 to 1e10. None
        means 1 / K or, with `learn_priors`, that it is learned, starting at 10 / K.
    topic_word_prior : float, default=None
        Dirichlet parameter beta of the words in topics, from 1e-10 to 1e10. None means
        1 / K or, with `learn_priors`, that it is learned, starting there.
    learn_priors : "auto", "symmetric", "asymmetric", "hierarchical" or None, \
default="auto"
        "auto" learns the priors that are None: one alpha per topic, and beta.
        "symmetric" and "asymmetric" learn both, from where they start, with one alpha
        for all topics or one per topic. They use Minka's fixed point in every sweep of
        the burn-in, once an annealed start has ended. Both priors remain between 0.0001
        and 1000. "hierarchical" samples alpha after each sweep, from the posterior of a
        hierarchical Dirichlet process with at most `n_components` topics. See "Let the
        data choose the number of topics" in the user guide. None leaves both priors as
        they are.
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
    thin : int, default=10
        Keep every `thin`-th sample after burn-in, counted back from the last sweep,
        which is always kept.
    init : "annealed" or "random", default="annealed"
        Start of the chain. "random" draws the topics of tokens uniformly. "annealed"
        also lets beta fall from a large value to its own in at most 250 sweeps of the
        burn-in: better topics in fewer sweeps.
    evaluate_every : int, default=10
        Number of sweeps between two entries of the trace; 0 means no trace.
    n_shards : int, default=8
        As in :class:`sklda.CollapsedGibbsLDA`, where the default is 1. At most
        `n_shards` worker threads can work at the same time. More shards take less
        memory, but each sweep has as many phases as shards.
    storage : str or path-like, default=None
        Folder for the state: a path or a URL that fsspec supports and that this process
        and all workers can access. With None, the results of a failed worker are
        recomputed from the first sweep.
    store_every : int, default=20
        Number of sweeps between two states in `storage`, which keeps only the last one.
    client : distributed.Client or None, default=None
        Client of the cluster. None means the current client of this process.
    n_jobs : int, default=None
        Number of threads per task. None means 1, -1 all processors of the worker. A
        task of fit has several shards if there are more shards than worker threads. The
        result is bit-identical for any number.
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
    doc_topic_ : dask array of shape (n_documents, n_components)
        Expected topic proportions of the training documents.
    topic_assignments_ : dask array of shape (n_tokens,)
        Topic of each training token in the last sweep. Tokens are ordered by document,
        then by word.
    log_joint_ : ndarray of shape (n_evaluations,)
        Trace of log p(w, z | alpha, beta) in nats, including all constants; equal to
        that on a single machine except for rounding.
    log_joint_iter_ : ndarray of shape (n_evaluations,)
        Sweeps after which the entries of `log_joint_` were recorded.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha after the last sweep; its mean over the kept samples if it is sampled.
    topic_word_prior_ : float
        Beta after the last sweep.
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
    n_partitions_ : int
        Number of parts into which the documents were divided, each with one or more
        shards.
    n_features_in_ : int
        Number of words.

    See Also
    --------
    PartiallyCollapsedGibbsLDA : Exact, in more sweeps.
    sklda.CollapsedGibbsLDA : The same on one machine.

    Notes
    -----
    Memory of a worker: for its shards, 4 bytes per token, 12 per document-word pair and
    8 `n_shards` per document; and, for 1 / `n_shards` of the words per shard, up to 22
    bytes for each topic of a word. A topic and a part of the documents can each have at
    most 2**31 - 1 tokens.

    References
    ----------
    .. [1] F. Yan, N. Xu, Y. Qi, "Parallel inference for latent Dirichlet allocation on
       graphics processing units", NIPS 2009.
    """

    _parameter_constraints: ClassVar[dict] = {
        **collapsed.CollapsedGibbsLDA._parameter_constraints,
        **BaseDaskLDA._parameter_constraints,
    }
    _local, _chain = collapsed.CollapsedGibbsLDA, PhasesChain

    def __init__(
        self,
        n_components: int = 10,
        *,
        blocking: Literal["backward", "nested"] | None = None,
        max_block_size: int | None = 2,
        sampler: Literal["auto", "dense", "sparse"] = "auto",
        doc_topic_prior: float | ArrayLike | None = None,
        topic_word_prior: float | None = None,
        learn_priors: LearnPriors = "auto",
        hyperpriors: dict[str, tuple[float, float]] | None = None,
        max_iter: int = 200,
        burn_in: int | None = None,
        thin: int = 10,
        init: Literal["annealed", "random"] = "annealed",
        evaluate_every: int = 10,
        n_shards: int = 8,
        storage: PathLike | None = None,
        store_every: int = 20,
        client: Client | None = None,
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
        self.hyperpriors = hyperpriors
        self.max_iter = max_iter
        self.burn_in = burn_in
        self.thin = thin
        self.init = init
        self.evaluate_every = evaluate_every
        self.n_shards = n_shards
        self.storage = storage
        self.store_every = store_every
        self.client = client
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _plan(self, cluster: Cluster) -> tuple[InPhases, int]:
        settings = self.sampler, self.blocking, self._parameters.max_block_size
        return InPhases(*settings, self._parameters.n_jobs), cluster.n_threads


class PartiallyCollapsedGibbsLDA(BaseDaskLDA):
    """Latent Dirichlet Allocation with sampled topics, on Dask: exact on all workers.

    A sweep draws the topics phi given the topics of the tokens, and then the topics of
    the tokens in each document given phi [1]_. The fit is bit-identical to that of
    :class:`sklda.PartiallyCollapsedGibbsLDA` with the same parameters, for any
    partition of the documents and any number of workers. The default of `thin` differs.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics K, 1 to 65,535.
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Dirichlet parameter alpha of the topic proportions, from 1e-10 to 1e10. None
        means 1 / K or, with `learn_priors`, that it is learned, starting at 10 / K.
    topic_word_prior : float, default=None
        Dirichlet parameter beta of the words in topics, from 1e-10 to 1e10. None means
        1 / K or, with `learn_priors`, that it is learned, starting there.
    learn_priors : "auto", "symmetric", "asymmetric", "hierarchical" or None, \
default="auto"
        "auto" learns the priors that are None: one alpha per topic, and beta.
        "symmetric" and "asymmetric" learn both, from where they start, with one alpha
        for all topics or one per topic. They use Minka's fixed point in every sweep of
        the burn-in, once an annealed start has ended. Both priors remain between 0.0001
        and 1000. "hierarchical" samples alpha after each sweep, from the posterior of a
        hierarchical Dirichlet process with at most `n_components` topics. See "Let the
        data choose the number of topics" in the user guide. None leaves both priors as
        they are.
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
    thin : int, default=10
        Keep every `thin`-th sample after burn-in, counted back from the last sweep,
        which is always kept.
    init : "annealed" or "random", default="annealed"
        Start of the chain. "random" draws the topics of tokens uniformly. "annealed"
        also lets beta fall from a large value to its own in at most 250 sweeps of the
        burn-in: better topics in fewer sweeps.
    evaluate_every : int, default=10
        Number of sweeps between two entries of the trace; 0 means no trace.
    n_partitions : int or None, default=None
        Number of partitions of the documents, at most 570, with about the same number
        of tokens; each is one task. None means one per worker thread when the fit
        starts.
    storage : str or path-like, default=None
        Folder for the state: a path or a URL that fsspec supports and that this process
        and all workers can access. With None, the results of a failed worker are
        recomputed from the first sweep.
    store_every : int, default=20
        Number of sweeps between two states in `storage`, which keeps only the last one.
    client : distributed.Client or None, default=None
        Client of the cluster. None means the current client of this process.
    n_jobs : int, default=None
        Number of threads per task. None means 1, -1 all processors of the worker. With
        many topics, fewer partitions with more threads take less memory and send fewer
        counts. The result is bit-identical for any number.
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
    doc_topic_ : dask array of shape (n_documents, n_components)
        Expected topic proportions of the training documents.
    topic_assignments_ : dask array of shape (n_tokens,)
        Topic of each training token in the last sweep. Tokens are ordered by document,
        then by word.
    log_joint_ : ndarray of shape (n_evaluations,)
        Trace of log p(w, z | alpha, beta) in nats, including all constants; equal to
        that on a single machine except for rounding.
    log_joint_iter_ : ndarray of shape (n_evaluations,)
        Sweeps after which the entries of `log_joint_` were recorded.
    doc_topic_prior_ : ndarray of shape (n_components,)
        Alpha after the last sweep; its mean over the kept samples if it is sampled.
    topic_word_prior_ : float
        Beta after the last sweep.
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
    n_partitions_ : int
        Number of parts into which the documents were divided.
    n_features_in_ : int
        Number of words.

    See Also
    --------
    CollapsedGibbsLDA : An approximation, in fewer sweeps.
    sklda.PartiallyCollapsedGibbsLDA : The same on one machine.

    Notes
    -----
    Memory of a worker: for each partition, 2 bytes per token, 12 per document-word pair
    and 4 K per word, plus several times 8 bytes for each topic of a word. A partition
    can have at most 2**31 - 1 tokens; the total is not limited.

    References
    ----------
    .. [1] M. Magnusson, L. Jonsson, M. Villani, D. Broman, "Sparse partially collapsed
       MCMC for parallel inference in topic models", Journal of Computational and
       Graphical Statistics 27 (2018), https://arxiv.org/abs/1506.03784
    """

    _parameter_constraints: ClassVar[dict] = {
        **BaseDaskLDA._parameter_constraints,
        "n_partitions": [None, *SHARD_CONSTRAINTS["n_shards"]],
    }
    _local = partially_collapsed.PartiallyCollapsedGibbsLDA
    _chain = CountingChain

    def __init__(
        self,
        n_components: int = 10,
        *,
        doc_topic_prior: float | ArrayLike | None = None,
        topic_word_prior: float | None = None,
        learn_priors: LearnPriors = "auto",
        hyperpriors: dict[str, tuple[float, float]] | None = None,
        max_iter: int = 200,
        burn_in: int | None = None,
        thin: int = 10,
        init: Literal["annealed", "random"] = "annealed",
        evaluate_every: int = 10,
        n_partitions: int | None = None,
        storage: PathLike | None = None,
        store_every: int = 20,
        client: Client | None = None,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.learn_priors = learn_priors
        self.hyperpriors = hyperpriors
        self.max_iter = max_iter
        self.burn_in = burn_in
        self.thin = thin
        self.init = init
        self.evaluate_every = evaluate_every
        self.n_partitions = n_partitions
        self.storage = storage
        self.store_every = store_every
        self.client = client
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _plan(self, cluster: Cluster) -> tuple[ExactParts, int]:
        parameters = self._parameters
        n_parts = parameters.n_partitions or cluster.n_threads
        return ExactParts(parameters.n_jobs), n_parts
