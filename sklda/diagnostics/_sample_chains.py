"""Function that runs several chains of one estimator, with different seeds."""

from __future__ import annotations

from inspect import isclass, signature
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from sklda._data.corpus import (
    check_corpus,
    check_repeatable,
    check_weights,
    read_in_blocks,
)
from sklda._data.notices import import_extra
from sklda._data.sklearn_private import Interval
from sklda._data.types import MatrixLike
from sklda._engine.estimator import BaseChainEstimator, chain_schedule
from sklda._engine.kept_samples import check_keep_draws
from sklda._estimators.base import BaseTopicModel
from sklda._sampling.parameters import CONSTRAINTS, make_problem, validates
from sklda.diagnostics._chains import Experiment, HeldOut, draw_pairs
from sklda.diagnostics._result import SampledChains
from sklda.diagnostics._statistics import ARVIZ_STATS


@validates(
    n_chains=[Interval(Integral, 2, 10_000, closed="both")],
    n_jobs=CONSTRAINTS["n_jobs"],
    random_state=["random_state"],
)
def sample_chains(
    estimator: Any,
    X: MatrixLike,
    y: ArrayLike | MatrixLike | None = None,
    *,
    covariates: ArrayLike | None = None,
    X_test: MatrixLike | None = None,
    n_chains: int = 4,
    n_jobs: int | None = None,
    random_state: int | RandomState | None = None,
) -> SampledChains:
    """Run several chains of one estimator and diagnose whether they agree.

    Each chain is a fit of a clone with its own seed. Scalars are recorded for each
    sample that `burn_in` and `thin` of the estimator keep. R-hat and effective sample
    sizes need at least 100 samples per chain.

    R-hat shows only modes that some chain has reached, so chains start apart. Annealed
    chains settle the most frequent words first, and may all follow them into one mode
    although another is better. If the estimator has ``init="annealed"``, every second
    chain therefore has ``init="random"``; it needs more sweeps to settle. Any other
    `init` is kept. Chains that all start from given topics agree too easily.

    Parameters
    ----------
    estimator : estimator
        Any estimator of sklda; it is cloned. CVBLDA optimises instead of sampling, so
        the result has several starts and the best of them, but no R-hat.
    X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
        Word counts, with at least one token.
    y : array-like of shape (n_documents,) or (n_documents, n_classes), default=None
        Labels, for estimators that need them.
    covariates : array-like or DataFrame of shape (n_documents,) or \
(n_documents, n_covariates), default=None
        Covariates of the documents, for DMRLDA.
    X_test : {array-like, sparse matrix} of shape (n_test_documents, n_words), \
default=None
        Documents that are not in X, whose log predictive probability is recorded. Each
        kept sample scores them, so 1 % of the tokens of X is enough. DMRLDA scores them
        without covariates.
    n_chains : int, default=4
        Number of chains, from 2 to 10,000.
    n_jobs : int, default=None
        Number of chains that run at the same time, in threads or, within
        ``joblib.parallel_config("loky")``, in processes. None means 1, -1 all
        processors. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed for all chains; None means the `random_state` of the estimator. Pass an int
        for reproducible results.

    Returns
    -------
    SampledChains
        Estimators, draws, diagnostics and a verdict. Its method `more` continues the
        chains.

    Raises
    ------
    TypeError
        If the estimator is not from sklda, or covariates are given and it takes none.
    ValueError
        If a parameter is out of range, the estimator rejects X, y or X_test, or X or
        X_test has no tokens.
    ImportError
        If arviz-stats is not installed.

    See Also
    --------
    sklda.inspection.ConvergenceDisplay : Plots the traces of the chains.

    Notes
    -----
    Memory: one fit per chain, a copy of a CSR matrix X, and one byte for each draw and
    pair of tokens. If X has 2^27 or more document-word pairs, it is not copied: each
    chain takes 12 bytes per pair in temporary files, and also in memory if it runs in a
    process. Callbacks of the estimator receive the fit of each chain.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_bars
    >>> from sklda.diagnostics import sample_chains
    >>> X, _, _ = make_bars(n_samples=50, random_state=0)
    >>> lda = CollapsedGibbsLDA(10, max_iter=40, thin=5)
    >>> chains = sample_chains(lda, X, random_state=0)
    >>> chains.verdict_
    'Too few draws: 4 per chain, ... Continue with more(480).'
    >>> chains.more(480).scalars_["log_joint"].shape
    (4, 100)
    """
    if isclass(estimator) or not isinstance(estimator, BaseTopicModel):
        raise TypeError(
            f"estimator must be an estimator of sklda, got {estimator!r}. For a "
            "pipeline, pass its last step, and the output of the earlier steps as X."
        )
    if hasattr(estimator, "to_local"):  # on a cluster
        raise TypeError(
            f"{type(estimator).__module__.rpartition('.')[0]} does not run several "
            "chains in parallel. Fit with several seeds, or pass "
            f"{type(estimator).__name__} of sklda and a sample of the documents."
        )
    options = {} if covariates is None else {"covariates": covariates}
    if options and "covariates" not in signature(estimator.fit).parameters:
        name = type(estimator).__name__
        raise TypeError(f"{name} takes no covariates, but DMRLDA does.")
    import_extra(ARVIZ_STATS, "diagnostics", "sample_chains")
    clones, generator = _clones(estimator, n_chains, random_state)
    pairs, held_out = _check_data(clone(estimator), X, X_test, generator, n_chains)
    is_csr = getattr(X, "format", None) == "csr"
    if pairs is not None and is_csr and read_in_blocks(X) is None:
        X = X.copy()  # `more` needs the counts even if the user changes X
    experiment = Experiment(X, y, X_test, pairs, held_out, n_jobs, options)
    return SampledChains(experiment, experiment.start(clones))


