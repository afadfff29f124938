"""What the front page and the README say of the comparison with other programs.

The only place that chooses reports of ``benchmarks/results/compare`` for them: speeds,
and the perplexity that topics reach in a given time.
"""

import os
from pathlib import Path

import numpy as np
from docutils import nodes
from docutils.parsers.rst import Directive

from benchmarks.compare import quality, speed
from benchmarks.figures import CORPORA
from benchmarks.harness import read
from benchmarks.programs import PEERS

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "compare"
CORPUS, TOPICS, SHOWN = "nips", (20, 100, 400, 1000), 100
OURS, COLORS = "sklda", {"sklda": "#2f7fbf"}
GREYS = ["#e8963a", "#2ca58d", "#8a6fb3"]


def report(kind: str, n_topics: int) -> dict:
    """Return what was measured on one thread."""
    name = f"{kind}-{CORPUS}-{n_topics}-1"
    return read(RESULTS, name)[name]


def ratios() -> dict[int, float]:
    """Return tokens per second, relative to the fastest other exact sampler."""
    found = {}
    for n_topics in TOPICS:
        measured = report("speed", n_topics)
        names = [n for n in measured["programs"] if PEERS[n].exact]
        speeds = {name: speed.speed(measured, name) for name in names}
        found[n_topics] = speeds.pop(OURS) / max(speeds.values())
    return found


def sentence() -> str:
    """Return the ratios in words; the README has the same."""
    texts = [f"{ratio:.1f} with {n:,}" for n, ratio in ratios().items()]
    texts[0] += " topics"
    return ", ".join(texts[:-1]) + f" and {texts[-1]}"


def substitution() -> str:
    """Return the sentence as a definition for reStructuredText."""
    return f".. |speed-ratios| replace:: {sentence()}"


def draw(path: Path) -> str:
    """Draw speeds and curves of perplexity; return them in words."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(11, 4), width_ratios=[1, 1.25], layout="constrained"
    )
    measured = report("speed", SHOWN)
    names = [n for n in PEERS if n in measured["programs"]]
    speeds = {name: speed.speed(measured, name) / 1e6 for name in names}
    speeds = dict(sorted(speeds.items(), key=lambda item: item[1]))
    labels = [PEERS[name].label for name in speeds]
    grey = "#b9c3cc"
    colors = [COLORS.get(name, grey) for name in speeds]
    bars = left.barh(labels, list(speeds.values()), color=colors)
    left.bar_label(bars, fmt="%.1f", padding=3)
    left.margins(x=0.12)
    left.set(xlabel="million tokens per second", title="Speed, one thread")
    curves = report("quality", SHOWN)["programs"]
    for name, program in curves.items():
        if PEERS[name].exact:
            curve = quality.median_curve(program)
            color = COLORS.get(name) or GREYS[len(right.lines) % len(GREYS)]
            label = PEERS[name].label
            right.plot(
                curve["seconds"], curve["perplexity"], ".-", color=color, label=label
            )
    right.set(xscale="log", xlabel="seconds of training")
    right.set_ylabel("perplexity of held-out words")
    right.set(title="Quality of exact samplers: lower and further left is better")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    texts = (f"{PEERS[n].label} {v:.1f}" for n, v in reversed(speeds.items()))
    return (
        f"{CORPORA.get(CORPUS, CORPUS)}, {SHOWN} topics. Million tokens per second: "
        f"{', '.join(texts)}. Curves: perplexity of held-out words against seconds."
    )


class FrontFigure(Directive):
    """The figure of speed and of quality."""

    def run(self):
        """Draw it beside the doctrees."""
        env = self.state.document.settings.env
        for path in RESULTS.glob("*.json"):
            env.note_dependency(str(path))
        path = Path(env.doctreedir, "front_figure.png")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = draw(path)
        uri = os.path.relpath(path, Path(env.srcdir, env.docname).parent)
        return [nodes.image(uri=uri, alt=text, classes=["output"])]


def setup(app):
    """Offer the directive to Sphinx."""
    app.add_directive("front-figure", FrontFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
