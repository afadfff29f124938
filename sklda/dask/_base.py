"""The base class of estimators on Dask: fit, transform and score over partitions."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import dask.array as da
import numpy as np
from dask import delayed
from distributed import Client
from sklearn.base import clone

from sklda._base.fitted_topics import snapshot
from sklda._base.fold_in import mean_log_probability
from sklda._base.parameters import make_problem, random_streams, validates
from sklda._base.sklearn_private import Interval, fit_context
from sklda._core.problem import MAX_TOKENS
from sklda._core.random_streams import RandomStreams
from sklda._core.threads import Threads
from sklda._gibbs.base import BaseGibbsLDA
from sklda.dask import _statistics
from sklda.dask._chain import Chain, check_length
from sklda.dask._cluster import Cluster
from sklda.dask._corpus import blocks_of, check_blocks, partition
from sklda.dask._parts import Priors
from sklda.dask._storage import Storage
from sklda.dask._topics import score_block, send_topics, transform_block

_MAY_CHANGE = {"client", "storage", "store_every", "n_partitions", "n_jobs", "verbose"}


class BaseDaskLDA(BaseGibbsLDA):
    """Samplers of the posterior of LDA on a cluster."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseGibbsLDA._parameter_constraints,
        "client": [None, Client],
        "storage": [None, str],
        "store_every": [Interval(Integral, 1, None, closed="left")],
    }
    _local: ClassVar[type]  # the estimator of this name on one machine
    warm_start: ClassVar[bool] = False  # no parameter here: `resume` goes on

    doc_topic_: da.Array
    topic_assignments_: da.Array
    n_partitions_: int

    def _distributed_sampler(self) -> Any:
        """Return what sweeps over a partition."""
        raise NotImplementedError

    def _n_partitions(self, cluster: Cluster) -> int:
        """Return into how many partitions the documents are cut."""
        raise NotImplementedError

    @fit_context(prefer_skip_nested_validation=True)
    @validates(resume=["boolean"])
    def fit(self, X: Any, y: Any = None, *, resume: bool = False) -> Self:
        """Run the chain on the workers and average its kept samples.

        Parameters
        ----------
        X : dask array, list of delayed matrices, or dask bag of matrices
            Word counts, documents x words, as whole numbers. Blocks are CSR matrices
            or arrays; their numbers of rows may be unknown.
        y : None
            Ignored.
        resume : bool, default=False
            Go on from the last sweep in `storage`, with the same X and parameters. If
            nothing is stored there yet, start at the beginning.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        TypeError
            If X is none of these.
        ValueError
            If a block holds values other than counts, blocks have different numbers of
            words, a parameter is out of range, there is no client, the client is closed
            or has no workers; or if `storage` holds another fit, other documents or
            damaged files.
        RuntimeError
            If the cluster has no workers for a minute, or the scheduler is lost.

        Notes
        -----
        Ctrl-C cancels the tasks of the fit; the client goes on working. An interrupted
        fit leaves the estimator as it was.
        """
        if resume and self.storage is None:
            raise ValueError("resume=True goes on from storage, which is None.")
        if np.ndim(self.topic_word_prior) > 0:
            raise ValueError(
                f"topic_word_prior is an array of {np.ndim(self.topic_word_prior)} "
                f"dimensions, but {type(self).__module__} takes one number. For seed "
                f"words, fit {self._local.__name__} of sklda to a sample of the "
                f"documents, and transform all of them."
            )
        cluster = Cluster(self.client)
        self._cluster, self._resume = cluster, resume
        try:
            with cluster.released_on_failure():
                self._sample(X, y, self._schedule())
        finally:
            vars(self).pop("_cluster", None)
            vars(self).pop("_resume", None)
        return self

    def _start(self, X, y, threads: Threads) -> tuple[Chain, dict[str, Any]]:
        cluster, parameters = self._cluster, self._parameters
        storage = None if self.storage is None else Storage(self.storage)
        stored = None if storage is None else storage.last()
        _check_stored(stored, self, self._resume)
        checked, sizes = check_blocks(cluster, X, self._unfitted())
        n = self._n_partitions(cluster)
        n = max(n, -(-int(sizes[:, 1].sum()) // (MAX_TOKENS // 2)))
        n = n if stored is None else stored["n_partitions"]
        partitions = partition(cluster, checked, sizes, n)
        self.n_features_in_ = partitions.n_words
        priors = make_problem(self, None)[2:]
        n_sweeps = parameters.max_iter
        if storage is not None:
            n_sweeps = min(n_sweeps, parameters.store_every)
        check_length(
            len(partitions.documents), partitions.n_words, priors[0].size, n_sweeps
        )
        entropy = random_streams(self.random_state).entropy
        content = {
            "estimator": type(self).__name__,
            "parameters": _stored_parameters(self),
            "n_partitions": n,
            "n_documents": partitions.n_documents,
            "n_tokens": partitions.n_tokens,
            "n_words": partitions.n_words,
            "documents": partitions.digests,
            "entropy": entropy if stored is None else stored["entropy"],
        }
        rng = RandomStreams(np.random.SeedSequence(content["entropy"]))
        sampler = self._distributed_sampler()
        chain = Chain(cluster, sampler, partitions, Priors(*priors), rng)
        chain.storage, chain.content = storage, content
        chain.store_every = parameters.store_every
        if stored is None:
            chain.start()
        else:
            _check_same_corpus(stored, content, self.storage)
            chain.resume(stored, storage.url(stored["sweep"]))
        return chain, {}

    def _unfitted(self) -> BaseGibbsLDA:
        """Return the estimator for one machine."""
        parameters = self.get_params(deep=False)
        known = self._local().get_params(deep=False)
        return self._local(**{n: v for n, v in parameters.items() if n in known})

    def _report(self, chain, schedule, progress) -> None:
        if self.verbose:  # else nobody waits for the trace
            super()._report(chain, schedule, progress)

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        components, theta = chain.finish()
        partitions = chain.partitions
        z = [delayed(_statistics.topic_assignments)(part) for part in chain.parts]
        (priors,) = chain.cluster.gather([chain.priors])
        return {
            "components_": components,
            "doc_topic_": _concatenated(
                list(map(delayed, theta)), partitions.n_documents, chain.n_topics
            ),
            "topic_assignments_": _concatenated(z, partitions.n_tokens),
            "doc_topic_prior_": priors.doc_topic,
            "topic_word_prior_": priors.topic_word,
            "log_joint_": np.array(chain.log_joint),
            "log_joint_iter_": np.array(chain.log_joint_sweeps, dtype=np.int64),
            "n_iter_": chain.n_sweeps,
            "n_partitions_": len(chain.documents),
        }

    def _sample_recorded(self, X, y, recorder):
        raise TypeError(
            f"{type(self).__module__} does not run several chains side by side. Fit "
            f"with several seeds, or pass {self._local.__name__} of sklda and a sample "
            f"of the documents."
        )

    def to_local(self) -> BaseGibbsLDA:
        """Return the fitted estimator of this name in sklda, which needs no Dask.

        Returns
        -------
        estimator
            Fitted, without `doc_topic_` and `topic_assignments_`, which stay on the
            workers, and with ``n_jobs`` threads for transform and score.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        """
        fitted = snapshot(self)
        local = fitted._unfitted()
        if hasattr(local, "n_shards"):
            local.n_shards = fitted.n_partitions_
        left_out = {"doc_topic_", "topic_assignments_", "n_partitions_"}
        for name, value in vars(fitted).items():
            if name.endswith("_") and not name.startswith("_") and name not in left_out:
                setattr(local, name, value)
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
        for name in ("doc_topic_", "topic_assignments_"):
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
            Rows sum to 1. Computed when asked for, on the workers, block by block. The
            numbers of rows of its blocks are unknown where those of X are.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError, ValueError
            As in `fit`; those of blocks when the result is computed.
        """
        cluster = Cluster(self.client)
        blocks, topics = blocks_of(X), send_topics(cluster, snapshot(self))
        theta = [
            cluster.task(transform_block, f"transform-block-{i}", block, i, *topics)
            for i, block in enumerate(blocks)
        ]
        rows = X.chunks[0] if isinstance(X, da.Array) else (np.nan,) * len(blocks)
        return _concatenated(theta, rows, self.components_.shape[0])

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
            As on one machine: the mean over all tokens by document completion. If X has
            no tokens, 0 with an UndefinedMetricWarning.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        TypeError, ValueError
            As in `fit`.
        """
        cluster, fitted = Cluster(self.client), snapshot(self)
        blocks = blocks_of(X)
        with cluster.released_on_failure():
            topics = send_topics(cluster, fitted)
            tasks = [
                cluster.task(score_block, f"score-block-{i}", block, i, *topics)
                for i, block in enumerate(blocks)
            ]
            sums = cluster.gather(cluster.submit(tasks))
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


def _concatenated(blocks: list[Any], rows: Any, *columns: int) -> da.Array:
    """Return delayed arrays as one dask array."""
    dtype = np.float64 if columns else np.uint16
    return da.concatenate(
        [
            da.from_delayed(block, (n, *columns), dtype)
            for block, n in zip(blocks, rows, strict=True)
        ]
    )


def _stored_parameters(estimator: BaseDaskLDA) -> dict[str, Any]:
    """Return the parameters that decide the samples, as JSON stores them."""
    parameters = vars(estimator._parameters)
    if not isinstance(parameters["random_state"], int):
        parameters["random_state"] = None  # what it drew is stored beside them
    return {
        name: value.tolist() if hasattr(value, "tolist") else repr(value)
        for name, value in parameters.items()
        if name not in _MAY_CHANGE
    }


def _check_stored(
    stored: dict[str, Any] | None, estimator: BaseDaskLDA, resume: bool
) -> None:
    """Refuse to overwrite a stored fit, or to go on from that of another estimator."""
    if stored is None:
        return
    where = f"storage={estimator.storage!r} holds sweep {stored['sweep']} of a fit"
    if not resume:
        raise ValueError(
            f"{where}: go on from there with fit(X, resume=True), or choose an empty "
            f"folder."
        )
    own = {"estimator": type(estimator).__name__, **_stored_parameters(estimator)}
    other = {"estimator": stored["estimator"], **stored["parameters"]}
    differences = [
        f"{name}={other.get(name)} there, {own.get(name)} here"
        for name in sorted(own.keys() | other.keys())
        if own.get(name) != other.get(name)
    ]
    if differences:
        raise ValueError(
            f"{where} with other parameters ({'; '.join(differences)}): set the same, "
            f"or choose an empty folder."
        )


def _check_same_corpus(stored: dict[str, Any], own: dict[str, Any], storage) -> None:
    """Refuse to go on with other documents."""
    for name in ("n_documents", "n_tokens", "n_words"):
        if stored[name] != own[name]:
            raise ValueError(
                f"storage={storage!r} holds a fit to other documents: {name} per "
                f"partition was {stored[name]}, and is {own[name]} in X. Pass the same "
                f"X, or choose an empty folder."
            )
    last = np.cumsum(own["n_documents"]) - 1
    for i, both in enumerate(zip(stored["documents"], own["documents"], strict=True)):
        if both[0] != both[1]:
            raise ValueError(
                f"storage={storage!r} holds a fit to other documents: words or counts "
                f"of documents {last[i] - own['n_documents'][i] + 1} to {last[i]} "
                f"differ in X. Pass the same X, with its documents and words in the "
                f"same order, or choose an empty folder."
            )
