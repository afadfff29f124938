"""The experiments of Xiao and Stibor on dynamic sampling, and shards."""

from functools import partial

import numpy as np

from benchmarks import corpora, figures, harness, number
from benchmarks.programs.ours import SideBySide, Sklda, completion_score
from sklda import ECGSLDA, CollapsedGibbsLDA

ALPHA_SUM, BETA = 50, 0.02
STYLES = figures.styles("ecgs")
PRIORS = {"alpha": "50 / K", "beta": BETA}  # in reports
KINDS = {
    "perplexity": "perplexity of the test documents",
    "relative": "perplexity, relative to the first",
    "sampling_rate": "sampling rate, draws / tokens",
}
draw_speed = partial(figures.draw_rows, looks=STYLES)


def new_chain(X, n_topics, seed=0, estimator=ECGSLDA, **parameters) -> Sklda:
    priors = {"alpha": ALPHA_SUM / n_topics, "beta": BETA}
    return Sklda(estimator, X, n_topics, seed, **priors, **parameters)


def perplexity(chain: Sklda, test) -> float:
    """Return the perplexity of unseen documents under phi of the last sweep."""
    phi = chain.estimates()[1]
    return float(np.exp(-completion_score(test, phi, ALPHA_SUM / len(phi))))


def run_chains(options) -> None:
    X = corpora.load(options.corpus, options)
    train, test = corpora.split_documents(X)
    sweeps = list(range(options.every, options.sweeps + 1, options.every))
    data = options.strategies, train, test, sweeps, options.topics
    chains = harness.run_starts(run_start, options, *data)
    report = {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    report["least_rate"] = rate_limits(train)
    report |= {"summary": summary(sweeps, chains), "sweeps": sweeps, "chains": chains}
    harness.write(options, f"chains-{options.corpus}", report, **PRIORS)


def run_start(seed, names, train, test, sweeps, n_topics) -> dict[str, dict]:
    """Return the perplexity and draws / tokens after some sweeps of each chain."""

    def new(name):
        strategy, _, damping = name.partition("-")
        parameters = {"damping": int(damping)} if damping else {}
        return new_chain(train, n_topics, seed, strategy=strategy, **parameters)

    def evaluate(chain):
        rate = round(chain.sampling_rate()[-1], 5)
        return {"perplexity": round(perplexity(chain, test), 3), "sampling_rate": rate}

    programs = {name: new(name) for name in names}
    return harness.follow_programs(programs, sweeps, evaluate)


def rate_limits(X) -> dict[str, float]:
    """Return the lower limit of the sampling rate, for each strategy."""
    twice = X.nnz + (X.data == 2).sum()  # dynamic sampling draws cells of two twice
    return {"shortcut": float(X.nnz / X.sum()), "dynamic": float(twice / X.sum())}


def summary(sweeps, chains) -> dict:
    """Return the ends of the chains, relative to those of the first strategy."""
    rows = harness.summary(sweeps, chains, "perplexity", harness.TAIL)
    for name, row in rows.items():
        rates = [chain["sampling_rate"][-1] for chain in chains[name]]
        row["sampling_rate"] = float(np.median(rates))
    return rows


def draw_chains(reports, folder) -> None:
    for report in reports.values():
        first, *_ = report["chains"].values()
        base = harness.median_curve([chain["perplexity"] for chain in first])
        for chain in (chain for runs in report["chains"].values() for chain in runs):
            chain["relative"] = chain["perplexity"] / base
        limit = dict.fromkeys(KINDS, 0 * base + np.nan)
        limit["sampling_rate"] = 0 * base + report["least_rate"]["shortcut"]
        report["chains"] = {"cells / tokens": [limit], **report["chains"]}
    figures.draw_curves(reports, folder, KINDS, STYLES)


def run_shards(options) -> None:
    X = corpora.load(options.corpus, options)
    train, test = corpora.split_documents(X)
    report = {"tokens": int(train.sum()), "test_tokens": int(test.sum()), "results": []}
    for n_topics in options.topics:
        model = train, test, n_topics
        starts = [time_shards(*model, s, options) for s in range(options.starts)]
        result = {"n_topics": n_topics, "rows": rows_of(starts)}
        result["capacity"] = capacity(starts, options.threads)
        harness.print_rows([result, *result["rows"]])
        report["results"].append(result | {"starts": starts})
    name = f"shards-{options.corpus}-threads-{options.threads}"
    harness.write(options, name, report, **PRIORS)


def time_shards(train, test, n_topics, seed, options) -> dict:
    """Return seconds and perplexity by shards, and seconds of chains by themselves."""

    def new(name, X):
        start = partial(new_chain, X, n_topics, seed, CollapsedGibbsLDA)
        if name == "one":
            return start()
        if name == "side_by_side":
            return SideBySide([start() for _ in range(options.threads)])
        return start(n_shards=name, n_jobs=options.threads)

    names = "one", "side_by_side", *options.shards
    timed = 0, options.sweeps
    seconds, programs = harness.seconds_per_sweep(new, names, train, *timed)
    report = {name: seconds.pop(name) for name in names[:2]} | {"seconds": seconds}
    ends = {n: perplexity(programs[n], test) for n in options.shards}
    return report | {"perplexity": ends}


def rows_of(starts: list[dict]) -> list[dict]:
    shards = list(starts[0]["seconds"])
    seconds = {n: np.concatenate([s["seconds"][n] for s in starts]) for n in shards}
    times = harness.times(seconds)
    rows = []
    for n in shards:
        ends = [start["perplexity"][n] for start in starts]
        row = {"n_shards": n, "seconds": times["median"][n]}
        row["speed_up"] = times["times_as_fast"][n]
        row["perplexity"] = float(np.median(ends))
        base = rows[0]["perplexity"] if rows else row["perplexity"]
        row["relative"] = row["perplexity"] / base
        rows.append(row | {"relative_of_starts": [end / base for end in ends]})
    return rows


def capacity(starts: list[dict], threads: int) -> dict:
    """Return how much faster separate chains sweep on all threads than on one."""
    single = np.concatenate([start["one"] for start in starts])
    many = np.concatenate([start["side_by_side"] for start in starts])
    return {"of_median": float(threads * np.median(single) / np.median(many))}


def draw_shards(reports, folder) -> None:
    def draw_one(panels, report):
        relative, speed_up = {}, {}
        for result in report["results"]:
            label = f"K = {result['n_topics']}"
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


def run_speed(options) -> None:
    named = new_program, options.strategies, options.corpus
    harness.measure_speed(*named, options, **PRIORS)


def new_program(name, X, n_topics) -> Sklda:
    strategy = "standard" if name == "apart" else name
    program = new_chain(X, n_topics, strategy=strategy)
    if name == "apart":
        program.separate_tokens()
    return program
