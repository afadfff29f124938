"""What the figures of the benchmarks share; they need matplotlib."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

SKIPPED = 5  # sweeps that may run out of the axes: they would squeeze all others


def save(figure, path) -> None:
    """Write a figure without the help of a display."""
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=150)


def panels(columns: int, rows=1):
    """Return a figure and its panels, (rows, columns)."""
    size = max(6.4, 5.2 * columns), 0.8 + 3.6 * rows
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def starts(n_starts: int) -> str:
    """Say how many starts there are."""
    return "one start" if n_starts == 1 else f"{n_starts} starts"


def plain_numbers(axis) -> None:
    """Label a logarithmic axis 1, 2, 5, 10, ..., without powers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def sweeps_axis(axes, sweeps) -> None:
    """Make x a logarithmic axis of sweeps, without the first few."""
    axes.set(xscale="log", xlabel="sweep")
    if sweeps[0] < sweeps[-1]:
        axes.set_xlim(max(sweeps[0], min(SKIPPED, sweeps[-2])), sweeps[-1])
    plain_numbers(axes.xaxis)
    axes.grid(alpha=0.3)


def topics_axis(axes, topics) -> None:
    """Make x a logarithmic axis of topics, and y one of seconds per sweep."""
    axes.set_ylabel("seconds per sweep")
    powers_axis(axes, "topics", topics)


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


def legend_below(figure, axes, columns=4) -> None:
    """Put the legend of one panel below all, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    columns = min(len(labels), columns)
    figure.legend(
        handles, labels, loc="outside lower center", ncols=columns, handlelength=4
    )
