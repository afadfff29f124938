"""How long a sweep of sklda takes on large corpora, and how that grows."""

from contextlib import ExitStack
from pathlib import Path

import numpy as np

from benchmarks.common import shape_of
from benchmarks.compare.measures import Task
from benchmarks.compare.peers import threads_of
from benchmarks.compare.synthetic import zipf_corpus
from benchmarks.compare.worker import Worker, save

TOKENS_PER_DOCUMENT = 332  # of the New York Times


def scale(folder: Path, shape, topics, threads, n_sweeps: int) -> dict:
    """Time the first sweeps of one corpus, with different threads in turns."""
    X = zipf_corpus(*shape)
    path = save(X, folder / "corpus.npz")
    report = shape_of(X) | {"rows": []}
    del X  # its memory is for the workers
    for n_topics in topics:
        tasks = [Task(path, n_topics, n_threads, np.inf) for n_threads in threads]
        rows = timed_sweeps(tasks, n_sweeps)
        for n_threads, row in zip(threads, rows, strict=True):
            row = {"topics": n_topics, "threads": n_threads} | row
            report["rows"].append(row)
            sweeps = " ".join(f"{s:.2f}" for s in row["seconds_per_sweep"])
            print(
                f"K = {n_topics}, {threads_of(n_threads)}: sweeps {sweeps} s, start "
                f"{row['start']:.1f} s, peak {row['peak_bytes'] / 1e9:.2f} GB",
                flush=True,
            )
    return report


def timed_sweeps(tasks: list[Task], n_sweeps: int) -> list[dict]:
    """Return the seconds of the start and of the first sweeps, and the peak, of each.

    Each has a process of its own; they take turns of one sweep.
    """
    for task in tasks:
        with Worker("sklda") as worker:
            task.prepare(worker)  # compiles
    with ExitStack() as processes:
        workers = [processes.enter_context(Worker("sklda")) for _ in tasks]
        pairs = zip(tasks, workers, strict=True)
        starts = [task.start(worker, seed=0) for task, worker in pairs]
        sweeps = [[w.do("sweep", 1) for w in workers] for _ in range(n_sweeps)]
        peaks = [worker.do("peak") for worker in workers]
    return [
        {
            "start": round(start, 3),
            "seconds_per_sweep": [round(s, 5) for s in seconds],
            "peak_bytes": peak,
        }
        for start, seconds, peak in zip(
            starts, zip(*sweeps, strict=True), peaks, strict=True
        )
    ]


def growth(folder: Path, options) -> dict:
    """Time sweeps against tokens, and against topics."""
    against_tokens = [
        _point(folder, options, n_tokens, options.topics_of_tokens)
        for n_tokens in options.tokens
    ]
    against_topics = [
        _point(folder, options, options.tokens_of_topics, n_topics)
        for n_topics in options.topics
    ]
    return {"tokens": against_tokens, "topics": against_topics}


def _point(folder: Path, options, n_tokens: int, n_topics: int) -> dict:
    """Return the median of the timed sweeps of a corpus of so many tokens."""
    path = folder / f"{n_tokens}.npz"
    if not path.exists():
        n_documents = max(1, n_tokens // TOKENS_PER_DOCUMENT)
        save(zipf_corpus(n_documents, options.words, n_tokens), path)
    (row,) = timed_sweeps([Task(path, n_topics, 1, np.inf)], options.last)
    seconds = float(np.median(row["seconds_per_sweep"][options.first :]))
    print(f"{n_tokens:,} tokens, K = {n_topics}: {seconds:.4f} s a sweep", flush=True)
    point = {"tokens": n_tokens, "topics": n_topics, "seconds": seconds}
    return point | {"peak_bytes": row["peak_bytes"]}
