import numpy as np

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
    medlda.warm(estimators[0], X, y)
    seconds = [medlda.timed(estimator.fit, X, y)[1] for estimator in estimators]
    return (seconds[1] - seconds[0]) / (SWEEPS[1] - SWEEPS[0])


def draw(reports, folder) -> None:
    """Draw seconds against topics and against documents."""

    def draw_one(panels, report):
        methods = dict.fromkeys(row["method"] for row in report["rows"])
        looks = dict(zip(methods, medlda.STYLES, strict=False))
        whole, fixed = report["all_documents"], report["fixed_topics"]
        kinds = ("n_topics", "documents", whole), ("documents", "n_topics", fixed)
        for axes, (of, key, value) in zip(panels, kinds, strict=True):
            points = {method: {} for method in methods}
            for row in sorted(report["rows"], key=lambda row: row[of]):
                if row[key] == value:
                    points[row["method"]][row[of]] = row["seconds_per_sweep"]
            rules = {
                "xlabel": of.removeprefix("n_"),
                "ylabel": "seconds per sweep",
                "slope": True,
            }
            figures.lines(axes, points, looks, **rules)
            axes.set_title(f"{value:,} {key.removeprefix('n_')}")

    figures.per_report(reports, folder, 2, draw_one)
