"""Figures of the comparison; they need matplotlib."""

import numpy as np

from benchmarks import figures
from benchmarks.compare import results
from benchmarks.compare.peers import PEERS, threads_of

# From dark to light, so that they differ in grey too, beside their dashes.
STYLES = {
    "sklda": {"color": "#000000", "ls": "-", "marker": "o"},
    "sklda-mean": {"color": "#000000", "ls": "--", "marker": "o", "mfc": "white"},
    "sklda-ecgs": {"color": "#6b6b6b", "ls": "-.", "marker": "s", "mfc": "white"},
    "sklda-cvb0": {"color": "#6b6b6b", "ls": ":", "marker": "^", "mfc": "white"},
    "tomotopy": {"color": "#c0392b", "ls": "-", "marker": "D"},
    "mallet": {"color": "#0077bb", "ls": "-", "marker": "s"},
    "lda": {"color": "#7a5195", "ls": "--", "marker": "v"},
    "gensim": {"color": "#44aa99", "ls": "-.", "marker": "P"},
    "sklearn-batch": {"color": "#e69f00", "ls": "-", "marker": "^"},
    "sklearn-online": {"color": "#e69f00", "ls": ":", "marker": "X"},
}
SHOWN = 1.6  # perplexities up to so many times the lowest


def perplexity_figure(path, reports: list[dict]) -> None:
    """Draw perplexity against seconds, medians; a panel for each report."""
    columns = min(len(reports), 2)
    figure, panels = figures.panels(columns, rows=-(-len(reports) // columns))
    handles = {}
    for axes in panels.flat[len(reports) :]:
        axes.set_axis_off()
    for axes, report in zip(panels.flat, reports, strict=False):
        lowest = np.inf
        for name in results.programs_of([report]):
            curve = results.median_curve(report["programs"][name])
            label, style = PEERS[name].label, {"ms": 4, **STYLES[name]}
            lines = axes.plot(curve["seconds"], curve["perplexity"], **style)
            handles[label] = lines[0]
            lowest = min(lowest, *curve["perplexity"])
        options = report["options"]
        title = f"{options['corpus'].upper()}, K = {options['topics']}, "
        axes.set(
            title=title + threads_of(options["threads"]),
            xlabel="seconds of training",
            ylabel="perplexity of held-out words",
            xscale="log",
            ylim=(0.97 * lowest, SHOWN * lowest),
        )
        axes.grid(alpha=0.3)
    figure.legend(
        handles.values(), handles, loc="outside lower center", ncols=2 * columns
    )
    figures.save(figure, path)


def growth_figure(path, report: dict) -> None:
    """Draw seconds per sweep against tokens, and against topics."""
    figure, panels = figures.panels(2)
    fixed = {
        "tokens": f"K = {report['tokens'][0]['topics']:,}",
        "topics": f"{report['topics'][0]['tokens']:,} tokens",
    }
    for axes, (of, title) in zip(panels[0], fixed.items(), strict=True):
        points = report[of]
        x = np.array([point[of] for point in points], dtype=float)
        seconds = np.array([point["seconds"] for point in points])
        linear = seconds[0] * x / x[0]
        axes.plot(x, linear, color="#888888", ls="--", label=f"in proportion to {of}")
        axes.plot(x, seconds, color="black", marker="o", label="sklda, one thread")
        axes.set(xscale="log", yscale="log", xlabel=of, ylabel="seconds per sweep")
        axes.set(title=title)
        axes.grid(alpha=0.3)
        axes.legend()
    figures.save(figure, path)
