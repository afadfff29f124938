import numpy as np

from benchmarks import compare, corpora, figures, harness
from benchmarks.programs import PEERS

LEVEL = 25  # perplexities to reach are multiples of it
EASIER = (3, 1, 0, -1)  # levels above the lowest that all reach
SHOWN = 1.6  # perplexities up to so many times the lowest


def run(options) -> None:
    checkpoints = harness.geometric(options.sweeps)

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
    styles, tables = figures.styles("compare"), []
    figure, panels = figures.panels(len(reports))
    for axes, report in zip(panels, reports, strict=True):
        wanted, rows, lowest = levels(report), [], np.inf
        for name in report["programs"]:
            program, label = report["programs"][name], PEERS[name].label
            curve, row = median_curve(program), [label]
            for level in wanted:
                s = np.median([seconds_to(curve, level) for curve in program["runs"]])
                row.append("–" if np.isinf(s) else f"{s:.1f}")
            end = "{perplexity:.0f} ({sweeps:.0f} sweeps, {seconds:.0f} s)"
            last = {key: values[-1] for key, values in curve.items()}
            rows.append([*row, end.format(**last)])
            look = styles[name] | {"ms": 4, "label": label}
            axes.plot(curve["seconds"], curve["perplexity"], **look)
            lowest = min(lowest, *curve["perplexity"])
        title = compare.title_of(report)
        head = ["", *wanted, "at the end"]
        tables.append(compare.table(f"{title}: seconds to a perplexity", head, rows))
        axes.set(title=title, xlabel="seconds of training", xscale="log")
        axes.set_ylabel("perplexity of held-out words")
        axes.set_ylim(0.97 * lowest, SHOWN * lowest)
        axes.grid(alpha=0.3)
    figures.finish(figure, images / "benchmarks-perplexity.png")
    return {"tables": "\n\n".join(tables)}
