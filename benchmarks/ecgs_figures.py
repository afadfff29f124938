"""Figures of benchmarks.ecgs; they need matplotlib."""

from itertools import cycle

import numpy as np

from benchmarks import figures
from benchmarks.common import median_curve
from benchmarks.ecgs_runs import shards_name

# From dark to light, so that they differ in grey too, beside their dashes.
FIXED = {
    "standard": {"color": "#000000", "ls": "-", "marker": "o"},
    "dynamic": {"color": "#0077bb", "ls": "--", "marker": "s"},
    "shortcut": {"color": "#e69f00", "ls": "-.", "marker": "D"},
    "apart": {"color": "#999999", "ls": ":", "marker": "^"},
}
DYNAMIC = (
    {"color": "#c0392b", "ls": "--"},
    {"color": "#0077bb", "ls": (0, (1, 1))},
    {"color": "#7a5195", "ls": (0, (6, 1, 1, 1, 1, 1))},
    {"color": "#44aa99", "ls": (0, (8, 3))},
)
SHARDS = (
    {"color": "#000000", "ls": "-", "marker": "o"},
    {"color": "#c0392b", "ls": "--", "marker": "s"},
    {"color": "#0077bb", "ls": ":", "marker": "^"},
    {"color": "#e69f00", "ls": "-.", "marker": "D"},
)


def _curve_style(name, dynamic) -> dict:
    """Return the style of a strategy of `chains`, without its marker."""
    if name not in FIXED:
        return next(dynamic)
    return {key: FIXED[name][key] for key in ("color", "ls")}


def chains_figures(folder, reports) -> None:
    """Draw perplexity, and sampling rate, against sweeps: medians over starts."""
    _perplexity_figure(folder / "perplexity.png", reports)
    _sampling_rate_figure(folder / "sampling-rate.png", reports)


def _perplexity_figure(path, reports) -> None:
    """Draw perplexity, and below it in parts of the first strategy's."""
    figure, panels = figures.panels(len(reports), rows=2)
    for (upper, lower), report in zip(panels.T, reports, strict=True):
        sweeps, medians = report["sweeps"], _medians(report, "perplexity")
        first = next(iter(medians))
        relative = {name: curve / medians[first] for name, curve in medians.items()}
        quantities = (
            (upper, medians, "perplexity of the test documents"),
            (lower, relative, f"perplexity / {_label(first)}"),
        )
        for axes, curves, label in quantities:
            _draw_curves(axes, sweeps, curves)
            limits = figures.limits(sweeps, list(curves.values()))
            axes.set(ylim=limits, ylabel=label)
            figures.sweeps_axis(axes, sweeps)
        upper.set_title(_title(report))
    figure.align_ylabels()
    figures.legend_below(figure, panels[0, 0])
    figures.save(figure, path)


def _sampling_rate_figure(path, reports) -> None:
    figure, panels = figures.panels(len(reports))
    for axes, report in zip(panels[0], reports, strict=True):
        sweeps = np.arange(1, report["options"]["sweeps"] + 1)
        _draw_curves(axes, sweeps, _medians(report, "sampling_rate"))
        limit = report["least_rate"]["shortcut"]
        axes.axhline(limit, color="#555555", lw=0.6, label="cells / tokens")
        margin = 0.06 * (1 - limit) or 0.06  # a corpus may have no cell of two tokens
        axes.set(ylim=(limit - margin, 1 + margin), title=_title(report))
        axes.set_ylabel("sampling rate, draws / tokens")
        figures.sweeps_axis(axes, sweeps)
        axes.set_xlim(1, max(sweeps[-1], 2))
    figures.legend_below(figure, panels[0, 0])
    figures.save(figure, path)


def _medians(report, key) -> dict[str, np.ndarray]:
    return {
        name: median_curve([chain[key] for chain in chains])
        for name, chains in report["chains"].items()
    }


def _draw_curves(axes, sweeps, curves) -> None:
    dynamic = cycle(DYNAMIC)
    for name, curve in curves.items():
        style = _curve_style(name, dynamic)
        axes.plot(sweeps, curve, lw=1.8, label=_label(name), **style)


def _label(name) -> str:
    return name.replace("dynamic-", "dynamic, damping ")


def _title(report) -> str:
    options = report["options"]
    starts = figures.starts(options["starts"])
    return f"{options['corpus'].upper()}, K = {options['topics']}, {starts}"


def speed_figures(folder, reports) -> None:
    """Draw the mean seconds per sweep of each strategy against topics."""
    figure, panels = figures.panels(len(reports))
    for axes, report in zip(panels[0], reports, strict=True):
        rows = report["rows"]
        topics = [row["n_topics"] for row in rows]
        for name in report["options"]["strategies"]:
            seconds = [row["mean"][name] for row in rows]
            axes.plot(topics, seconds, label=name, **FIXED[name])
        corpus, tokens = report["options"]["corpus"], report["tokens"]
        axes.set_title(f"{corpus.upper()}, {tokens:,} tokens, one thread")
        figures.topics_axis(axes, topics)
        axes.set_ylim(0, None)
    figures.legend_below(figure, panels[0, 0])
    figures.save(figure, folder / "speed.png")


def shards_figures(folder, reports) -> None:
    """Draw perplexity relative to the first number of shards, and the speed-up."""
    for report in reports:
        options = report["options"]
        figure, ((left, right),) = figures.panels(2)
        for result, style in zip(report["results"], cycle(SHARDS)):
            _draw_shards(left, right, result, style)
        first = options["shards"][0]
        than = "one shard" if first == 1 else f"{first} shards"
        left.set(ylabel=f"perplexity, relative to {than}")
        left.axhline(1, color="#555555", lw=0.6)
        right.set(ylabel=f"times as fast as {than}", ylim=(0, None))
        for axes in (left, right):
            figures.powers_axis(axes, "shards", options["shards"])
        starts = figures.starts(options["starts"])
        figure.suptitle(
            f"{options['corpus'].upper()}, {starts} (small points), "
            f"threads: at most {options['threads']}"
        )
        figures.legend_below(figure, left)
        name = shards_name(options["corpus"], options["threads"])
        figures.save(figure, folder / f"{name}.png")


def _draw_shards(left, right, result, style) -> None:
    rows = result["rows"]
    shards = [row["n_shards"] for row in rows]
    label = f"{result['sampler']}, K = {result['n_topics']}"
    left.plot(shards, [row["relative"] for row in rows], label=label, **style)
    points = {"color": style["color"], "marker": style["marker"], "ls": "", "ms": 3}
    left.plot(shards, [row["relative_of_starts"] for row in rows], alpha=0.5, **points)
    right.plot(shards, [row["speed_up"] for row in rows], **style)
