"""Speed and memory against tokens, words and topics: compare-size."""

import shutil
from functools import partial

import numpy as np

from benchmarks import corpora, figures, harness, number
from benchmarks.compare import FACTS, table
from benchmarks.large import Block, LargeCorpus, fit_topics
from benchmarks.mapped import read_mapped, write_mapped
from benchmarks.programs import PEERS, Failed, available, private_bytes
from benchmarks.worker import Worker, workplace

NIPS = (0.0, 0)  # in place of millions of tokens and of words
SIZE = ("corpus", "words", "tokens")  # of a point
TINY = (0.02, 1000)  # millions of tokens, words: its tables do not count
WARM_SWEEPS = 2
DASHES = ("-", "--", ":", "-.")  # by topics
HEAD = ["", "tokens, millions", "words", "million tokens/s per thread", "/ NIPS"]
HEAD += ["tokens that move, %", "bytes per token", "peak, MB"]


def run_size(options) -> None:
    versions = available(options.peers, options.threads)
    series = [(name, init) for name in versions for init in starts(name, options)]
    X = corpora.load("nips", options)
    with workplace() as folder:
        for n_topics, sizes in sizes_by_topics(options).items():
            z = fit_topics(X, n_topics)
            make = partial(write_corpus, X, z, folder)
            file = f"size-{n_topics}-{options.threads}"
            for point in points(series, sizes, make, n_topics, options):
                pace = {"topics": n_topics, "millions_per_second": speed(point)}
                harness.print_rows([pace | point])
                stored = harness.read(options.folder, file).get(file, {})
                report = {"peers": stored.get("peers", {}) | versions}
                report["points"] = with_earlier(stored.get("points", []), point)
                harness.write(options, file, report, **FACTS | {"topics": n_topics})


def starts(name: str, options) -> list[str]:
    return [init for init in options.init if name == "sklda" or init == "random"]


def sizes_by_topics(options) -> dict[int, list[tuple]]:
    """Return millions of tokens and words to measure, for each number of topics."""
    sizes = [(tokens, options.words) for tokens in sorted(options.tokens)]
    sizes += [(options.tokens_of_words, words) for words in options.vocabularies]
    found = {k: [NIPS, *sizes] for k in options.topics}
    for k in options.other_topics:
        found.setdefault(k, []).append((options.tokens_of_topics, options.words))
    return {k: list(dict.fromkeys(some)) for k, some in found.items()}


def write_corpus(X, z, folder, tokens: float, words: int):
    """Write a corpus of so many million tokens, or X itself; return its folder."""
    path = folder / f"corpus-{tokens}-{words}"
    if (tokens, words) == NIPS:
        write_mapped([Block(X, z)], X.shape[1], path)
    else:
        write_mapped(LargeCorpus(X, z, round(tokens * 1e6), words), words, path)
    return path


def points(series, sizes, make, n_topics: int, options):
    """Yield what was measured, size by size; no series goes on when it is too slow."""
    tiny, slow = make(*TINY), {}
    for tokens, words in sizes:
        folder = make(tokens, words)
        shape = {"corpus": "nips" if (tokens, words) == NIPS else "large"}
        shape |= corpora.shape_of(read_mapped(folder))
        for name, init in series:
            if tokens > slow.get((name, init, words), np.inf):
                continue
            point = {"program": name, "init": init, **shape}
            task = n_topics, options.threads, init
            try:
                point |= measure(name, tiny, folder, task, options)
            except Failed as failure:
                print(failure, flush=True)
                continue
            if "slow" in point:
                slow[name, init, words] = tokens
            yield point
        shutil.rmtree(folder)
    shutil.rmtree(tiny)


def measure(name: str, tiny, folder, task, options) -> dict:
    """Return the sweeps and the peak memory of a program, in a process of its own.

    Another process converts the corpus and compiles.
    """
    with Worker(name) as worker:
        for path in (tiny, folder):
            worker.do("convert", path)
        worker.do("load", tiny, *task)
        worker.do("steady", 0, WARM_SWEEPS, np.inf)
    with Worker(name) as worker:
        worker.do("load", tiny, *task)
        worker.do("steady", 0, WARM_SWEEPS, np.inf)
        memory = Memory(worker.do("process"))
        start = worker.do("load", folder, *task, look=memory.look)
        first = options.first if task[-1] == "planted" else options.first_of_random
        timed = options.timed, options.limit
        found = worker.do("steady", first, *timed, look=memory.look)
        found |= {"start": round(start, 3), "first": first}
        found |= {"before_bytes": memory.before, "peak_bytes": memory.peak}
        if "slow" not in found:
            found["moved"] = worker.do("moved")
        return found


class Memory:
    """The memory of a process before something, and its peak since then."""

    def __init__(self, process: int):
        self.process = process
        self.before = self.peak = private_bytes(process)

    def look(self) -> None:
        self.peak = max(self.peak, private_bytes(self.process))


