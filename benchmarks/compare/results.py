"""Reports as they were written, and the figures that the page takes from them."""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks.compare.peers import PEERS

LEVEL = 25  # perplexities to reach are multiples of it
EASIER = (-1, 0, 1, 3)  # levels above the lowest that all reach


def read(folder: Path, measure: str) -> list[dict]:
    """Return all reports of a measure, by corpus, threads and topics."""
    found = [json.loads(path.read_text()) for path in folder.glob(f"{measure}-*.json")]

    def place(report):
        options = report["options"]
        return options["corpus"], options["threads"], options["topics"]

    return sorted(found, key=place)


def read_one(folder: Path, name: str) -> dict | None:
    """Return a report, None if it has not been written."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def by_corpus(reports: list[dict]) -> Iterator[tuple[str, int, dict[int, dict]]]:
    """Yield corpus, threads, and the reports of each number of topics."""

    def place(report):
        return report["options"]["corpus"], report["options"]["threads"]

    for (corpus, threads), some in groupby(reports, place):
        yield corpus, threads, {r["options"]["topics"]: r for r in some}


def programs_of(reports) -> list[str]:
    """Return the programs of which at least one report tells, in one order."""
    told = {name for report in reports for name in report["programs"]}
    return [name for name in PEERS if name in told]


def speeds(report: dict, name: str) -> list[float]:
    """Return the tokens per second of each start: by the median of its turns."""
    program = report["programs"].get(name, {"runs": []})
    medians = [np.median(run["seconds_per_sweep"]) for run in program["runs"]]
    return [report["tokens"] / seconds for seconds in medians]


def fastest_other(report: dict) -> tuple[str, float] | None:
    """Return the exact sampler that is the fastest beside sklda, and its speed."""
    others = {
        name: float(np.median(speeds(report, name)))
        for name in report["programs"]
        if PEERS[name].exact and name != "sklda"
    }
    return max(others.items(), key=lambda item: item[1]) if others else None


def timed_as_asked(report: dict, name: str) -> bool:
    """Whether the sweeps that were timed are those that should have been."""
    asked = [report["options"]["first"], report["options"]["last"]]
    return all(run["sweeps"] == asked for run in report["programs"][name]["runs"])


def seconds_to(curve: dict, level: float) -> float:
    """Return when a curve first is at a perplexity or below; infinity is never.

    Between two recorded sweeps the perplexity is taken as linear in log seconds.
    """
    perplexity, seconds = np.array(curve["perplexity"]), np.array(curve["seconds"])
    below = np.flatnonzero(perplexity <= level)
    if below.size == 0:
        return np.inf
    last = below[0]
    if last == 0:
        return float(seconds[0])
    around = slice(last - 1, last + 1)
    share = (perplexity[last - 1] - level) / -np.diff(perplexity[around])[0]
    first_log, last_log = np.log(seconds[around])
    return float(np.exp(first_log + share * (last_log - first_log)))


def median_seconds_to(report: dict, name: str, level: float) -> float:
    """Return the median over starts."""
    runs = report["programs"][name]["runs"]
    return float(np.median([seconds_to(run, level) for run in runs]))


def levels(report: dict) -> list[int]:
    """Return perplexities to reach, the lowest first.

    The second is the lowest multiple of 25 that the median start of every exact sampler
    reaches; of those that went on to the last sweep.
    """
    last = report["options"]["sweeps"]
    ends = [
        float(np.median([min(run["perplexity"]) for run in program["runs"]]))
        for name, program in report["programs"].items()
        if PEERS[name].exact and all(r["sweeps"][-1] == last for r in program["runs"])
    ]
    if not ends:
        return []
    lowest = LEVEL * int(np.ceil(max(ends) / LEVEL))
    return [lowest + LEVEL * steps for steps in EASIER]


def median_curve(program: dict) -> dict[str, list]:
    """Return medians over starts, of the sweeps that all starts came to."""
    runs = program["runs"]
    n = min(len(run["sweeps"]) for run in runs)
    curve = {
        key: np.median([run[key][:n] for run in runs], axis=0).tolist()
        for key in ("seconds", "perplexity")
    }
    return curve | {"sweeps": runs[0]["sweeps"][:n]}


def slope(points: list[dict], of: str) -> float:
    """Return the exponent of a power law through the ends of a growth curve."""
    first, last = points[0], points[-1]
    return float(
        np.log(last["seconds"] / first["seconds"]) / np.log(last[of] / first[of])
    )
