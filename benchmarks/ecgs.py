"""The experiments of Xiao and Stibor on dynamic sampling, and shards, with sklda.

H. Xiao, T. Stibor, "Efficient Collapsed Gibbs Sampling for Latent Dirichlet
Allocation", ACML 2010. alpha = 50 / K, beta = 0.02.

    python -m benchmarks.ecgs chains --corpus kos --output DIR
    python -m benchmarks.ecgs speed --corpus nips --output DIR
    python -m benchmarks.ecgs shards --corpus nips --threads 2 --output DIR
    python -m benchmarks.ecgs figures --output DIR

`chains`: perplexity and sampling rate against sweeps, of each strategy and damping.
`speed`: seconds per sweep of each strategy against topics. `shards`: what documents
swept in parts, side by side, gain in time and cost in perplexity.

Each prints a table and writes a JSON file with all curves or times; figures are drawn
of all such files in the folder, one panel a corpus, and `figures` draws them again.

Chains are trained on three quarters of the documents. Perplexity is that of the other
quarter, by document completion: theta of a document is estimated on one half of its
tokens given phi of the present sweep, not a mean over sweeps, and predicts the other
half; both ways round, as `score` does it. `chains` takes for the end of a chain the
mean over the recorded sweeps among its last 50, `shards` its last sweep.

Times are taken on their own, of all that is compared in turns of one sweep, from the
first sweep on; on one thread, but for shards on at most as many as there are shards.
Other work on the machine takes more from two threads than from one: beside the
speed-up by medians, `shards` gives that by the fastest tenth of the sweeps, and the
"capacity", what the threads gain on chains that have nothing in common, one each.

The first of `--strategies`, or of `--shards`, is what the others are compared with.
The standard strategy is the single-site kernel of CollapsedGibbsLDA; "apart" is the
same where each token is a cell of its own, so that the tokens of a word in a document
share nothing, as in kernels like those of the paper.
"""

import argparse
import json

import numpy as np

from benchmarks import common, corpora
from benchmarks import ecgs_runs as runs

STRATEGIES = ("standard", "dynamic", "shortcut")
TIMED = (*STRATEGIES, "apart")
DAMPINGS = [1, 10, 100, 1000]
PAPER_TOPICS = 400
PAPER_SECONDS = {  # per sweep, K = 400, a computer of 2010
    "kos": {"standard": 1.1, "dynamic": 0.9, "shortcut": 0.8, "GibbsLDA++": 3.9},
    "nips": {"standard": 4.0, "dynamic": 2.8, "shortcut": 1.7, "GibbsLDA++": 16.0},
}
PAPER_LIMIT = {"kos": 0.755, "nips": 0.385}  # cells / tokens


def write(arguments, name: str, report: dict) -> None:
    """Write a report as JSON, and draw all reports of the command."""
    alpha = f"{runs.ALPHA_SUM} / K"
    common.write(arguments, name, {"alpha": alpha, "beta": runs.BETA}, report)
    draw(arguments.output, name.partition("-")[0])


def draw(folder, command: str) -> None:
    """Draw the figures of a command, with all of its reports in a folder."""
    from benchmarks import ecgs_figures

    paths = sorted(folder.glob(f"{command}-*.json"))
    if paths:
        reports = [json.loads(path.read_text()) for path in paths]
        getattr(ecgs_figures, f"{command}_figures")(folder, reports)


def figures_command(arguments) -> None:
    """Draw the figures of all commands again."""
    for command in ("chains", "speed", "shards"):
        draw(arguments.output, command)


def chains_summary(sweeps, chains) -> dict:
    """Return where the chains of each strategy end, beside those of the first."""
    summary = {}
    for name, of_strategy in chains.items():
        curves = [chain["perplexity"] for chain in of_strategy]
        ends = [float(common.end_of(sweeps, curve).mean()) for curve in curves]
        median = float(np.median(ends))
        base = next(iter(summary.values()))["perplexity"] if summary else median
        rates = [chain["sampling_rate"][-1] for chain in of_strategy]
        summary[name] = {
            "perplexity": median,
            "range": [min(ends), max(ends)],
            "relative": median / base,
            "sampling_rate": float(np.median(rates)),
        }
    return summary


def print_chains(summary, limits, corpus) -> None:
    """Print the table of chains_summary."""
    reference = next(iter(summary))
    print(f"strategy        perplexity       range        / {reference}   rate")
    for name, row in summary.items():
        low, high = row["range"]
        print(
            f"{name:14} {row['perplexity']:>11.1f}  {low:>7.1f} - {high:<7.1f}  "
            f"{row['relative']:>9.4f}  {row['sampling_rate']:>8.4f}"
        )
    print(
        f"Least rate: {limits['shortcut']:.3f} (cells / tokens; all documents, paper: "
        f"{PAPER_LIMIT[corpus]}), dynamic {limits['dynamic']:.3f}.\nThe paper: dynamic "
        "ends at standard's perplexity (kos), slightly above it (nips,\ndamping 1); "
        "shortcut is clearly worse."
    )


