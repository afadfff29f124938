"""One sentence about several chains: what is wrong, and what to do."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklda.diagnostics import _statistics as statistics

FEWEST_DRAWS = 20  # of a chain: with fewer, R-hat and ESS are noise
ENOUGH_ESS = 100  # for each chain (Vehtari et al., 2021)
HIGHEST_R_HAT = 1.01  # of a scalar (the same)
# A thousand pairs have a thousand R-hats, of which many exceed 1.01 by chance, and some
# whose pairs share a topic in a few samples only exceed 1.1.
HIGHEST_R_HAT_OF_PAIRS = 1.1
FEW_PAIRS = 0.01  # proportion of the pairs that may have a higher one
SETTLED = 1.1  # R-hat of the halves of a chain
CLEAR_RISE = 3  # standard errors
MOST_TIMES = 10  # as many sweeps are advised at a time, at most
_WORST_PAIRS = 50


class Sweeps(NamedTuple):
    """How long the chains are."""

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
    """Whether the chains can be trusted, and a sentence."""

    converged: bool
    sentence: str


def judge(
    log_joint: np.ndarray,
    scalars: dict[str, np.ndarray],
    together: np.ndarray,
    sweeps: Sweeps,
) -> Verdict:
    """Return the verdict on draws, each (n_chains, n_draws).

    The log joint must not rise. The scalars, and the pairs of tokens that
    share a topic, (n_chains, n_draws, n_pairs), must agree.
    """
    n_chains, n_draws = together.shape[:2]
    if n_draws < FEWEST_DRAWS:
        n = sweeps.thin * (ENOUGH_ESS - n_draws)
        return Verdict(
            False,
            f"Too few draws: {n_draws} of each chain, and a verdict needs "
            f"{FEWEST_DRAWS} or better {ENOUGH_ESS}. Go on with more({n}).",
        )
    rise, error = _rise(log_joint)
    if rise > CLEAR_RISE * error:
        return Verdict(
            False,
            f"Burn-in was too short: the log joint rises by {rise:.2g} nats per token "
            f"from the first third of the draws to the last. Start again with "
            f"burn_in={sweeps.n_iter} and max_iter={sweeps.n_iter + sweeps.kept}.",
        )
    r_hats = {name: float(statistics.r_hat(draws)) for name, draws in scalars.items()}
    of_pairs = statistics.r_hat(together)
    disagreeing = np.mean(of_pairs > HIGHEST_R_HAT_OF_PAIRS)  # NaN is not
    agree = disagreeing <= FEW_PAIRS
    agree = agree and all(not value > HIGHEST_R_HAT for value in r_hats.values())
    if agree:
        return _agreement(scalars, max(r_hats.values()), sweeps, n_chains)
    if _have_settled(scalars, r_hats, together, of_pairs, disagreeing):
        return _modes(log_joint, disagreeing)
    n, worst = _sweeps_for_enough(scalars, sweeps, n_chains)
    name = max(r_hats, key=lambda name: np.nan_to_num(r_hats[name]))
    return Verdict(
        False,
        f"The chains have not met yet: R-hat of {name} is {r_hats[name]:.3f}, of "
        f"{disagreeing:.0%} of the pairs of tokens above {HIGHEST_R_HAT_OF_PAIRS}, and "
        f"the effective sample size is {worst:.0f}. Go on with more({n}) or further.",
    )


def _rise(log_joint) -> tuple[float, float]:
    """Return the rise from the first third to the last, and its standard error.

    Both thirds have the error of the last, because a rise within the first is no noise.
    """
    n_chains, n_draws = log_joint.shape
    third = n_draws // 3
    last = log_joint[:, -third:]
    rises = last.mean(axis=1) - log_joint[:, :third].mean(axis=1)
    # Each chain alone, because chains in different modes have no common mean.
    errors = [np.sqrt(2) * statistics.mcse(chain[np.newaxis]) for chain in last]
    error = np.linalg.norm(errors) / n_chains
    if n_draws < ENOUGH_ESS:  # too few to tell how much they resemble each other
        error = max(error, rises.std(ddof=1) / np.sqrt(n_chains))
    return rises.mean(), error


def _agreement(scalars, worst_r_hat, sweeps, n_chains) -> Verdict:
    n, worst = _sweeps_for_enough(scalars, sweeps, n_chains)
    if worst < ENOUGH_ESS * n_chains:
        return Verdict(
            False,
            f"The chains agree, but the effective sample size is only {worst:.0f}: "
            f"go on with more({n}) for about {ENOUGH_ESS * n_chains}.",
        )
    return Verdict(
        True,
        f"The {n_chains} chains agree: R-hat is at most {worst_r_hat:.3f}, and the "
        f"effective sample size at least {worst:.0f}. Any of them will do.",
    )


def _sweeps_for_enough(scalars, sweeps, n_chains) -> tuple[int, float]:
    """Return how many more sweeps give enough, and the lowest ESS now."""
    worst = min(float(statistics.ess(draws)) for draws in scalars.values())
    times = np.clip(ENOUGH_ESS * n_chains / worst - 1, 0, MOST_TIMES)
    return max(sweeps.rounded(sweeps.kept * times), sweeps.thin), worst


def _have_settled(scalars, r_hats, together, of_pairs, disagreeing) -> bool:
    """Return whether each chain alone is stationary in all that they differ in."""
    within = [
        np.median(statistics.r_hat_within(draws))
        for name, draws in scalars.items()
        if r_hats[name] > HIGHEST_R_HAT
    ]
    if disagreeing > FEW_PAIRS:
        worst = np.argsort(-np.nan_to_num(of_pairs))[:_WORST_PAIRS]
        within.append(np.median(statistics.r_hat_within(together[..., worst])))
    apart = np.nan_to_num([*r_hats.values(), *of_pairs]).max()
    return apart > SETTLED and max(within) < SETTLED


def _modes(log_joint, disagreeing) -> Verdict:
    return Verdict(
        False,
        f"Each chain has settled, but in a mode of its own: their mean log joints "
        f"differ by {statistics.spread(log_joint):.2g} nats per token, and "
        f"{disagreeing:.0%} of the pairs of tokens share a topic at different rates. "
        f"More sweeps rarely help: take best_estimator_, or try more chains, blocking "
        f"or other priors.",
    )
