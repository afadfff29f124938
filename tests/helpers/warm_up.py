"""Compile the kernels before the workers of pytest-xdist ask for them.

Otherwise each worker compiles what it meets first, and most of it is compiled twice.
All of it takes about 110 seconds of one processor.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
X = np.random.default_rng(0).poisson(0.5, (20, 9))
X[0, 0] = 6  # a block that cumulants do not draw
Y = X[:, 0] > 0
BETA = np.linspace(0.1, 1, 3 * X.shape[1]).reshape(3, -1)
PARAMS = {"max_iter": 2, "random_state": 0}
BLOCKS = "blocks"


def single_site() -> None:
    from sklda import CollapsedGibbsLDA
    from tests.helpers.ways_to_fit import GIBBS

    for name, model in GIBBS.items():
        if name != BLOCKS:
            model.set_params(n_components=3, **PARAMS).fit(X)
    # More topics: in rows instead of registers, and in lists instead of rows.
    for name, n_topics in (("rows", 41), ("dynamic", 200)):
        GIBBS[name].set_params(n_components=n_topics).fit(X).score(X)
    for sampler in ("dense", "sparse"):
        CollapsedGibbsLDA(3, sampler=sampler, topic_word_prior=BETA, **PARAMS).fit(X)


def covariates() -> None:
    from sklda import DMRLDA

    for sampler in ("dense", "sparse"):
        DMRLDA(3, sampler=sampler, **PARAMS).fit(X, covariates=X[:, 0])


def on_dask() -> None:
    if not find_spec("distributed"):
        return
    from dask import delayed
    from distributed import Client

    from sklda.dask import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA

    with Client(processes=False, n_workers=1, dashboard_address=":0"):
        for sampler in ("dense", "sparse"):
            CollapsedGibbsLDA(3, sampler=sampler, **PARAMS).fit([delayed(X)])
        PartiallyCollapsedGibbsLDA(3, **PARAMS).fit([delayed(X)])


def blocks() -> None:
    from tests.helpers.ways_to_fit import GIBBS

    model = GIBBS[BLOCKS].set_params(n_components=3, **PARAMS).fit(X)
    model.set_params(topic_word_prior=BETA).fit(X)


def max_margin() -> None:
    from sklda import MedLDAClassifier

    for sampler, n_weight_steps in (("light", 2), ("gibbs", None)):
        params = {"sampler": sampler, **PARAMS}
        MedLDAClassifier(3, n_weight_steps=n_weight_steps, **params).fit(X, Y)
        MedLDAClassifier(3, topic_word_prior=BETA, **params).fit(X, Y)


def variational() -> None:
    from sklda import CVBLDA
    from sklda.metrics import left_to_right_log_likelihood

    for approximation in ("zero-order", "gaussian", "exact"):
        params = {"approximation": approximation, "tol": 0, "evaluate_every": 1}
        CVBLDA(3, **params, **PARAMS).fit(X)
    lda = CVBLDA(3, **PARAMS).partial_fit(X)
    left_to_right_log_likelihood(lda, X)
    CVBLDA(3, topic_word_prior=BETA, **PARAMS).fit(X)


# Each process has the kernels that build on each other, and compiles these once.
PROCESSES = [
    [single_site, covariates, on_dask, variational],
    [blocks, max_margin],
]


def compile_all() -> None:
    """Run the processes side by side, unless they have run for these kernels.

    What fails here fails again in a test, which then says why.
    """
    from sklda._simd.compile import digest_of_kernels

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