def _clones(
    estimator: Any, n_chains: int, random_state: Any
) -> tuple[list[Any], np.random.Generator]:
    """Return clones of an estimator, each with a seed, and a generator for the rest."""
    seed = clone(estimator).random_state if random_state is None else random_state
    entropy = check_random_state(seed).randint(0, 2**31, size=4)
    root, *seeds = np.random.SeedSequence(entropy.tolist()).spawn(n_chains + 1)
    models = [clone(estimator) for _ in seeds]
    for model, sequence in zip(models, seeds, strict=True):
        model.set_params(random_state=int(sequence.generate_state(1)[0]))
        if getattr(model, "warm_start", False):
            model.set_params(warm_start=False)  # `SampledChains.more` continues them
    init = estimator.init if isinstance(estimator, BaseChainEstimator) else None
    if isinstance(init, str) and init == "annealed":
        for model in models[1::2]:
            model.set_params(init="random")
    return models, np.random.default_rng(root)


def _check_data(
    estimator: Any, X: Any, X_test: Any, generator: np.random.Generator, n_chains: int
) -> tuple[np.ndarray | None, HeldOut | None]:
    """Return the pairs of tokens, if there are chains, and the test documents."""
    for matrix, name in ((X, "X"), (X_test, "X_test")):
        check_repeatable(matrix, "sample_chains", name)
    estimator._validate_params()
    pairs, whole = None, estimator._whole_counts
    has_chains = isinstance(estimator, BaseChainEstimator)
    if has_chains:
        corpus = check_corpus(estimator, X, reset=True)
    else:
        corpus = check_weights(estimator, X, reset=True, whole=whole)
    if corpus.word.size == 0:
        raise ValueError("X has no tokens, so there is nothing to sample.")
    if has_chains:
        parameters = estimator._parameters
        keep_draws = getattr(parameters, "keep_draws", 0)
        problem = make_problem(estimator, corpus)
        schedule = chain_schedule(parameters)
        check_keep_draws(keep_draws, schedule, problem, n_chains=n_chains)
        pairs = draw_pairs(corpus, generator)
    if X_test is None:
        return pairs, None
    documents = HeldOut.of(check_weights(estimator, X_test, reset=False, whole=whole))
    if documents.n_tokens == 0:
        raise ValueError("X_test has no tokens: pass documents with tokens, or None.")
    return pairs, documents
