"""What the front page and the README show of the comparison with other programs.

The only place that chooses reports of ``benchmarks/results`` for them: speeds, the
perplexity that topics reach in a given time, and the time to a given perplexity. Speeds
depend on the instructions that the code uses, so each sentence names them, the smaller
set first; the two figures compare more programs, with AVX-512.
"""

import os
from pathlib import Path
from statistics import median

from docutils import nodes
from docutils.parsers.rst import Directive
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks import compare
from benchmarks.figures import styles
from benchmarks.harness import read
from benchmarks.programs import PEERS

ROOT = Path(__file__).resolve().parents[2] / "benchmarks" / "results"
RESULTS = ROOT / "compare"
# python -m benchmarks compare-speed --results benchmarks/results/avx2, for example.
FOLDERS = {"AVX2": ROOT / "avx2" / "compare", "AVX-512": ROOT / "avx512" / "compare"}
CORPUS, TOPICS, SHOWN = "nips", (20, 100, 400, 1000), 100
OURS, COLOR, GREY = "sklda", "#2f7fbf", "#b9c3cc"


def report(kind: str, n_topics: int, folder: Path = RESULTS) -> dict:
    """Return what was measured on one thread."""
    name = f"{kind}-{CORPUS}-{n_topics}-1"
    return read(folder, name)[name]


def by_processor(kind: str) -> dict[str, Path]:
    """Return the folders with all reports of a kind, by processor."""
    numbers = TOPICS if kind == "speed" else (SHOWN,)
    files = [f"{kind}-{CORPUS}-{n_topics}-1.json" for n_topics in numbers]
    return {
        processor: folder
        for processor, folder in FOLDERS.items()
        if all((folder / file).is_file() for file in files)
    }


def ratios(folder: Path) -> dict[int, float]:
    """Return tokens per second, relative to the fastest other exact sampler."""
    found = {}
    for n_topics in TOPICS:
        measured = report("speed", n_topics, folder)
        speeds = {name: compare.speed(measured, name) for name in measured["programs"]}
        ours, others = compare.ours_and_others(speeds)
        found[n_topics] = ours / max(others.values())
    return found


def sentence() -> str:
    """Return the ratios in words, by processor; the README has the same."""
    texts = []
    for processor, folder in by_processor("speed").items():
        (n_topics, ratio), *others = ratios(folder).items()
        parts = [f"with {processor} {ratio:.1f} times as many with {n_topics} topics"]
        parts += [f"{ratio:.1f} with {n_topics:,}" for n_topics, ratio in others]
        texts.append(f"{', '.join(parts)} (compared with {compared(folder)})")
    return "; ".join(texts)


def level() -> int:
    """Return the lowest perplexity that all exact samplers reach."""
    return compare.levels(report("quality", SHOWN))[-2]


def wait(folder: Path) -> tuple[float, str, float]:
    """Return the seconds to the level, the fastest other program, and its seconds."""
    seconds = {}
    for name, program in report("quality", SHOWN, folder)["programs"].items():
        every = [compare.seconds_to(curve, level()) for curve in program["runs"]]
        seconds[name] = median(every)
    ours, others = compare.ours_and_others(seconds)
    fastest = min(others, key=others.__getitem__)
    return ours, PEERS[fastest].label, others[fastest]


def waits() -> dict[str, str]:
    """Return the seconds in words, by processor; the README has the same."""
    texts = []
    for processor, folder in by_processor("quality").items():
        ours, other, theirs = wait(folder)
        texts.append(f"{ours:.1f} seconds instead of {theirs:.1f} with {processor}")
    return {
        "wait-perplexity": f"{level():,}",
        "wait-other": other,
        "waits": ", ".join(texts),
    }


def listed(names: set[str]) -> str:
    """Return the exact samplers among some programs in words."""
    *most, last = [p.label for name, p in PEERS.items() if p.exact and name in names]
    return f"{', '.join(most)} and {last}"


def compared(folder: Path) -> str:
    """Return the other exact samplers that were measured with each number of topics."""
    names = [{*report("speed", n_topics, folder)["programs"]} for n_topics in TOPICS]
    return listed(set.intersection(*names) - {OURS})


def exact_programs() -> str:
    """Return the names of the exact samplers in the figure of speed."""
    return listed({*report("speed", SHOWN)["programs"]})


def figures() -> dict[str, str]:
    """Return the words above by the names that the text has for them."""
    names = {"speed-ratios": sentence(), "exact-programs": exact_programs()}
    return names | waits()


def draw_speed(axes) -> str:
    """Draw the tokens per second of all programs; return them in words."""
    measured = report("speed", SHOWN)
    programs = [name for name in PEERS if name in measured["programs"]]
    speeds = {name: compare.speed(measured, name) / 1e6 for name in programs}
    speeds = dict(sorted(speeds.items(), key=lambda item: item[1]))
    colors = [COLOR if name == OURS else GREY for name in speeds]
    labels = [PEERS[name].label for name in speeds]
    bars = axes.barh(labels, list(speeds.values()), color=colors)
    axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.margins(x=0.12)
    axes.set(xlabel="million tokens per second", title="Speed on one thread, AVX-512")
    texts = (f"{PEERS[n].label} {v:.1f}" for n, v in reversed(speeds.items()))
    return f"Million tokens per second: {', '.join(texts)}."


def draw_quality(axes) -> str:
    """Draw what fits and other exact samplers reach, with means; return their names."""
    looks = styles("compare") | {compare.FIT: {"color": COLOR, "marker": "."}}
    programs = report("quality", SHOWN)["programs"]
    _, others = compare.ours_and_others(dict.fromkeys(programs, 0.0))
    shown = [compare.FIT, *(n for n in others if f"{n}-mean" not in others)]
    curves = {name: compare.median_curve(programs[name]) for name in shown}
    for name, curve in curves.items():
        look = {"label": PEERS[name].label, "markersize": 4, **looks[name]}
        axes.plot(curve["seconds"], curve["perplexity"], **look)
    compare.show_low(axes, [*curves.values()])
    axes.set(title="Quality: lower is better")
    last = max(curve["seconds"][-1] for curve in curves.values())
    axes.set_xlim(right=5 * last)  # room for the legend
    axes.legend(frameon=False, loc="upper right")
    labels = ", ".join(PEERS[name].label for name in shown)
    return f"Perplexity of held-out words against seconds of training: {labels}."


DRAWN = {"speed": draw_speed, "quality": draw_quality}


class FrontFigure(Directive):
    """One of the figures in `DRAWN`."""

    required_arguments = 1

    def run(self):
        """Draw it beside the doctrees."""
        env, name = self.state.document.settings.env, self.arguments[0]
        for path in RESULTS.glob("*.json"):
            env.note_dependency(str(path))
        folder = Path(env.doctreedir)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"front_figure_{name}.png"
        figure = Figure(figsize=(6, 4), layout="constrained")
        axes = figure.subplots()
        text = DRAWN[name](axes)
        axes.spines[["top", "right"]].set_visible(False)
        FigureCanvasAgg(figure).print_figure(path, dpi=130)
        uri = os.path.relpath(path, Path(env.srcdir, env.docname).parent)
        return [nodes.image(uri=uri, alt=f"{CORPUS.upper()}, {SHOWN} topics. {text}")]


def setup(app):
    """Offer the directive to Sphinx."""
    app.add_directive("front-figure", FrontFigure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
