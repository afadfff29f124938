from itertools import cycle

import numpy as np

from benchmarks import PAPER, corpora, ecgs, figures, harness


def run(options) -> None:
    X = corpora.load(options.corpus, options.data_home)
    train, test = corpora.split_documents(X)
    names = []
    for strategy in options.strategies:
        dampings = options.damping if strategy == "dynamic" else [None]
        names += [f"{strategy}-{d}" if d else strategy for d in dampings]
    chains = harness.run_chains(run_chain, names, options, train, test, options)
    report = {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    report["least_rate"] = rate_limits(train)
    report["paper_least_rate"] = PAPER["ecgs-chains"][options.corpus]
    sweeps = harness.recorded_sweeps(options)
    report |= {"summary": summary(sweeps, chains), "sweeps": sweeps, "chains": chains}
    harness.print_rows({"": n, **row} for n, row in report["summary"].items())
    harness.write(options, f"chains-{options.corpus}", report, **ecgs.PRIORS)


def run_chain(name, seed, train, test, options) -> dict:
    """Return the perplexity of recorded sweeps, and draws / tokens of all."""
    strategy, _, damping = name.partition("-")
    parameters = {"strategy": strategy} | ({"damping": int(damping)} if damping else {})
    chain = ecgs.new_chain(train, options.topics, seed, **parameters)
    curve = []
    for sweep in range(1, options.sweeps + 1):
        chain.sweep()
        if sweep % options.every == 0:
            curve.append(round(ecgs.perplexity(chain, test), 3))
    rate = [round(value, 5) for value in chain.sampling_rate()]
    return {"perplexity": curve, "sampling_rate": rate}


def rate_limits(X) -> dict[str, float]:
    """Return below what the sampling rate cannot fall, for each strategy.

    For shortcut sampling that is the limit of the paper: cells / tokens. Dynamic
    sampling draws cells of two tokens twice.
    """
    twice = X.nnz + (X.data == 2).sum()
    return {"shortcut": float(X.nnz / X.sum()), "dynamic": float(twice / X.sum())}


def summary(sweeps, chains) -> dict:
    """Return where the chains of each strategy end, beside those of the first."""
    rows: dict[str, dict] = {}
    for name, some in chains.items():
        ends = [harness.end_of(sweeps, chain["perplexity"]) for chain in some]
        row = harness.range_of(ends)
        row = {"perplexity": row["median"], "range": row["range"]}
        first = next(iter(rows.values()), row)
        row["relative"] = row["perplexity"] / first["perplexity"]
        rates = [chain["sampling_rate"][-1] for chain in some]
        rows[name] = row | {"sampling_rate": float(np.median(rates))}
    return rows


def draw(reports, folder) -> None:
    figure, panels = figures.panels(len(reports), rows=2)
    for column, report in zip(panels.T, reports.values(), strict=True):
        sweeps, curves = report["sweeps"], figures.medians(report, "perplexity")
        first, base = next(iter(curves.items()))
        relative = {name: curve / base for name, curve in curves.items()}
        labels = "perplexity of the test documents", f"perplexity / {first}"
        for axes, drawn, label in zip(column, (curves, relative), labels, strict=True):
            draw_curves(axes, sweeps, drawn)
            axes.set(ylabel=label, ylim=figures.limits(sweeps, list(drawn.values())))
            figures.sweeps_axis(axes, sweeps)
        column[0].set_title(figures.title(report))
    figure.align_ylabels()
    figures.finish(figure, folder / "perplexity.png")
    figures.per_report(folder / "sampling-rate.png", reports, draw_rate)


def draw_rate(axes, report) -> None:
    sweeps = np.arange(1, report["options"]["sweeps"] + 1)
    draw_curves(axes, sweeps, figures.medians(report, "sampling_rate"))
    limit = report["least_rate"]["shortcut"]
    axes.axhline(limit, color="#555555", lw=0.6, label="cells / tokens")
    margin = 0.06 * (1 - limit) or 0.06  # a corpus may have no cell of two tokens
    axes.set(ylim=(limit - margin, 1 + margin), title=figures.title(report))
    axes.set_ylabel("sampling rate, draws / tokens")
    figures.sweeps_axis(axes, sweeps, whole=True)


def draw_curves(axes, sweeps, curves) -> None:
    dynamic = cycle(figures.styles("dampings").values())
    for name, curve in curves.items():
        look = (ecgs.STYLES.get(name) or next(dynamic)) | {"marker": None, "lw": 1.8}
        label = name.replace("dynamic-", "dynamic, damping ")
        axes.plot(sweeps, curve, label=label, **look)
