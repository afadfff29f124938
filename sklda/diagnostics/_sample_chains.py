"""Several chains of one estimator, with different seeds: a function and its result."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from numbers import Integral
from textwrap import wrap
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from sklda._data.corpus import (
    check_corpus,
    check_repeatable,
    check_weights,
    read_in_blocks,
)
from sklda._data.notices import import_extra, import_pandas
from sklda._data.sklearn_private import Interval
from sklda._data.types import MatrixLike
from sklda._engine.estimator import BaseChainEstimator, chain_schedule
from sklda._engine.kept_samples import check_keep_draws
from sklda._sampling.parameters import (
    CONSTRAINTS,
    POSITIVE_INTEGER,
    make_problem,
    validates,
)
from sklda.diagnostics._chains import ChainRecord, Experiment, HeldOut, draw_pairs
from sklda.diagnostics._verdict import (
    ARVIZ_STATS,
    COLUMNS,
    Sweeps,
    Verdict,
    judge,
    learns_priors,
    r_hat,
    row_of_scalar,
    rows_of_fits,
    rows_of_pairs,
    texts,
)
from sklda.inspection._estimates import table_lines

_WIDTH = 80  # characters of the printed verdict


@dataclass(eq=False)
class SampledChains:
    """Several chains of one estimator, returned by :func:`sample_chains`.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted estimators, one for each chain. Each has a `random_state` that
        reproduces its result when it is fitted alone.
    best_estimator_ : estimator
        The estimator with the highest log joint probability, averaged over the second
        half of the draws.
    best_index_ : int
        Its index in `estimators_`.
    scalars_ : dict of str to ndarray of shape (n_chains, n_draws)
        Scalars of each kept sample that do not depend on the order of the topics:

        - "log_joint": log p(w, z | alpha, beta) in nats per token. For MedLDA, it
          includes the loss of the labels and the prior of the weights, up to a
          constant.
        - "test_log_probability": mean log predictive probability of a token of
          `X_test` under the topics of this sample, by document completion as in
          ``score``, in nats.
        - "n_effective_topics": exp(H) for the entropy H of the proportions of the
          tokens in the topics; from 1 to `n_components`.
        - With `learn_priors` "hierarchical", the entries of `prior_trace_`:
          "doc_concentration", "weight_concentration", "n_topics" and, if beta is
          sampled, "topic_word_prior".
        - "doc_concentration" and "weight_size": the sum of alpha, mean over the
          documents, and the root mean square of the coefficients of standardised
          covariates (DMRLDA).
        - "loss": hinge loss of the labels, mean over the documents (MedLDA).
    pairs_ : ndarray of bool of shape (n_chains, n_draws, n_pairs)
        Whether the two tokens of each of 1,000 pairs share a topic. Half of the pairs
        come from the same document.
    sweeps_ : ndarray of shape (n_draws,)
        Sweeps after which the draws were recorded.
    seconds_ : ndarray of shape (n_chains,)
        Run time of each chain in seconds.

    See Also
    --------
    sample_chains : Runs the chains.

    Notes
    -----
    If a callback stops a chain, later draws of the other chains are ignored.
    """

    _experiment: Experiment
    _records: list[ChainRecord]

    def __post_init__(self) -> None:
        records = self._records
        n_draws = min(len(record.draws["sweeps"]) for record in records)
        if n_draws == 0:
            raise ValueError("A callback has stopped a chain before its first draw.")
        self.estimators_ = [record.estimator for record in records]
        self.scalars_ = {
            name: np.array([record.draws[name][:n_draws] for record in records])
            for name in records[0].draws
        }
        self.pairs_ = self.scalars_.pop("pairs")
        self.sweeps_ = self.scalars_.pop("sweeps")[0]
        self.seconds_ = np.array([record.seconds for record in records])

    @property
    def best_index_(self) -> int:
        """Index of the best estimator."""
        total = self.scalars_["log_joint"]
        return int(total[:, total.shape[1] // 2 :].mean(axis=1).argmax())

    @property
    def best_estimator_(self) -> Any:
        """The estimator with the highest log joint."""
        return self.estimators_[self.best_index_]

    @property
    def converged_(self) -> bool:
        """Whether the chains agree and have enough draws."""
        return self._verdict.converged

    @property
    def verdict_(self) -> str:
        """A sentence that states whether to trust the chains, and what to do."""
        return self._verdict.sentence

    @property
    def _length(self) -> Sweeps:
        schedule = chain_schedule(self.estimators_[0]._parameters, goes_on=True)
        return Sweeps(schedule.burn_in, schedule.thin, self.estimators_[0].n_iter_)

    @cached_property
    def _verdict(self) -> Verdict:
        scalars, learned = self.scalars_, learns_priors(self.estimators_[0])
        if learned:  # priors differ, and with them the log joints
            scalars = {n: d for n, d in scalars.items() if n != "log_joint"}
        annealings = [record.chain.annealing for record in self._records]
        annealed = np.array([annealing.n_sweeps > 0 for annealing in annealings])
        draws = self.scalars_["log_joint"], scalars, self.pairs_
        return judge(*draws, self._length, annealed, have_own_priors=learned)

    @validates(n_sweeps=POSITIVE_INTEGER)
    def more(self, n_sweeps: int) -> Self:
        """Continue the same chains.

        The result is bit for bit that of chains that were longer from the beginning,
        with the same burn-in. The estimators have the corresponding `max_iter` and
        `burn_in`.

        Parameters
        ----------
        n_sweeps : int
            Number of sweeps of each chain, a multiple of `thin`.

        Returns
        -------
        SampledChains
            These chains, with more draws.

        Raises
        ------
        ValueError
            If `n_sweeps` is not a positive multiple of `thin`.

        Notes
        -----
        An interrupted call changes nothing, because it runs copies of the chains. These
        double the memory.
        """
        thin = self._length.thin
        if n_sweeps % thin != 0:
            raise ValueError(
                f"n_sweeps must be a multiple of thin={thin}, the number of sweeps "
                f"between two draws; got {n_sweeps}. The next one is "
                f"{self._length.rounded(n_sweeps)}."
            )
        later = self._experiment.go_on(self._records, n_sweeps)
        # In one step, so that Ctrl-C cannot fall in between; cached values are gone.
        self.__dict__ = vars(type(self)(self._experiment, later))
        return self

    @validates(as_frame=["boolean"])
    def summary(self, *, as_frame: bool = False) -> Any:
        """Return the diagnostics of each scalar.

        Parameters
        ----------
        as_frame : bool, default=False
            Whether to return a pandas DataFrame.

        Returns
        -------
        dict of str to dict of str to float, or DataFrame
            A row for each scalar with the following columns; NaN if a column does not
            apply:

            - mean and sd of the draws of all chains
            - r_hat: rank-normalised split R-hat [1]_; 1 if the chains agree
            - ess_bulk and ess_tail: effective sample sizes [1]_, of all chains together
            - mcse: Monte Carlo standard error of the mean
            - ess_per_second: ess_bulk divided by the total time of all chains
            - spread: range of the means of the chains, in the unit of the scalar

            The rows "pairs, median" and "pairs, worst" have r_hat and ess_bulk of the
            pairs of tokens. Learned priors, "sum of alpha" and "beta", and the
            "acceptance rate" of MedLDA's light sampler have one value per chain.

        Raises
        ------
        ValueError
            If `as_frame` is not True or False.
        ImportError
            If arviz-stats is not installed, or pandas for `as_frame`.

        References
        ----------
        .. [1] A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Bürkner,
           "Rank-normalization, folding, and localization: an improved R-hat for
           assessing convergence of MCMC", Bayesian Analysis 16 (2021),
           https://doi.org/10.1214/20-BA1221
        """
        rows = {name: row.copy() for name, row in self._rows.items()}
        if not as_frame:
            return rows
        return import_pandas().DataFrame(rows.values(), index=[*rows])

    @cached_property
    def _rows(self) -> dict[str, dict[str, float]]:
        rows = {name: row_of_scalar(draws) for name, draws in self.scalars_.items()}
        return rows | rows_of_pairs(self.pairs_) | rows_of_fits(self.estimators_)

    def to_datatree(self) -> Any:
        """Return the draws for use with ArviZ.

        Returns
        -------
        xarray.DataTree
            The group "posterior" holds the scalars, with the dimensions chain and draw.
            The group "sample_stats" holds the sweep of each draw, and "pairs" with one
            more dimension, pair.

        Raises
        ------
        ImportError
            If arviz-base is not installed.

        Examples
        --------
        >>> import arviz_plots  # doctest: +SKIP
        >>> arviz_plots.plot_rank(chains.to_datatree())  # doctest: +SKIP
        """
        arviz = import_extra("arviz_base", "diagnostics", "to_datatree")
        sweeps = np.tile(self.sweeps_, (len(self.estimators_), 1))
        groups = {
            "posterior": self.scalars_,
            "sample_stats": {"sweep": sweeps, "pairs": self.pairs_},
        }
        # There may be more chains than draws.
        dims = {"pairs": ["pair"]}
        return arviz.from_dict(groups, dims=dims, check_conventions=False)

    def _traces(self) -> dict[str, Any]:
        """Return what ConvergenceDisplay draws."""
        models, log_joint = self.estimators_, self.scalars_["log_joint"]
        agreement = float(r_hat(log_joint))
        sweeps = [self.sweeps_] * len(models)
        values, unit = list(log_joint), "nats per token"
        if all(len(getattr(model, "log_joint_", [])) for model in models):
            sweeps = [model.log_joint_iter_ for model in models]
            values, unit = [model.log_joint_ for model in models], "nats"
        return {
            "sweeps": sweeps,
            "values": values,
            "names": [f"chain {i}" for i in range(len(models))],
            "quantity": f"log joint ({unit})",
            "burn_in": self._length.burn_in,
            "r_hat": None if np.isnan(agreement) else agreement,
        }

    def __repr__(self) -> str:
        n_chains, n_draws = self.pairs_.shape[:2]
        name = type(self.estimators_[0]).__name__
        title = f"{n_chains} chains of {name}, {n_draws} draws each"
        rows = [["", *COLUMNS]]
        rows += [[name, *texts(row)] for name, row in self._rows.items()]
        return "\n".join([title, *table_lines(rows), *wrap(self.verdict_, _WIDTH)])


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
        A sampler of sklda; it is cloned. CVBLDA optimises instead of sampling: fit it
        with several seeds and `evaluate_every`, and keep the fit whose `bound_` ends
        highest.
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
        If the estimator is not a sampler of sklda, or takes no covariates and some are
        given.
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
    Memory: one fit per chain, a copy of a sparse matrix X, and one byte for each draw
    and pair of tokens. If X has 2^27 or more document-word pairs, it is not copied:
    each chain takes 12 bytes per pair in temporary files, and also in memory if it runs
    in a process. Callbacks of the estimator receive the fit of each chain.

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
    if not isinstance(estimator, BaseChainEstimator):
        raise TypeError(
            f"estimator must be a sampler of sklda, got {estimator!r}. For a pipeline, "
            "pass its last step, and the output of the earlier steps as X. Fit CVBLDA "
            "and estimators of sklda.dask with several seeds instead."
        )
    options = {} if covariates is None else {"covariates": covariates}
    if options and "covariates" not in signature(estimator.fit).parameters:
        name = type(estimator).__name__
        raise TypeError(f"{name} takes no covariates, but DMRLDA does.")
    import_extra(ARVIZ_STATS, "diagnostics", "sample_chains")
    clones, generator = _clones(estimator, n_chains, random_state)
    pairs, held_out = _check_data(clone(estimator), X, X_test, generator, n_chains)
    if sparse.issparse(X) and read_in_blocks(X) is None:
        X = X.copy()  # `more` needs the counts even if the user changes X
    experiment = Experiment(X, y, pairs, held_out, n_jobs, options)
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
        model.set_params(warm_start=False)  # `SampledChains.more` continues them
    if isinstance(estimator.init, str) and estimator.init == "annealed":
        for model in models[1::2]:
            model.set_params(init="random")
    return models, np.random.default_rng(root)


def _check_data(
    estimator: Any, X: Any, X_test: Any, generator: np.random.Generator, n_chains: int
) -> tuple[np.ndarray, HeldOut | None]:
    """Return the pairs of tokens, and the test documents."""
    for matrix, name in ((X, "X"), (X_test, "X_test")):
        check_repeatable(matrix, "sample_chains", name)
    estimator._validate_params()
    corpus, parameters = check_corpus(estimator, X, reset=True), estimator._parameters
    if corpus.word.size == 0:
        raise ValueError("X has no tokens, so there is nothing to sample.")
    keep_draws = getattr(parameters, "keep_draws", 0)
    problem, schedule = make_problem(estimator, corpus), chain_schedule(parameters)
    check_keep_draws(keep_draws, schedule, problem, n_chains=n_chains)
    pairs = draw_pairs(corpus, generator)
    if X_test is None:
        return pairs, None
    documents = HeldOut.of(check_weights(estimator, X_test, reset=False, whole=True))
    if not documents.weights.count.any():
        raise ValueError("X_test has no tokens: pass documents with tokens, or None.")
    return pairs, documents
