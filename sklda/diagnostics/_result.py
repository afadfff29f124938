"""Verdict on several chains: one sentence on what is wrong, and what to do.

The result of several chains: estimators, draws, diagnostics and a verdict.
"""

from __future__ import annotations

from copyreg import __newobj__
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import Any, NamedTuple, Self

import numpy as np

from sklda._data.notices import import_extra, import_pandas
from sklda._engine.estimator import chain_schedule
from sklda._sampling.parameters import POSITIVE_INTEGER, validates
from sklda.diagnostics import _statistics as statistics
from sklda.diagnostics._chains import Experiment, Sampled
from sklda.diagnostics._statistics import (
    COLUMNS,
    learns_priors,
    r_hat,
    row_of_scalar,
    rows_of_fits,
    rows_of_pairs,
    texts,
)
from sklda.inspection._display import in_two_lines, table_lines

FEWEST_DRAWS = 20  # of a chain: with fewer, R-hat and ESS are noise
ENOUGH_ESS = 100  # for each chain (Vehtari et al., 2021)
_NEARLY = 0.8  # of that, because the lowest of several estimates is too low
ALARMS = 0.01  # proportion of false alarms for chains that agree
# A few of a thousand pairs share a topic only in a few samples, and exceed 1.1.
HIGHEST_R_HAT_OF_PAIRS = 1.1
FEW_PAIRS = 0.01  # proportion of the pairs that may have a higher R-hat
STATIONARY = 1.1  # R-hat of the halves of a chain
CLEAR_RISE = 3  # standard errors
NEGLIGIBLE = 0.02  # nats per token: 2 % of the perplexity
MOST_TIMES = 10  # the advice is at most this multiple of the present sweeps
_WORST_PAIRS = 50


