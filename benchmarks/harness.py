"""Turns, curves, statistics and reports, which every question uses."""

import json
import os
import platform
import re
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import sklda
from benchmarks import corpora
from benchmarks.programs import Failed

TAIL = 50  # last sweeps of a chain, over which its end is a mean
FEWEST = 2  # timed turns
LONGEST_TURN = 5.0  # seconds
SIMD = ("sse4", "avx", "fma", "asimd", "neon", "sve")  # processor flags
NOT_RECORDED = ("question", "results", "folder", "jobs", "peers", "seeds")  # nor *_home


class Runner:
    """A program that takes turns by `seconds(n)`, until it raises `Failed`."""

    def __init__(self, name: str, seconds):
        self.name, self._time = name, seconds
        self.n_sweeps, self.pace = 0, 0.0  # seconds of a sweep; 0 if not yet known
        self.working = True
        self.begin()

    def begin(self) -> None:
        self.first, self.seconds, self.turns = self.n_sweeps, 0.0, []

    def timed(self) -> dict:
        return {"sweeps": [self.first, self.n_sweeps], "seconds_per_sweep": self.turns}

    def at_once(self, last: int, sweeps: int) -> int:
        """Return the sweeps of one turn: `sweeps`, or one if they are slow."""
        return sweeps if 0 < self.pace * sweeps < LONGEST_TURN else 1

    def turn(self, last: int, sweeps: int) -> None:
        """Sweep `sweeps` times, but not beyond the last."""
        n = min(self.at_once(last, sweeps), last - self.n_sweeps)
        seconds = self._time(n)
        self.n_sweeps += n
        self.seconds += seconds
        self.pace = seconds / n
        self.turns.append(round(self.pace, 6))

    def attempt(self, do, *arguments) -> bool:
        """Call a function unless an earlier one failed; return whether it succeeded."""
        if self.working:
            try:
                do(*arguments)
            except Failed as failure:
                print(failure, flush=True)
                self.working = False
        return self.working


def take_turns(team, last: int, goes_on=lambda runner: True, sweeps=1) -> None:
    """Let all sweep in turns, each to the last sweep or while `goes_on` is true."""
    going = list(team)
    while going:
        going = [r for r in going if r.n_sweeps < last and goes_on(r)]
        going = [r for r in going if r.attempt(r.turn, last, sweeps)]


def time_turns(team, first, last, limit=np.inf, warm_limit=np.inf, sweeps=1) -> dict:
    """Time turns of a few sweeps, after `first` or `warm_limit`, to `last` or `limit`.

    Limits are seconds, and two turns are timed in any case.
    """
    take_turns(team, first, lambda r: r.seconds < warm_limit, sweeps)
    for runner in team:
        runner.begin()
    take_turns(team, last, lambda r: len(r.turns) < FEWEST or r.seconds < limit, sweeps)
    return {r.name: r.timed() for r in team if r.working}


def seconds_per_sweep(new, names, X, *timed) -> tuple[dict, dict]:
    """Return the seconds per sweep of the programs `new(name, X)`, and these."""
    with ExitStack() as threads, threadpool_limits(1):
        for documents, turns in ((X[:10], (0, 1)), (X, timed)):
            programs = {name: new(name, documents) for name in names}  # first compiles
            for program in programs.values():
                threads.enter_context(program.threads())
            team = [Runner(name, program.seconds) for name, program in programs.items()]
            runs = time_turns(team, *turns)
    return {name: run["seconds_per_sweep"] for name, run in runs.items()}, programs


def measure_speed(new, names, corpus: str, options, **facts) -> None:
    """Write the seconds per sweep of `new(name, X, n_topics)`, for all topics."""
    X, rows = corpora.load(corpus, options), []
    timed = options.first, options.sweeps, options.limit
    for n_topics in options.topics:
        found, _ = seconds_per_sweep(partial(new, n_topics=n_topics), names, X, *timed)
        rows.append({"n_topics": n_topics, **times(found)})
        print_rows(rows[-1:])
    report = {"tokens": int(X.sum()), "cells": int(X.nnz), "rows": rows}
    write(options, f"speed-{corpus}", report, corpus=corpus, **facts)


def follow(team, checkpoints, evaluate, limit=np.inf, sweeps=1) -> dict:
    """Return curves of `evaluate(runner)`, which is not timed, and of the seconds.

    A program ends where the next step would exceed the limit of its seconds.
    """
    points: dict[str, list[dict]] = {runner.name: [] for runner in team}
    going = list(team)

    def enter(runner):
        point = {"sweeps": runner.n_sweeps, "seconds": round(runner.seconds, 6)}
        points[runner.name].append(point | evaluate(runner))

    for sweep in checkpoints:
        for runner in list(going):
            needed = runner.seconds + runner.pace * (sweep - runner.n_sweeps)
            if needed > limit:
                going.remove(runner)
        take_turns(going, sweep, sweeps=sweeps)
        going = [runner for runner in going if runner.attempt(enter, runner)]
    return {r.name: columns(points[r.name]) for r in team if r.working}


def follow_programs(programs: dict, checkpoints, evaluate, limit=np.inf) -> dict:
    """Return the curves of `evaluate(program)` by name; all threads sweep."""
    with ExitStack() as threads, threadpool_limits(1):
        for program in programs.values():
            threads.enter_context(program.threads())
        team = [Runner(name, program.seconds) for name, program in programs.items()]
        evaluate_one = lambda runner: evaluate(programs[runner.name])  # noqa: E731
        return follow(team, checkpoints, evaluate_one, limit)


