"""Figures of benchmarks.blocking; they need matplotlib."""

import numpy as np
from matplotlib.figure import Figure

from benchmarks import figures
from benchmarks.common import median_curve

# From dark to light, so that they differ in grey too, beside their dashes.
STYLES = {
    "single-site": ("#000000", "-", "o"),
    "nested": ("#c0392b", "--", "s"),
    "backward": ("#0077bb", ":", "^"),
    "augmentation": ("#e69f00", "-.", "D"),
}


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
        axes.set(ylabel=label, ylim=figures.limits(sweeps, np.vstack(every)))
        figures.sweeps_axis(axes, sweeps)
    figures.legend_below(figure, axes)
    figures.save(figure, path)


def speed_figure(path, title, topics, seconds) -> None:
    """Draw the seconds per sweep of each sampler against the number of topics."""
    figure = Figure(figsize=(6.4, 4.8), layout="constrained")
    axes = figure.subplots()
    for name, values in seconds.items():
        colour, dashes, marker = STYLES[name]
        axes.plot(topics, values, color=colour, ls=dashes, marker=marker, label=name)
    axes.set_title(title)
    figures.topics_axis(axes, topics)
    axes.set_yscale("log")
    figures.plain_numbers(axes.yaxis)
    axes.legend(handlelength=4)
    figures.save(figure, path)
