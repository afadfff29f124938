"""Tokens per second of single-site sampling, side by side with tomotopy.

One thread, alpha = 0.1, beta = 0.01. Sweeps 20 to 60 count, in turns of five sweeps
each, so that both programs meet the same machine; loading is not counted, compilation
is reported on its own.

    python -m benchmarks.speed --corpora nips --topics 20 100 400 1000
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from benchmarks import corpora
from benchmarks.programs import PROGRAMS

FIRST, LAST, TURN = 20, 60, 5

FIRST_FIT = """
import json, time
start = time.perf_counter()
import numba, sklearn.decomposition
base = time.perf_counter() - start
start = time.perf_counter()
import sklda
imported = time.perf_counter() - start
start = time.perf_counter()
sklda.CollapsedGibbsLDA({n_topics}, max_iter=20, random_state=0).fit([[2, 1], [0, 3]])
print(json.dumps([base, imported, time.perf_counter() - start]))
"""

FIT = """
import resource, sys
from benchmarks.corpora import load
from sklda import CollapsedGibbsLDA
X = load({corpus!r}, {data_home!r})
CollapsedGibbsLDA({n_topics}, max_iter=20, random_state=0).fit(X)
unit = 1 if sys.platform == "darwin" else 1024
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)
"""


def steady_state(X, n_topics: int, names: list[str], seed: int) -> dict[str, float]:
    """Return the median of tokens per second of each program."""
    programs = [PROGRAMS[name](X, n_topics, seed) for name in names]
    for program in programs:
        program.sweep(FIRST)
    seconds = {name: [] for name in names}
    for _ in range((LAST - FIRST) // TURN):
        for program in programs:
            start = time.perf_counter()
            program.sweep(TURN)
            seconds[program.name].append((time.perf_counter() - start) / TURN)
    return {name: float(X.sum() / np.median(seconds[name])) for name in names}


def in_fresh_process(code: str, cache: str) -> str:
    """Run code in a new interpreter with its own folder of compiled kernels."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def report_first_fit() -> None:
    """Print what a first fit costs in a fresh process, without and with a cache."""
    for n_topics in (100, 1000):
        with tempfile.TemporaryDirectory() as cache:
            for state in ("no cache", "cached"):
                code = FIRST_FIT.format(n_topics=n_topics)
                base, imported, fit = json.loads(in_fresh_process(code, cache))
                print(
                    f"first fit, K = {n_topics}, {state}: {fit:.2f} s; import sklda: "
                    f"{imported:.2f} s beyond {base:.2f} s of scikit-learn and numba"
                )


def report_memory(arguments) -> None:
    """Print the peak memory of a process that fits each corpus."""
    for name in arguments.corpora:
        code = FIT.format(corpus=name, data_home=arguments.data_home, n_topics=100)
        with tempfile.TemporaryDirectory() as cache:
            in_fresh_process(code, cache)  # compiles
            print(f"peak memory, {name}, K = 100: {in_fresh_process(code, cache)} MB")


def report_speed(arguments) -> None:
    """Print a table of tokens per second."""
    print(
        "\ncorpus     K  "
        + "".join(f"{n:>12}" for n in arguments.programs)
        + "   ratio"
    )
    for name in arguments.corpora:
        start = time.perf_counter()
        X = corpora.load(name, arguments.data_home)
        loading = time.perf_counter() - start
        for n_topics in arguments.topics:
            speed = steady_state(X, n_topics, arguments.programs, arguments.seed)
            ratio = speed[arguments.programs[0]] / speed[arguments.programs[-1]]
            row = "".join(f"{speed[n] / 1e6:>12.2f}" for n in arguments.programs)
            print(f"{name:6} {n_topics:>5}  {row}   {ratio:>5.2f}", flush=True)
        print(f"(M tokens/s; {name} loaded in {loading:.2f} s, {X.sum():,} tokens)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    corpora.add_arguments(parser)
    parser.add_argument("--topics", nargs="+", type=int, default=[20, 100, 400, 1000])
    parser.add_argument("--programs", nargs="+", default=["sklda", "tomotopy"])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    report_first_fit()
    report_memory(arguments)
    report_speed(arguments)


if __name__ == "__main__":
    main()
