"""Speed and memory against tokens, words and topics: compare-size."""

import shutil
import time
from functools import partial
from itertools import product

import numpy as np

from benchmarks import corpora, figures, harness, number
from benchmarks.compare import FACTS, table
from benchmarks.large import draw_corpus, write
from benchmarks.programs import PEERS, Failed, available, ours, private_bytes
from benchmarks.programs.large import KEPT, read_mapped
from benchmarks.worker import Worker, workplace

NIPS = (0.0, 0)  # in place of millions of tokens and of words
SIZE = ("corpus", "words", "tokens")  # of a point
TINY = (0.02, 1000)  # millions of tokens, words: its tables do not count
SWEEPS_OF_NIPS = 200  # of the fit whose topics large corpora have
WARM_SWEEPS = 2
RANDOM = ", random start"
DASHES = {False: "-", 100: "-", 400: "--"}  # by topics; the first where they are x
HEAD = ["", "tokens, millions", "words", "million tokens/s per thread", "/ NIPS"]
HEAD += ["tokens that move, %", "bytes per token", "peak, MB"]


def run_size(options) -> None:
    versions = available(options.peers, options.threads)
    series = [
        (name, init)
        for name, init in product(versions, options.init)
        if name == "sklda" or init == "random"
    ]
    X = corpora.load("nips", options)
    with workplace() as folder:
        for n_topics, sizes in sizes_by_topics(options).items():
            chain = ours.gibbs(X, n_topics, seed=0)
            chain.sweep(SWEEPS_OF_NIPS)
            make = partial(write_corpus, X, chain.z, folder)
            file = f"size-{n_topics}-{options.threads}"
            for point in points(series, sizes, make, n_topics, options):
                harness.print_rows([{"topics": n_topics, **point}])
                stored = harness.read(options.folder, file).get(file, {})
                report = {"peers": stored.get("peers", {}) | versions}
                report["points"] = with_earlier(stored.get("points", []), point)
                harness.write(options, file, report, **FACTS | {"topics": n_topics})


def sizes_by_topics(options) -> dict[int, list[tuple]]:
    """Return millions of tokens and words to measure, for each number of topics."""
    sizes = [(tokens, options.words) for tokens in sorted(options.tokens)]
    sizes += [(options.tokens_of_words, words) for words in options.vocabularies]
    found = {k: [NIPS, *sizes] for k in options.topics}
    for k in options.other_topics:
        found.setdefault(k, []).append((options.tokens_of_topics, options.words))
    return {k: list(dict.fromkeys(sizes)) for k, sizes in found.items()}


def write_corpus(X, z, folder, tokens: float, words: int):
    """Write a corpus of `tokens` millions, or X itself; return its folder."""
    path = folder / f"corpus-{tokens}-{words}"
    if (tokens, words) == NIPS:
        write([(X, z)], X.shape[1], path)
    else:
        write(draw_corpus(X, z, round(tokens * 1e6), words), words, path)
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

    Another process converts the corpus and compiles. Memory is that without files, as
    every few milliseconds find it.
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
        sweeps = first, options.timed, options.limit
        seconds, end = worker.do("steady", *sweeps, look=memory.look)
        if max(seconds) > options.limit:
            return {"slow": max(seconds), "seconds_per_sweep": seconds}
        return {
            "start": round(start, 3),
            "first": first,
            "seconds_per_sweep": seconds,
            "before_bytes": memory.before,
            "peak_bytes": memory.peak(end),
            "moved": worker.do("moved"),
        }


class Memory:
    """The memory of a process before something, and at times since then."""

    def __init__(self, process: int):
        self.process = process
        self.before = private_bytes(process)
        self.looks: list[tuple[float, int]] = []

    def look(self) -> None:
        self.looks.append((time.time(), private_bytes(self.process)))

    def peak(self, end: float) -> int:
        """Return the peak until a time."""
        return max((n for at, n in self.looks if at <= end), default=self.before)


