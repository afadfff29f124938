"""The cost of Dask: sweeps on worker processes beside those of threads."""

import time
from pathlib import Path

import numpy as np
from dask import delayed
from distributed import Client, wait
from threadpoolctl import threadpool_limits

import sklda
import sklda.dask
from benchmarks import blocking, corpora, harness
from benchmarks.programs import peak_bytes
from benchmarks.synthetic import zipf_corpus

ESTIMATORS = {
    "sharded": "CollapsedGibbsLDA",
    "partially-collapsed": "PartiallyCollapsedGibbsLDA",
}
DOCUMENTS_PER_TOKEN = 1 / 160


def run(options) -> None:
    workers = {"n_workers": options.workers, "threads_per_worker": 1}
    address = {"dashboard_address": ":0", "memory_limit": 0}
    with threadpool_limits(1), Client(**workers, **address) as client:
        for corpus in options.corpora:
            X = [delayed(read)(i, corpus, options) for i in range(options.workers)]
            X = client.persist(X)
            wait(X)
            client.run(forget_peak)  # of making or reading the corpus
            whole = None if options.alone else read(None, corpus, options)
            report = {"rows": []}
            for n_topics in options.topics:
                rows = time_all(X, whole, n_topics, options)
                harness.print_rows(rows)
                report["rows"] += rows
            peaks = client.run(peak_bytes)
            report["peak_bytes"] = {
                "workers": list(peaks.values()),
                "client": peak_bytes(),
            }
            print(report["peak_bytes"])
            name = f"cluster-{corpus}"
            harness.write(options, name, report, corpus=corpus, **blocking.FACTS)


def read(part, corpus, options):
    """Return the documents of a part of a corpus, or all if that is None."""
    n = options.workers
    if corpus != "zipf":
        X = corpora.load(corpus, options.data_home)
        ends = [X.shape[0] * i // n for i in range(n + 1)]
        return X if part is None else X[ends[part] : ends[part + 1]]
    n_parts = 1 if part is None else n
    tokens = options.tokens // n_parts
    documents = int(tokens * DOCUMENTS_PER_TOKEN)
    return zipf_corpus(documents, options.words, tokens, seed=part or 0)


def time_all(X, whole, n_topics, options) -> list[dict]:
    """Return seconds per sweep on the cluster, and on as many threads.

    Both fits are made with few sweeps and with more; the difference is that of the
    sweeps alone. The fits take turns.
    """
    params = {
        "n_components": n_topics,
        "doc_topic_prior": 0.1,
        "topic_word_prior": 0.01,
        "evaluate_every": 0,
        "random_state": 0,
    }
    rows = []
    for name in options.samplers:
        own = {"n_shards": options.workers} if name == "sharded" else {}
        cluster = getattr(sklda.dask, ESTIMATORS[name])(**params, **own)
        threads = getattr(sklda, ESTIMATORS[name])(
            **params, **own, n_jobs=options.workers
        )
        fits = {"cluster": (cluster, X), "threads": (threads, whole)}
        if whole is None:
            del fits["threads"]
        for estimator, data in fits.values():
            seconds_of(estimator, data, 1)  # compiles
        found = {where: [] for where in fits}
        for _ in range(options.repeats):
            for where, (estimator, data) in fits.items():
                few = seconds_of(estimator, data, options.first)
                many = seconds_of(estimator, data, options.last)
                pace = (many - few) / (options.last - options.first)
                found[where].append(round(pace, 5))
        middle = {where: float(np.median(paces)) for where, paces in found.items()}
        row = {"topics": n_topics, "sampler": name, "median": middle}
        if whole is not None:
            row["ratio"] = middle["cluster"] / middle["threads"]
        rows.append(row | {"seconds_per_sweep": found})
    return rows


def seconds_of(estimator, X, n_sweeps) -> float:
    estimator.set_params(max_iter=n_sweeps, burn_in=n_sweeps - 1)
    begin = time.perf_counter()
    estimator.fit(X)
    return time.perf_counter() - begin


def forget_peak() -> None:
    """Let the peak of the memory begin anew, on Linux."""
    path = Path("/proc/self/clear_refs")
    if path.is_file():
        path.write_text("5")
