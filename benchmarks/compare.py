"""Comparison with other programs, each in its own process; its page, and figures.

`section_speed(reports, images)` and its like draw a figure, and return the values that
fill a section of page.rst.
"""

import re
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from pathlib import Path
from string import Template

import numpy as np
from scipy import sparse

from benchmarks import DECLARED, corpora, figures, harness, module_of, number
from benchmarks.harness import Runner
from benchmarks.programs import ALPHA, BETA, PEERS, Failed, available
from benchmarks.worker import Worker, workplace

HERE = Path(__file__).resolve().parent
TURN = 5  # sweeps
HEAD = ("", "method")  # of the first columns of tables
FACTS = {"alpha": ALPHA, "beta": BETA}  # in reports
FIT = "sklda-fit"
MARK = " †"  # where fewer sweeps were timed than asked for
LEVEL = 25  # perplexities to reach are multiples of it
EASIER = (3, 1, 0, -1)  # levels above the lowest that all reach
SHOWN = 1.6  # perplexities up to so many times the lowest
STEPS = (1, 2, 4)  # few, as some programs are fitted anew for each checkpoint
MEMORY_SWEEPS = 10


class RemoteRunner(Runner):
    def __init__(self, worker: Worker):
        super().__init__(worker.name, lambda n: worker.do("seconds", n))
        self.worker = worker

    def at_once(self, last, sweeps):
        """Return all sweeps for a program that starts anew each turn."""
        restarts = PEERS[self.name].restarts
        return last - self.n_sweeps if restarts else super().at_once(last, sweeps)

    def start(self, task, *arguments) -> None:
        self.worker.do("prepare", task)
        self.worker.do("start", task, *arguments)


def measure(options, name: str, measure_one, *, hold_out=False) -> None:
    """Write what `measure_one(names, task, held_out)` yields, and keep earlier results.

    Programs that average samples take part if words are held out.
    """
    versions = available(options.peers, options.threads)
    names = [peer for peer in versions if hold_out or not PEERS[peer].takes_means]
    for corpus in options.corpora:
        X, held_out = corpora.load(corpus, options), ()
        report = corpora.shape_of(X)
        if hold_out:
            X, *held_out = corpora.split(X, corpus)
        with workplace() as folder:
            path = folder / "corpus.npz"
            sparse.save_npz(path, X, compressed=False)
            for n_topics in options.topics:
                task = path, n_topics, options.threads
                facts = {"topics": n_topics, "corpus": corpus, **FACTS}
                file = f"{name}-{corpus}-{n_topics}-{options.threads}"
                for found in measure_one(names, task, held_out):
                    stored = harness.read(options.folder, file).get(file, {})
                    report["peers"] = stored.get("peers", {}) | versions
                    earlier = stored.get("programs", {})
                    report["programs"] = with_earlier(earlier, found)
                    harness.write(options, file, report, **facts)


def with_earlier(earlier: dict, found: dict) -> dict[str, dict]:
    """Return all programs in their order; a new run replaces the one of its seed."""
    programs = dict(earlier)
    for name, program in found.items():
        runs = {run["seed"]: run for run in earlier.get(name, {}).get("runs", ())}
        runs |= {run["seed"]: run for run in program.get("runs", ())}
        programs[name] = {**program, "runs": list(runs.values())} if runs else program
    return {name: programs[name] for name in PEERS if name in programs}


def measure_starts(options, name: str, run_all, *, hold_out=False) -> None:
    """Write what `run_all(team)` returns, which also takes words that are held out."""

    def measure_one(names, task, held_out):
        for seed in options.seeds:
            with ExitStack() as processes:
                workers = [processes.enter_context(Worker(name)) for name in names]
                team = [RemoteRunner(worker) for worker in workers]
                team = [r for r in team if r.attempt(r.start, task, seed)]
                found = run_all(team, *held_out)
            harness.print_ends(seed, found)
            yield {name: {"runs": [{"seed": seed, **r}]} for name, r in found.items()}

    measure(options, name, measure_one, hold_out=hold_out)


