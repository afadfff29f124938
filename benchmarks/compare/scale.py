from contextlib import ExitStack

import numpy as np
from scipy import sparse

from benchmarks import compare, corpora, harness
from benchmarks.synthetic import zipf_corpus
from benchmarks.worker import Worker, workplace


def run(options) -> None:
    with workplace() as folder:
        X = zipf_corpus(options.documents, options.words, options.tokens)
        path = folder / "corpus.npz"
        sparse.save_npz(path, X, compressed=False)
        report = corpora.shape_of(X) | {"rows": []}
        del X  # its memory is for the workers
        for n_topics in options.topics:
            tasks = [(path, n_topics, threads) for threads in options.threads]
            report["rows"] += first_sweeps(tasks, options.sweeps)
    harness.write(options, "scale", report, **compare.FACTS)


def first_sweeps(tasks: list[tuple], n_sweeps: int) -> list[dict]:
    """Return start, first sweeps in turns of one, and peak of `sklda` for each task."""
    for task in tasks:
        with Worker("sklda") as worker:
            worker.do("prepare", task)  # compiles
    rows = [{"topics": n_topics, "threads": n} for _, n_topics, n in tasks]
    with ExitStack() as processes:
        workers = [processes.enter_context(Worker("sklda")) for _ in tasks]
        for row, task, worker in zip(rows, tasks, workers, strict=True):
            row["start"] = round(worker.do("start", task), 3)
        team = [compare.RemoteRunner(worker) for worker in workers]
        harness.take_turns(team, n_sweeps)
        for row, runner in zip(rows, team, strict=True):
            row["seconds_per_sweep"] = runner.turns
            row["peak_bytes"] = runner.worker.do("peak_bytes")
            harness.print_rows([row | {"median": float(np.median(runner.turns))}])
    return rows


def section(reports, images) -> dict:
    (report,) = reports
    rows, alone = [], {}
    for row in report["rows"]:
        n_topics, seconds = row["topics"], row["seconds_per_sweep"]
        if row["threads"] == 1:
            alone[n_topics] = np.median(seconds)
        gain = alone.get(n_topics, np.nan) / np.median(seconds)
        cells = [f"{n_topics}, {row['threads']}", f"{row['start']:.1f}"]
        cells += [f"{seconds[0]:.1f}", f"{np.median(seconds):.1f}"]
        cells += ["–" if np.isnan(gain) else f"{gain:.2f}"]
        rows.append([*cells, f"{row['peak_bytes'] / 1e9:.2f} GB"])
    head = ["K, threads", "start, s", "first sweep, s", "median sweep, s"]
    head += ["times one thread", "peak memory"]
    values = {key: f"{report[key]:,}" for key in corpora.SHAPE}
    values["sweeps"] = report["options"]["sweeps"]
    return values | {"tables": compare.table("A large synthetic corpus", head, rows)}
