"""Fits of a Markov chain: the schedule, the sweeps, chains that go on, base classes.

`BaseChainEstimator` has the steps of `fit` that all chains share, from the check of X
to the fitted attributes; `BaseGibbsLDA` has those of LDA. `run_fit` is the loop over
the sweeps. With `warm_start`, an estimator holds its chain from one fit to the next.
"""

from collections import deque
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from sklda._data.corpus import Corpus, check_corpus, n_documents_in_common
from sklda._data.notices import warn_user
from sklda._data.sklearn_private import fit_context
from sklda._data.types import InitLike, LearnPriors, MatrixLike
from sklda._engine.chain import Chain
from sklda._engine.hierarchical_prior import (
    add_priors,
    check_hyperpriors,
    prior_attributes,
)
from sklda._engine.kept_samples import (
    AddPriors,
    BaseMeans,
    check_keep_draws,
    posterior_draws,
)
from sklda._engine.start import check_init, first_topics
from sklda._estimators.base import (
    REPORT_EVERY,
    BaseLDA,
    BaseTopicModel,
    Progress,
    fit_callbacks,
    fitting,
)
from sklda._fitted.posterior_draws import PosteriorDraws
from sklda._sampling.minka import warn_unless_arrived
from sklda._sampling.parameters import (
    CHAIN_CONSTRAINTS,
    DRAWS_CONSTRAINTS,
    TRACE_CONSTRAINTS,
    learned_priors,
    make_problem,
    make_schedule,
    make_threads,
    random_streams,
)
from sklda._sampling.problem import Problem
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.sampler import SampledPrior, Sampler
from sklda._sampling.schedule import Schedule
from sklda._sampling.threads import Threads

_SHORT = 20  # sweeps, in half of which no prior that is learned arrives


def chain_schedule(parameters: SimpleNamespace, *, goes_on: bool = False) -> Schedule:
    """Return the schedule of a fit, its sweeps counted from 1.

    Raises
    ------
    ValueError
        If no sweep is left to keep.

    Warns
    -----
    ConvergenceWarning
        If priors are learned in half of fewer than 20 sweeps.
    """
    burn_in, max_iter = parameters.burn_in, parameters.max_iter
    burn_in = max_iter // 2 if burn_in is None else burn_in
    if burn_in >= max_iter:
        raise ValueError(
            f"burn_in={burn_in} leaves no sweep to keep: it must be smaller than "
            f"max_iter={max_iter}. None means half of max_iter."
        )
    every, thin = getattr(parameters, "evaluate_every", 0), parameters.thin
    schedule = make_schedule(parameters, burn_in, thin, every, goes_on=goes_on)
    learns_by_default = parameters.burn_in is None and schedule.learned is not None
    if learns_by_default and 1 < max_iter < _SHORT and not goes_on:
        warn_user(
            f"max_iter={max_iter} is short for a sampler: topics form and priors are "
            "learned in the first half of the sweeps. Set 100 or more, also where "
            "variational Bayes needs 10; 200 is the default.",
            ConvergenceWarning,
        )
    return schedule


def run_fit(
    estimator: Any,
    data: dict[str, Any],
    chain: Any,
    schedule: Schedule,
    report_every: int,
    recorder: Any = None,
) -> None:
    """Run the chain of a fit to data; a burn-in ends the samples of earlier fits.

    The chain is a `Chain`, or that of a cluster, which has the same methods. Callbacks
    and the recorder hear of each sweep; a verbose estimator prints a line every
    `report_every` sweeps.
    """
    first = chain.n_sweeps
    if schedule.burn_in > 0:
        chain.forget_samples(first + schedule.burn_in)
    schedule = schedule.after(first)
    until, n_tokens = schedule.max_iter, chain.n_tokens
    progress = Progress(estimator, n_tokens, report_every, until, chain.describe, first)

    def attributes():
        # The copy continues neither the chain that runs nor that of an earlier fit.
        return {**estimator._attributes(chain.snapshot()), "_stored": None}

    with fit_callbacks(estimator, data, attributes) as notify:
        for sweep in range(first + 1, until + 1):
            chain.sweep()
            if schedule.learned is not None and schedule.learns(sweep):
                chain.learn_priors(schedule.learned)
            if schedule.evaluates(sweep):
                chain.evaluate()
            if kept := schedule.keeps(sweep):
                chain.keep()
            if recorder is not None:
                recorder.look(chain, kept=kept)
            progress.report(sweep)
            if notify(sweep):
                chain.end()
                chain.keep()
                break
    if schedule.learned is not None:
        warn_unless_arrived(chain.prior_updates)


