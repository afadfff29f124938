"""The base class of the estimators on Dask: fit, transform and score."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, ClassVar, Self

import dask.array as da
import numpy as np
from dask import delayed
from distributed import Client
from sklearn.base import clone

from sklda._base.estimator import BaseTopicModel
from sklda._base.fitted_topics import snapshot
from sklda._base.fitting import fitting
from sklda._base.fold_in import mean_log_probability
from sklda._base.parameters import (
    CHAIN_CONSTRAINTS,
    FIRST_ALPHA_SUM,
    PATH,
    TRACE_CONSTRAINTS,
    make_problem,
    random_streams,
    validates,
)
from sklda._base.schedule import Schedule
from sklda._base.sklearn_private import Interval, StrOptions, fit_context
from sklda._chain.estimator import BaseGibbsLDA
from sklda._chain.hierarchical_prior import check_hyperpriors, prior_attributes
from sklda._chain.run import chain_schedule, run_fit
from sklda._core.random_streams import RandomStreams
from sklda.dask._chain import ClusterChain
from sklda.dask._cluster import Cluster
from sklda.dask._corpus import partition
from sklda.dask._counting import ExactParts
from sklda.dask._messages import PartLostError
from sklda.dask._phases import InPhases
from sklda.dask._storage import Storage, describe_fit
from sklda.dask._topics import score_block, topic_tasks, transform_block

MOST_LOSSES = 3  # of workers before the next sweep is stored
_CHAIN_PARAMETERS = ("burn_in", "thin", "learn_priors", "hyperpriors")
_WORKER_ATTRIBUTES = ("doc_topic_", "topic_assignments_")


class BaseDaskLDA(BaseTopicModel):
    """Samplers of the posterior of LDA on a cluster."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseTopicModel._parameter_constraints,
        **TRACE_CONSTRAINTS,
        **{name: CHAIN_CONSTRAINTS[name] for name in _CHAIN_PARAMETERS},
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
        X : dask array, list of delayed matrices, or dask bag of matrices
            Word counts (documents x words) as whole numbers. Blocks are CSR matrices or
            arrays; their numbers of rows may be unknown.
        y : None
            Ignored.
        resume : bool, default=False
            Resume from the last sweep in `storage`, with the same X and parameters. If
            nothing is stored yet, start at the beginning.

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
            closed or has no workers; or if `storage` is in use by another fit, or
            contains a different fit, different documents or damaged files.
        OSError
            If `storage` has no room. The last stored sweep remains.
        RuntimeError
            If the cluster has no workers for a minute, the scheduler is lost, or
            workers fail too often.

        Notes
        -----
        Ctrl-C cancels the tasks of the fit; the client remains usable. An interrupted
        fit leaves the estimator as it was.
        """
        if np.ndim(self.topic_word_prior) > 0:
            raise ValueError(
                f"topic_word_prior is an array of {np.ndim(self.topic_word_prior)} "
                "dimensions, but sklda.dask takes one number, because each worker "
                "would have to hold the whole array, which is as large as all counts. "
                f"For seed words, fit {self._local.__name__} of sklda to a sample of "
                "the documents, and transform all of them."
            )
        parameters, cluster = self._parameters, Cluster(self.client)
        check_hyperpriors(parameters)
        schedule = chain_schedule(parameters)
        description = describe_fit(type(self).__name__, parameters)
        storage = Storage(self.storage, parameters.store_every, description)
        with fitting(self), storage.locked():
            stored, losses = storage.find(resume=resume), 0
            entropy = random_streams(self.random_state).entropy
            while True:
                try:
                    with cluster.running():
                        chain = self._make_chain(
                            cluster, X, schedule, storage, stored, entropy
                        )
                        self._run(chain, {"X": X, "y": y}, schedule, stored)
                    return self
                except PartLostError:
                    before, stored = stored, storage.last()
                    losses = 1 + losses * (stored == before)
                    if losses > MOST_LOSSES:
                        raise
                    cluster = cluster.renewed()

    def _run(
        self,
        chain: ClusterChain,
        data: dict[str, Any],
        schedule: Schedule,
        stored: Any,
    ) -> None:
        """Run a chain to its end, from its start or from a stored sweep."""
        chain.check_length(schedule.max_iter)
        if stored:
            chain.resume(stored)
        else:
            chain.start()
        chain.sample_priors(check_hyperpriors(self._parameters), stored)
        # max_iter counts all sweeps, also those before a fit was resumed.
        remaining = schedule.after(-chain.n_sweeps)
        run_fit(self, data, chain, remaining, self._parameters.evaluate_every)
        vars(self).update(self._attributes(chain))

    def _make_chain(
        self,
        cluster: Cluster,
        X: Any,
        schedule: Schedule,
        storage: Storage,
        stored: dict[str, Any] | None,
        entropy: list[int],
    ) -> ClusterChain:
        """Cut the documents, and return the chain before its start."""
        sampler, n_parts = self._plan(cluster)
        n_parts = stored["n_partitions"] if stored else n_parts
        n_shards = getattr(self._parameters, "n_shards", None)
        partitions = partition(cluster, X, self._make_local(), n_parts, n_shards)
        self.n_features_in_ = partitions.n_words
        problem = make_problem(self, None, FIRST_ALPHA_SUM)
        rng = RandomStreams(np.random.SeedSequence(entropy))
        annealing = schedule.annealing(problem, self.init, sum(partitions.n_tokens))
        return self._chain(
            cluster, sampler, partitions, problem, rng, storage, annealing
        )

    def _attributes(self, chain: ClusterChain) -> dict[str, Any]:
        """Return the fitted attributes at the end of a chain."""
        components, theta, problem = chain.finish()
        z = [delayed(getattr)(part, "z") for part in chain.parts]
        partitions, n_topics = chain.partitions, chain.n_topics
        theta = _concatenated(map(delayed, theta), partitions.n_documents, n_topics)
        return {
            "components_": components,
            "doc_topic_": theta,
            "topic_assignments_": _concatenated(z, partitions.n_tokens),
            "doc_topic_prior_": problem.doc_topic_prior,
            "topic_word_prior_": problem.topic_word_prior,
            **prior_attributes(chain.prior, chain.prior_updates),
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
        X : dask array, list of delayed matrices, or dask bag of matrices
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
        cluster, fitted = Cluster(self.client), snapshot(self)
        theta = topic_tasks(cluster, transform_block, X, fitted)
        rows = X.chunks[0] if isinstance(X, da.Array) else [np.nan] * len(theta)
        return _concatenated(theta, rows, fitted.components_.shape[0])

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log predictive probability of held-out tokens, in nats.

        Parameters
        ----------
        X : dask array, list of delayed matrices, or dask bag of matrices
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
        cluster = Cluster(self.client)
        with cluster.released_on_failure():
            sums = cluster.results(topic_tasks(cluster, score_block, X, snapshot(self)))
        return mean_log_probability(*np.sum(sums, axis=0).tolist())

    def perplexity(self, X: Any) -> float:
        """Return ``exp(-score(X))``; lower is better.

        Parameters
        ----------
        X : dask array, list of delayed matrices, or dask bag of matrices
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
