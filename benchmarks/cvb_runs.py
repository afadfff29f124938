"""What benchmarks.cvb compares, how it is followed, and what is counted of it.

A program has `sweep()`; `observe()`, called after each sweep and never timed;
`estimates()`, theta and phi of the training documents; and `threads()`.
"""

import time
from importlib.util import find_spec

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks import common, corpora
from benchmarks.compare.others import Gensim
from benchmarks.compare.ours import Gaussian, KeptMean, ZeroOrder
from benchmarks.compare.variational import BatchVB, OnlineVB
from sklda import CVBLDA
from sklda._base.fold_in import completion_log_likelihood

ALPHA = BETA = 0.1
PRIORS = {"doc_topic_prior": ALPHA, "topic_word_prior": BETA}


class Gibbs(KeptMean):
    """The chain of CollapsedGibbsLDA; estimates are means over the second half of it.

    To keep samples is left to `observe`, and not timed.
    """

    def __init__(self, X, n_topics, seed, *, asked, **priors):
        super().__init__(X, n_topics, seed, asked=asked, thin=1, **priors)

    def sweep(self, n=1):
        super(KeptMean, self).sweep(n)


COLLAPSED = {"CVB": Gaussian, "CVB0": ZeroOrder}
OTHERS = {"VB": BatchVB, "online VB": OnlineVB, "gensim": Gensim}
NAMES = (*OTHERS, *COLLAPSED, "Gibbs")


def available(names) -> list[str]:
    """Return the names of programs that are installed, and tell of the others."""
    missing = "gensim" in names and find_spec("gensim") is None
    if missing:
        print("gensim is not installed: skipped")
    return [name for name in names if not (missing and name == "gensim")]


def new_program(name, X, n_topics, seed, asked=()):
    """Return a program at its start; `asked` is what Gibbs asks for."""
    priors = {"alpha": ALPHA, "beta": BETA}
    if name == "Gibbs":
        return Gibbs(X, n_topics, seed, asked=asked, **priors)
    return (COLLAPSED | OTHERS)[name](X, n_topics, seed, **priors)


def fine(last: int) -> list[int]:
    """Return 1, 2, 3, ..., at most a tenth (or 1) apart, to the last."""
    steps = [1]
    while steps[-1] < last:
        steps.append(min(last, max(steps[-1] + 1, int(1.1 * steps[-1]))))
    return steps


def follow(program, held_out, asked, target=np.inf) -> dict[str, list]:
    """Sweep, and return the log probability of held-out words after some sweeps.

    Beside it, the seconds of all sweeps until then, and of nothing else. Ends at the
    last of the sweeps `asked`, or at the first of them that reaches the target.
    """
    curve = {"sweeps": [], "seconds": [], "log_probability": []}
    seconds = 0.0
    with program.threads():
        for sweep in range(1, asked[-1] + 1):
            start = time.perf_counter()
            program.sweep()
            seconds += time.perf_counter() - start
            program.observe()
            if sweep in asked:
                value = corpora.log_probability(*program.estimates(), held_out)
                curve["sweeps"].append(sweep)
                curve["seconds"].append(round(seconds, 4))
                curve["log_probability"].append(round(value, 5))
                if value >= target:
                    break
    return curve


def run_chain(name, train, held_out, n_topics, seed, asked) -> dict:
    """Return the curve of a program from one start."""
    program = new_program(name, train, n_topics, seed, asked)
    curve = follow(program, held_out, asked)["log_probability"]
    run = {"sampler": name, "seed": seed, "documents": train.shape[0]}
    return {**run, "log_probability": curve}


def seconds_per_sweep(names, X, n_topics, warm, sweeps, limit) -> dict[str, list]:
    """Return the seconds of sweeps of each program, after a few that do not count."""

    def programs(X, n_topics):
        return {name: new_program(name, X, n_topics, 0) for name in names}

    common.seconds_per_sweep(programs(X[:10], 2), 0, 1)  # compiles
    of_all = programs(X, n_topics)
    return common.seconds_per_sweep(of_all, warm, warm + sweeps, limit=limit)


def reach(names, train, held_out, n_topics, iterations, limit) -> dict[str, dict]:
    """Return the curve of batch VB, and those of others until they are as good.

    `limit` is the number of sweeps after which these give up.
    """
    few = common.geometric(iterations)
    vb = follow(new_program("VB", train, n_topics, 0), held_out, few)
    target = vb["log_probability"][-1]
    curves = {"VB": vb}
    for name in names:
        asked = fine(limit) if name == "Gibbs" else list(range(1, limit + 1))
        small = new_program(name, train[:10], n_topics, 0, [1])
        follow(small, held_out[:10], [1])  # compiles
        program = new_program(name, train, n_topics, 0, asked)
        curves[name] = follow(program, held_out, asked, target)
    return curves


def minibatches(n_docs: int, size: int, passes: int, seed: int) -> list[np.ndarray]:
    """Return the documents of each minibatch, in a new order each pass."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_docs) for _ in range(passes)]
    return [
        order[first : first + size]
        for order in orders
        for first in range(0, n_docs, size)
    ]


def streams(X, n_topics, seed) -> dict:
    """Return what takes minibatches of a corpus by partial_fit."""
    options = {**PRIORS, "total_samples": X.shape[0], "random_state": seed}
    size = {"batch_size": X.shape[0]}  # takes a minibatch as it comes
    return {
        "SCVB0": CVBLDA(n_topics, approximation="zero-order", **options),
        "online VB": LatentDirichletAllocation(n_topics, **options, **size, n_jobs=1),
    }


def completion(lda, test) -> float:
    """Return the log probability per token of unseen documents, given components_."""
    alpha = np.full(lda.n_components, ALPHA)
    total = completion_log_likelihood(test, lda.components_, alpha)
    return float(total / test.count.sum(dtype=np.float64))


def run_streams(train, test, n_topics, seed, batches) -> dict[str, dict]:
    """Return the curve of each stream: minibatches, documents, seconds and score."""
    documents = common.as_weights(test)
    for lda in streams(train[:10], n_topics, seed).values():
        completion(lda.partial_fit(train[:10]), documents)  # compiles
    ldas, asked = streams(train, n_topics, seed), common.geometric(len(batches))
    curves = {
        name: {"minibatches": asked, "documents": [], "seconds": [], "score": []}
        for name in ldas
    }
    seconds, seen = dict.fromkeys(ldas, 0.0), 0
    for number, batch in enumerate(batches, 1):
        X = train[batch]
        seen += X.shape[0]
        for name, lda in ldas.items():
            start = time.perf_counter()
            lda.partial_fit(X)
            seconds[name] += time.perf_counter() - start
            if number in asked:
                curve = curves[name]
                curve["documents"].append(seen)
                curve["seconds"].append(round(seconds[name], 4))
                curve["score"].append(round(completion(lda, documents), 5))
    return curves