def by_corpus(reports: list[dict]) -> dict[str, dict[int, dict]]:
    """Return the reports of each number of topics, by the title of a table."""
    tables: dict[str, dict[int, dict]] = {}
    for report in reports:
        title = title_of(report, f"{report['tokens']:,} tokens")
        tables.setdefault(title, {})[report["options"]["topics"]] = report
    return tables


def shapes(reports) -> str:
    """Return a table of the corpora of the reports, or an empty text."""
    rows = {}
    for report in reports:
        if "corpus" in report["options"]:
            name = report["options"]["corpus"]
            shape = [report[key] for key in corpora.SHAPE]
            cells = [*(f"{n:,}" for n in shape), f"{shape[-1] / shape[0]:.1f}"]
            rows[name] = [figures.CORPORA[name], *cells]
    head = ["", *corpora.SHAPE, "tokens of a document"]
    return table("Corpora", head, list(rows.values())) if rows else ""


def title_of(report: dict, size="") -> str:
    options = report["options"]
    size, threads = size or f"K = {options['topics']}", options["threads"]
    corpus = figures.CORPORA[options["corpus"]]
    return f"{corpus}, {size}, {number(threads, 'thread')}"


def table(title: str, head: list, rows: list[list[str]]) -> str:
    lines = [f".. list-table:: {title}", "   :header-rows: 1", "   :stub-columns: 1"]
    for row in [head, *rows]:
        cells = [f"- {cell}".rstrip() for cell in row]
        lines += ["", f"   * {cells[0]}", *(f"     {cell}" for cell in cells[1:])]
    return "\n".join(lines)


def topics_table(title: str, by_topics: dict, cell, *more) -> str:
    """Return a row for each program, with `cell(report, name)`, and then `more`."""
    reports, rows = by_topics.values(), []
    for name in PEERS:
        cells = [cell(r, name) if name in r["programs"] else "–" for r in reports]
        if any(name in report["programs"] for report in reports):
            rows.append([*first_cells(name), *cells])
    return table(title, [*HEAD, *(f"K = {k}" for k in by_topics)], [*rows, *more])


def first_cells(name: str) -> list[str]:
    """Return the cells of the columns `HEAD`."""
    return [PEERS[name].label, PEERS[name].method]


def ratio_to_others(values: dict[str, float], sign: int) -> str:
    """Return sklda / best other exact sampler; sign is 1 if more is better, or -1."""
    mine, others = ours_and_others(values)
    if not (others and np.isfinite(mine)):
        return "–"
    best = max(others, key=lambda name: sign * others[name])
    return f"{(mine / others[best]) ** sign:.2f} ({PEERS[best].label})"


def ours_and_others(values: dict[str, float]) -> tuple[float, dict[str, float]]:
    """Return the value of sklda, and the finite ones of other exact samplers.

    A fit, which averages samples, is compared with all, whether they do so or not.
    """
    ours = FIT if FIT in values else "sklda"
    others = {
        name: value
        for name, value in values.items()
        if (PEERS[name].exact or (ours == FIT and PEERS[name].method == "exact"))
        and np.isfinite(value)
        and PEERS[name].package != "sklda"
    }
    return values.get(ours, np.inf), others


def run_speed(options) -> None:
    timed = {"first": options.first, "last": options.last, "limit": options.limit}
    timed |= {"warm_limit": options.limit, "sweeps": TURN}
    measure_starts(options, "speed", partial(harness.time_turns, **timed))


def speed(report: dict, name: str) -> float:
    """Return the tokens per second: means over turns, then medians over starts."""
    runs = report["programs"][name]["runs"]
    paces = [np.mean(turns["seconds_per_sweep"]) for turns in runs]
    return float(np.median(report["tokens"] / np.array(paces)))


def section_speed(reports, images) -> dict:
    tables = []
    for title, by_topics in by_corpus(reports).items():
        ratios = ["sklda / fastest other exact sampler", ""]
        for report in by_topics.values():
            speeds = {name: speed(report, name) for name in report["programs"]}
            ratios.append(ratio_to_others(speeds, 1))
        tables.append(topics_table(title, by_topics, millions, ratios))
    limits = sorted({report["options"]["limit"] for report in reports})
    seconds = " or ".join(f"{limit:g}" for limit in limits)
    dagger = (
        f"{MARK.strip()}: each program warms up for at most {seconds} seconds and is "
        "timed for as long; for this one, earlier and fewer sweeps were timed."
    )
    is_marked = any(MARK in table for table in tables)
    return {"tables": "\n\n".join(tables), "dagger": dagger if is_marked else ""}


