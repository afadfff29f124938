"""Samplers, chains and times of benchmarks.blocking, and what is counted of them."""

import numpy as np
from scipy.optimize import linear_sum_assignment

import sklda
from benchmarks import common, corpora
from benchmarks.compare.peers import ALPHA, BETA
from sklda import CollapsedGibbsLDA
from sklda._gibbs.chain import Chain

KEEP_EVERY = 10  # sweeps between two samples of the mean behind the perplexity
# A topic of which a share f of the mass lies beside its bar is at the Hellinger
# distance sqrt(1 - sqrt(1 - f)) from it, if not more: 0.3 is f = 0.17. Two bars in
# one topic are at 0.5, and what 18,000 tokens show of a bar is within 0.05.
FARTHEST = 0.3
# Nats per token that a chain may end below the best. On the bars the sweeps of chains
# that have settled differ by about 0.001; the steps below the best, by 0.04 and more.
WIDEST_GAP = 0.02


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
            theta, phi = common.present_sample(chain)
            value = mean.perplexity(theta, phi, keep=kept)
        if recorded:
            log_posterior.append(round(chain.evaluate(), 1))
            perplexity.append(round(value, 3))
    return {
        "sampler": sampler,
        "seed": seed,
        "log_posterior": log_posterior,
        "perplexity": perplexity,
        "topic_word": common.present_sample(chain)[1],
    }


def seconds_per_sweep(
    X, n_topics, samplers, first, last, *, limit=np.inf, seed=0, max_block_size=None
) -> dict[str, list[float]]:
    """Return the seconds of the sweeps after `first`, to `last`, of each sampler."""
    chains = {
        name: new_chain(name, X, n_topics, seed, max_block_size) for name in samplers
    }
    return common.seconds_per_sweep(chains, first, last, limit=limit)


def sweeps_to_reach(sweeps, curve, target, *, rising: bool) -> int | None:
    """Return the first sweep at which the curve is as good as the target, or None."""
    curve = np.asarray(curve)
    there = curve >= target if rising else curve <= target
    return int(np.asarray(sweeps)[there.argmax()]) if there.any() else None


def gaps_to_best(sweeps, curves) -> np.ndarray:
    """Return how far below the best chain each ends, by the mean of its end."""
    ends = np.array([common.end_of(sweeps, curve).mean() for curve in curves])
    return ends.max() - ends


def distances_to_planted(topic_word, planted) -> np.ndarray:
    """Return the Hellinger distance of each planted topic to the one matched with it.

    The matching is one to one, with the smallest sum of distances.
    """
    affinity = np.sqrt(planted) @ np.sqrt(topic_word).T
    distance = np.sqrt(np.maximum(0, 1 - affinity))
    rows, columns = linear_sum_assignment(distance)
    return distance[rows, columns]
