"""sklda beside other programs: what the questions of the comparison share.

Each program has a process of its own. `section(reports, images)` of a question draws
its figure and returns what fills its section of page.rst.
"""

from contextlib import ExitStack

from scipy import sparse

from benchmarks import corpora, harness, number, worker
from benchmarks.harness import Runner
from benchmarks.programs import ALPHA, BETA, PEERS, available
from benchmarks.worker import Worker

TURN = 5  # sweeps
FACTS = {"alpha": ALPHA, "beta": BETA}  # in reports


class RemoteRunner(Runner):
    def __init__(self, worker: Worker):
        super().__init__(worker.name, lambda n: worker.do("seconds", n))
        self.worker = worker

    def start(self, task, *arguments) -> None:
        self.worker.do("prepare", task)
        self.worker.do("start", task, *arguments)


def measure(options, name: str, measure_one, *, hold_out=False) -> None:
    """Write what `measure_one(names, task, held_out)` returns of the programs.

    To hold out half of the words of the last documents also admits means of samples.
    """
    versions = available(options.peers, options.threads)
    names = [peer for peer in versions if hold_out or not PEERS[peer].takes_means]
    for corpus in options.corpora:
        X, held_out = corpora.load(corpus, options.data_home), ()
        report = corpora.shape_of(X) | {"peers": versions}
        if hold_out:
            X, *held_out = corpora.split(X, corpus)
        with worker.workplace() as folder:
            path = folder / "corpus.npz"
            sparse.save_npz(path, X, compressed=False)
            for n_topics in options.topics:
                task = path, n_topics, options.threads
                report["programs"] = measure_one(names, task, held_out)
                facts = {"topics": n_topics, "corpus": corpus, **FACTS}
                file = f"{name}-{corpus}-{n_topics}-{options.threads}"
                harness.write(options, file, report, **facts)


def measure_starts(options, name: str, run_all, checkpoints=()) -> None:
    """Write what `run_all` returns of a team, with checkpoints of held-out words."""

    def measure_one(names, task, held_out):
        programs = {name: {"runs": []} for name in names}
        for seed in range(options.repeats):
            with ExitStack() as processes:
                workers = [processes.enter_context(Worker(name)) for name in names]
                team = [RemoteRunner(worker) for worker in workers]
                team = [r for r in team if r.attempt(r.start, task, seed, checkpoints)]
                found = run_all(team, *held_out)
            for program, run in found.items():
                programs[program]["runs"].append({"seed": seed, **run})
                ends = {k: v[-1] for k, v in run.items()}
                harness.print_rows([{"program": program, "start": seed, **ends}])
        return {program: p for program, p in programs.items() if p["runs"]}

    measure(options, name, measure_one, hold_out=bool(checkpoints))


def by_corpus(reports: list[dict]) -> dict[str, dict[int, dict]]:
    """Return the reports of each number of topics, by the title of a table."""
    tables: dict[str, dict[int, dict]] = {}
    for report in reports:
        title = title_of(report, f"{report['tokens']:,} tokens")
        tables.setdefault(title, {})[report["options"]["topics"]] = report
    return tables


def title_of(report: dict, size="") -> str:
    options = report["options"]
    size, threads = size or f"K = {options['topics']}", options["threads"]
    return f"{options['corpus'].upper()}, {size}, {number(threads, 'thread')}"


def table(title: str, head: list, rows: list[list[str]]) -> str:
    lines = [f".. list-table:: {title}", "   :header-rows: 1", "   :stub-columns: 1"]
    for row in [head, *rows]:
        cells = [f"- {cell}".rstrip() for cell in row]
        lines += ["", f"   * {cells[0]}", *(f"     {cell}" for cell in cells[1:])]
    return "\n".join(lines)


def topics_table(title: str, by_topics: dict, cell, *more) -> str:
    """Return a row for each program, with `cell(report, name)`, and then `more`."""
    reports, rows = by_topics.values(), []
    for name, peer in PEERS.items():
        cells = [cell(r, name) if name in r["programs"] else "–" for r in reports]
        if any(name in report["programs"] for report in reports):
            rows.append([peer.label, *cells])
    return table(title, ["", *(f"K = {k}" for k in by_topics)], [*rows, *more])