def millions(report: dict, name: str) -> str:
    wanted = [report["options"]["first"], report["options"]["last"]]
    runs = report["programs"][name]["runs"]
    mark = "" if all(turns["sweeps"] == wanted for turns in runs) else MARK
    return f"{speed(report, name) / 1e6:.2f}{mark}"


def run_quality(options) -> None:
    checkpoints = harness.geometric(options.sweeps, STEPS)

    def run_all(team, held_out):
        def evaluate(runner):
            estimates = runner.worker.do("estimates", held_out.shape[0])
            return {"perplexity": round(corpora.perplexity(*estimates, held_out), 2)}

        rules = {"limit": options.limit, "sweeps": TURN}
        return harness.follow(team, checkpoints, evaluate, **rules)

    measure_starts(options, "quality", run_all, hold_out=True)


def seconds_to(curve: dict, level: float) -> float:
    rising = -np.array(curve["perplexity"])
    return harness.reached(np.array(curve["seconds"]), rising, -level)


def levels(report: dict) -> list[int]:
    """Return perplexities to reach, the highest first.

    Exact samplers that went on to the last sweep reach all but the last, by medians.
    """
    last, ends = report["options"]["sweeps"], []
    for name, program in report["programs"].items():
        is_whole = all(run["sweeps"][-1] == last for run in program["runs"])
        if PEERS[name].exact and is_whole:
            ends.append(np.median([min(run["perplexity"]) for run in program["runs"]]))
    lowest = LEVEL * int(np.ceil(max(ends, default=0) / LEVEL))
    return [lowest + LEVEL * steps for steps in EASIER] if ends else []


def median_curve(program: dict) -> dict[str, np.ndarray]:
    """Return medians over starts, to the last sweep that all starts reached."""
    n = min(len(curve["sweeps"]) for curve in program["runs"])
    return {
        key: harness.median_curve([curve[key][:n] for curve in program["runs"]])
        for key in ("sweeps", "seconds", "perplexity")
    }


def section_quality(reports, images) -> dict:
    figure, panels = figures.panels(len(reports))
    for axes, report in zip(panels, reports, strict=True):
        draw_quality(axes, report)
    figures.finish(figure, images / "benchmarks-perplexity.png")
    return {"tables": "\n\n".join(map(table_of_levels, reports))}


def table_of_levels(report: dict) -> str:
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
        rows.append([*first_cells(name), *cells, end.format(**last)])
    ratios = [ratio_to_others(found, -1) for found in seconds.values()]
    rows.append(["fastest other exact sampler / sklda", "", *ratios, ""])
    title = f"{title_of(report)}: seconds to reach a perplexity"
    return table(title, [*HEAD, *wanted, "at the end"], rows)


def draw_quality(axes, report) -> None:
    styles, curves = figures.styles("compare"), []
    for name, program in report["programs"].items():
        curves.append(median_curve(program))
        look = styles[name] | {"ms": 4, "label": PEERS[name].label}
        axes.plot(curves[-1]["seconds"], curves[-1]["perplexity"], **look)
    show_low(axes, curves)
    axes.set(title=title_of(report))
    axes.grid(alpha=0.3)


def show_low(axes, curves: list[dict]) -> None:
    """Show the low part of the curves: the first sweeps are high in all."""
    zipped = [zip(c["perplexity"], c["seconds"], strict=True) for c in curves]
    points = [point for curve in zipped for point in curve]
    lowest, _ = min(points)
    low = (seconds for level, seconds in points if level < SHOWN * lowest)
    first = min((s for s in low if s > 0.02), default=0.02)  # below that, it is noise
    axes.set(xlabel="seconds of training", ylabel="perplexity of held-out words")
    axes.set_xscale("log")
    figures.plain_numbers(axes.xaxis)
    axes.set_xlim(left=0.9 * first)
    axes.set_ylim(0.97 * lowest, SHOWN * lowest)


