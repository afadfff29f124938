import numpy as np

from benchmarks import compare, harness
from benchmarks.programs import PEERS

FEWEST_TURNS = 2
MARK = " †"  # of sweeps that are not those that should have been timed


def run(options) -> None:
    timed = options.first, options.last, options.limit, options.limit
    rules = *timed, compare.TURN, FEWEST_TURNS

    def measure(names, task, held_out):
        def run(seed):
            with compare.runners(names, task, seed) as team:
                return harness.time_turns(team, *rules)

        programs = compare.runs_of_seeds(options.repeats, run)
        paces = {
            n: np.median(p["runs"][0]["seconds_per_sweep"]) for n, p in programs.items()
        }
        harness.print_rows([paces])
        return programs

    compare.measure(options, "speed", measure)


def speed(report: dict, name: str) -> float:
    """Return the tokens per second: medians over turns, then over starts."""
    runs = report["programs"][name]["runs"]
    paces = [np.median(turns["seconds_per_sweep"]) for turns in runs]
    return float(np.median(report["tokens"] / np.array(paces)))


def section(reports, images) -> dict:
    tables = [
        compare.topics_table(title, by_topics, _millions, _ratios(by_topics.values()))
        for title, by_topics in compare.by_corpus(reports)
    ]
    limits = sorted({report["options"]["limit"] for report in reports})
    dagger = (
        f"{MARK.strip()}: a program is warmed up for at most "
        f"{' or '.join(f'{limit:g}' for limit in limits)} seconds, and "
        "timed for as long; of this one, earlier and fewer sweeps were timed."
    )
    is_marked = any(MARK in table for table in tables)
    return {"tables": "\n\n".join(tables), "dagger": dagger if is_marked else ""}


def _millions(report: dict, name: str) -> str:
    if name not in report["programs"]:
        return "–"
    wanted = [report["options"]["first"], report["options"]["last"]]
    runs = report["programs"][name]["runs"]
    mark = "" if all(turns["sweeps"] == wanted for turns in runs) else MARK
    return f"{speed(report, name) / 1e6:.2f}{mark}"


def _ratios(reports) -> list[str]:
    cells = []
    for report in reports:
        exact = {n: speed(report, n) for n in report["programs"] if PEERS[n].exact}
        mine = exact.pop("sklda", None)
        best = max(exact, key=exact.get, default=None)
        known = mine and best
        cells.append(
            f"{mine / exact[best]:.2f} ({PEERS[best].label})" if known else "–"
        )
    return ["sklda / fastest other exact sampler", *cells]
