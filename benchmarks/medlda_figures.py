"""Figures of benchmarks.medlda; they need matplotlib."""

from itertools import cycle

import numpy as np

from benchmarks import figures
from benchmarks.medlda import summary

# From dark to light, so that they differ in grey too, beside their dashes.
STYLES = (
    {"color": "#000000", "ls": "-", "marker": "o"},
    {"color": "#c0392b", "ls": "--", "marker": "s"},
    {"color": "#0077bb", "ls": "-.", "marker": "^"},
    {"color": "#e69f00", "ls": (0, (8, 3)), "marker": "D"},
    {"color": "#44aa99", "ls": (0, (6, 1, 1, 1, 1, 1)), "marker": "v"},
)
OTHERS = (  # hollow, for they were measured elsewhere
    {"color": "#7a5195", "marker": "o"},
    {"color": "#555555", "marker": "s"},
    {"color": "#0077bb", "marker": "D"},
    {"color": "#c0392b", "marker": "^"},
)
OF_WORDS = ("-", "--", ":")


def scores_figure(path, report) -> None:
    """Draw scores of the test documents, and seconds of training, against topics.

    Lines are medians over starts, bars their range; methods that know no topics are
    lines across.
    """
    table = summary(report["rows"])
    names = list(table[0]["median"])
    figure, panels = figures.panels(len(names) + 1)
    *of_scores, of_seconds = panels[0]
    for axes, name in zip(of_scores, names, strict=True):
        _draw_scores(axes, table, name)
        axes.set(ylabel=f"{name} of the test documents")
    _draw_seconds(of_seconds, table)
    if len(names) == 1:
        _draw_others(of_scores[0], of_seconds, report["others"])
    topics = sorted({row["n_topics"] for row in table if row["n_topics"]})
    for axes in panels[0]:
        figures.powers_axis(axes, "topics", topics)
    figure.suptitle(_title(path.stem, report))
    figures.legend_below(figure, panels[0, 0], columns=3)
    figures.save(figure, path)


def _title(name, report) -> str:
    train, test = (report[part]["documents"] for part in ("train", "test"))
    return f"{name}: {train:,} documents train, {test:,} test; one thread"


def _lines(table) -> dict[str, list[dict]]:
    """Return the rows of each method that has topics."""
    lines: dict[str, list[dict]] = {}
    for row in table:
        if row["n_topics"]:
            lines.setdefault(row["method"], []).append(row)
    return lines


def _draw_scores(axes, table, name) -> None:
    for (method, rows), style in zip(_lines(table).items(), cycle(STYLES)):
        middle = np.array([row["median"][name] for row in rows])
        ends = np.array([row["range"][name] for row in rows]).T
        topics = [row["n_topics"] for row in rows]
        bars = abs(ends - middle)
        axes.errorbar(topics, middle, bars, label=method, capsize=3, **style)
    across = [row for row in table if not row["n_topics"]]
    for row, dashes in zip(across, cycle(OF_WORDS)):
        style = {"color": "#888888", "ls": dashes, "lw": 1}
        axes.axhline(row["median"][name], label=row["method"], **style)


def _draw_seconds(axes, table) -> None:
    for rows, style in zip(_lines(table).values(), cycle(STYLES)):
        seconds = [row["seconds"] for row in rows]
        axes.plot([row["n_topics"] for row in rows], seconds, **style)
    axes.set(yscale="log", ylabel="seconds of training")
    figures.plain_numbers(axes.yaxis)


def _draw_others(of_scores, of_seconds, others) -> None:
    """Draw what other programs reached elsewhere."""
    for (method, points), style in zip(others.items(), cycle(OTHERS)):
        style = {**style, "ls": "", "mfc": "none", "ms": 8}
        topics = list(map(int, points))
        seconds, scores = zip(*points.values(), strict=True)
        of_scores.plot(topics, scores, label=method, **style)
        known = [(k, s) for k, s in zip(topics, seconds, strict=True) if s is not None]
        of_seconds.plot([k for k, _ in known], [s for _, s in known], **style)


def growth_figure(path, report) -> None:
    """Draw seconds per sweep against topics, and against documents."""
    figure, ((left, right),) = figures.panels(2)
    rows, whole = report["rows"], report["all_documents"]
    fixed = report["fixed_topics"]
    methods = dict.fromkeys(row["method"] for row in rows)
    for method, style in zip(methods, cycle(STYLES)):
        mine = [row for row in rows if row["method"] == method]
        _draw_growth(left, mine, "n_topics", ("documents", whole), method, style)
        _draw_growth(right, mine, "documents", ("n_topics", fixed), method, style)
    left.set_title(f"{whole:,} documents")
    right.set_title(f"{fixed} topics")
    # The fixed number has a point too, but a label only among those of documents.
    topics = {row["n_topics"] for row in rows if row["documents"] == whole} - {fixed}
    documents = sorted({row["documents"] for row in rows if row["n_topics"] == fixed})
    figures.topics_axis(left, sorted(topics))
    figures.powers_axis(right, "documents", documents)
    right.set_ylabel("seconds per sweep")
    for axes in (left, right):
        axes.set_yscale("log")
        figures.plain_numbers(axes.yaxis)
    figures.legend_below(figure, left)
    figures.save(figure, path)


def _draw_growth(axes, rows, name, fixed, method, style) -> None:
    """Draw the rows in which one quantity is fixed, and a line of slope 1 below."""
    points = sorted(
        (row[name], row["seconds_per_sweep"])
        for row in rows
        if row[fixed[0]] == fixed[1]
    )
    if points:
        x, y = np.array(points).T
        axes.plot(x, y, label=method, **style)
        axes.plot(x, x * y[-1] / x[-1], color=style["color"], lw=0.5, alpha=0.6)