def run_process(options) -> None:
    def measure_one(names, task, held_out):
        for name in names:
            try:
                program = costs(name, task, options.limit)
            except Failed as failure:
                print(failure, flush=True)
            else:
                harness.print_rows([{"program": name, **program}])
                yield {name: program}

    measure(options, "process", measure_one)


def costs(name: str, task, limit: float) -> dict:
    with workplace():
        with Worker(name) as worker:
            cold = worker.do("prepare", task)
        with Worker(name) as worker:
            report = {"cold": cold, "warm": worker.do("prepare", task)}
            report["start"] = worker.do("start", task)
            runner = RemoteRunner(worker)
            harness.take_turns([runner], MEMORY_SWEEPS, lambda r: r.seconds < limit)
            report["sweeps"] = runner.n_sweeps
            return report | {"peak_bytes": worker.do("peak_bytes")}


def section_process(reports, images) -> dict:
    tables = []

    def peak(report, name):
        return f"{report['programs'][name]['peak_bytes'] / 1e6:.0f}"

    for title, by_topics in by_corpus(reports).items():
        tables.append(topics_table(f"{title}, MB", by_topics, peak))
        report, rows = next(iter(by_topics.values())), []
        for name, program in report["programs"].items():
            cold, warm = program["cold"], program["warm"]
            seconds = warm["import"], cold["first"], warm["first"], program["start"]
            rows.append([*first_cells(name), *(f"{s:.2f}" for s in seconds)])
        head = "import", "sweeps, not compiled", "sweeps, compiled", "start"
        title = f"{title_of(report)}: seconds"
        tables.append(table(title, [*HEAD, *head], rows))
    return {"tables": "\n\n".join(tables)}


# --- the page, and all figures --------------------------------------------------------


def run_pages(options) -> None:
    write_page(options.results / "compare", Path(options.doc or HERE.parent / "doc"))
    for name in DECLARED["question"]:
        family, _, kind = name.partition("-")
        reports = harness.read(options.results / family, f"{kind}*") if kind else {}
        if reports and family != "compare":
            draw = getattr(import_module(module_of(name)), f"draw_{kind}", None)
            if draw:  # the others have tables only
                draw(reports, options.results / family)


def write_page(folder: Path, doc: Path) -> None:
    images = doc / "images"
    images.mkdir(parents=True, exist_ok=True)
    text = (HERE / "page.rst").read_text(encoding="utf-8")
    head, *parts = re.split(r"^\.\. SECTION (\w+)\n", text, flags=re.MULTILINE)
    stored = harness.read(folder)
    values = {"machines": _machines(stored)}
    values["shapes"] = shapes(stored.values())
    sections = [Template(head).substitute(values)]
    for name, section in zip(parts[::2], parts[1::2], strict=True):
        reports = list(harness.read(folder, f"{name}*").values())
        if reports:
            module = import_module(module_of(f"compare-{name}"))
            values = getattr(module, f"section_{name}")(reports, images)
            sections.append(Template(section).substitute(values))
    page = "\n\n".join(section.strip() for section in sections) + "\n"
    (doc / "benchmarks.rst").write_text(page, encoding="utf-8")


def _machines(reports: dict[str, dict]) -> str:
    """Return the machines, with what was measured on each."""
    questions, versions = {}, {}
    for name, report in reports.items():
        machine = report["machine"]
        packages = ", ".join(f"{k} {v}" for k, v in machine["versions"].items())
        line = (
            f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; "
            f"{' '.join(machine['simd'])}. Versions: {packages}."
        )
        questions.setdefault(line, {})[f"``compare-{name.partition('-')[0]}``"] = None
        versions |= report.get("peers", {})
    lines = [f"Machine of {', '.join(of)}: {line}" for line, of in questions.items()]
    known = {PEERS[name]: version for name, version in versions.items()}
    shown = [f"{p.label} {v}" for p, v in known.items() if p.package != "sklda"]
    lines += [f"Programs: {', '.join(shown)}."] if shown else []
    return "\n\n".join(lines)