def columns(rows: list[dict]) -> dict[str, list]:
    return {key: [row[key] for row in rows] for key in rows[0]}


def run_starts(run, options, *data) -> dict[str, list[dict]]:
    """Return the curves of each program, which `run(seed, *data)` returns by name."""
    work = (delayed(run)(seed, *data) for seed in range(options.starts))
    chains: dict[str, list[dict]] = {}
    found = Parallel(getattr(options, "jobs", 1), return_as="generator")(work)
    for seed, curves in enumerate(found):
        print_ends(seed, curves)
        for name, curve in curves.items():
            chains.setdefault(name, []).append({"seed": seed, **curve})
    return chains


def geometric(last: int, steps=(1, 1.5, 2, 3, 5, 7)) -> list[int]:
    """Return 1, 2, 3, 5, 7, 10, 15, 20, 30, ..., by default, and the last."""
    decades = (10**power for power in range(len(str(last))))
    found = {round(d * m) for d in decades for m in steps}
    return sorted(s for s in found | {last} if s <= last)


def reached(x, rising, level: float) -> float:
    """Return where a curve first reaches a level, linear in log x; else infinity."""
    there = np.flatnonzero(rising >= level)
    if there.size == 0:
        return np.inf
    ends = slice(max(0, there[0] - 1), there[0] + 1)
    logs = np.log(np.maximum(x[ends], 1e-6))  # a clock may have seen no time
    return float(np.exp(np.interp(level, rising[ends], logs)))


def effective_sample_size(values) -> float:
    """Return the size of an independent sample whose mean is as accurate."""
    from arviz_stats.base import array_stats

    values = np.asarray(values, dtype=float)[np.newaxis]
    return float(array_stats.ess(values, chain_axis=0, draw_axis=1, method="mean"))


def times(seconds: dict) -> dict:
    """Return the median seconds of each program, and speed-ups over the first."""
    median = {name: float(np.median(values)) for name, values in seconds.items()}
    first = next(iter(median.values()))
    speed_ups = {name: first / value for name, value in median.items()}
    return {"median": median, "times_as_fast": speed_ups, "seconds": seconds}


def median_curve(curves) -> np.ndarray:
    return np.median(np.asarray(curves, dtype=float), axis=0)


def end_of(sweeps, curve, tail: int) -> float:
    """Return the mean over the last `tail` sweeps."""
    is_end = np.asarray(sweeps) > sweeps[-1] - tail
    return float(np.asarray(curve)[is_end].mean())


def median_of(values) -> float | None:
    """Return the median, where None is infinite: a level that is never reached."""
    middle = float(np.median([np.inf if v is None else v for v in values]))
    return middle if np.isfinite(middle) else None


def range_of(values) -> dict:
    return {"median": float(np.median(values)), "range": [min(values), max(values)]}


def summary(sweeps, chains, key: str, tail=1) -> dict[str, dict]:
    """Return the ends of programs, also relative to that of the first."""
    rows: dict[str, dict] = {}
    for name, runs in chains.items():
        row = range_of([end_of(sweeps, chain[key], tail) for chain in runs])
        first = next(iter(rows.values()), row)
        rows[name] = row | {"relative": row["median"] / first["median"]}
    return rows


def print_rows(rows) -> None:
    """Print a line for each row, without the lists in it."""

    def short(row: dict) -> dict:
        texts = {k: short(v) if isinstance(v, dict) else v for k, v in row.items()}
        return {k: v for k, v in texts.items() if not isinstance(v, list)}

    for row in rows:
        print(short(row), flush=True)


def print_ends(seed: int, curves: dict[str, dict]) -> None:
    """Print the last values of the curves of each program."""
    for name, curve in curves.items():
        ends = {k: v[-1] for k, v in curve.items() if isinstance(v, list)}
        print_rows([{"start": seed, "": name, **ends}])


def write(options, name: str, report: dict, **facts) -> None:
    recorded = {k: v for k, v in vars(options).items() if k not in NOT_RECORDED}
    recorded = {k: v for k, v in recorded.items() if not k.endswith("_home")} | facts
    print_rows({"": name, **row} for name, row in report.get("summary", {}).items())
    report = {"options": recorded, "machine": machine(), **report}
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / f"{name}.json").write_text(json.dumps(report) + "\n")
    print(f"{name}.json is written; `python -m benchmarks pages` shows it", flush=True)


def read(folder: Path, name="*") -> dict[str, dict]:
    """Return the reports whose names match, in the order of their numbers."""

    def parts(path):
        return [int(word) if word.isdigit() else word for word in path.stem.split("-")]

    paths = sorted(folder.glob(f"{name}.json"), key=parts)
    return {path.stem: json.loads(path.read_text()) for path in paths}


def machine() -> dict:
    """Return the processor and the versions, and nothing else of the machine."""
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    cpu = dict(re.findall(r"^(\S.*?)\s*: (.*)", text, re.MULTILINE))
    flags = cpu.get("flags", cpu.get("Features", "")).split()
    code = os.environ.get("NUMBA_CPU_NAME")  # for which it was made, if set
    packages = ("numpy", "scipy", "numba", "scikit-learn")
    versions = {"python": platform.python_version()}
    versions |= {package: version(package) for package in packages}
    return {
        "cpu": cpu.get("model name") or platform.processor() or platform.machine(),
        "simd": [code] if code else sorted(f for f in flags if f.startswith(SIMD)),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "versions": versions | {"sklda": sklda.__version__},
    }
