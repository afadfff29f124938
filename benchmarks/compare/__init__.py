"""sklda beside other programs: what the questions of the comparison share.

Each program has a process of its own. `section(reports, images)` of a question draws
its figure and returns what fills its section of page.rst.
"""

from contextlib import ExitStack

import numpy as np
from scipy import sparse

from benchmarks import corpora, figures, harness, number, worker
from benchmarks.harness import Runner
from benchmarks.programs import ALPHA, BETA, PEERS, available
from benchmarks.worker import Worker

TURN = 5  # sweeps
HEAD = ("", "method")  # of the first columns of tables
FACTS = {"alpha": ALPHA, "beta": BETA}  # in reports


class RemoteRunner(Runner):
    def __init__(self, worker: Worker):
        super().__init__(worker.name, lambda n: worker.do("seconds", n))
        self.worker = worker

    def at_once(self, last, sweeps):
        """Return all sweeps of a program that starts anew each time."""
        restarts = PEERS[self.name].restarts
        return last - self.n_sweeps if restarts else super().at_once(last, sweeps)

    def start(self, task, *arguments) -> None:
        self.worker.do("prepare", task)
        self.worker.do("start", task, *arguments)


def measure(options, name: str, measure_one, *, hold_out=False) -> None:
    """Write what `measure_one(names, task, held_out)` yields of some programs.

    To hold out half of the words of the last documents also admits means of samples.
    What an earlier run measured, and this one does not, stays in the report.
    """
    versions = available(options.peers, options.threads)
    names = [peer for peer in versions if hold_out or not PEERS[peer].takes_means]
    for corpus in options.corpora:
        X, held_out = corpora.load(corpus, options), ()
        report = corpora.shape_of(X) | {"peers": versions}
        if hold_out:
            X, *held_out = corpora.split(X, corpus)
        with worker.workplace() as folder:
            path = folder / "corpus.npz"
            sparse.save_npz(path, X, compressed=False)
            for n_topics in options.topics:
                task = path, n_topics, options.threads
                facts = {"topics": n_topics, "corpus": corpus, **FACTS}
                file = f"{name}-{corpus}-{n_topics}-{options.threads}"
                for found in measure_one(names, task, held_out):
                    stored = harness.read(options.folder, file).get(file, {})
                    both = {
                        "peers": stored.get("peers", {}) | versions,
                        "programs": with_earlier(stored.get("programs", {}), found),
                    }
                    harness.write(options, file, report | both, **facts)


def with_earlier(earlier: dict, found: dict) -> dict[str, dict]:
    """Return programs in their order; runs are those of both, and each seed once."""
    programs = dict(earlier)
    for name, program in found.items():
        runs = {run["seed"]: run for run in earlier.get(name, {}).get("runs", ())}
        runs |= {run["seed"]: run for run in program.get("runs", ())}
        programs[name] = {**program, "runs": list(runs.values())} if runs else program
    return {name: programs[name] for name in PEERS if name in programs}


def measure_starts(options, name: str, run_all, checkpoints=()) -> None:
    """Write what `run_all` returns of a team, with checkpoints of held-out words."""

    def measure_one(names, task, held_out):
        for seed in options.seeds:
            with ExitStack() as processes:
                workers = [processes.enter_context(Worker(name)) for name in names]
                team = [RemoteRunner(worker) for worker in workers]
                team = [r for r in team if r.attempt(r.start, task, seed, checkpoints)]
                found = run_all(team, *held_out)
            for program, run in found.items():
                ends = {k: v[-1] for k, v in run.items()}
                harness.print_rows([{"program": program, "start": seed, **ends}])
            yield {name: {"runs": [{"seed": seed, **r}]} for name, r in found.items()}

    measure(options, name, measure_one, hold_out=bool(checkpoints))


def by_corpus(reports: list[dict]) -> dict[str, dict[int, dict]]:
    """Return the reports of each number of topics, by the title of a table."""
    tables: dict[str, dict[int, dict]] = {}
    for report in reports:
        title = title_of(report, f"{report['tokens']:,} tokens")
        tables.setdefault(title, {})[report["options"]["topics"]] = report
    return tables


def shapes(reports) -> str:
    """Return a table of the corpora of the reports, nothing if there is none."""
    rows = {}
    for report in reports:
        if "corpus" in report["options"]:
            name = report["options"]["corpus"]
            shape = [report[key] for key in corpora.SHAPE]
            cells = [*(f"{n:,}" for n in shape), f"{shape[-1] / shape[0]:.1f}"]
            rows[name] = [figures.CORPORA[name], *cells]
    head = ["", *corpora.SHAPE, "tokens of a document"]
    return table("Corpora", head, list(rows.values())) if rows else ""


def title_of(report: dict, size="") -> str:
    options = report["options"]
    size, threads = size or f"K = {options['topics']}", options["threads"]
    corpus = figures.CORPORA[options["corpus"]]
    return f"{corpus}, {size}, {number(threads, 'thread')}"


def table(title: str, head: list, rows: list[list[str]]) -> str:
    lines = [f".. list-table:: {title}", "   :header-rows: 1", "   :stub-columns: 1"]
    for row in [head, *rows]:
        cells = [f"- {cell}".rstrip() for cell in row]
        lines += ["", f"   * {cells[0]}", *(f"     {cell}" for cell in cells[1:])]
    return "\n".join(lines)


def topics_table(title: str, by_topics: dict, cell, *more) -> str:
    """Return a row for each program, with `cell(report, name)`, and then `more`."""
    reports, rows = by_topics.values(), []
    for name in PEERS:
        cells = [cell(r, name) if name in r["programs"] else "–" for r in reports]
        if any(name in report["programs"] for report in reports):
            rows.append([*first_cells(name), *cells])
    return table(title, [*HEAD, *(f"K = {k}" for k in by_topics)], [*rows, *more])


def first_cells(name: str) -> list[str]:
    """Return what `HEAD` says of a program."""
    return [PEERS[name].label, PEERS[name].method]


def ratio_to_others(values: dict[str, float], sign: int) -> str:
    """Return how many times as good sklda is as the best of the other exact samplers.

    The sign is 1 if more is better, or -1.
    """
    exact = {n: v for n, v in values.items() if PEERS[n].exact and np.isfinite(v)}
    mine = exact.pop("sklda", None)
    if mine is None or not exact:
        return "–"
    best = max(exact, key=lambda name: sign * exact[name])
    return f"{(mine / exact[best]) ** sign:.2f} ({PEERS[best].label})"