# A fit that goes on may change these. All other parameters must match the previous fit.
FREE = {
    "burn_in",
    "evaluate_every",
    "init",
    "keep_draws",
    "learn_priors",
    "max_iter",
    "n_jobs",
    "random_state",
    "thin",
    "verbose",
    "warm_start",
}


class Fit(NamedTuple):
    """What a chain is made of, or continued with."""

    problem: Problem[Corpus]
    schedule: Schedule
    extra: Any  # what the model takes in addition to X: labels or covariates, checked
    threads: Threads


class StoredChain(NamedTuple):
    """A chain between two fits, and the parameters that it depends on."""

    chain: Chain
    parameters: dict[str, Any]


def store_chain(estimator: BaseTopicModel, chain: Any) -> None:
    """Let the next fit with `warm_start` go on with this chain."""
    estimator._stored = StoredChain(chain, deepcopy(_fixed(estimator)))


def take_up(estimator: BaseTopicModel) -> Any:
    """Return a copy of the chain that a fit goes on with; None if it starts anew.

    If the fit fails, the stored chain is as it was.

    Raises
    ------
    ValueError
        If a parameter that the chain depends on has changed.
    """
    if not estimator.warm_start:
        return None
    stored: StoredChain | None = estimator._stored
    if stored is None:
        if hasattr(estimator, "n_iter_"):
            warn_user(
                "warm_start=True, but the last fit kept no chain, because it had "
                "warm_start=False or has not ended: this fit starts again."
            )
        return None
    for name, value in _fixed(estimator).items():
        before = stored.parameters[name]
        change = f": it was {before!r}, and now it is {value!r}"
        check_unchanged(_equal(before, value), name, change)
    return deepcopy(stored.chain)


def check_unchanged(is_same: bool, name: str, change: str = "") -> None:
    """Raise ValueError unless what a chain depends on is that of the last fit."""
    if not is_same:
        raise ValueError(
            "With warm_start=True, fit continues the chain of the last fit, so "
            f"{name} must be the same{change}. Pass the same again, or start anew with "
            "warm_start=False (and init=model to start from the topics of a fitted "
            "model)."
        )


def _fixed(estimator: BaseTopicModel) -> dict[str, Any]:
    parameters = estimator.get_params(deep=False)
    return {name: value for name, value in parameters.items() if name not in FREE}


def _equal(before: Any, value: Any) -> bool:
    if isinstance(before, dict) and isinstance(value, dict):
        names = before.keys()
        return names == value.keys() and all(_equal(before[n], value[n]) for n in names)
    return np.array_equal(before, value)


def check_documents(corpus: Corpus, before: Corpus, *, may_add: bool) -> None:
    """Raise ValueError unless a corpus begins with the documents of the last fit.

    With `may_add`, others may follow.
    """
    n_before, n_now = before.doc_ptr.size - 1, corpus.doc_ptr.size - 1
    n_same = n_documents_in_common(corpus, before)
    change = f": document {n_same} of X differs"
    if n_same == min(n_before, n_now):
        change = f": X has {n_now} documents instead of {n_before}"
    name = "the documents of X" + " (new ones may follow)" * may_add
    is_same = n_same == n_before and (may_add or n_now == n_before)
    check_unchanged(is_same, name, change)


