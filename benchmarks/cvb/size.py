import numpy as np

from benchmarks import corpora, cvb, figures, harness


def run(options) -> None:
    X = corpora.load(options.corpus, options.data_home)
    whole = corpora.hold_out_tokens(X)
    n_topics = options.topics or cvb.TOPICS[options.corpus]
    order = np.random.default_rng(0).permutation(len(X.indptr) - 1)
    sizes = sorted({n for n in options.documents if n < order.size} | {order.size})
    rows, chains = [], {name: [] for name in options.programs}
    for n in sizes:
        data = *(part[np.sort(order[:n])] for part in whole), n_topics, [options.sweeps]
        some = harness.run_chains(cvb.run_chain, options.programs, options, *data)
        ends = {name: harness.range_of(cvb.ends(some[name])) for name in some}
        rows.append({"documents": n, **ends})
        for name in chains:
            chains[name] += some[name]
    harness.print_rows(rows)
    facts = {"topics": n_topics, "documents": sizes, **cvb.PRIORS}
    report = {"rows": rows, "chains": chains}
    harness.write(options, f"size-{options.corpus}", report, **facts)


def draw(reports, folder) -> None:
    def draw_one(axes, report):
        documents = np.array([row["documents"] for row in report["rows"]])
        names = report["options"]["programs"]
        for place, name in enumerate(names):
            rows = [row[name] for row in report["rows"]]
            x = documents * 1.03 ** (place - (len(names) - 1) / 2)  # side by side
            figures.error_bars(axes, x, rows, name, cvb.STYLES[name])
        title = f"{figures.title(report)}; bars: their range"
        axes.set(ylabel=cvb.HELD_OUT, title=title)
        figures.powers_axis(axes, "documents", documents.tolist())

    figures.per_report(folder / "size.png", reports, draw_one)
