"""Chains and times of benchmarks.ecgs, and what is counted of them."""

from functools import partial

import numpy as np
from scipy import sparse

from benchmarks import common
from sklda import ECGSLDA, CollapsedGibbsLDA
from sklda._core.corpus import cut_cells
from sklda._base.fold_in import completion_log_likelihood
from sklda._core.problem import Weights
from sklda._gibbs.chain import Chain, Shard
from sklda._core.threads import Threaded

ALPHA_SUM, BETA = 50, 0.02
SAMPLERS = {"collapsed": CollapsedGibbsLDA, "ecgs": ECGSLDA}


def priors(n_topics: int) -> dict[str, float]:
    """Return the priors of the paper."""
    return {"doc_topic_prior": ALPHA_SUM / n_topics, "topic_word_prior": BETA}


def strategies(names, dampings) -> dict[str, dict]:
    """Return the parameters of each strategy, dynamic sampling once a damping."""
    chosen = {}
    for name in names:
        if name == "dynamic":
            for damping in dampings:
                parameters = {"strategy": name, "damping": damping}
                chosen[f"{name}-{damping}"] = parameters
        else:
            chosen[name] = {"strategy": name}
    return chosen


def new_chain(estimator, X, n_topics, seed, **parameters) -> Chain:
    """Return the chain that an estimator of a class runs, at its start."""
    lda = estimator(n_topics, random_state=seed, **priors(n_topics), **parameters)
    return lda._new_chain(X)


def sampling_rate(chain: Chain) -> list[float]:
    """Return draws / tokens of each sweep: 1 for a chain that does not count them."""
    rate = getattr(chain, "sampling_rate", [1.0] * chain.n_sweeps)
    return [round(value, 5) for value in rate]


def rate_limits(X: sparse.csr_array) -> dict[str, float]:
    """Return below what the sampling rate cannot fall, for each strategy.

    For shortcut sampling that is the limit of the paper: cells / tokens. Dynamic
    sampling draws cells of two tokens twice.
    """
    n_tokens = X.sum()
    return {
        "shortcut": float(X.nnz / n_tokens),
        "dynamic": float((X.nnz + (X.data == 2).sum()) / n_tokens),
    }


def perplexity(chain: Chain, test: Weights) -> float:
    """Return the perplexity of unseen documents under phi of the last sweep."""
    _, phi = common.present_sample(chain)
    total = completion_log_likelihood(test, phi, chain.doc_topic_prior)
    return float(np.exp(-total / test.count.sum(dtype=np.float64)))


def run_chain(name, parameters, train, test, n_topics, seed, sweeps, every) -> dict:
    """Return the perplexity of recorded sweeps, and the sampling rate of all."""
    chain = new_chain(ECGSLDA, train, n_topics, seed, **parameters)
    documents = common.as_weights(test)
    curve = []
    for sweep in range(1, sweeps + 1):
        chain.sweep()
        if sweep % every == 0:
            curve.append(round(perplexity(chain, documents), 3))
    rate = sampling_rate(chain)
    return {"sampler": name, "seed": seed, "perplexity": curve, "sampling_rate": rate}


def new_chain_of(name, X, n_topics, seed) -> Chain:
    """Return the chain of a strategy, or of the standard one with tokens "apart".

    That one shares nothing among the tokens of a cell, as kernels commonly do not.
    """
    if name != "apart":
        return new_chain(ECGSLDA, X, n_topics, seed, strategy=name)
    chain = new_chain(ECGSLDA, X, n_topics, seed, strategy="standard")
    tokens = cut_cells(chain.corpus, 1)
    sweep = partial(chain.kernel.sweep, tokens)
    chain.shards = [Shard(tokens, sweep, chain.state, chain.rng)]
    return chain


def seconds_per_sweep(X, n_topics, names, first, last, seed=0) -> dict[str, list]:
    """Return the seconds of the sweeps after `first`, to `last`, of each strategy."""

    def chains(X):
        return {name: new_chain_of(name, X, n_topics, seed) for name in names}

    # Compiles, for otherwise the first sweep would count that.
    common.seconds_per_sweep(chains(X[:10]), 0, 1)
    return common.seconds_per_sweep(chains(X), first, last)


def shards_name(corpus: str, threads: int) -> str:
    """Return the name of the files of one corpus and number of threads."""
    return f"shards-{corpus}-threads-{threads}"


class SideBySide(Threaded):
    """Chains that have nothing in common, one a thread: what the threads can do."""

    def __init__(self, chains: list[Chain]):
        self.chains = chains
        self._use_threads(len(chains), len(chains))

    def sweep(self) -> None:
        list(self._map(Chain.sweep, self.chains))


def run_shards(sampler, train, test, n_topics, shards, threads, seed, sweeps) -> dict:
    """Return, for each number of shards, the seconds of sweeps and the perplexity.

    With them go the seconds of one chain by itself, and of one for each thread.
    """

    def new(X, **parameters):
        return new_chain(SAMPLERS[sampler], X, n_topics, seed, **parameters)

    def chains(X):
        sharded = {n: new(X, n_shards=n, n_jobs=threads) for n in shards}
        own = {
            "one": new(X),
            "side_by_side": SideBySide([new(X) for _ in range(threads)]),
        }
        return sharded | own

    common.seconds_per_sweep(chains(train[:10]), 0, 1)  # compiles
    timed = chains(train)
    seconds = common.seconds_per_sweep(timed, 0, sweeps)
    documents = common.as_weights(test)
    return {
        "one": seconds.pop("one"),
        "side_by_side": seconds.pop("side_by_side"),
        "seconds": seconds,
        "perplexity": {n: perplexity(timed[n], documents) for n in shards},
    }


def speed_ups(seconds: dict) -> dict:
    """Return how many times as fast as the first each is."""
    return {name: 1 / ratio for name, ratio in common.ratios(seconds).items()}


def means(seconds: dict[str, list[float]]) -> dict[str, float]:
    """Return the mean of each sampler's seconds."""
    return {name: float(np.mean(values)) for name, values in seconds.items()}