class BaseChainEstimator(BaseMeans):
    """Estimators that average the samples of a Markov chain."""

    doc_topic_prior_: np.ndarray
    topic_word_prior_: float | np.ndarray
    topic_weights_: np.ndarray | None
    n_topics_: dict[str, np.ndarray] | None
    prior_trace_: dict[str, np.ndarray] | None
    moved_tokens_: np.ndarray
    _parameter_constraints: ClassVar[dict] = {
        **BaseMeans._parameter_constraints,
        **CHAIN_CONSTRAINTS,
    }
    _is_parallel: ClassVar[bool] = False  # a sweep, also without shards
    _add_priors: ClassVar[AddPriors] = staticmethod(add_priors)  # to theta
    # Where the next fit goes on, with `warm_start`.
    _stored: StoredChain | None = None

    @fit_context(prefer_skip_nested_validation=True)
    def _fit_chain(self, X, y=None, recorder: Any = None, **more) -> Any:
        """Fit, and return the chain, which a recorder looks at after each sweep.

        `more` is what `fit` takes in addition to X and y.
        """
        parameters, chain = self._parameters, take_up(self)
        goes_on = chain is not None
        schedule = chain_schedule(parameters, goes_on=goes_on)
        sampled = check_hyperpriors(parameters)
        with fitting(self):
            corpus = check_corpus(self, X, reset=not goes_on)
            extra = self._check_extra(corpus, y, **more)
            problem = make_problem(self, corpus, schedule.first_alpha_sum)
            data = {"X": X, "y": y} | ({"metadata": more} if more else {})
            with make_threads(parameters, self._is_parallel) as threads:
                fit = Fit(problem, schedule, extra, threads)
                chain = self._continued(chain, fit) if goes_on else self._started(fit)
                chain.sample_priors(sampled, threads)
                every = getattr(parameters, "evaluate_every", REPORT_EVERY)
                run_fit(self, data, chain, schedule, every, recorder)
                self._end(chain, keeps_chain=self.warm_start or recorder is not None)
                return chain

    def _check_extra(self, corpus: Corpus, y: Any) -> Any:
        """Return what the model takes in addition to X, checked."""

    def _started(self, fit: Fit) -> Any:
        """Return a new chain."""
        raise NotImplementedError

    def _continued(self, chain: Any, fit: Fit) -> Any:
        """Return the chain of the last fit, with the parameters of this one."""
        raise NotImplementedError

    def _attributes(self, chain: Any) -> dict[str, Any]:
        """Return the fitted attributes at the end of a chain, which goes no further."""
        problem, learned = chain.mean_problem, learned_priors(self._parameters)
        return {
            **chain.sums.attributes(problem, chain.prior),
            "doc_topic_prior_": chain.shared_alpha(problem),
            "topic_word_prior_": problem.beta,
            **prior_attributes(chain.prior, learned, chain.prior_updates),
            "moved_tokens_": np.array(chain.moved),
            "n_iter_": chain.n_sweeps,
        }

    def _end(self, chain: Any, *, keeps_chain: bool) -> None:
        """Set the fitted attributes, and keep the chain for the next fit, if any."""
        if keeps_chain:
            ended = chain.snapshot()
        else:  # a chain that has ended gives its topics away, without tables
            ended, chain.state = chain, None
        attributes = self._attributes(ended)
        vars(self).pop("_stored", None)
        vars(self).update(attributes)
        if self.warm_start:
            store_chain(self, chain)
        for name in ("components_", "doc_topic_"):  # that were assigned
            vars(self).pop(name, None)