def with_earlier(points: list[dict], new: dict) -> list[dict]:
    """Return all points in order, the new one in place of one of the same kind."""
    kept = [point for point in points if kind(point) != kind(new)]
    return sorted([*kept, new], key=kind)


def kind(point: dict) -> tuple:
    """Return what tells apart the points of a report, in the order of tables."""
    size = point["corpus"] != "nips", point["words"], point["tokens"]
    return *size, list(PEERS).index(point["program"]), point["init"]


def label(point: dict) -> str:
    name = PEERS[point["program"]].label
    is_random = point["program"] == "sklda" and point["init"] == "random"
    return name + RANDOM if is_random else name


def speed(point: dict) -> float:
    """Return million tokens per second."""
    return float(point["tokens"] / np.median(point["seconds_per_sweep"]) / 1e6)


def bytes_per_token(point: dict) -> float:
    return (point["peak_bytes"] - point["before_bytes"]) / point["tokens"]


def share_moved(point: dict, points: list[dict]) -> float | None:
    """Return the share of the tokens that move, or that of sklda if it is unknown."""
    same = [p for p in points if all(p[key] == point[key] for key in (*SIZE, "init"))]
    known = [p["moved"] for p in (point, *same) if p.get("moved") is not None]
    return known[0] if known else None


MEASURES = {speed: "million tokens/s", bytes_per_token: "bytes per token"}
UNITS = {"tokens": "million tokens"}


def section_size(reports, images) -> dict:
    options = reports[0]["options"]
    least = min(report["options"]["threads"] for report in reports)
    shown = [r for r in reports if r["options"]["threads"] == least]
    words, tokens = {"words": options["words"]}, options["tokens_of_words"]
    fixed = {  # what stays the same, by what grows
        "tokens": words,
        "words": {"tokens": tokens},
        "topics": {"tokens": options["tokens_of_topics"], **words},
    }
    figure, panels = figures.panels(6, most_columns=3)
    cases = product(MEASURES.items(), fixed.items())
    for axes, ((value, ylabel), (x, same)) in zip(panels, cases, strict=True):
        figures.lines(axes, *curves(shown, x, same, value), UNITS.get(x, x), ylabel)
        texts = (f"{n:,.6g} {UNITS.get(of, of)}" for of, n in same.items())
        axes.set_title(", ".join(texts))
    figures.finish(figure, images / "benchmarks-size.png")
    values = {key: options[key] for key in ("first", "first_of_random", "timed")}
    return values | {"kept": KEPT, "tables": "\n\n".join(map(table_of, reports))}


def curves(reports, x: str, fixed: dict, value) -> tuple[dict, dict]:
    """Return a curve against x for each series, and how they look.

    Topics have a curve each, unless they are x.
    """
    lines: dict[tuple, dict] = {}
    for report in reports:
        n_topics = report["options"]["topics"]
        for point in report["points"]:
            sizes = point | {"topics": n_topics, "tokens": point["tokens"] / 1e6}
            same = all(sizes[of] == n for of, n in fixed.items())
            if point["corpus"] == "large" and same and "slow" not in point:
                series = point["program"], label(point), x != "topics" and n_topics
                lines.setdefault(series, {})[sizes[x]] = value(point)
    named, looks = {}, {}
    for (program, text, n_topics), values in lines.items():
        if len(values) > 1:
            name = f"{text}, K = {n_topics:,}" if n_topics else text
            named[name] = values
            dashes = {"ls": DASHES.get(n_topics, ":")}
            looks[name] = figures.styles("compare")[program] | dashes
            if text.endswith(RANDOM):
                looks[name]["mfc"] = "white"
    return named, looks


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
    nips = {label(p): speed(p) for p in points if p["corpus"] == "nips"}
    base, moved = nips.get(label(point)), share_moved(point, points)
    cells.append(f"{speed(point) / base:.2f}" if base and not is_nips else "–")
    cells.append("–" if moved is None else f"{100 * moved:.0f}")
    return [
        *cells,
        f"{bytes_per_token(point):.1f}",
        f"{point['peak_bytes'] / 1e6:,.0f}",
    ]
