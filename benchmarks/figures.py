"""What the figures of the benchmarks share."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks import DECLARED, number
from benchmarks.harness import median_curve

SKIPPED = 5  # sweeps that may run out of the axes: they would squeeze all others
TITLES = {"newsgroups": "20 Newsgroups", "docstrings": "docstrings"}


def styles(family: str) -> dict[str, dict]:
    """Return how lines are drawn; they differ in dashes and markers, too."""
    found = {}
    for name, (color, dashes, *others) in DECLARED["styles"][family].items():
        marker, face = (*others, None, None)[:2]
        dashes = tuple(dashes) if isinstance(dashes, list) else dashes
        found[name] = {"color": color, "ls": dashes, "marker": marker}
        found[name] |= {"mfc": face} if face else {}
    return found


def panels(columns: int, rows=1, size=None):
    size = size or (max(6.4, 5.2 * columns), 0.8 + 3.6 * rows)
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def finish(figure, path, columns=4) -> None:
    """Save a figure; its legend, of some columns, is below, where it covers nothing."""
    if columns:
        pairs = [ax.get_legend_handles_labels() for ax in figure.axes]
        lines = {label: h for pair in pairs for h, label in zip(*pair, strict=True)}
        place = {"loc": "outside lower center", "ncols": min(len(lines), columns)}
        figure.legend(lines.values(), lines, **place, handlelength=4)
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=150)


def per_report(path, reports: dict, draw) -> None:
    """Save a figure with a panel for each report: `draw(axes, report)`."""
    figure, (row,) = panels(len(reports))
    for axes, report in zip(row, reports.values(), strict=True):
        draw(axes, report)
    finish(figure, path)


def title(report) -> str:
    options = report["options"]
    corpus = TITLES.get(options["corpus"], options["corpus"].upper())
    n_topics = report.get("n_topics", options["topics"])
    return f"{corpus}, K = {n_topics}, {number(options['starts'], 'start')}"


def timed_title(report) -> str:
    corpus = report["options"]["corpus"].upper()
    return f"{corpus}, {report['tokens']:,} tokens, one thread"


def chains(axes, xs, curves, name, style, width=2.0, alpha=0.5) -> None:
    style = style | {"marker": None}
    for x, curve in zip(xs, curves, strict=True):
        axes.plot(x, curve, **style, lw=0.5, alpha=alpha)
    axes.plot(median_curve(xs), median_curve(curves), **style, lw=width, label=name)


def error_bars(axes, x, rows: list[dict], name, style) -> None:
    middle = np.array([row["median"] for row in rows])
    ends = np.array([row["range"] for row in rows]).T
    axes.errorbar(x, middle, abs(ends - middle), label=name, capsize=3, **style)


def medians(report, key) -> dict[str, np.ndarray]:
    """Return the median over the chains of each program."""
    chains = report["chains"].items()
    return {name: median_curve([chain[key] for chain in some]) for name, some in chains}


def plain_numbers(axis) -> None:
    """Label a logarithmic axis 1, 2, 5, 10, ..., without powers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def log_seconds(axes, label="seconds per sweep") -> None:
    axes.set(yscale="log", ylabel=label)
    plain_numbers(axes.yaxis)


def sweeps_axis(axes, sweeps, *, whole=False) -> None:
    """Make x a logarithmic axis of sweeps, without the first few unless `whole`."""
    axes.set(xscale="log", xlabel="sweep")
    if whole:
        axes.set_xlim(1, max(sweeps[-1], 2))
    elif sweeps[0] < sweeps[-1]:
        axes.set_xlim(max(sweeps[0], min(SKIPPED, sweeps[-2])), sweeps[-1])
    plain_numbers(axes.xaxis)
    axes.grid(alpha=0.3)


def powers_axis(axes, label, values) -> None:
    """Make x a logarithmic axis on which just these values are marked."""
    axes.set(xlabel=label, xscale="log")
    axes.set_xticks(values, [str(value) for value in values])
    axes.set_xticks([], minor=True)
    axes.grid(alpha=0.3)


def limits(sweeps, curves) -> tuple[float, float]:
    """Return the limits of y that show all curves but their first few sweeps."""
    late = np.asarray(sweeps) >= min(SKIPPED, sweeps[-1])
    values = np.asarray(curves, dtype=float)[:, late]
    margin = 0.05 * (np.ptp(values) or 1.0)
    return values.min() - margin, values.max() + margin
