import time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import corpora, figures, harness, medlda

SWEEPS = (1, 5)


def run(options) -> None:
    (X, y), _ = corpora.read_newsgroups(options)
    cases = [(n_topics, y.size) for n_topics in options.topics]
    cases += [(options.fixed_topics, min(n, y.size)) for n in options.documents]
    rows = []
    for method, settings in medlda.settings_of(options).items():
        for n_topics, size in dict.fromkeys(cases):
            some = first_documents(X, y, size)
            row = {"method": method, "n_topics": n_topics, "documents": size}
            row["tokens"] = int(some[0].sum())
            row["seconds_per_sweep"] = seconds_per_sweep(*some, n_topics, settings)
            harness.print_rows([row])
            rows.append(row | {"settings": settings})
    fixed = {"fixed_topics": options.fixed_topics, "all_documents": y.size}
    medlda.save(options.folder, "growth", rows, **fixed)


def first_documents(X, y, size: int) -> tuple:
    return X[:size][:, np.unique(X[:size].indices)], y[:size]


def seconds_per_sweep(X, y, n_topics, settings) -> float:
    fits = [{"max_iter": sweeps, "burn_in": sweeps - 1} for sweeps in SWEEPS]
    estimators = [medlda.medlda(n_topics, 0, **settings, **fit) for fit in fits]
    seconds = []
    with threadpool_limits(1):
        medlda.warm(estimators[0], X, y)
        for estimator in estimators:
            start = time.process_time()
            estimator.fit(X, y)
            seconds.append(time.process_time() - start)
    return (seconds[1] - seconds[0]) / (SWEEPS[1] - SWEEPS[0])


def draw(reports, folder) -> None:
    """Draw seconds against topics and documents, and lines of slope 1 below."""
    (report,) = reports.values()
    figure, (panels,) = figures.panels(2)
    whole, fixed = report["all_documents"], report["fixed_topics"]
    methods = dict.fromkeys(row["method"] for row in report["rows"])
    kinds = ("n_topics", "documents", whole), ("documents", "n_topics", fixed)
    for axes, (of, key, value) in zip(panels, kinds, strict=True):
        points = [row for row in report["rows"] if row[key] == value]
        points.sort(key=lambda row: row[of])
        for method, look in zip(methods, medlda.STYLES, strict=False):
            rows = [row for row in points if row["method"] == method]
            x = np.array([row[of] for row in rows])
            y = np.array([row["seconds_per_sweep"] for row in rows])
            axes.plot(x, y, label=method, **look)
            axes.plot(x, x * y[-1:] / x[-1:], color=look["color"], lw=0.5, alpha=0.6)
        # The fixed number has a point too, but no label among those of topics.
        ticks = {row[of] for row in points} - ({fixed} if of == "n_topics" else set())
        figures.powers_axis(axes, of.removeprefix("n_"), sorted(ticks))
        figures.log_seconds(axes)
    panels[0].set_title(f"{whole:,} documents")
    panels[1].set_title(f"{fixed} topics")
    figures.finish(figure, folder / "growth.png")
