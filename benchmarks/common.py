"""What the benchmarks of papers share: options, chains, times, reports."""

import argparse
import json
import os
import platform
import time
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import sklda
from sklda._core.corpus import check_weights
from sklda._core.problem import Weights
from sklda._gibbs.chain import Chain

CORPORA = ("kos", "nips")
TAIL = 50  # sweeps at the end of a chain that say where it has come to
FEWEST_TIMED = 5  # sweeps
SIMD = ("sse4", "avx", "fma", "asimd", "neon", "sve")  # flags of a processor


def output_options() -> argparse.ArgumentParser:
    """Return the options of all commands."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument(
        "--output", type=Path, required=True, help="folder to write to"
    )
    return options


def curve_options(every: int) -> argparse.ArgumentParser:
    """Return the options of commands that run many chains."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--sweeps", type=int, default=500)
    options.add_argument(
        "--every", type=int, default=every, help="sweeps between entries"
    )
    options.add_argument("--jobs", type=int, default=2, help="chains side by side")
    return options


def corpus_options() -> argparse.ArgumentParser:
    """Return the options of commands that run on a real corpus."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--corpus", default="nips", choices=CORPORA)
    options.add_argument(
        "--data-home", help="folder of docword.NAME.txt.gz; else fetched"
    )
    return options


def require_sweeps(parser: argparse.ArgumentParser, arguments, least: int) -> None:
    """Refuse a number of sweeps of which nothing would be recorded."""
    if getattr(arguments, "sweeps", least) < least:
        parser.error(f"--sweeps must be at least {least}")


def recorded_sweeps(arguments) -> list[int]:
    """Return the sweeps of the entries of a curve."""
    return list(range(arguments.every, arguments.sweeps + 1, arguments.every))


def run_chains(run, jobs, n_processes: int, tell) -> dict[str, list[dict]]:
    """Return the chains of each sampler: `run(*job)` of all jobs, side by side.

    `tell(chain)` is what is printed of a chain that is done.
    """
    chains: dict[str, list[dict]] = {}
    for chain in Parallel(n_processes, return_as="generator")(
        delayed(run)(*job) for job in jobs
    ):
        chains.setdefault(chain["sampler"], []).append(chain)
        print(f"  start {chain['seed']}, {chain['sampler']}: {tell(chain)}", flush=True)
    return chains


def write(arguments, name: str, priors: dict, report: dict) -> None:
    """Write a report as JSON, with the options (but no paths) and the machine."""
    options = {
        key: value
        for key, value in vars(arguments).items()
        if key not in ("command", "output", "doc", "data_home", "jobs")
    }
    options |= priors
    arguments.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"options": options, "machine": machine(), **report})
    (arguments.output / f"{name}.json").write_text(text + "\n")


def machine() -> dict:
    """Describe processor and versions, and nothing else of the machine."""
    model = _of_processor("model name") or platform.processor() or platform.machine()
    flags = (_of_processor("flags") or _of_processor("Features")).split()
    packages = ("numpy", "scipy", "numba", "scikit-learn")
    versions = {package: version(package) for package in packages}
    versions["sklda"] = sklda.__version__
    return {
        "cpu": model,
        "simd": sorted(flag for flag in flags if flag.startswith(SIMD)),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "versions": {"python": platform.python_version(), **versions},
    }


def _of_processor(field: str) -> str:
    """Return what Linux says of the first processor, nothing elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    values = [line.partition(":")[2] for line in lines if line.startswith(field)]
    return values[0].strip() if values else ""


def shape_of(X) -> dict[str, int]:
    """Return how large a corpus is."""
    shape = {"documents": X.shape[0], "words": X.shape[1], "cells": X.nnz}
    return shape | {"tokens": int(X.sum())}


def geometric(last: int) -> list[int]:
    """Return 1, 2, 3, 5, 7, 10, 15, 20, 30, ..., and the last."""
    steps = {1, 2, 3, 5, 7}
    decades = {10**power for power in range(1, len(str(last)))}
    steps |= {round(d * m) for d in decades for m in (1, 1.5, 2, 3, 5, 7)}
    return sorted({step for step in steps if step < last} | {last})


def as_weights(X) -> Weights:
    """Return a matrix of counts as the arrays of kernels."""
    return check_weights(sklda.ECGSLDA(), X, reset=True, whole=True)


def present_sample(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return theta and phi of the last sweep, for a chain that keeps no samples."""
    components, theta = chain.glimpse().finish()
    return theta, components / components.sum(axis=1, keepdims=True)


def seconds_per_sweep(
    chains: dict[str, Chain], first: int, last: int, *, limit=np.inf
) -> dict[str, list[float]]:
    """Return the seconds of the sweeps after `first`, to `last`, in turns of one sweep.

    A chain that has spent `limit` seconds on them stops, but not before its fifth.
    """
    seconds = {name: [] for name in chains}
    with ExitStack() as threads:
        for chain in chains.values():
            threads.enter_context(chain.threads())
        for sweep in range(1, last + 1):
            for name, chain in chains.items():
                timed = seconds[name]
                if len(timed) >= FEWEST_TIMED and sum(timed) >= limit:
                    continue
                start = time.perf_counter()
                chain.sweep()
                if sweep > first:
                    timed.append(round(time.perf_counter() - start, 6))
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


def end_of(sweeps, curve) -> np.ndarray:
    """Return the part of a curve that belongs to the last 50 sweeps."""
    sweeps = np.asarray(sweeps)
    return np.asarray(curve)[sweeps > sweeps[-1] - TAIL]