class Sweeps(NamedTuple):
    """Schedule and length of the chains."""

    burn_in: int
    thin: int
    n_iter: int

    @property
    def kept(self) -> int:
        """Sweeps after burn-in."""
        return self.n_iter - self.burn_in

    def rounded(self, n: float) -> int:
        """Return a multiple of `thin`, at least n."""
        return int(-(-n // self.thin)) * self.thin


class Verdict(NamedTuple):
    """A sentence, and whether the chains can be trusted."""

    sentence: str
    converged: bool = False


class _Differences(NamedTuple):
    """Differences between the chains."""

    r_hats: dict[str, float]  # of the scalars
    limit: float  # of them
    pair_r_hats: np.ndarray  # R-hats, NaN of pairs that never vary
    disagreeing: float  # proportion of the pairs whose R-hat is too high
    spread: float  # in nats per token
    rise: float  # of the log joint, in nats per token; 0 if it is not clear

    @property
    def agree(self) -> bool:
        """Whether the differences can be chance."""
        scalars = all(not value > self.limit for value in self.r_hats.values())
        return scalars and self.disagreeing <= FEW_PAIRS and self.rise == 0

    def __str__(self) -> str:
        name = max(self.r_hats, key=lambda name: np.nan_to_num(self.r_hats[name]))
        rising = f"the log joint rises by {self.rise:.2g}, " if self.rise else ""
        return (
            f"{rising}R-hat of {name} is {self.r_hats[name]:.3f} (up to "
            f"{self.limit:.3f} for chains that agree), and {self.disagreeing:.0%} of "
            "the pairs of tokens share a topic at different rates"
        )


def judge(
    log_joint: np.ndarray,
    scalars: dict[str, np.ndarray],
    together: np.ndarray,
    sweeps: Sweeps,
    annealed: np.ndarray,
    *,
    have_own_priors: bool = False,
) -> Verdict:
    """Return the verdict on draws, (n_chains, n_draws), and pairs, one axis more.

    `annealed` says of each chain whether it had an annealed start, (n_chains,).
    """
    n_chains, n_draws = together.shape[:2]
    to_enough = sweeps.thin * (ENOUGH_ESS - n_draws)
    if n_draws < FEWEST_DRAWS:
        return Verdict(
            f"Too few draws: {n_draws} per chain, but a verdict needs at least "
            f"{FEWEST_DRAWS}, better {ENOUGH_ESS}. Continue with more({to_enough})."
        )
    gaps = _compare(log_joint, scalars, together)
    reasons = _better_start(log_joint, scalars, annealed)
    if have_own_priors:
        reasons += " Each chain learned its own priors; to compare, give both."
    if gaps.rise > NEGLIGIBLE:
        return Verdict(
            f"Burn-in was too short: the log joint rises by {gaps.rise:.2g} nats per "
            f"token from the first third of the draws to the last. Start again with "
            f"burn_in={sweeps.n_iter} and max_iter={sweeps.n_iter + sweeps.kept}."
        )
    if gaps.agree:
        return _agreement(scalars, gaps, sweeps, n_chains)
    if n_draws < ENOUGH_ESS:
        return Verdict(
            f"Too few draws to say why the chains differ: {gaps}. Continue with "
            f"more({to_enough}) for {ENOUGH_ESS} draws per chain.{reasons}"
        )
    if _are_stationary(scalars, together, gaps, annealed):
        return Verdict(
            "The chains have converged to different modes: their mean log joints "
            f"differ by {statistics.spread(log_joint):.2g} nats per token, and "
            f"{gaps.disagreeing:.0%} of the pairs of tokens share a topic at "
            "different rates. More sweeps rarely help: stop here and use "
            "best_estimator_, or try more chains, blocking or other priors."
            f"{reasons}"
        )
    if gaps.spread <= NEGLIGIBLE:
        return Verdict(
            f"Enough for predictions: the chains differ by only {gaps.spread:.2g} "
            "nats per token. Stop here and use best_estimator_. The topics differ: "
            f"{gaps}.{reasons}"
        )
    n, worst = _sweeps_for_enough(scalars, sweeps, n_chains)
    return Verdict(
        f"The chains have not met yet: {gaps}; the effective sample size is "
        f"{worst:.0f}. Continue with more({n}) until they agree or differ by less than "
        f"{NEGLIGIBLE} nats per token (now {gaps.spread:.2g}, or "
        f"{np.expm1(gaps.spread):.1%} of the perplexity). If that does not bring them "
        f"closer, stop and use best_estimator_.{reasons}"
    )


def _better_start(log_joint, scalars, annealed) -> str:
    """Return a sentence on the better kind of start, if chains have both."""
    if annealed.all() or not annealed.any():
        return ""
    tested = _tested(scalars)
    draws = np.mean(tested or [log_joint], axis=0)
    gain = draws[annealed].mean() - draws[~annealed].mean()
    better, other = ("annealed", "random") if gain > 0 else ("random", "annealed")
    quantity = "test_log_probability" if tested else "log joint"
    return (
        f' On average, init="{better}" gives a higher {quantity} than init="{other}", '
        f"by {abs(gain):.2g} nats per token."
    )


def _tested(scalars) -> list[np.ndarray]:
    """Return the log probability of test documents, of each model; or an empty list."""
    return [draws for name, draws in scalars.items() if name.startswith("test_log")]


def _compare(log_joint, scalars, together) -> _Differences:
    n_chains, n_draws, n_pairs = together.shape
    # Chains that agree differ like independent draws; the effective number counts.
    worth = min(statistics.ess_within(draws) for draws in scalars.values())
    shape = n_chains, int(np.clip(worth, FEWEST_DRAWS, min(n_draws, ENOUGH_ESS)))
    limit = statistics.highest_r_hat(shape, len(scalars), 1 - ALARMS)
    pair_limit = statistics.highest_r_hat(shape, max(n_pairs, 1), 1 - ALARMS)
    pair_r_hats = statistics.r_hat(together)
    rise, error = _rise(log_joint)
    return _Differences(
        r_hats={name: float(statistics.r_hat(d)) for name, d in scalars.items()},
        limit=limit,
        pair_r_hats=pair_r_hats,
        disagreeing=np.mean(pair_r_hats > max(HIGHEST_R_HAT_OF_PAIRS, pair_limit)),
        spread=max(statistics.spread(d) for d in _tested(scalars) or [log_joint]),
        rise=rise if rise > CLEAR_RISE * error else 0.0,
    )


def _rise(log_joint) -> tuple[float, float]:
    """Return the rise from the first third to the last, and its standard error."""
    n_chains, n_draws = log_joint.shape
    third = n_draws // 3
    last = log_joint[:, -third:]
    rises = last.mean(axis=1) - log_joint[:, :third].mean(axis=1)
    # Chain by chain, because chains in different modes have no common mean; from the
    # last third, because a rise within the first is no noise.
    errors = [np.sqrt(2) * statistics.mcse(chain[np.newaxis]) for chain in last]
    error = np.linalg.norm(errors) / n_chains
    if n_draws < ENOUGH_ESS:  # too few to estimate their autocorrelation
        error = max(error, rises.std(ddof=1) / np.sqrt(n_chains))
    return rises.mean(), error


def _agreement(scalars, gaps, sweeps, n_chains) -> Verdict:
    n, worst = _sweeps_for_enough(scalars, sweeps, n_chains)
    if worst >= _NEARLY * ENOUGH_ESS * n_chains:
        return Verdict(
            f"The {n_chains} chains agree: R-hat is at most "
            f"{max(gaps.r_hats.values()):.3f}, and the effective sample size is at "
            f"least {worst:.0f}. Use any of them.",
            converged=True,
        )
    advice = f"continue with more({n}) for about {ENOUGH_ESS * n_chains}."
    if gaps.spread <= NEGLIGIBLE:
        advice = (
            "enough to read and use the topics, because the chains differ by only "
            f"{gaps.spread:.2g} nats per token; stop here. If you report means and "
            f"intervals, {advice}"
        )
    return Verdict(
        f"The chains agree, but the effective sample size is only {worst:.0f}: {advice}"
    )


def _sweeps_for_enough(scalars, sweeps, n_chains) -> tuple[int, float]:
    """Return the further sweeps for enough ESS, and the lowest ESS now."""
    worst = min(float(statistics.ess(draws)) for draws in scalars.values())
    times = np.clip(ENOUGH_ESS * n_chains / worst - 1, 0, MOST_TIMES)
    return max(sweeps.rounded(sweeps.kept * times), sweeps.thin), worst


def _are_stationary(scalars, together, gaps, annealed) -> bool:
    """Return whether each kind of start is stationary in the quantities that differ."""
    r_hats, limit = gaps.r_hats, gaps.limit
    differing = [(r_hats[n], d) for n, d in scalars.items() if r_hats[n] > limit]
    if gaps.disagreeing > FEW_PAIRS:
        worst = np.argsort(-np.nan_to_num(gaps.pair_r_hats))[:_WORST_PAIRS]
        differing.append((np.nanmax(gaps.pair_r_hats), together[..., worst]))
    apart = any(value > STATIONARY for value, _ in differing)
    return apart and all(
        _within(draws, annealed) < STATIONARY for _, draws in differing
    )


def _within(draws, annealed) -> float:
    """Return the median R-hat within the chains of the slower kind of start."""
    r_hats = statistics.r_hat_within(draws)
    kinds = [annealed == kind for kind in np.unique(annealed)]
    return max(float(np.median(r_hats[kind])) for kind in kinds)


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
        The estimator with the highest log joint probability (for CVBLDA, the highest
        bound), averaged over the second half of the draws.
    best_index_ : int
        Its index in `estimators_`.
    scalars_ : dict of str to ndarray of shape (n_chains, n_draws)
        Scalars of each kept sample that do not depend on the order of the topics:

        - "log_joint": log p(w, z | alpha, beta) in nats per token. For MedLDA, it
          includes the loss of the labels and the prior of the weights, up to a
          constant. CVBLDA has "bound" instead.
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
        come from the same document. CVBLDA has no pairs.
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

    # Not frozen: `more` replaces the chains.
    _experiment: Experiment
    _sampled: list[Sampled]

    def __post_init__(self) -> None:
        if self._n_draws == 0:
            raise ValueError("A callback has stopped a chain before its first draw.")

    def __reduce_ex__(self, protocol):  # for pickle
        return __newobj__, (type(self),), vars(self)

    def __reduce__(self):  # for skops
        raise TypeError(
            "skops stores only data, not Markov chains that can be continued. Store "
            "the list estimators_ with it, or the chains with pickle or joblib."
        )

    @property
    def _n_draws(self) -> int:
        return min(len(chain.sweeps) for chain in self._sampled)

    @cached_property
    def estimators_(self) -> list[Any]:
        """The fitted estimators."""
        return [chain.estimator for chain in self._sampled]

    @cached_property
    def scalars_(self) -> dict[str, np.ndarray]:
        """Scalars of each kept sample."""
        return {
            name: self._draws([chain.values[name] for chain in self._sampled])
            for name in self._sampled[0].values
        }

    @cached_property
    def pairs_(self) -> np.ndarray:
        """Whether the tokens of each pair share a topic."""
        return self._draws([chain.together for chain in self._sampled])

    @cached_property
    def sweeps_(self) -> np.ndarray:
        """Sweeps after which the draws were recorded."""
        return self._sampled[0].sweeps[: self._n_draws]

    @cached_property
    def seconds_(self) -> np.ndarray:
        """Run time of each chain in seconds."""
        return np.array([chain.seconds for chain in self._sampled])

    def _draws(self, records: list[np.ndarray]) -> np.ndarray:
        """Return records of each chain, cut to the length of the shortest."""
        return np.array([record[: self._n_draws] for record in records])

    @property
    def best_index_(self) -> int:
        """Index of the best estimator."""
        total = self._log_joint()
        return int(total[:, total.shape[1] // 2 :].mean(axis=1).argmax())

    @property
    def best_estimator_(self) -> Any:
        """The estimator with the highest log joint, or bound."""
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
    def _name(self) -> str:
        return type(self.estimators_[0]).__name__

    @property
    def _length(self) -> Sweeps:
        schedule = chain_schedule(self.estimators_[0]._parameters, goes_on=True)
        return Sweeps(schedule.burn_in, schedule.thin, self.estimators_[0].n_iter_)

    @cached_property
    def _verdict(self) -> Verdict:
        if not self._experiment.has_chains:
            return Verdict(
                f"R-hat does not apply to {self._name}: its starts are optimisations, "
                "not samples. Their bounds differ by "
                f"{np.ptp(self.scalars_['bound']):.2g} nats per token; use "
                "best_estimator_."
            )
        scalars, learned = self.scalars_, learns_priors(self.estimators_[0])
        if learned:  # priors differ, and with them the log joints
            scalars = {n: d for n, d in scalars.items() if n != "log_joint"}
        annealings = [sampled.chain.annealing for sampled in self._sampled]
        annealed = np.array([annealing.n_sweeps > 0 for annealing in annealings])
        draws = self._log_joint(), scalars, self.pairs_
        return judge(*draws, self._length, annealed, have_own_priors=learned)

    def _log_joint(self) -> np.ndarray:
        """Return the log joint, or bound, (n_chains, n_draws)."""
        scalars = self.scalars_
        return scalars["log_joint" if "log_joint" in scalars else "bound"]

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
        TypeError
            If the estimator has no chain, such as CVBLDA.

        Notes
        -----
        An interrupted call changes nothing, because it runs copies of the chains. These
        double the memory.
        """
        if not self._experiment.has_chains:
            raise TypeError(
                f"{self._name} has no chain to continue: set max_iter or tol, and call "
                "sample_chains again."
            )
        thin = self._length.thin
        if n_sweeps % thin != 0:
            raise ValueError(
                f"n_sweeps must be a multiple of thin={thin}, the number of sweeps "
                f"between two draws; got {n_sweeps}. The next one is "
                f"{self._length.rounded(n_sweeps)}."
            )
        later = self._experiment.go_on(self._sampled, n_sweeps)
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
        return import_pandas().DataFrame.from_dict(
            rows, orient="index", columns=list(COLUMNS)
        )

    @cached_property
    def _rows(self) -> dict[str, dict[str, float]]:
        seconds = self.seconds_.sum() if self._experiment.has_chains else None
        rows = {n: row_of_scalar(draws, seconds) for n, draws in self.scalars_.items()}
        if self._experiment.has_chains:
            rows |= rows_of_pairs(self.pairs_)
        return rows | rows_of_fits(self.estimators_)

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
        # More chains than draws are no mistake.
        options = {"dims": {"pairs": ["pair"]}, "check_conventions": False}
        return arviz.from_dict(groups, **options)

    def _traces(self) -> dict[str, Any]:
        """Return what ConvergenceDisplay draws."""
        has_chains, log_joint = self._experiment.has_chains, self._log_joint()
        agreement = float(r_hat(log_joint)) if has_chains else np.nan
        sweeps = self._draws([chain.sweeps for chain in self._sampled])
        values = log_joint
        quantity, unit = "log joint" if has_chains else "bound", "nats per token"
        if all(len(getattr(model, "log_joint_", [])) for model in self.estimators_):
            sweeps = [model.log_joint_iter_ for model in self.estimators_]
            values = [model.log_joint_ for model in self.estimators_]
            unit = "nats"
        return {
            "sweeps": sweeps,
            "values": list(values),
            "names": [f"chain {i}" for i in range(len(self.estimators_))],
            "quantity": f"{quantity} ({unit})",
            "burn_in": self._length.burn_in if has_chains else 0,
            "r_hat": None if np.isnan(agreement) else agreement,
        }

    def __repr__(self) -> str:
        n_chains, n_draws = self.pairs_.shape[:2]
        title = f"{n_chains} starts of {self._name}"
        if self._experiment.has_chains:
            title = f"{n_chains} chains of {self._name}, {n_draws} draws each"
        rows = [["", *COLUMNS]]
        rows += [[name, *texts(row)] for name, row in self._rows.items()]
        lines = table_lines(in_two_lines(rows))
        return "\n".join([title, *lines, *wrap(self.verdict_, _WIDTH)])
