from functools import partial
from itertools import product

import numpy as np

from benchmarks import corpora, ecgs, figures, harness, number
from benchmarks.internals import SideBySide
from sklda import ECGSLDA, CollapsedGibbsLDA

SAMPLERS = {"collapsed": CollapsedGibbsLDA, "ecgs": ECGSLDA}


def run(options) -> None:
    X = corpora.load(options.corpus, options)
    train, test = corpora.split_documents(X)
    report = {"tokens": int(train.sum()), "test_tokens": int(test.sum()), "results": []}
    for sampler, n_topics in product(options.samplers, options.topics):
        model = train, test, sampler, n_topics
        starts = [run_shards(*model, s, options) for s in range(options.starts)]
        result = {"sampler": sampler, "n_topics": n_topics, "rows": rows_of(starts)}
        result["capacity"] = capacity(starts, options.threads)
        harness.print_rows([result, *result["rows"]])
        report["results"].append(result | {"starts": starts})
    name = f"shards-{options.corpus}-threads-{options.threads}"
    harness.write(options, name, report, **ecgs.PRIORS)


def run_shards(train, test, sampler, n_topics, seed, options) -> dict:
    """Return seconds and perplexity by shards, and seconds of chains by themselves."""

    def new(name, X):
        start = partial(ecgs.new_chain, X, n_topics, seed, SAMPLERS[sampler])
        if name == "one":
            return start()
        if name == "side_by_side":
            return SideBySide([start() for _ in range(options.threads)])
        return start(n_shards=name, n_jobs=options.threads)

    names = "one", "side_by_side", *options.shards
    timed = 0, options.sweeps
    seconds, programs = harness.seconds_per_sweep(new, names, train, *timed)
    report = {name: seconds.pop(name) for name in names[:2]} | {"seconds": seconds}
    ends = {n: ecgs.perplexity(programs[n], test) for n in options.shards}
    return report | {"perplexity": ends}


def rows_of(starts: list[dict]) -> list[dict]:
    shards = list(starts[0]["seconds"])
    seconds = {n: np.concatenate([s["seconds"][n] for s in starts]) for n in shards}
    times = harness.times(seconds)
    fastest = harness.speed_ups({n: np.quantile(seconds[n], 0.1) for n in shards})
    rows = []
    for n in shards:
        ends = [start["perplexity"][n] for start in starts]
        row = {"n_shards": n, "seconds": times["median"][n]}
        row["speed_up"] = times["times_as_fast"][n]
        row["speed_up_of_fastest"] = fastest[n]
        row["perplexity"] = float(np.median(ends))
        base = rows[0]["perplexity"] if rows else row["perplexity"]
        row["relative"] = row["perplexity"] / base
        rows.append(row | {"relative_of_starts": [end / base for end in ends]})
    return rows


def capacity(starts: list[dict], threads: int) -> dict:
    """Return how much faster separate chains sweep on all threads than on one."""
    one = np.concatenate([start["one"] for start in starts])
    many = np.concatenate([start["side_by_side"] for start in starts])
    of = {"of_median": 0.5, "of_fastest": 0.1}
    gains = {k: np.quantile(one, q) / np.quantile(many, q) for k, q in of.items()}
    return {name: float(threads * gain) for name, gain in gains.items()}


def draw(reports, folder) -> None:
    def draw_one(panels, report):
        relative, speed_up = {}, {}
        for result in report["results"]:
            label = f"{result['sampler']}, K = {result['n_topics']}"
            speed_up[label] = {r["n_shards"]: r["speed_up"] for r in result["rows"]}
            relative[label] = {
                row["n_shards"]: harness.range_of(row["relative_of_starts"])
                for row in result["rows"]
            }
        looks = dict(zip(relative, figures.styles("blocking").values(), strict=False))
        than = number(report["options"]["shards"][0], "shard")
        kinds = ("perplexity, relative to", relative), ("times as fast as", speed_up)
        for axes, (kind, points) in zip(panels, kinds, strict=True):
            figures.lines(axes, points, looks, "shards", f"{kind} {than}", log=False)
            axes.axhline(1, color="#555555", lw=0.6)

    figures.per_report(reports, folder, 2, draw_one)