class BaseGibbsLDA(BaseChainEstimator, BaseLDA):
    """Samplers of the posterior of LDA."""

    _parameter_constraints: ClassVar[dict] = {
        **BaseChainEstimator._parameter_constraints,
        **DRAWS_CONSTRAINTS,
        **TRACE_CONSTRAINTS,
    }

    _may_add_documents: ClassVar[bool] = True  # when a fit goes on
    topic_assignments_: np.ndarray
    log_joint_: np.ndarray
    log_joint_iter_: np.ndarray
    draws_: PosteriorDraws | None

    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Run the chain and average its kept samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words), blocks or path
            Word counts: whole numbers of any numeric dtype. Not modified. A matrix that
            does not fit into memory can be memory-mapped or passed in blocks of
            documents: an iterable of matrices, read once, or the path of a folder with
            files of `scipy.sparse.save_npz`, in the order of their names. See "A corpus
            larger than memory" in the user guide.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If X contains values other than counts, or a parameter is out of range.
        MemoryError
            If the free memory is too small for the fit, or the draws of `keep_draws`
            could take more than half of it (on Linux).
        OSError
            If the disk has no room for the temporary files of a large X.

        Notes
        -----
        Ctrl-C takes effect within about a second or, with several threads, after the
        current sweep. An interrupted fit leaves the estimator unchanged.
        """
        self._fit_chain(X, y)
        return self

    def _make_sampler(self, problem: Problem[Corpus], threads: Threads) -> Sampler:
        """Return the sampler that the parameters choose."""
        raise NotImplementedError

    def _started(self, fit: Fit) -> Chain:
        problem, schedule, extra, threads = fit
        keep_draws = self._parameters.keep_draws
        draw_interval = check_keep_draws(keep_draws, schedule, problem)
        init, rng = check_init(self, problem), random_streams(self.random_state)
        prior = self._sampled_prior(problem, extra, rng)
        if prior is not None:
            problem = prior.applied(problem)

        z = first_topics(init, problem, rng, threads)
        sampler = self._make_sampler(problem, threads)
        n_tokens, has_covariates = problem.corpus.token_ptr[-1], prior is not None
        annealing = schedule.annealing(
            problem, init, n_tokens, has_covariates=has_covariates
        )
        chain = Chain(sampler, problem, rng, keep_draws, z, prior, annealing=annealing)
        chain.draw_interval = draw_interval
        return chain

    def _sampled_prior(
        self, problem: Problem[Corpus], extra: Any, rng: RandomStreams
    ) -> SampledPrior | None:
        """Return the prior that a model samples whatever `learn_priors` is; or None."""

    def _continued(self, chain: Chain, fit: Fit) -> Chain:
        problem, schedule, _, threads = fit
        corpus, before = problem.corpus, chain.problem.corpus
        check_documents(corpus, before, may_add=self._may_add_documents)
        keep_draws = self._parameters.keep_draws
        chain.draws = deque(chain.draws, keep_draws)
        chain.sampler = self._make_sampler(chain.problem, threads)
        if corpus.doc_ptr.size > before.doc_ptr.size:
            sampler = self._make_sampler(problem, threads)
            chain = chain.extended(sampler, corpus, threads)
        n_kept = len(chain.draws)
        chain.draw_interval = check_keep_draws(keep_draws, schedule, problem, n_kept)
        return chain

    def _attributes(self, chain: Chain) -> dict[str, Any]:
        return super()._attributes(chain) | {
            "topic_assignments_": chain.z,
            "draws_": posterior_draws(chain),
            "log_joint_": np.array(chain.log_joint),
            "log_joint_iter_": np.array(chain.log_joint_sweeps, dtype=np.int64),
        }


# Hints are evaluated here, not strings: so subclasses elsewhere need not import them.
@dataclass(repr=False, eq=False)
class GibbsLDA(BaseGibbsLDA):
    """Samplers of LDA with the parameters that most of them take."""

    n_components: int = 10
    _: KW_ONLY
    doc_topic_prior: float | ArrayLike | None = None
    topic_word_prior: float | ArrayLike | None = None
    learn_priors: LearnPriors = "auto"
    hyperpriors: dict[str, tuple[float, float]] | None = None
    max_iter: int = 200
    burn_in: int | None = None
    thin: int = 2
    keep_draws: int = 0
    evaluate_every: int = 10
    init: InitLike = "annealed"
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: int | RandomState | None = None
    verbose: int = 0
