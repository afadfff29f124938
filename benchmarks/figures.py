"""Styles and legends that the figures of the benchmarks share."""

from operator import itemgetter

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks import DECLARED, number
from benchmarks.harness import median_curve

SECONDS = {"seconds per sweep": itemgetter("median")}  # of harness.time_topics
CORPORA = {
    "nips": "NIPS",
    "kos": "KOS",
    "newsgroups": "20 Newsgroups",
    "counts": "high counts",
    "addresses": "Addresses",
    "titles": "Titles",
    "reuters": "Reuters",
    "blogs": "Political blogs",
}


def styles(family: str) -> dict[str, dict]:
    """Return how lines are drawn; they differ in dashes and markers, too."""
    found, keys = {}, ("color", "ls", "marker", "mfc")
    for name, values in DECLARED["styles"][family].items():
        values = [tuple(v) if isinstance(v, list) else v for v in values]
        found[name] = dict(zip(keys, values, strict=False))
    return found


def panels(n: int, most_columns=2):
    """Return a figure and its panels; two fit side by side on a page."""
    columns = min(n, most_columns)
    rows = -(-n // columns)
    size = max(6.4, 5.2 * columns), 4.8 * rows
    figure = Figure(figsize=size, layout="constrained")
    found = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in found[n:]:
        axes.remove()
    return figure, found[:n]


def finish(figure, path) -> None:
    """Save a figure with a legend below the panels."""
    entries = [ax.get_legend_handles_labels() for ax in figure.axes]
    lines = {label: h for entry in entries for h, label in zip(*entry, strict=True)}
    place = {"loc": "outside lower center", "handlelength": 4}
    FigureCanvasAgg(figure)
    for columns in range(min(len(lines), 1 + len(figure.axes)), 0, -1):
        legend = figure.legend(lines.values(), lines, **place, ncols=columns)
        if legend.get_window_extent().width <= figure.bbox.width or columns == 1:
            break
        legend.remove()
    figure.savefig(path, dpi=150)


def per_report(reports: dict, folder, n_panels: int, draw) -> None:
    """Save a figure for each report: `draw(panels, report)`."""
    for name, report in reports.items():
        figure, axes = panels(n_panels)
        draw(axes, report)
        figure.suptitle(title(name, report))
        finish(figure, folder / f"{name}.png")


def title(name: str, report: dict) -> str:
    options, parts = report["options"], [name]
    if "corpus" in options:
        parts = [CORPORA.get(options["corpus"], options["corpus"])]
    if isinstance(options.get("topics"), int):
        parts.append(f"K = {options['topics']}")
    parts += [f"{report['tokens']:,} tokens"] if "tokens" in report else []
    nouns = [noun for noun in ("start", "thread") if f"{noun}s" in options]
    return ", ".join(parts + [number(options[f"{noun}s"], noun) for noun in nouns])


def draw_curves(reports, folder, kinds: dict[str, str], looks) -> None:
    """Save figures with a panel for each kind, a key of chains; medians are thick."""

    def draw(panels, report):
        for axes, (key, label) in zip(panels, kinds.items(), strict=True):
            for name, chains in report["chains"].items():
                xs = [report.get("sweeps") or chain["seconds"] for chain in chains]
                curves = [chain[key] for chain in chains]
                plot_chains(axes, xs, curves, looks.get(name, {}), name)
            axes.set_xlabel("sweep" if "sweeps" in report else "seconds")
            axes.set_ylabel(label)

    per_report(reports, folder, len(kinds), draw)


def plot_chains(axes, xs, curves, look, label) -> None:
    look = look | {"marker": None}
    for x, curve in zip(xs, curves, strict=True):
        axes.plot(x, curve, **look, lw=0.5, alpha=0.5)
    axes.plot(median_curve(xs), median_curve(curves), **look, lw=2, label=label)
    axes.set_xscale("log")
    plain_numbers(axes.xaxis)
    axes.grid(visible=True, alpha=0.3)


def draw_rows(reports, folder, looks, kinds=SECONDS, linear=()) -> None:
    """Save figures of rows, with a panel for each kind: of(row) is values by name."""

    def draw(panels, report):
        for axes, (label, of) in zip(panels, kinds.items(), strict=True):
            points: dict[str, dict] = {}
            for row in report["rows"]:
                for name, value in of(row).items():
                    points.setdefault(name, {})[row["n_topics"]] = value
            lines(axes, points, looks, "topics", label, log=label not in linear)

    per_report(reports, folder, len(kinds), draw)


def lines(axes, points: dict, looks, xlabel, ylabel, *, log=True) -> None:
    """Draw a line for each name, whose points are values by x.

    A value is a number, None, or median and range.
    """
    ticks = sorted({x for values in points.values() for x in values})
    for name, values in points.items():
        known = {x: v for x, v in values.items() if v is not None}
        x, y, bars = np.array(list(known)), list(known.values()), None
        if y and isinstance(y[0], dict):
            ends = np.array([value["range"] for value in y]).T
            y = [value["median"] for value in y]
            bars = abs(ends - y)
        axes.errorbar(x, y, bars, label=name, capsize=3, **looks.get(name, {}))
    axes.set(xscale="log", xlabel=xlabel, ylabel=ylabel)
    turned = 45 if len(ticks) > 7 else 0
    axes.set_xticks(ticks, [f"{tick:,.7g}" for tick in ticks], rotation=turned)
    axes.set_xticks([], minor=True)
    if log:
        axes.set_yscale("log")
        plain_numbers(axes.yaxis)
    axes.grid(alpha=0.3)


def plain_numbers(axis) -> None:
    """Label a logarithmic axis 1, 2, 5, 10, ..., without powers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
