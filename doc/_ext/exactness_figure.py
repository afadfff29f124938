"""The figure of what is exact: an enumerated posterior, ranks, and mutants.

``tests/data/exactness.json`` has what the tests of exactness find, and
``benchmarks/results/diagnostics/calibration.json`` the ranks.
"""

import json
import os
from pathlib import Path

import numpy as np
from docutils import nodes
from docutils.parsers.rst import Directive
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy import stats

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT / "tests" / "data" / "exactness.json"
RANKS = ROOT / "benchmarks" / "results" / "diagnostics" / "calibration.json"
RIGHT, WRONG = 1e-5, 1e-6  # of tests/helpers/enumeration.py; a test compares them
COLOR, FAULT, GREY = "#2f7fbf", "#c0392b", "#b9c3cc"
SHOWN = "single-site", "log_joint"  # whose ranks are drawn
LEAST = 1e-30  # smaller p-values are drawn there


def read(path: Path) -> dict:
    """Return what was measured."""
    return json.loads(path.read_text(encoding="utf-8"))


def figures() -> dict[str, str]:
    """Return the figures of the text by the names that it has for them."""
    found, ranks = read(FOUND), read(RANKS)
    right = [p for some in found["kernels"].values() for p in some]
    of_ranks = [p for some in ranks["summary"].values() for p in some.values()]
    return {
        "exact-assignments": f"{len(found['posterior'])}",
        "exact-sweeps": f"{found['sweeps']:,}",
        "exact-off": f"{largest_difference(found):.4f}",
        "exact-tests": f"{len(right)}",
        "exact-least": f"{min(right):.2g}",
        "exact-mutants": f"{len(found['mutants'])}",
        "exact-survivors": f"{sum(p >= WRONG for p in found['mutants'].values())}",
        "exact-replications": f"{ranks['options']['replications']:,}",
        "exact-ranked": f"{len(of_ranks)}",
        "exact-least-of-ranks": f"{min(of_ranks):.2g}",
    }


def largest_difference(found: dict) -> float:
    """Return that of a frequency from its probability."""
    pairs = np.array([found["posterior"], found["frequencies"]])
    return float(abs(pairs[0] - pairs[1]).max())


def draw_posterior(axes) -> None:
    """Draw probabilities of all assignments, and how often a chain was there."""
    found = read(FOUND)
    posterior, seen = np.array([found["posterior"], found["frequencies"]])
    order = np.argsort(-posterior)
    axes.bar(range(order.size), posterior[order], color=GREY, label="enumerated")
    axes.plot(seen[order], ".", color=COLOR, label=f"{found['sweeps']:,} sweeps")
    axes.set(xlabel="assignment of five tokens, by probability")
    axes.set(ylabel="probability", title="Every posterior is listed")
    axes.legend(frameon=False)


def draw_ranks(axes) -> None:
    """Draw ranks of true values among draws, and the band of uniform ones."""
    report, (sampler, scalar) = read(RANKS), SHOWN
    ranks, n_bins = report["ranks"][sampler][scalar], report["bins"]
    counts, edges = np.histogram(ranks, n_bins, (0, report["draws"] + 1))
    low, high = stats.binom.ppf([0.025, 0.975], len(ranks), 1 / n_bins)
    axes.bar(edges[:-1], counts, np.diff(edges), align="edge", color=COLOR, ec="white")
    axes.axhspan(low, high, color="#e6eaed", zorder=0, label="95 % of uniform ranks")
    axes.hlines([low, high], 0, report["draws"] + 1, "#33414d", ls="--", lw=1)
    axes.set_ylim(top=1.25 * max(high, counts.max()))
    axes.set(xlabel="rank of the true log joint among the draws", ylabel="corpora")
    axes.set(title="Ranks are uniform")
    axes.legend(frameon=False, loc="upper right")


def draw_p_values(axes) -> None:
    """Draw the p-values of kernels beside those of mutants."""
    found, rng = read(FOUND), np.random.default_rng(0)
    right = [p for some in found["kernels"].values() for p in some]
    for x, values, color in (
        (0, right, COLOR),
        (1, list(found["mutants"].values()), FAULT),
    ):
        across = x + rng.uniform(-0.3, 0.3, len(values))
        axes.plot(across, np.maximum(values, LEAST), ".", color=color, alpha=0.6)
    axes.axhline(RIGHT, color=COLOR, lw=1, ls="--")
    axes.axhline(WRONG, color=FAULT, lw=1, ls="--")
    names = [f"{len(right)} tests\nof kernels", f"{len(found['mutants'])} mutants"]
    axes.set_xticks([0, 1], names)
    axes.set(yscale="log", ylabel="p-value", title="Mutants fail the same test")


DRAWN = draw_posterior, draw_ranks, draw_p_values
ALT = (
    "Three panels. Left: the probabilities of all assignments of a tiny corpus, and "
    "the frequencies of a long chain, which agree. Middle: the ranks of true values "
    "among draws, within the band of uniform ranks. Right: p-values of the kernels, "
    "all above 1e-5, and of the mutants, all below 1e-6."
)


class ExactnessFigure(Directive):
    """The three panels."""

    def run(self):
        """Draw them beside the doctrees."""
        env = self.state.document.settings.env
        for path in (FOUND, RANKS):
            env.note_dependency(str(path))
        folder = Path(env.doctreedir)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "exactness.png"
        figure = Figure(figsize=(13, 4.2), layout="constrained")
        for draw, axes in zip(DRAWN, figure.subplots(1, len(DRAWN)), strict=True):
            draw(axes)
            axes.spines[["top", "right"]].set_visible(False)
        FigureCanvasAgg(figure).print_figure(path, dpi=110)
        uri = os.path.relpath(path, Path(env.srcdir, env.docname).parent)
        picture = nodes.container("", nodes.image(uri=uri, alt=ALT))
        picture["classes"] += ["output", "picture", "panels"]
        return [picture]


def setup(app):
    """Offer the directive to Sphinx."""
    app.add_directive("exactness-figure", ExactnessFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