def chains_command(arguments) -> None:
    """Run chains of all strategies on a real corpus."""
    corpus, sweeps = arguments.corpus, common.recorded_sweeps(arguments)
    X = corpora.load(corpus, arguments.data_home)
    train, test = corpora.split_documents(X)
    chosen = runs.strategies(arguments.strategies, arguments.damping)
    options = arguments.topics, arguments.sweeps, arguments.every
    jobs = [
        (name, parameters, train, test, options[0], seed, *options[1:])
        for seed in range(arguments.starts)
        for name, parameters in chosen.items()
    ]

    def tell(chain):
        perplexity, rate = chain["perplexity"][-1], chain["sampling_rate"][-1]
        return f"perplexity {perplexity:.1f}, sampling rate {rate:.3f}"

    chains = common.run_chains(runs.run_chain, jobs, arguments.jobs, tell)
    summary, limits = chains_summary(sweeps, chains), runs.rate_limits(train)
    print(
        f"\n{corpus}, K = {arguments.topics}: medians (and range) of "
        f"{arguments.starts} starts after {arguments.sweeps} sweeps"
    )
    print_chains(summary, limits, corpus)
    report = {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    report |= {"least_rate": limits, "paper_least_rate": PAPER_LIMIT[corpus]}
    report |= {"summary": summary, "sweeps": sweeps, "chains": chains}
    write(arguments, f"chains-{corpus}", report)


def speed_row(seconds: dict[str, list[float]]) -> dict:
    """Return what is told of the seconds of each strategy."""
    mean, median = runs.means(seconds), common.medians(seconds)
    return {
        "mean": mean,
        "median": median,
        "speed_up": runs.speed_ups(mean),
        "speed_up_of_median": runs.speed_ups(median),
        "seconds": seconds,
    }


def print_paper_speed(corpus, names) -> None:
    """Print the row of the paper below those of speed_command."""
    paper = PAPER_SECONDS[corpus]
    names = [name for name in names if name in paper]
    ratio = runs.speed_ups({name: paper[name] for name in names})
    cells = [f"{paper[name]:.1f} {ratio[name]:.2f}" for name in names]
    print("paper" + "".join(f"{cell:>26}" for cell in cells))
    print(
        f"(the paper, K = {PAPER_TOPICS}, on a computer of 2010; GibbsLDA++ took "
        f"{paper['GibbsLDA++']} s there)"
    )


def speed_command(arguments) -> None:
    """Time sweeps of each strategy against the number of topics."""
    names, corpus = arguments.strategies, arguments.corpus
    X = corpora.load(corpus, arguments.data_home)
    first, last = arguments.first, arguments.sweeps
    print(
        f"{corpus}, sweeps {first + 1} to {last}: mean (median) of the seconds per "
        f"sweep;\nratio of the means, {names[0]} / this"
    )
    print("    K" + "".join(f"{name:>26}" for name in names))
    rows = []
    for n_topics in arguments.topics:
        row = speed_row(runs.seconds_per_sweep(X, n_topics, names, first, last))
        rows.append({"n_topics": n_topics, **row})
        cells = [
            f"{row['mean'][n]:.4f} ({row['median'][n]:.4f}) {row['speed_up'][n]:.2f}"
            for n in names
        ]
        print(f"{n_topics:>5}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
    print_paper_speed(corpus, names)
    paper = {"n_topics": PAPER_TOPICS, "seconds": PAPER_SECONDS[corpus]}
    report = {"tokens": int(X.sum()), "rows": rows, "paper": paper}
    write(arguments, f"speed-{corpus}", report)


def shards_rows(starts: list[dict]) -> list[dict]:
    """Return what is told of each number of shards, of the runs from all starts."""
    shards = list(starts[0]["seconds"])
    seconds = {n: np.concatenate([s["seconds"][n] for s in starts]) for n in shards}
    median = common.medians(seconds)
    faster = runs.speed_ups(median)
    fastest = runs.speed_ups({n: np.quantile(seconds[n], 0.1) for n in shards})
    ends = {n: [start["perplexity"][n] for start in starts] for n in shards}
    base = float(np.median(ends[shards[0]]))
    return [
        {
            "n_shards": n,
            "seconds": median[n],
            "speed_up": faster[n],
            "speed_up_of_fastest": float(fastest[n]),
            "perplexity": float(np.median(ends[n])),
            "relative": float(np.median(ends[n])) / base,
            "relative_of_starts": [end / base for end in ends[n]],
        }
        for n in shards
    ]


def capacity(starts: list[dict], threads: int) -> dict:
    """Return how much more chains get done on all threads than one alone on one."""
    spent = {
        name: np.concatenate([start[name] for start in starts])
        for name in ("one", "side_by_side")
    }
    alone, together = spent["one"], spent["side_by_side"]
    fastest = np.quantile(alone, 0.1) / np.quantile(together, 0.1)
    return {
        "of_median": threads * float(np.median(alone) / np.median(together)),
        "of_fastest": threads * float(fastest),
    }


def print_shards(rows, capacity) -> None:
    """Print the table of one sampler and one number of topics."""
    print(
        f"capacity: {capacity['of_median']:.2f}, "
        f"of the fastest tenth {capacity['of_fastest']:.2f}"
    )
    print("shards   s/sweep  speed-up  fastest  perplexity  relative  of the starts")
    for row in rows:
        low, high = min(row["relative_of_starts"]), max(row["relative_of_starts"])
        print(
            f"{row['n_shards']:>6}  {row['seconds']:>8.4f}  {row['speed_up']:>8.2f}  "
            f"{row['speed_up_of_fastest']:>7.2f}  {row['perplexity']:>10.1f}  "
            f"{row['relative']:>8.4f}  {low:.4f} - {high:.4f}",
            flush=True,
        )


def shards_command(arguments) -> None:
    """Sweep in parts, side by side: seconds, and perplexity at the end."""
    corpus = arguments.corpus
    X = corpora.load(corpus, arguments.data_home)
    train, test = corpora.split_documents(X)
    print(
        f"{corpus}: medians of {arguments.starts} starts, {arguments.sweeps} sweeps, "
        f"at most {arguments.threads} threads"
    )
    results = []
    for sampler in arguments.samplers:
        for n_topics in arguments.topics:
            options = n_topics, arguments.shards, arguments.threads
            starts = [
                runs.run_shards(sampler, train, test, *options, seed, arguments.sweeps)
                for seed in range(arguments.starts)
            ]
            rows = shards_rows(starts)
            print(f"\n{sampler}, K = {n_topics}")
            gain = capacity(starts, arguments.threads)
            print_shards(rows, gain)
            result = {"sampler": sampler, "n_topics": n_topics, "capacity": gain}
            results.append({**result, "rows": rows, "starts": starts})
    report = {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    write(
        arguments,
        runs.shards_name(corpus, arguments.threads),
        {**report, "results": results},
    )


def choose(parser, strategies) -> None:
    """Let the user choose among some strategies."""
    parser.add_argument(
        "--strategies", nargs="+", default=list(strategies), choices=strategies
    )


def parse(argv=None) -> argparse.Namespace:
    """Read the command line."""
    output, real = common.output_options(), common.corpus_options()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    parents = [output, real]
    add = commands.add_parser("chains", parents=[*parents, common.curve_options(10)])
    add.set_defaults(command=chains_command)
    choose(add, STRATEGIES)
    add.add_argument("--topics", type=int, default=40)
    add.add_argument("--starts", type=int, default=3)
    add.add_argument("--damping", nargs="+", type=int, default=DAMPINGS)
    add = commands.add_parser("speed", parents=parents)
    add.set_defaults(command=speed_command)
    choose(add, TIMED)
    add.add_argument("--topics", nargs="+", type=int, default=[50, 100, 200, 400])
    add.add_argument("--first", type=int, default=0, help="sweeps before the timed")
    add.add_argument("--sweeps", type=int, default=500, help="the last timed")
    add = commands.add_parser("shards", parents=parents)
    add.set_defaults(command=shards_command)
    names = list(runs.SAMPLERS)
    add.add_argument("--samplers", nargs="+", default=["collapsed"], choices=names)
    add.add_argument("--topics", nargs="+", type=int, default=[100, 400])
    add.add_argument("--shards", nargs="+", type=int, default=[1, 2, 4, 8, 16])
    add.add_argument("--threads", type=int, default=2)
    add.add_argument("--starts", type=int, default=3)
    add.add_argument("--sweeps", type=int, default=500)
    add = commands.add_parser("figures", parents=[output])
    add.set_defaults(command=figures_command)
    arguments = parser.parse_args(argv)
    least = getattr(arguments, "every", 1), getattr(arguments, "first", 0) + 1
    common.require_sweeps(parser, arguments, max(least))
    return arguments


def main(argv=None) -> None:
    arguments = parse(argv)
    arguments.command(arguments)


if __name__ == "__main__":
    main()
