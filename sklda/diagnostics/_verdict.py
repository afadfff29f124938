"""Whether several chains agree: the diagnostics, their table, and a verdict.

R-hat, effective sample sizes and Monte Carlo errors are those of arviz-stats. The
verdict is one sentence on what is wrong, and what to do. From top to bottom: the
diagnostics of draws, (n_chains, n_draws, ...), the rows of the table, the verdict.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import f as f_distribution

from sklda._data.notices import import_extra
from sklda._sampling.parameters import learned_priors

ARVIZ_STATS = "arviz_stats.base"

_TAILS = (0.05, 0.95)
# Columns, with the formats of their numbers.
COLUMNS = {
    "mean": ".5g",
    "sd": ".2g",
    "r_hat": ".3f",
    "ess_bulk": ".0f",
    "ess_tail": ".0f",
    "mcse": ".2g",
    "spread": ".2g",
}


def _compute(function: str, draws: np.ndarray, **options: Any) -> Any:
    """Call a function of arviz-stats on draws, (n_chains, n_draws, ...)."""
    # The array functions need no xarray.
    arviz = import_extra(ARVIZ_STATS, "diagnostics", "sklda.diagnostics").array_stats
    values = np.asarray(draws, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):  # where all draws are equal
        return getattr(arviz, function)(values, chain_axis=0, draw_axis=1, **options)


def r_hat(draws: np.ndarray) -> Any:
    """Return rank-normalised split R-hat; NaN where all draws are equal."""
    return _compute("rhat", draws)


def highest_r_hat(shape: tuple[int, ...], n_scalars: int, level: float) -> float:
    """Return a quantile of the highest R-hat of independently drawn scalars."""
    # The variances between and within halves of chains have a ratio with an F
    # distribution, and R-hat is the higher of two: of ranks, and of distances from the
    # median. For several scalars this is a bound. Of 20,000 simulated scalars, with 2
    # to 8 chains of 20 to 400 draws, 4.8 to 5.2 % exceeded the quantile of 0.95, and
    # 0.9 to 1.1 % that of 0.99.
    n_halves, length = 2 * shape[0], shape[1] // 2
    tail = (1 - level) / (2 * n_scalars)
    ratio = f_distribution.isf(tail, n_halves - 1, n_halves * (length - 1))
    return float(np.sqrt(1 + (ratio - 1) / length))


def ess(draws: np.ndarray) -> Any:
    """Return the effective sample size of the bulk."""
    return _compute("ess", draws, method="bulk")


def ess_within(draws: np.ndarray) -> float:
    """Return the median effective sample size of single chains; NaN counts as 0."""
    sizes = [np.nan_to_num(ess(chain[np.newaxis])) for chain in draws]
    return float(np.median(sizes))


def mcse(draws: np.ndarray) -> Any:
    """Return the Monte Carlo standard error of the mean."""
    return _compute("mcse", draws, method="mean")


def spread(draws: np.ndarray) -> float:
    """Return the range of the means of the chains."""
    return float(np.ptp(draws.mean(axis=1)))


def row_of_scalar(draws: np.ndarray) -> dict[str, float]:
    """Return the row of a scalar."""
    row = {"mean": draws.mean(), "sd": draws.std(ddof=1), "spread": spread(draws)}
    row |= {"r_hat": r_hat(draws), "mcse": mcse(draws), "ess_bulk": ess(draws)}
    row["ess_tail"] = _compute("ess", draws, method="tail", prob=_TAILS)
    return _row(row)


def _row(values: dict[str, float]) -> dict[str, float]:
    return {name: float(values.get(name, np.nan)) for name in COLUMNS}


def rows_of_pairs(together: np.ndarray) -> dict[str, dict[str, float]]:
    """Return the rows of the median and the worst of the pairs that vary."""
    r_hats = r_hat(together)
    # R-hat ignores the middle one of an odd number of draws. A pair that varies only
    # there has no R-hat.
    known = ~np.isnan(r_hats)
    if not known.any():
        return {}
    r_hats, sizes = r_hats[known], ess(together[..., known])
    median = {"r_hat": np.median(r_hats), "ess_bulk": np.median(sizes)}
    worst = {"r_hat": r_hats.max(), "ess_bulk": sizes.min()}
    return {"pairs, median": _row(median), "pairs, worst": _row(worst)}


def rows_of_fits(estimators: list[Any]) -> dict[str, dict[str, float]]:
    """Return rows of learned priors and acceptance rates, a value for each chain."""
    values = {}
    if learns_priors(estimators[0]):
        values["sum of alpha"] = [fit.doc_topic_prior_.sum() for fit in estimators]
        values["beta"] = [np.mean(fit.topic_word_prior_) for fit in estimators]
    if getattr(estimators[0], "sampler", None) == "light":
        values["acceptance rate"] = [fit.acceptance_rate_.mean() for fit in estimators]
    return {
        name: _row({"mean": np.mean(v), "sd": np.std(v, ddof=1), "spread": np.ptp(v)})
        for name, v in values.items()
    }


def learns_priors(estimator: Any) -> bool:
    """Return whether each fit learns its own priors and then holds them fixed."""
    return learned_priors(estimator._parameters) is not None


def texts(row: dict[str, float]) -> list[str]:
    """Return the cells of a row as text."""
    return [_text(row[name], form) for name, form in COLUMNS.items()]


def _text(value: float, form: str) -> str:
    if np.isnan(value):
        return ""
    # R-hat is unbounded if each chain stays at a different value.
    return "> 1e6" if value > 1e6 else format(value, form)


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

    @property
    def agree(self) -> bool:
        """Whether the differences can be chance."""
        scalars = all(not value > self.limit for value in self.r_hats.values())
        return scalars and self.disagreeing <= FEW_PAIRS

    def __str__(self) -> str:
        name = max(self.r_hats, key=lambda name: np.nan_to_num(self.r_hats[name]))
        return (
            f"R-hat of {name} is {self.r_hats[name]:.3f} (up to "
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
    rise, error = _rise(log_joint)
    if rise > max(NEGLIGIBLE, CLEAR_RISE * error):
        return Verdict(
            f"Burn-in was too short: the log joint rises by {rise:.2g} nats per "
            f"token from the first third of the draws to the last. Start again with "
            f"burn_in={sweeps.n_iter} and max_iter={sweeps.n_iter + sweeps.kept}."
        )
    gaps = _compare(log_joint, scalars, together)
    if gaps.agree:
        return _agreement(scalars, gaps, sweeps, n_chains)
    reasons = _better_start(log_joint, scalars, annealed)
    if have_own_priors:
        reasons += " Each chain learned its own priors; to compare, give both."
    if n_draws < ENOUGH_ESS:
        return Verdict(
            f"Too few draws to say why the chains differ: {gaps}. Continue with "
            f"more({to_enough}) for {ENOUGH_ESS} draws per chain.{reasons}"
        )
    if _are_stationary(scalars, together, gaps, annealed):
        return Verdict(
            "The chains have converged to different modes: their mean log joints "
            f"differ by {spread(log_joint):.2g} nats per token, and "
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
    draws = scalars.get("test_log_probability", log_joint)
    gain = draws[annealed].mean() - draws[~annealed].mean()
    better, other = ("annealed", "random") if gain > 0 else ("random", "annealed")
    quantity = "log joint" if draws is log_joint else "test_log_probability"
    return (
        f' On average, init="{better}" gives a higher {quantity} than init="{other}", '
        f"by {abs(gain):.2g} nats per token."
    )


def _compare(log_joint, scalars, together) -> _Differences:
    n_chains, n_draws, n_pairs = together.shape
    # Chains that agree differ like independent draws; the effective number counts.
    worth = min(ess_within(draws) for draws in scalars.values())
    shape = n_chains, int(np.clip(worth, FEWEST_DRAWS, min(n_draws, ENOUGH_ESS)))
    limit = highest_r_hat(shape, len(scalars), 1 - ALARMS)
    pair_limit = highest_r_hat(shape, max(n_pairs, 1), 1 - ALARMS)
    pair_r_hats = r_hat(together)
    return _Differences(
        r_hats={name: float(r_hat(d)) for name, d in scalars.items()},
        limit=limit,
        pair_r_hats=pair_r_hats,
        disagreeing=np.mean(pair_r_hats > max(HIGHEST_R_HAT_OF_PAIRS, pair_limit)),
        spread=spread(scalars.get("test_log_probability", log_joint)),
    )


def _rise(log_joint) -> tuple[float, float]:
    """Return the rise from the first third to the last, and its standard error."""
    n_chains, n_draws = log_joint.shape
    third = n_draws // 3
    last = log_joint[:, -third:]
    rises = last.mean(axis=1) - log_joint[:, :third].mean(axis=1)
    # Chain by chain, because chains in different modes have no common mean; from the
    # last third, because a rise within the first is not noise.
    errors = [np.sqrt(2) * mcse(chain[np.newaxis]) for chain in last]
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
    worst = min(float(ess(draws)) for draws in scalars.values())
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
    """Return the median R-hat within the chains of the slower kind of start.

    It is that of the halves of each chain, 1 for a chain that does not move.
    """
    half = draws.shape[1] // 2
    halves = draws[:, -2 * half :].reshape(draws.shape[0], 2, half, *draws.shape[2:])
    r_hats = np.nan_to_num([r_hat(chain) for chain in halves], nan=1.0)
    kinds = [annealed == kind for kind in np.unique(annealed)]
    return max(float(np.median(r_hats[kind])) for kind in kinds)
