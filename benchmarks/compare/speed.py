from functools import partial

import numpy as np

from benchmarks import compare, harness

FEWEST_TURNS = 2
MARK = " †"  # of sweeps that are not those that should have been timed


def run(options) -> None:
    timed = {"first": options.first, "last": options.last, "limit": options.limit}
    timed |= {"warm_limit": options.limit, "sweeps": compare.TURN, "few": FEWEST_TURNS}
    compare.measure_starts(options, "speed", partial(harness.time_turns, **timed))


def speed(report: dict, name: str) -> float:
    """Return the tokens per second: means over turns, then medians over starts.

    Some programs have one long turn: their seconds are a mean, too.
    """
    runs = report["programs"][name]["runs"]
    paces = [np.mean(turns["seconds_per_sweep"]) for turns in runs]
    return float(np.median(report["tokens"] / np.array(paces)))


def section(reports, images) -> dict:
    tables = []
    for title, by_topics in compare.by_corpus(reports).items():
        ratios = ["sklda / fastest other exact sampler", ""]
        for report in by_topics.values():
            speeds = {name: speed(report, name) for name in report["programs"]}
            ratios.append(compare.ratio_to_others(speeds, 1))
        tables.append(compare.topics_table(title, by_topics, millions, ratios))
    limits = sorted({report["options"]["limit"] for report in reports})
    seconds = " or ".join(f"{limit:g}" for limit in limits)
    dagger = (
        f"{MARK.strip()}: a program is warmed up for at most {seconds} seconds, and "
        "timed for as long; of this one, earlier and fewer sweeps were timed."
    )
    is_marked = any(MARK in table for table in tables)
    return {"tables": "\n\n".join(tables), "dagger": dagger if is_marked else ""}


def millions(report: dict, name: str) -> str:
    wanted = [report["options"]["first"], report["options"]["last"]]
    runs = report["programs"][name]["runs"]
    mark = "" if all(turns["sweeps"] == wanted for turns in runs) else MARK
    return f"{speed(report, name) / 1e6:.2f}{mark}"
