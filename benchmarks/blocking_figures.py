"""Figures of benchmarks.blocking; they need matplotlib."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.blocking_runs import median_curve

# From dark to light, so that they differ in grey too, beside their dashes.
STYLES = {
    "single-site": ("#000000", "-", "o"),
    "nested": ("#c0392b", "--", "s"),
    "backward": ("#0077bb", ":", "^"),
    "augmentation": ("#e69f00", "-.", "D"),
}
SKIPPED = 5  # sweeps that may run out of the axes: they would squeeze all others


def _save(figure, path) -> None:
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=150)


def _limits(sweeps, curves) -> tuple[float, float]:
    late = np.asarray(sweeps) >= min(SKIPPED, sweeps[-1])
    values = np.asarray(curves, dtype=float)[:, late]
    margin = 0.05 * (np.ptp(values) or 1.0)
    return values.min() - margin, values.max() + margin


def _plain_numbers(axis) -> None:
    """Label a logarithmic axis 1, 2, 5, 10, ..., without powers."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def curves_figure(path, title, sweeps, chains, n_tokens) -> None:
    """Draw both curves of all chains, a list of chains for each sampler.

    Thin lines are chains, thick lines their medians.
    """
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    figure.suptitle(f"{title}; thick lines are medians")
    panels = (
        ("log_posterior", n_tokens, "log posterior, nats per token"),
        ("perplexity", 1, "perplexity of the held-out words"),
    )
    for axes, (key, unit, label) in zip(figure.subplots(1, 2), panels, strict=True):
        every = []
        for name, of_sampler in chains.items():
            colour, dashes, _ = STYLES[name]
            curves = np.array([chain[key] for chain in of_sampler]) / unit
            every.append(curves)
            axes.plot(sweeps, curves.T, color=colour, ls=dashes, lw=0.5, alpha=0.4)
            median = median_curve(curves)
            axes.plot(sweeps, median, color=colour, ls=dashes, lw=2.2, label=name)
        axes.set(xscale="log", xlabel="sweep", ylabel=label)
        axes.set_ylim(*_limits(sweeps, np.vstack(every)))
        if sweeps[0] < sweeps[-1]:
            axes.set_xlim(max(sweeps[0], min(SKIPPED, sweeps[-2])), sweeps[-1])
        _plain_numbers(axes.xaxis)
        axes.grid(alpha=0.3)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(labels), handlelength=4
    )
    _save(figure, path)


def speed_figure(path, title, topics, seconds) -> None:
    """Draw the seconds per sweep of each sampler against the number of topics."""
    figure = Figure(figsize=(6.4, 4.8), layout="constrained")
    axes = figure.subplots()
    for name, values in seconds.items():
        colour, dashes, marker = STYLES[name]
        axes.plot(topics, values, color=colour, ls=dashes, marker=marker, label=name)
    axes.set(title=title, xlabel="topics", ylabel="seconds per sweep")
    axes.set(xscale="log", yscale="log")
    axes.set_xticks(topics, [str(n_topics) for n_topics in topics])
    axes.set_xticks([], minor=True)
    _plain_numbers(axes.yaxis)
    axes.grid(alpha=0.3)
    axes.legend(handlelength=4)
    _save(figure, path)
