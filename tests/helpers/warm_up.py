"""Compile the kernels before the workers of pytest-xdist ask for them.

Otherwise each worker compiles what it meets first, and most of it is compiled twice.
All parts together take about 100 seconds of one processor.
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
PARAMS = {"max_iter": 2, "random_state": 0}


def gibbs() -> None:
    from tests.helpers.ways_to_fit import GIBBS

    for model in GIBBS.values():
        model.set_params(n_components=3, **PARAMS).fit(X)
    # More topics: in rows instead of registers, and in lists instead of rows.
    for name, n_topics in (("rows", 41), ("dynamic", 200)):
        GIBBS[name].set_params(n_components=n_topics).fit(X).score(X)


def with_word_priors() -> None:
    from sklda import CVBLDA, CollapsedGibbsLDA, MedLDAClassifier

    beta = np.linspace(0.1, 1, 3 * X.shape[1]).reshape(3, -1)
    prior = {"topic_word_prior": beta, **PARAMS}
    for sampler in ("dense", "sparse"):
        CollapsedGibbsLDA(3, sampler=sampler, **prior).fit(X)
    CollapsedGibbsLDA(3, blocking="nested", max_block_size=None, **prior).fit(X)
    CVBLDA(3, **prior).fit(X)
    for sampler in ("light", "gibbs"):
        MedLDAClassifier(3, sampler=sampler, **prior).fit(X, X[:, 0] > 0)


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


def others() -> None:
    from sklda import CVBLDA, MedLDAClassifier
    from sklda.metrics import left_to_right_log_likelihood

    for sampler, n_weight_steps in (("light", 2), ("gibbs", None)):
        ways = {"sampler": sampler, "n_weight_steps": n_weight_steps}
        MedLDAClassifier(3, **ways, **PARAMS).fit(X, X[:, 0] > 0)
    for approximation in ("zero-order", "gaussian", "exact"):
        params = {"approximation": approximation, "tol": 0, "evaluate_every": 1}
        CVBLDA(3, **params, **PARAMS).fit(X)
    lda = CVBLDA(3, **PARAMS).partial_fit(X)
    left_to_right_log_likelihood(lda, X)


PARTS = [gibbs, with_word_priors, others, on_dask]


def compile_all() -> None:
    """Run the parts side by side, unless the cache of this state of sklda exists.

    What fails here fails again in a test, which then says why.
    """
    if Path(os.environ["NUMBA_CACHE_DIR"]).exists():
        return
    commands = [[sys.executable, "-m", __name__, str(i)] for i in range(len(PARTS))]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [subprocess.Popen(one, cwd=ROOT, **quiet) for one in commands]
    for process in started:
        process.wait()


if __name__ == "__main__":
    PARTS[int(sys.argv[1])]()
