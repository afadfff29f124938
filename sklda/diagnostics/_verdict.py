"""Verdict on several chains: one sentence on what is wrong, and what to do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklda.diagnostics import _statistics as statistics

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