def with_earlier(points: list[dict], new: dict) -> list[dict]:
    """Return all points in order, the new one in place of one of the same kind."""

    kept = [point for point in points if kind(point) != kind(new)]
    return sorted([*kept, new], key=kind)


def kind(point: dict) -> tuple:
    """Return what a report has one point of; its order is that of tables."""
    size = point["corpus"] != "nips", point["words"], point["tokens"]
    return *size, list(PEERS).index(point["program"]), point["init"]


def label(point: dict) -> str:
    name = PEERS[point["program"]].label
    is_random = point["program"] == "sklda" and point["init"] == "random"
    return f"{name}, random start" if is_random else name


def speed(point: dict) -> float | None:
    """Return million tokens per second, None if the sweeps took too long."""
    if "slow" in point:
        return None
    return float(point["tokens"] / np.median(point["seconds_per_sweep"]) / 1e6)


def bytes_per_token(point: dict) -> float | None:
    if "slow" in point:
        return None
    return (point["peak_bytes"] - point["before_bytes"]) / point["tokens"]


def share_moved(point: dict, points: list[dict]) -> float | None:
    """Return the share of the tokens that move, if need be that of sklda."""
    same = [p for p in points if all(p[key] == point[key] for key in (*SIZE, "init"))]
    known = [p["moved"] for p in (point, *same) if p.get("moved") is not None]
    return known[0] if known else None


MEASURES = {speed: "million tokens/s", bytes_per_token: "bytes per token"}


def section_size(reports, images) -> dict:
    options = reports[0]["options"]
    least = min(report["options"]["threads"] for report in reports)
    shown = [r for r in reports if r["options"]["threads"] == least]
    at = {  # the sizes that stay the same, by the one that grows
        "tokens": {"words": options["words"]},
        "words": {"tokens": round(1e6 * options["tokens_of_words"])},
        "topics": {
            "words": options["words"],
            "tokens": round(1e6 * options["tokens_of_topics"]),
        },
    }
    figure, panels = figures.panels(6, most_columns=3)
    panels = iter(panels)
    for value, ylabel in MEASURES.items():
        for x, fixed in at.items():
            axes = next(panels)
            lines, looks = curves(shown, x, fixed, value)
            xlabel = "tokens, millions" if x == "tokens" else x
            figures.lines(axes, lines, looks, xlabel, ylabel)
            axes.set_title(", ".join(f"{n:,} {of}" for of, n in fixed.items()))
    figures.finish(figure, images / "benchmarks-size.png")
    values = {key: options[key] for key in ("first", "first_of_random", "timed")}
    values["limit"] = f"{options['limit']:g}"
    return values | {"tables": "\n\n".join(map(table_of, reports))}


def curves(reports, x: str, fixed: dict, value) -> tuple[dict, dict]:
    """Return a curve against x for each series, and how they look.

    Topics have a curve each, unless they are x.
    """
    lines: dict[str, dict] = {}
    looks, dashes = {}, {}
    for report in reports:
        n_topics = report["options"]["topics"]
        for point in report["points"]:
            sizes = point | {"topics": n_topics}
            others = any(sizes[of] != n for of, n in fixed.items())
            if point["corpus"] == "nips" or others:
                continue
            name, look = label(point), dict(figures.styles("compare")[point["program"]])
            if point["init"] == "random" and point["program"] == "sklda":
                look["mfc"] = "white"
            if x != "topics":
                name += f", K = {n_topics:,}"
                look["ls"] = DASHES[dashes.setdefault(n_topics, len(dashes)) % 4]
            looks[name] = look
            at = sizes[x] / 1e6 if x == "tokens" else sizes[x]
            lines.setdefault(name, {})[at] = value(point)
    return {name: values for name, values in lines.items() if len(values) > 1}, looks


def table_of(report: dict) -> str:
    n_topics, threads = (report["options"][key] for key in ("topics", "threads"))
    title = f"K = {n_topics:,}, {number(threads, 'thread')}"
    return table(
        title, HEAD, [row(p, report["points"], threads) for p in report["points"]]
    )


def row(point: dict, points: list[dict], threads: int) -> list[str]:
    """Return the cells of a point below `HEAD`."""
    is_nips = point["corpus"] == "nips"
    tokens = f"{point['tokens'] / 1e6:,.4g}" + (" (NIPS)" if is_nips else "")
    cells = [label(point), tokens, f"{point['words']:,}"]
    if "slow" in point:
        pace = point["tokens"] / point["slow"] / 1e6 / threads
        return [*cells, f"{pace:.2f} †", *["–"] * (len(HEAD) - 4)]
    cells.append(f"{speed(point) / threads:.2f}")
    of_nips = {label(p): speed(p) for p in points if p["corpus"] == "nips"}
    base, moved = of_nips.get(label(point)), share_moved(point, points)
    cells.append(f"{speed(point) / base:.2f}" if base and not is_nips else "–")
    cells.append("–" if moved is None else f"{100 * moved:.0f}")
    return [
        *cells,
        f"{bytes_per_token(point):.1f}",
        f"{point['peak_bytes'] / 1e6:,.0f}",
    ]
