import numpy as np

from benchmarks import compare, corpora, figures, harness
from benchmarks.programs import PEERS

LEVEL = 25  # perplexities to reach are multiples of it
EASIER = (3, 1, 0, -1)  # levels above the lowest that all reach
SHOWN = 1.6  # perplexities up to so many times the lowest
STEPS = (1, 2, 4)  # few, as some programs are fitted anew for each checkpoint


def run(options) -> None:
    checkpoints = harness.geometric(options.sweeps, STEPS)

    def run_all(team, held_out):
        def evaluate(runner):
            estimates = runner.worker.do("estimates", held_out.shape[0])
            return {"perplexity": round(corpora.perplexity(*estimates, held_out), 2)}

        rules = {"limit": options.limit, "sweeps": compare.TURN}
        return harness.follow(team, checkpoints, evaluate, **rules)

    compare.measure_starts(options, "quality", run_all, checkpoints)


def seconds_to(curve: dict, level: float) -> float:
    rising = -np.array(curve["perplexity"])
    return harness.reached(np.array(curve["seconds"]), rising, -level)


def levels(report: dict) -> list[int]:
    """Return perplexities to reach, the highest first.

    The last but one is the lowest multiple of 25 that the median start of every exact
    sampler reaches; of those that went on to the last sweep.
    """
    last, ends = report["options"]["sweeps"], []
    for name, program in report["programs"].items():
        is_whole = all(run["sweeps"][-1] == last for run in program["runs"])
        if PEERS[name].exact and is_whole:
            ends.append(np.median([min(run["perplexity"]) for run in program["runs"]]))
    lowest = LEVEL * int(np.ceil(max(ends, default=0) / LEVEL))
    return [lowest + LEVEL * steps for steps in EASIER] if ends else []


def median_curve(program: dict) -> dict[str, np.ndarray]:
    """Return medians over starts, of the sweeps that all starts came to."""
    n = min(len(curve["sweeps"]) for curve in program["runs"])
    return {
        key: harness.median_curve([curve[key][:n] for curve in program["runs"]])
        for key in ("sweeps", "seconds", "perplexity")
    }


def section(reports, images) -> dict:
    figure, panels = figures.panels(len(reports), most_columns=2)
    for axes, report in zip(panels, reports, strict=True):
        draw(axes, report)
    figures.finish(figure, images / "benchmarks-perplexity.png")
    return {"tables": "\n\n".join(map(table, reports))}


def table(report: dict) -> str:
    wanted, rows = levels(report), []
    seconds: dict[int, dict[str, float]] = {level: {} for level in wanted}
    for name, program in report["programs"].items():
        for level, found in seconds.items():
            every = [seconds_to(curve, level) for curve in program["runs"]]
            found[name] = float(np.median(every))
        known = [found[name] for found in seconds.values()]
        cells = ["–" if np.isinf(s) else f"{s:.1f}" for s in known]
        end = "{perplexity:.0f} ({sweeps:.0f} sweeps, {seconds:.0f} s)"
        last = {key: values[-1] for key, values in median_curve(program).items()}
        rows.append([*compare.first_cells(name), *cells, end.format(**last)])
    ratios = [compare.ratio_to_others(found, -1) for found in seconds.values()]
    rows.append(["fastest other exact sampler / sklda", "", *ratios, ""])
    title = f"{compare.title_of(report)}: seconds to a perplexity"
    return compare.table(title, [*compare.HEAD, *wanted, "at the end"], rows)


def draw(axes, report) -> None:
    styles, lowest = figures.styles("compare"), np.inf
    for name, program in report["programs"].items():
        curve = median_curve(program)
        look = styles[name] | {"ms": 4, "label": PEERS[name].label}
        axes.plot(curve["seconds"], curve["perplexity"], **look)
        lowest = min(lowest, *curve["perplexity"])
    axes.set(xlabel="seconds of training", xscale="log")
    axes.set(title=compare.title_of(report), ylabel="perplexity of held-out words")
    axes.set_ylim(0.97 * lowest, SHOWN * lowest)
    axes.grid(alpha=0.3)
