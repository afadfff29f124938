"""The page of the comparison, made of the reports in a folder."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.compare import results
from benchmarks.compare.peers import PEERS, threads_of
from benchmarks.compare.text import (
    CURVES,
    GROWTH,
    HEAD,
    PROCESS,
    QUALITY,
    SCALE,
    SPEED,
)

MARK = " †"  # of figures that are of other sweeps than asked for


def write(folder: Path, doc: Path) -> None:
    """Write benchmarks.rst and its figures, of what has been measured."""
    from benchmarks.compare import pictures

    images = doc / "images"
    images.mkdir(parents=True, exist_ok=True)
    parts = [HEAD, *_machines(folder), *_speed(folder)]
    quality = results.read(folder, "quality")
    if quality:
        pictures.perplexity_figure(images / "benchmarks-perplexity.png", quality)
        parts += [QUALITY, *_quality(quality), CURVES]
    parts += _process(folder)
    parts += _scale(results.read_one(folder, "scale"))
    growth = results.read_one(folder, "growth")
    if growth:
        pictures.growth_figure(images / "benchmarks-growth.png", growth)
        parts += _growth(growth)
    text = "\n\n".join(part.strip("\n") for part in parts) + "\n"
    (doc / "benchmarks.rst").write_text(text, encoding="utf-8")


def tell(measure: str, report: dict) -> None:
    """Print what a report says, in short."""
    for name, program in report["programs"].items():
        if measure == "speed":
            value = _millions(results.speeds(report, name)) + " M tokens/s"
        elif measure == "quality":
            curve = results.median_curve(program)
            value = f"perplexity {curve['perplexity'][-1]:.0f} after "
            value += f"{curve['sweeps'][-1]} sweeps, {curve['seconds'][-1]:.1f} s"
        else:
            value = f"{program['peak_bytes'] / 1e6:.0f} MB"
        print(f"  {name:16} {value}", flush=True)


def table(title: str, head: list[str], rows: list[list[str]]) -> str:
    """Return a table; the first column names the rows."""
    lines = [f".. list-table:: {title}", "   :header-rows: 1", "   :stub-columns: 1"]
    for row in [head, *rows]:
        cells = [f"- {cell}".rstrip() for cell in row]
        lines += ["", f"   * {cells[0]}", *(f"     {cell}" for cell in cells[1:])]
    return "\n".join(lines)


def _machines(folder: Path) -> Iterator[str]:
    """Describe each machine on which some reports were made, and the programs."""
    machines, versions = [], {}
    for path in sorted(folder.glob("*.json")):
        report = results.read_one(folder, path.stem)
        if report["machine"] not in machines:
            machines.append(report["machine"])
        versions |= report.get("peers", {})
    for machine in machines:
        python = ", ".join(f"{k} {v}" for k, v in machine["versions"].items())
        yield (
            f"Machine: {machine['cpu']}, {machine['cores']} cores, "
            f"{machine['system']}; {' '.join(machine['simd'])}. Versions: {python}."
        )
    shown = {
        PEERS[name].label: version
        for name, version in versions.items()
        if PEERS[name].package != "sklda"
    }
    if shown:
        names = (f"{label} {version}" for label, version in shown.items())
        yield f"Programs: {', '.join(names)}."


def _millions(speeds: list[float]) -> str:
    return f"{np.median(speeds) / 1e6:.2f}" if speeds else "–"


def _speed(folder: Path) -> list[str]:
    """Return the tables of tokens per second, one for each corpus."""
    reports, tables, marked = results.read(folder, "speed"), [], False
    for corpus, threads, by_topics in results.by_corpus(reports):
        rows = []
        for name in results.programs_of(by_topics.values()):
            cells = []
            for report in by_topics.values():
                cell = _millions(results.speeds(report, name))
                if name in report["programs"]:
                    other = not results.timed_as_asked(report, name)
                    cell, marked = cell + MARK * other, marked or other
                cells.append(cell)
            rows.append([PEERS[name].label, *cells])
        ratio = [_ratio(report) for report in by_topics.values()]
        rows.append(["sklda / fastest other exact sampler", *ratio])
        tables.append(_topics_table(corpus, threads, by_topics, rows))
    return [SPEED.format(dagger=_dagger(reports) if marked else ""), *tables]


def _dagger(reports) -> str:
    limits = sorted({report["options"]["limit"] for report in reports})
    most = " or ".join(f"{limit:g}" for limit in limits)
    return (
        f"{MARK.strip()}: a program is warmed up for at most {most} seconds, and "
        "timed for as long; of this one, earlier and fewer sweeps were timed."
    )


def _ratio(report: dict) -> str:
    mine, other = results.speeds(report, "sklda"), results.fastest_other(report)
    if not mine or other is None:
        return "–"
    return f"{np.median(mine) / other[1]:.2f} ({PEERS[other[0]].label})"


def _topics_table(corpus, threads, by_topics, rows, unit="") -> str:
    report = next(iter(by_topics.values()))
    title = f"{corpus.upper()}, {report['tokens']:,} tokens, {threads_of(threads)}"
    title += unit
    return table(title, ["", *(f"K = {n_topics}" for n_topics in by_topics)], rows)


def _quality(reports: list[dict]) -> Iterator[str]:
    """Yield a table of seconds for each corpus and number of topics."""
    for report in reports:
        options, levels = report["options"], results.levels(report)
        rows = []
        for name in results.programs_of([report]):
            program = report["programs"][name]
            seconds = [results.median_seconds_to(report, name, at) for at in levels]
            cells = ["–" if np.isinf(s) else f"{s:.1f}" for s in seconds]
            curve = results.median_curve(program)
            end = f"{curve['perplexity'][-1]:.0f} ({curve['sweeps'][-1]} sweeps, "
            end += f"{curve['seconds'][-1]:.0f} s)"
            rows.append([PEERS[name].label, *cells[::-1], end])
        title = f"{options['corpus'].upper()}, K = {options['topics']}, "
        title += f"{threads_of(options['threads'])}: seconds to a perplexity"
        head = ["", *(str(level) for level in levels[::-1]), "at the end"]
        yield table(title, head, rows)


def _process(folder: Path) -> list[str]:
    """Return the tables of memory, and of what comes before the first sweep."""
    reports = results.read(folder, "process")
    tables = []
    for corpus, threads, by_topics in results.by_corpus(reports):
        names = results.programs_of(by_topics.values())
        rows = [
            [PEERS[name].label, *(_peak(report, name) for report in by_topics.values())]
            for name in names
        ]
        tables.append(_topics_table(corpus, threads, by_topics, rows, ", MB"))
        n_topics, report = next(iter(by_topics.items()))
        rows = [_before(report["programs"][name], name) for name in report["programs"]]
        title = f"{corpus.upper()}, K = {n_topics}, {threads_of(threads)}: seconds"
        head = ["", "import", "sweeps, not compiled", "sweeps, compiled", "start"]
        tables.append(table(title, head, rows))
    return [PROCESS, *tables] if tables else []


def _peak(report: dict, name: str) -> str:
    program = report["programs"].get(name)
    return f"{program['peak_bytes'] / 1e6:.0f}" if program else "–"


def _before(program: dict, name: str) -> list[str]:
    """Return the row of what comes before the first sweep."""
    cold, warm = program["cold"], program["warm"]
    seconds = warm["import"], cold["first"], warm["first"], program["start"]
    return [PEERS[name].label, *(f"{s:.2f}" for s in seconds)]


def _scale(report: dict | None) -> list[str]:
    """Return the table of the large synthetic corpus."""
    if report is None:
        return []
    sizes = {key: f"{report[key]:,}" for key in ("documents", "words", "cells")}
    rows, alone = [], {}
    for row in report["rows"]:
        n_topics, seconds = row["topics"], row["seconds_per_sweep"]
        if row["threads"] == 1:
            alone[n_topics] = np.median(seconds)
        gain = alone[n_topics] / np.median(seconds) if n_topics in alone else np.nan
        cells = [f"{n_topics}, {row['threads']}", f"{row['start']:.1f}"]
        cells += [f"{seconds[0]:.1f}", f"{np.median(seconds):.1f}"]
        cells += ["–" if np.isnan(gain) else f"{gain:.2f}"]
        rows.append([*cells, f"{row['peak_bytes'] / 1e9:.2f} GB"])
    head = ["K, threads", "start, s", "first sweep, s", "median sweep, s"]
    head += ["times one thread", "peak memory"]
    n_sweeps = report["options"]["sweeps"]
    text = SCALE.format(tokens=f"{report['tokens']:,}", sweeps=n_sweeps, **sizes)
    return [text, table("A large synthetic corpus", head, rows)]


def _growth(report: dict) -> list[str]:
    of_both = ("tokens", "topics")
    exponents = {of: f"{results.slope(report[of], of):.2f}" for of in of_both}
    return [GROWTH.format(**exponents)]
