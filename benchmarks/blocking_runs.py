"""Samplers, chains and times of benchmarks.blocking, and what is counted of them."""

import os
import platform
import time
from importlib.metadata import version

import numpy as np
from scipy.optimize import linear_sum_assignment

import sklda
from benchmarks import corpora
from benchmarks.programs import ALPHA, BETA
from sklda import CollapsedGibbsLDA
from sklda._sampling import Chain

KEEP_EVERY = 10  # sweeps between two samples of the mean behind the perplexity
TAIL = 50  # sweeps at the end of a chain that say where it has come to
# A topic of which a share f of the mass lies beside its bar is at the Hellinger
# distance sqrt(1 - sqrt(1 - f)) from it, if not more: 0.3 is f = 0.17. Two bars in
# one topic are at 0.5, and what 18,000 tokens show of a bar is within 0.05.
FARTHEST = 0.3
# Nats per token that a chain may end below the best. On the bars the sweeps of chains
# that have settled differ by about 0.001; the steps below the best, by 0.04 and more.
WIDEST_GAP = 0.02
FEWEST_TIMED = 5  # sweeps


def _collapsed(blocking):
    def make(n_topics, max_block_size=None, **parameters):
        if blocking is not None:
            parameters["blocking"] = blocking
            if max_block_size is not None:
                parameters["max_block_size"] = max_block_size
        return CollapsedGibbsLDA(n_topics, **parameters)

    return make


def _augmentation(n_topics, max_block_size=None, **parameters):
    return sklda.UncollapsedGibbsLDA(n_topics, **parameters)


SAMPLERS = {
    "single-site": _collapsed(None),
    "nested": _collapsed("nested"),
    "backward": _collapsed("backward"),
    "augmentation": _augmentation,
}


def new_chain(sampler, X, n_topics, seed, max_block_size=None) -> Chain:
    """Return the chain that the estimator of a sampler runs, at its start."""
    estimator = SAMPLERS[sampler](
        n_topics,
        max_block_size=max_block_size,
        doc_topic_prior=ALPHA,
        topic_word_prior=BETA,
        random_state=seed,
    )
    return estimator._new_chain(X)


def present_sample(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return theta and phi of the last sweep, for a chain that keeps no samples."""
    components, theta = chain.glimpse().finish()
    return theta, components / components.sum(axis=1, keepdims=True)


class SampleMean:
    """The mean of theta and phi over the samples so far, and what it predicts.

    `held_out` are the counts of the last documents; theta of the others is dropped.
    """

    def __init__(self, held_out):
        self.held_out = held_out
        self.theta = self.phi = 0.0
        self.n_kept = 0

    def perplexity(self, theta, phi, *, keep: bool) -> float:
        """Return the perplexity by the samples kept so far and this one."""
        theta = self.theta + theta[-self.held_out.shape[0] :]
        phi = self.phi + phi
        n_samples = self.n_kept + 1
        if keep:
            self.theta, self.phi, self.n_kept = theta, phi, n_samples
        return corpora.perplexity(theta / n_samples, phi / n_samples, self.held_out)


def run_chain(
    sampler, train, held_out, n_topics, seed, sweeps, every, max_block_size=None
) -> dict:
    """Return the two curves of a chain, and phi of its last sweep."""
    chain = new_chain(sampler, train, n_topics, seed, max_block_size)
    mean = SampleMean(held_out)
    log_posterior, perplexity = [], []
    for sweep in range(1, sweeps + 1):
        chain.sweep()
        recorded, kept = sweep % every == 0, sweep % KEEP_EVERY == 0
        if recorded or kept:
            theta, phi = present_sample(chain)
            value = mean.perplexity(theta, phi, keep=kept)
        if recorded:
            log_posterior.append(round(chain.evaluate(), 1))
            perplexity.append(round(value, 3))
    return {
        "sampler": sampler,
        "seed": seed,
        "log_posterior": log_posterior,
        "perplexity": perplexity,
        "topic_word": present_sample(chain)[1],
    }


def seconds_per_sweep(
    X, n_topics, samplers, first, last, *, limit=np.inf, seed=0, max_block_size=None
) -> dict[str, list[float]]:
    """Return the seconds of the sweeps from `first` to `last`, in turns of one sweep.

    A sampler that has spent `limit` seconds on them stops, but not before its fifth.
    """
    chains = {
        name: new_chain(name, X, n_topics, seed, max_block_size) for name in samplers
    }
    seconds = {name: [] for name in samplers}
    for sweep in range(1, last + 1):
        for name, chain in chains.items():
            timed = seconds[name]
            if len(timed) >= FEWEST_TIMED and sum(timed) >= limit:
                continue
            start = time.perf_counter()
            chain.sweep()
            if sweep > first:
                timed.append(time.perf_counter() - start)
    return seconds


def medians(seconds: dict[str, list[float]]) -> dict[str, float]:
    """Return the median of each sampler's seconds."""
    return {name: float(np.median(values)) for name, values in seconds.items()}


def ratios(seconds: dict[str, float]) -> dict[str, float]:
    """Return the seconds of each sampler in those of the first."""
    base = next(iter(seconds.values()))
    return {name: value / base for name, value in seconds.items()}


def median_curve(curves) -> np.ndarray:
    """Return the median over chains at each recorded sweep."""
    return np.median(np.asarray(curves, dtype=float), axis=0)


def sweeps_to_reach(sweeps, curve, target, *, rising: bool) -> int | None:
    """Return the first sweep at which the curve is as good as the target, or None."""
    curve = np.asarray(curve)
    there = curve >= target if rising else curve <= target
    return int(np.asarray(sweeps)[there.argmax()]) if there.any() else None


def end_of(sweeps, curve) -> np.ndarray:
    """Return the part of a curve that belongs to the last 50 sweeps."""
    sweeps = np.asarray(sweeps)
    return np.asarray(curve)[sweeps > sweeps[-1] - TAIL]


def gaps_to_best(sweeps, curves) -> np.ndarray:
    """Return how far below the best chain each ends, by the mean of its end."""
    ends = np.array([end_of(sweeps, curve).mean() for curve in curves])
    return ends.max() - ends


def distances_to_planted(topic_word, planted) -> np.ndarray:
    """Return the Hellinger distance of each planted topic to the one matched with it.

    The matching is one to one, with the smallest sum of distances.
    """
    affinity = np.sqrt(planted) @ np.sqrt(topic_word).T
    distance = np.sqrt(np.maximum(0, 1 - affinity))
    rows, columns = linear_sum_assignment(distance)
    return distance[rows, columns]


def machine() -> dict:
    """Describe processor and versions, and nothing else of the machine."""
    try:
        with open("/proc/cpuinfo") as lines:
            models = [line for line in lines if line.startswith("model name")]
        model = models[0].partition(":")[2].strip()
    except (OSError, IndexError):
        model = platform.processor() or platform.machine()
    packages = ("numpy", "scipy", "numba", "scikit-learn", "sklda")
    versions = {package: version(package) for package in packages}
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "versions": {"python": platform.python_version(), **versions},
    }
