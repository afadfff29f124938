"""Figures of benchmarks.cvb; they need matplotlib."""

from itertools import groupby

import numpy as np

from benchmarks import figures
from benchmarks.common import median_curve

# From dark to light, so that they differ in grey too, beside their dashes.
STYLES = {
    "VB": {"color": "#000000", "ls": "-", "marker": "o"},
    "CVB": {"color": "#c0392b", "ls": "--", "marker": "s"},
    "CVB0": {"color": "#0077bb", "ls": (0, (1, 1)), "marker": "^"},
    "Gibbs": {"color": "#e69f00", "ls": "-.", "marker": "D"},
    "online VB": {"color": "#7a5195", "ls": (0, (8, 3)), "marker": "v"},
    "gensim": {"color": "#44aa99", "ls": (0, (6, 1, 1, 1, 1, 1)), "marker": "P"},
}
STYLES["SCVB0"] = STYLES["CVB0"]
TITLES = {"newsgroups": "20 Newsgroups", "docstrings": "docstrings"}
HELD_OUT = "log probability of a held-out token"


def convergence_figure(path, reports) -> None:
    """Draw the curve of each start, and their median, one panel a corpus."""
    figure, panels = figures.panels(len(reports))
    for axes, report in zip(panels[0], reports, strict=True):
        sweeps = report["sweeps"]
        for name, chains in report["chains"].items():
            curves = [chain["log_probability"] for chain in chains]
            _thin_and_thick(axes, [sweeps] * len(curves), curves, name)
        axes.set(title=f"{_title(report)}; thick: median", ylabel=HELD_OUT)
        figures.sweeps_axis(axes, sweeps)
        axes.set_xlim(1, max(sweeps[-1], 2))
    figures.legend_below(figure, panels[0, 0])
    figures.save(figure, path)


def _thin_and_thick(axes, xs, curves, name) -> None:
    """Draw a thin line for each start and a thick one for their median."""
    style = {**STYLES[name], "marker": None}
    for x, curve in zip(xs, curves, strict=True):
        axes.plot(x, curve, **style, lw=0.5, alpha=0.5)
    axes.plot(median_curve(xs), median_curve(curves), **style, lw=2, label=name)


def _title(report) -> str:
    options = report["options"]
    corpus, starts = options["corpus"], figures.starts(options["starts"])
    title = TITLES.get(corpus, corpus.upper())
    return f"{title}, K = {options['topics']}, {starts}"


def size_figure(path, reports) -> None:
    """Draw where each program ends against documents: median and range of starts."""
    figure, panels = figures.panels(len(reports))
    for axes, report in zip(panels[0], reports, strict=True):
        rows = report["rows"]
        documents = np.array([row["documents"] for row in rows])
        names = report["options"]["programs"]
        for place, name in enumerate(names):
            middle = np.array([row[name]["median"] for row in rows])
            ends = np.array([row[name]["range"] for row in rows]).T
            x = documents * 1.03 ** (place - (len(names) - 1) / 2)  # side by side
            bars = abs(ends - middle)
            axes.errorbar(x, middle, bars, label=name, capsize=3, **STYLES[name])
        axes.set(ylabel=HELD_OUT, title=f"{_title(report)}; bars: their range")
        figures.powers_axis(axes, "documents", documents.tolist())
    figures.legend_below(figure, panels[0, 0])
    figures.save(figure, path)


def speed_figure(path, reports) -> None:
    """Draw seconds per sweep, and to reach batch VB's end, against topics."""
    of_corpus = [
        (corpus, list(some))
        for corpus, some in groupby(reports, lambda r: r["options"]["corpus"])
    ]
    figure, panels = figures.panels(2, rows=len(of_corpus))
    for (left, right), (corpus, some) in zip(panels, of_corpus, strict=True):
        topics = [report["options"]["topics"] for report in some]
        for name in _names(some, "median"):
            seconds = [report["median"].get(name, np.nan) for report in some]
            left.plot(topics, seconds, label=name, **STYLES[name])
        for name in _names(some, "reach"):
            seconds = [_reached(report, name) for report in some]
            right.plot(topics, seconds, **STYLES[name])
        left.set_title(f"{corpus.upper()}, {some[0]['tokens']:,} tokens, one thread")
        right.set_title("seconds until as good as VB at its end")
        for axes, label in (
            (left, "seconds per sweep"),
            (right, "seconds of sweeps"),
        ):
            figures.powers_axis(axes, "topics", topics)
            axes.set(yscale="log", ylabel=label)
            figures.plain_numbers(axes.yaxis)
    figures.legend_below(figure, panels[0, 0], columns=6)
    figures.save(figure, path)


def _names(reports, key) -> list[str]:
    """Return the programs of which at least one report tells, in one order."""
    told = {name for report in reports for name in report.get(key, ())}
    return [name for name in STYLES if name in told]


def _reached(report, name) -> float:
    seconds = report.get("reach", {}).get(name, {}).get("seconds")
    return np.nan if seconds is None else seconds


def stream_figure(path, reports) -> None:
    """Draw the score of unseen documents against seconds of partial_fit."""
    figure, panels = figures.panels(len(reports))
    for axes, report in zip(panels[0], reports, strict=True):
        starts, passes = report["starts"], report["options"]["passes"]
        for name in starts[0]:
            seconds = [start[name]["seconds"] for start in starts]
            scores = [start[name]["score"] for start in starts]
            _thin_and_thick(axes, seconds, scores, name)
        axes.set(xscale="log", xlabel=f"seconds of partial_fit; passes: {passes}")
        axes.set(ylabel="score of unseen documents", title=_title(report))
        figures.plain_numbers(axes.xaxis)
        axes.grid(alpha=0.3)
    figures.legend_below(figure, panels[0, 0])
    figures.save(figure, path)
