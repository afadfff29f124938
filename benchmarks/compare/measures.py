"""What is measured: tokens per second, perplexity against seconds, peak memory.

Each returns, by the name of the program, what goes into a report. A program that fails
is left out of it, with a line that says so.
"""

from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks import corpora
from benchmarks.compare.worker import Failed, Worker, workplace

TURN, LONGEST_TURN = 5, 5.0  # sweeps; seconds
FEWEST_TURNS = 2
MEMORY_SWEEPS = 10


class Task(NamedTuple):
    """A corpus where workers find it, and what all programs are given."""

    path: Path
    n_topics: int
    threads: int
    limit: float  # seconds of sweeps of one program

    def prepare(self, worker: Worker) -> dict[str, float]:
        """Let a worker import and compile."""
        return worker.do("prepare", self.path, self.n_topics, threads=self.threads)

    def start(self, worker: Worker, seed: int, asked=()) -> float:
        """Let a worker make the model."""
        arguments = self.path, self.n_topics, seed, asked
        return worker.do("start", *arguments, threads=self.threads)


class Runner:
    """A worker with its model at its start, and what its sweeps took."""

    def __init__(self, worker: Worker, task: Task, seed: int, asked=()):
        self.worker, self.name = worker, worker.name
        task.prepare(worker)
        task.start(worker, seed, asked)
        self.n_sweeps, self.pace = 0, 0.0  # seconds of a sweep; 0 if not yet known
        self.working = True
        self.begin()

    def begin(self) -> None:
        """Count seconds from here on."""
        self.first, self.seconds, self.turns = self.n_sweeps, 0.0, []

    def sweep(self, n: int) -> None:
        """Sweep n times."""
        seconds = self.worker.do("sweep", n)
        self.n_sweeps += n
        self.seconds += seconds
        self.pace = seconds / n
        self.turns.append(round(self.pace, 6))

    def turn(self, last: int) -> None:
        """Sweep a few times, once if sweeps are slow, and not beyond the last."""
        n = TURN if 0 < self.pace * TURN < LONGEST_TURN else 1
        self.sweep(min(n, last - self.n_sweeps))

    def tries(self, do: Callable, *arguments) -> bool:
        """Do something, and return whether it did not fail, nor anything before."""
        if self.working:
            self.working = _succeeds(do, *arguments)
        return self.working


@contextmanager
def runners(names, task: Task, seed: int, asked=()):
    """Start programs, each in a process of its own; yield those that have started."""
    with ExitStack() as processes:
        team = []

        def start(name):
            worker = processes.enter_context(Worker(name))
            team.append(Runner(worker, task, seed, asked))

        for name in names:
            _succeeds(start, name)
        yield team


def _succeeds(do: Callable, *arguments) -> bool:
    """Do something that a worker may fail to do, and tell if it does."""
    try:
        do(*arguments)
    except Failed as failure:
        print(failure, flush=True)
        return False
    return True


def take_turns(team, last: int, goes_on: Callable[[Runner], bool]) -> None:
    """Let all sweep in turns, each until the last sweep or while it goes on."""
    going = team
    while going:
        going = [r for r in going if r.n_sweeps < last and goes_on(r)]
        going = [r for r in going if r.tries(r.turn, last)]


def speed(names, task: Task, seeds, first: int, last: int) -> dict[str, dict]:
    """Time the sweeps after `first`, to `last`, in turns of a few sweeps each.

    A program that has swept for `task.limit` seconds is timed from there on, and for as
    long again; but not less than two turns.
    """

    def timed(runner):
        return len(runner.turns) < FEWEST_TURNS or runner.seconds < task.limit

    reports: dict[str, dict] = {}
    for seed in seeds:
        with runners(names, task, seed) as team:
            take_turns(team, first, lambda runner: runner.seconds < task.limit)
            for runner in team:
                runner.begin()
            take_turns(team, last, timed)
            for runner in filter(lambda r: r.working, team):
                run = {"sweeps": [runner.first, runner.n_sweeps]}
                run["seconds_per_sweep"] = runner.turns
                reports.setdefault(runner.name, {"runs": []})["runs"].append(run)
    return reports


def quality(names, task: Task, seeds, held_out, asked) -> dict[str, dict]:
    """Follow the perplexity of held-out words, after the sweeps `asked`.

    Programs take turns from one of these sweeps to the next. Evaluations are not timed.
    One that would need more than `task.limit` seconds for the next step ends there.
    """
    reports: dict[str, dict] = {}
    for seed in seeds:
        with runners(names, task, seed, asked) as team:
            curves = {r.name: _Curve(r, held_out) for r in team}
            for sweep in asked:
                for curve in curves.values():
                    curve.follow(sweep, task.limit)
            for runner in filter(lambda r: r.working, team):
                run = {"seed": seed, **curves[runner.name].points}
                reports.setdefault(runner.name, {"runs": []})["runs"].append(run)
    return reports


class _Curve:
    """Perplexity after some of a program's sweeps."""

    def __init__(self, runner: Runner, held_out):
        self.runner, self.held_out = runner, held_out
        self.points = {"sweeps": [], "seconds": [], "perplexity": []}
        self.ended = False

    def follow(self, sweep: int, limit: float) -> None:
        """Go on to a sweep, unless that would take too long."""
        runner = self.runner
        needed = runner.seconds + runner.pace * (sweep - runner.n_sweeps)
        self.ended = self.ended or needed > limit
        if not self.ended and runner.tries(runner.sweep, sweep - runner.n_sweeps):
            runner.tries(self._enter)

    def _enter(self):
        estimates = self.runner.worker.do("estimates", self.held_out.shape[0])
        value = corpora.perplexity(*estimates, self.held_out)
        self.points["sweeps"].append(self.runner.n_sweeps)
        self.points["seconds"].append(round(self.runner.seconds, 4))
        self.points["perplexity"].append(round(value, 2))


def process(names, task: Task) -> dict[str, dict]:
    """Measure what a process costs that holds one program: seconds to begin, memory.

    The first finds no compiled kernels. The second does, and its peak is reported: that
    of a process that compiles would be that of the compiler.
    """
    reports = {}

    def measure(name):
        with Worker(name) as worker:
            cold = task.prepare(worker)
        with Worker(name) as worker:
            report = {"cold": cold, "warm": task.prepare(worker)}
            report["start"] = task.start(worker, seed=0)
            sweeps, seconds = 0, 0.0
            while sweeps < MEMORY_SWEEPS and seconds < task.limit:
                seconds += worker.do("sweep", 1)
                sweeps += 1
            reports[name] = report | {"peak_bytes": worker.do("peak"), "sweeps": sweeps}

    for name in names:
        with TemporaryDirectory() as cache, workplace(cache):
            _succeeds(measure, name)
    return reports
