"""The estimators on Dask: collapsed and partially collapsed Gibbs sampling."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import dask.array as da
import numpy as np
from dask import delayed
from dask.delayed import Delayed
from distributed import Client
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import clone

from sklda._data.sklearn_private import Interval, StrOptions, fit_context
from sklda._data.types import LearnPriors, PathLike
from sklda._engine.estimator import BaseGibbsLDA, chain_schedule, run_fit
from sklda._engine.hierarchical_prior import check_hyperpriors, prior_attributes
from sklda._estimators.base import BaseTopicModel, fitting
from sklda._fitted.fitted_topics import snapshot
from sklda._fitted.fold_in import mean_log_probability
from sklda._gibbs import collapsed, partially_collapsed
from sklda._sampling.parameters import (
    CHAIN_CONSTRAINTS,
    PATH,
    PRIOR_RANGE,
    SHARD_CONSTRAINTS,
    TRACE_CONSTRAINTS,
    learned_priors,
    make_problem,
    random_streams,
    validates,
)
from sklda.dask._chain import ClusterChain
from sklda.dask._cluster import Cluster
from sklda.dask._corpus import blocks_of, partition, score_block, transform_block
from sklda.dask._samplers import CountingChain, ExactParts, InPhases, PhasesChain
from sklda.dask._storage import Storage, describe_fit

_CHAIN_PARAMETERS = ("burn_in", "thin", "learn_priors", "hyperpriors")
_WORKER_ATTRIBUTES = ("doc_topic_", "topic_assignments_")


class BaseDaskLDA(BaseTopicModel):
    """Samplers of the posterior of LDA on a cluster."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseTopicModel._parameter_constraints,
        **TRACE_CONSTRAINTS,
        **{name: CHAIN_CONSTRAINTS[name] for name in _CHAIN_PARAMETERS},
        # An array would be as large as all counts, in the memory of each worker.
        "topic_word_prior": [None, PRIOR_RANGE],
        "init": [StrOptions({"annealed", "random"})],
        "client": [None, Client],
        "storage": [None, *PATH],
        "store_every": [Interval(Integral, 1, None, closed="left")],
    }
    _local: ClassVar[type[BaseGibbsLDA]]  # the estimator of this name in sklda
    _chain: ClassVar[type[ClusterChain]]

    doc_topic_: da.Array
    topic_assignments_: da.Array
    n_partitions_: int

    def _plan(self, cluster: Cluster) -> tuple[InPhases | ExactParts, int]:
        """Return what sweeps over a part of the documents, and the number of parts."""
        raise NotImplementedError

    @fit_context(prefer_skip_nested_validation=True)
    @validates(resume=["boolean"])
    def fit(self, X: Any, y: Any = None, *, resume: bool = False) -> Self:
        """Run the chain on the workers and average its kept samples.

        Parameters
        ----------
        X : dask array, or list of delayed matrices
            Word counts (documents x words) as whole numbers. Blocks are CSR matrices or
            arrays with all words; their numbers of rows may be unknown.
        y : None
            Ignored.
        resume : bool, default=False
            Resume from the last sweep in `storage`, with the same X and parameters. If
            nothing is stored yet, start at the beginning. With False, start at the
            beginning, too; the first stored sweep replaces what is in `storage`.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        TypeError
            If X has a different type.
        ValueError
            If a block contains values other than counts, blocks have different numbers
            of words, a parameter is out of range, there is no client, or the client is
            closed or has no workers; or if `resume` finds a sweep in `storage` that
            cannot be read, or is of other parameters or documents.
        OSError
            If `storage` has no room. The last stored sweep remains.
        RuntimeError
            If the cluster has no workers for a minute, or the scheduler is lost.

        Notes
        -----
        Ctrl-C cancels the tasks of the fit; the client remains usable. An interrupted
        fit leaves the estimator as it was.
        """
        parameters, cluster = self._parameters, Cluster(self.client)
        description = describe_fit(type(self).__name__, parameters)
        storage = Storage(self.storage, parameters.store_every, description)
        stored = storage.find() if resume else None
        schedule, priors = chain_schedule(parameters), check_hyperpriors(parameters)
        with fitting(self), cluster.running():
            sampler, n_parts = self._plan(cluster)
            n_parts = stored["n_partitions"] if stored else n_parts
            n_shards = getattr(parameters, "n_shards", None)
            partitions = partition(cluster, X, self._make_local(), n_parts, n_shards)
            self.n_features_in_ = partitions.n_words
            vars(self).pop("feature_names_in_", None)
            if partitions.names:
                self.feature_names_in_ = np.array(partitions.names, object)
            problem = make_problem(self, None, schedule.first_alpha_sum)
            chain = self._chain(cluster, sampler, partitions, problem, storage)
            chain.check_length(schedule.max_iter)
            if stored:
                chain.resume(stored)
            else:
                annealing = schedule.annealing(problem, self.init, chain.n_tokens)
                chain.start(random_streams(self.random_state), annealing, priors)
            # max_iter counts all sweeps, also those before a fit was resumed.
            remaining, data = schedule.after(-chain.n_sweeps), {"X": X, "y": y}
            run_fit(self, data, chain, remaining, parameters.evaluate_every)
            vars(self).update(self._attributes(chain))
        return self

    def _attributes(self, chain: ClusterChain) -> dict[str, Any]:
        """Return the fitted attributes at the end of a chain."""
        components, theta, problem = chain.finish()
        learned = learned_priors(self._parameters)
        z = [delayed(getattr)(part, "z") for part in chain.parts]
        partitions, n_topics = chain.partitions, chain.n_topics
        theta = _concatenated(map(delayed, theta), partitions.n_documents, n_topics)
        return {
            "components_": components,
            "doc_topic_": theta,
            "topic_assignments_": _concatenated(z, partitions.n_tokens),
            "doc_topic_prior_": problem.doc_topic_prior,
            "topic_word_prior_": problem.topic_word_prior,
            **prior_attributes(chain.prior, learned, chain.prior_updates),
            "log_joint_": np.array(chain.log_joint),
            "log_joint_iter_": np.array(chain.log_joint_sweeps, dtype=np.int64),
            "n_iter_": chain.n_sweeps,
            "n_partitions_": len(chain.documents),
        }

    def _make_local(self) -> BaseGibbsLDA:
        """Return the estimator of this name in sklda, not fitted."""
        parameters = self.get_params(deep=False)
        known = self._local().get_params(deep=False)
        return self._local(**{n: v for n, v in parameters.items() if n in known})

    def to_local(self) -> BaseGibbsLDA:
        """Return the corresponding fitted estimator of sklda, which does not need Dask.

        Returns
        -------
        estimator
            Fitted, with ``n_jobs`` threads for transform and score. It lacks
            `doc_topic_` and `topic_assignments_`, which stay on the workers, and
            `moved_tokens_`, which a cluster does not measure.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        """
        fitted = snapshot(self)
        local = fitted._make_local()
        attributes = {n: a for n, a in vars(fitted).items() if n.endswith("_")}
        vars(local).update(attributes, draws_=None)
        for name in (*_WORKER_ATTRIBUTES, "n_partitions_"):
            vars(local).pop(name, None)
        return local

    def __sklearn_clone__(self) -> Self:
        """Return an estimator with copies of the parameters, and the same client."""
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        copies = {name: clone(value, safe=False) for name, value in parameters.items()}
        return type(self)(**copies, client=client)

    def __getstate__(self) -> dict[str, Any]:
        """Return what can be stored: all but what belongs to a cluster."""
        state = super().__getstate__()
        for name in _WORKER_ATTRIBUTES:
            state.pop(name, None)
        return {**state, "client": None}

    def transform(self, X: Any) -> da.Array:
        """Estimate the topic proportions of documents under the fitted topics.

        Parameters
        ----------
        X : dask array, or list of delayed matrices
            Word counts, as in `fit`.

        Returns
        -------
        dask array of shape (n_documents, n_components)
            Rows sum to 1. Computed lazily on the workers, block by block. The numbers
            of rows of its blocks are unknown if those of X are unknown.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError, ValueError
            As in `fit`; errors in blocks are raised when the result is computed.
        """
        theta = self._of_blocks(transform_block, X)
        rows = X.chunks[0] if isinstance(X, da.Array) else [np.nan] * len(theta)
        return _concatenated(theta, rows, self.components_.shape[0])

    def _of_blocks(self, function: Callable, X: Any) -> list[Delayed]:
        """Return a task for each block of X, which the estimator of sklda reads."""
        local, client = self.to_local(), self._checked_parameter("client")
        cluster, blocks = Cluster(client), blocks_of(X)
        local.set_params(n_jobs=self._n_jobs)
        (future,) = cluster.client.scatter([local], broadcast=True, hash=False)
        name = function.__name__.replace("_", "-")
        return [
            cluster.task(function, f"{name}-{i}", block, i, future)
            for i, block in enumerate(blocks)
        ]

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log predictive probability of held-out tokens, in nats.

        Parameters
        ----------
        X : dask array, or list of delayed matrices
            Word counts, as in `fit`.
        y : None
            Ignored.

        Returns
        -------
        float
            As on a single machine: the mean over all tokens by document completion. If
            X has no tokens, 0 with an UndefinedMetricWarning.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError, ValueError
            As in `fit`.
        """
        sums = Cluster(self.client).results(self._of_blocks(score_block, X))
        return mean_log_probability(*np.sum(sums, axis=0).tolist())

    def perplexity(self, X: Any) -> float:
        """Return ``exp(-score(X))``; lower is better.

        Parameters
        ----------
        X : dask array, or list of delayed matrices
            Word counts, as in `fit`.

        Returns
        -------
        float
            A uniform model scores the number of words.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError, ValueError
            As in `fit`.
        """
        return float(np.exp(-self.score(X)))


def _concatenated(blocks: Iterable[Any], rows: Any, *columns: int) -> da.Array:
    """Return delayed arrays as one dask array."""
    dtype = np.float64 if columns else np.uint16
    arrays = [
        da.from_delayed(block, (n, *columns), dtype)
        for block, n in zip(blocks, rows, strict=True)
    ]
    return da.concatenate(arrays)


@dataclass(repr=False, eq=False)
class DaskLDA(BaseDaskLDA):
    """Samplers with the parameters that both take."""

    n_components: int = 10
    _: KW_ONLY
    doc_topic_prior: float | ArrayLike | None = None
    topic_word_prior: float | None = None
    learn_priors: LearnPriors = "auto"
    hyperpriors: dict[str, tuple[float, float]] | None = None
    max_iter: int = 200
    burn_in: int | None = None
    thin: int = 10
    init: Literal["annealed", "random"] = "annealed"
    evaluate_every: int = 10
    storage: PathLike | None = None
    store_every: int = 20
    client: Client | None = None
    n_jobs: int | None = None
    random_state: int | RandomState | None = None
    verbose: int = 0


@dataclass(repr=False, eq=False, kw_only=True)
class CollapsedGibbsLDA(DaskLDA):
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
    doc_topic_prior : float or array-like of shape (n_components,), default=None
        Dirichlet parameter alpha of the topic proportions, from 1e-10 to 1e10. None
        means 1 / K or, with `learn_priors`, that it is learned, starting at 10 / K;
        lower if burn-in is below 100 sweeps.
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
    blocking : None, "backward" or "nested", default=None
        As in :class:`sklda.CollapsedGibbsLDA`, but slower, because each phase rebuilds
        the blocks.
    max_block_size : int or None, default=2
        As in :class:`sklda.CollapsedGibbsLDA`.
    n_shards : int, default=8
        As in :class:`sklda.CollapsedGibbsLDA`, where the default is 1. At most
        `n_shards` worker threads can work at the same time. More shards take less
        memory, but each sweep has as many phases as shards.

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
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, if the blocks are data frames whose columns have names.

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

    blocking: Literal["backward", "nested"] | None = None
    max_block_size: int | None = 2
    n_shards: int = 8

    _parameter_constraints: ClassVar[dict] = {
        **collapsed.CollapsedGibbsLDA._parameter_constraints,
        **BaseDaskLDA._parameter_constraints,
    }
    _local, _chain = collapsed.CollapsedGibbsLDA, PhasesChain

    def _plan(self, cluster: Cluster) -> tuple[InPhases, int]:
        parameters = self._parameters
        settings = self.blocking, parameters.max_block_size, parameters.n_jobs
        return InPhases(*settings), cluster.n_threads


@dataclass(repr=False, eq=False, kw_only=True)
class PartiallyCollapsedGibbsLDA(DaskLDA):
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
        means 1 / K or, with `learn_priors`, that it is learned, starting at 10 / K;
        lower if burn-in is below 100 sweeps.
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
    n_partitions : int or None, default=None
        Number of partitions of the documents, at most 570, with about the same number
        of tokens; each is one task. None means one per worker thread when the fit
        starts.

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
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The words, if the blocks are data frames whose columns have names.

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

    n_partitions: int | None = None

    _parameter_constraints: ClassVar[dict] = {
        **BaseDaskLDA._parameter_constraints,
        "n_partitions": [None, *SHARD_CONSTRAINTS["n_shards"]],
    }
    _local = partially_collapsed.PartiallyCollapsedGibbsLDA
    _chain = CountingChain

    def _plan(self, cluster: Cluster) -> tuple[ExactParts, int]:
        parameters = self._parameters
        n_parts = parameters.n_partitions or cluster.n_threads
        return ExactParts(parameters.n_jobs), n_parts
