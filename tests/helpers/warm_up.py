"""Compile the kernels before the workers of pytest-xdist ask for them.

Otherwise each worker compiles what it meets first, and most of it is compiled twice.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np

import sklda
from sklda._simd.compile import digest_of_kernels
from sklda.metrics import left_to_right_log_likelihood
from tests.helpers.ways_to_fit import SAMPLED

ROOT = Path(__file__).resolve().parents[2]
X = np.random.default_rng(0).poisson(0.5, (20, 9))
X[0, 0] = 6  # a block that cumulants do not draw
Y = X[:, 0] > 0
PARAMS = {"max_iter": 2, "random_state": 0}


def priors(n_topics: int) -> list[dict]:
    """Return parameters with one number for beta, and with an array, as of seeds."""
    beta = np.full((n_topics, X.shape[1]), 0.1)
    beta[0] = np.linspace(0.1, 1, X.shape[1])
    return [PARAMS, PARAMS | {"topic_word_prior": beta}]


def single_site() -> None:
    # In tables of one, two and three registers, and in lists.
    for n_topics in (3, 20, 33, 57):
        for params in priors(n_topics):
            sklda.CollapsedGibbsLDA(n_topics, **params).fit(X)
    for params in priors(3):
        sklda.ECGSLDA(3, **params).fit(X).score(X)
        sklda.PartiallyCollapsedGibbsLDA(3, **params).fit(X)
        sklda.UncollapsedGibbsLDA(3, **params).fit(X)
    lda = sklda.CollapsedGibbsLDA(3, **PARAMS, **SAMPLED).fit(X)
    sklda.CollapsedGibbsLDA(3, init=lda, **PARAMS).fit(X)
    for n_topics in (3, 57):
        sklda.DMRLDA(n_topics, **PARAMS).fit(X, covariates=X[:, 0])


def on_dask() -> None:
    if not find_spec("distributed"):
        return
    from dask import delayed
    from distributed import Client

    from sklda.dask import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA

    with Client(processes=False, n_workers=1, dashboard_address=":0"):
        for n_topics in (3, 57):
            CollapsedGibbsLDA(n_topics, **PARAMS).fit([delayed(X)])
        PartiallyCollapsedGibbsLDA(3, **PARAMS).fit([delayed(X)])


def variational() -> None:
    kinds = "zero-order", "gaussian", "exact"
    for approximation, params in product(kinds, priors(3)):
        params = params | {"approximation": approximation, "tol": 0}
        sklda.CVBLDA(3, evaluate_every=1, **params).fit(X)
    left_to_right_log_likelihood(sklda.CVBLDA(3, **PARAMS).partial_fit(X), X)


def blocks() -> None:
    for params in priors(3):
        blocked = sklda.CollapsedGibbsLDA(3, blocking="nested", **params)
        blocked.set_params(max_block_size=None).fit(X)


def max_margin() -> None:
    for sampler, params in product(("light", "gibbs"), priors(3)):
        sklda.MedLDAClassifier(3, sampler=sampler, **params).fit(X, Y).predict(X)
    for sampler, n_weight_steps in (("light", 2), ("gibbs", None)):
        params = {"sampler": sampler, "n_weight_steps": n_weight_steps, **PARAMS}
        sklda.MedLDAClassifier(3, **params).fit(X, Y)


# Each process has the kernels that build on each other, and compiles these once.
PROCESSES = [
    [single_site, on_dask, variational],
    [blocks, max_margin],
]


def compile_all() -> None:
    """Run the processes side by side, unless they have run for these kernels.

    What fails here fails again in a test, which then says why.
    """
    done = Path(os.environ["NUMBA_CACHE_DIR"], digest_of_kernels())
    if done.exists():
        return
    commands = [[sys.executable, "-m", __name__, str(i)] for i in range(len(PROCESSES))]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen(command, cwd=ROOT, **quiet) for command in commands]
    for process in started:
        process.wait()
    done.parent.mkdir(parents=True, exist_ok=True)
    done.touch()


if __name__ == "__main__":
    for compile_part in PROCESSES[int(sys.argv[1])]:
        compile_part()
