"""Exact samplers on several threads, and on worker processes of Dask."""

import time
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import blocking, corpora, figures, harness
from benchmarks.programs import ALPHA, BETA, peak_bytes
from benchmarks.programs.ours import KeptMean
from benchmarks.synthetic import zipf_corpus
from sklda import CollapsedGibbsLDA

ESTIMATORS = blocking.ESTIMATORS | {
    "collapsed": CollapsedGibbsLDA,
    "sharded": partial(CollapsedGibbsLDA, n_shards=2),
}
draw_panels = partial(blocking.draw_panels, styles=figures.styles("parallel"))
draw_chains = partial(figures.per_report, n_panels=3, draw=draw_panels)
ON_CLUSTER = {
    "sharded": "CollapsedGibbsLDA",
    "partially-collapsed": "PartiallyCollapsedGibbsLDA",
}
DOCUMENTS_PER_TOKEN = 1 / 160


def run_chains(options) -> None:
    for corpus in options.corpora:
        run_start = partial(blocking.run_start, new=new_program)
        blocking.measure(corpus, options.topics, options, run_start)


def new_program(name, X, n_topics, seed, checkpoints) -> KeptMean:
    """Return the program of a name such as uncollapsed-2, on two threads."""
    sampler, _, threads = name.rpartition("-")
    settings = {"estimator": ESTIMATORS[sampler], "n_jobs": int(threads)}
    means = {"checkpoints": checkpoints, "times_keeping": False}
    program = KeptMean(X, n_topics, seed, **settings, **means)
    if sampler != "sharded":  # which shares the kernels of collapsed
        program.warm_up()
    return program


def run_cluster(options) -> None:
    from dask import delayed  # an extra
    from distributed import Client, wait

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
            peaks = {"workers": list(client.run(peak_bytes).values())}
            report["peak_bytes"] = peaks | {"client": peak_bytes()}
            print(report["peak_bytes"])
            facts = {"corpus": corpus, **blocking.FACTS}
            harness.write(options, f"cluster-{corpus}", report, **facts)


def read(part, corpus, options):
    """Return the documents of a part of a corpus, or all if that is None."""
    n = options.workers
    if corpus != "zipf":
        X = corpora.load(corpus, options)
        ends = [X.shape[0] * i // n for i in range(n + 1)]
        return X if part is None else X[ends[part] : ends[part + 1]]
    n_parts = 1 if part is None else n
    tokens = options.tokens // n_parts
    documents = int(tokens * DOCUMENTS_PER_TOKEN)
    return zipf_corpus(documents, options.words, tokens, seed=part or 0)


def time_all(X, whole, n_topics, options) -> list[dict]:
    """Return seconds per sweep on the cluster and on as many threads, from two fits."""
    import sklda.dask

    priors = {"doc_topic_prior": ALPHA, "topic_word_prior": BETA}
    rows = []
    for name in options.samplers:
        settings = {**priors, "evaluate_every": 0, "random_state": 0}
        if name == "sharded":
            settings["n_shards"] = options.workers
        cluster = getattr(sklda.dask, ON_CLUSTER[name])(n_topics, **settings)
        fits = {"cluster": (cluster, X)}
        if whole is not None:
            threads = getattr(sklda, ON_CLUSTER[name])
            threads = threads(n_topics, **settings, n_jobs=options.workers)
            fits["threads"] = threads, whole
        for estimator, data in fits.values():
            seconds_of(estimator, data, 1)  # compiles
        found = {where: [] for where in fits}
        for _ in range(options.repeats):
            for where, (estimator, data) in fits.items():
                few = seconds_of(estimator, data, options.first)
                many = seconds_of(estimator, data, options.last)
                pace = (many - few) / (options.last - options.first)
                found[where].append(round(pace, 9))
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
    """Reset the peak of the memory, on Linux."""
    path = Path("/proc/self/clear_refs")
    if path.is_file():
        path.write_text("5")
