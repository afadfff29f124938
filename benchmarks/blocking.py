"""The experiments of Zhang and Sisson on blocked sampling, run with sklda.

X. Zhang, S. A. Sisson, "Blocking Collapsed Gibbs Sampler for Latent Dirichlet
Allocation Models", arXiv:1608.00945. alpha = 0.1, beta = 0.01.

    python -m benchmarks.blocking bars --output DIR
    python -m benchmarks.blocking chains --corpus kos --output DIR
    python -m benchmarks.blocking speed --corpus nips --topics 8 64 1024 --output DIR

`bars`: many chains on data of known topics; how many end in a local mode?
`chains`: how many sweeps, and seconds, until the others are where single-site
sampling is after its last sweep? `speed`: seconds per sweep against topics.

Each prints a table and writes a JSON file with all curves and a figure. Curves are
log p(z, w) and the perplexity of half of the words of the last documents (see
benchmarks.corpora); it takes the mean of theta, and of phi, over every tenth sweep so
far and the present one (equation 13), both with z given: also for data augmentation,
whose own draws of them would only add noise.

Chains start as those of the library do: each token takes a topic given the tokens
before it. That is a better start than topics drawn evenly, which papers use. Chains
run side by side with `--jobs`; what a sweep costs is measured afterwards on its own,
one sampler after the other in turns of one sweep, on one thread.

The first of `--samplers` is the one that the others are compared with.
"""

import argparse

import numpy as np
from scipy import sparse

from benchmarks import blocking_runs as runs
from benchmarks import common, corpora
from benchmarks.compare.peers import ALPHA, BETA
from sklda.datasets import make_bars

CHAINS_TOPICS = {"kos": 32, "nips": 40}
TOPICS = [8, 16, 32, 64, 128, 256, 512, 1024]
CHAINS_TIMED = (20, 40)  # sweeps
PAPER_LOCAL_MODES = {"single-site": 5, "augmentation": 10}  # of 30 chains
PAPER_LESS_TIME = {"kos": 14.4, "nips": 36.5}  # %: nested, K = 1024


def run_chains(arguments, train, held_out, n_topics) -> dict[str, list[dict]]:
    """Return the chains of each sampler, one for each start."""
    options = arguments.sweeps, arguments.every, arguments.max_block_size
    jobs = [
        (name, train, held_out, n_topics, seed, *options)
        for seed in range(arguments.starts)
        for name in arguments.samplers
    ]

    def tell(chain):
        posterior, perplexity = chain["log_posterior"][-1], chain["perplexity"][-1]
        return f"log posterior {posterior:.0f}, perplexity {perplexity}"

    return common.run_chains(runs.run_chain, jobs, arguments.jobs, tell)


def write(arguments, name: str, report: dict) -> None:
    """Write a report as JSON."""
    common.write(arguments, name, {"alpha": ALPHA, "beta": BETA}, report)


def bars_summary(sweeps, chains, planted, n_tokens) -> dict:
    """Return which chains end in a local mode, by log posterior and by topics.

    Adds to each chain its gap to the best, in nats per token, and its distances to
    the planted topics.
    """
    everything = [chain for of_sampler in chains.values() for chain in of_sampler]
    curves = [chain["log_posterior"] for chain in everything]
    gaps = runs.gaps_to_best(sweeps, curves) / n_tokens
    for chain, gap in zip(everything, gaps, strict=True):
        far = runs.distances_to_planted(chain.pop("topic_word"), planted)
        chain["gap"] = round(float(gap), 5)
        chain["distances"] = far.round(3).tolist()
        chain["missed_topics"] = int((far > runs.FARTHEST).sum())
    samplers = {}
    for name, of_sampler in chains.items():
        samplers[name] = {
            "chains": len(of_sampler),
            "below_best": sum(chain["gap"] > runs.WIDEST_GAP for chain in of_sampler),
            "missing_topics": sum(chain["missed_topics"] > 0 for chain in of_sampler),
            "perplexity": float(np.median([c["perplexity"][-1] for c in of_sampler])),
            "paper_of_30": PAPER_LOCAL_MODES.get(name),
        }
    criteria = {"widest_gap": runs.WIDEST_GAP, "farthest": runs.FARTHEST}
    return {**criteria, "samplers": samplers}


def bars_command(arguments) -> None:
    """Run chains from many starts on the bars."""
    from benchmarks.blocking_figures import curves_figure

    X, _, planted = make_bars(
        arguments.documents, doc_topic_prior=arguments.corpus_alpha, random_state=0
    )
    train, held_out = corpora.split(sparse.csr_array(X), "bars")
    chains = run_chains(arguments, train, held_out, planted.shape[0])
    sweeps, n_tokens = common.recorded_sweeps(arguments), int(train.sum())
    summary = bars_summary(sweeps, chains, planted, n_tokens)
    print(
        f"\nbars, K = {planted.shape[0]}, {arguments.sweeps} sweeps. Chains in a local "
        f"mode: below best, by more\nthan {runs.WIDEST_GAP} nats per token in the mean "
        f"of the last {common.TAIL} sweeps; topic missed,\nnone within the Hellinger "
        f"distance {runs.FARTHEST} of one of the bars."
    )
    print("sampler        chains  below best  topic missed  paper   perplexity")
    for name, row in summary["samplers"].items():
        paper = f"{row['paper_of_30']} of 30" if row["paper_of_30"] else "-"
        print(
            f"{name:14} {row['chains']:>6}  {row['below_best']:>10}  "
            f"{row['missing_topics']:>12}  {paper:>8}  {row['perplexity']:>9.3f}"
        )
    report = {"tokens": n_tokens, "summary": summary, "sweeps": sweeps}
    write(arguments, "bars", {**report, "chains": chains})
    title = f"Bars, {arguments.starts} starts"
    curves_figure(arguments.output / "bars.png", title, sweeps, chains, n_tokens)


def chains_summary(sweeps, chains, seconds) -> dict:
    """Return when each sampler is where the first is at the end, in the median.

    `seconds` are those per sweep of each sampler.
    """
    summary = {}
    targets = {}
    for name, of_sampler in chains.items():
        row = {"seconds_per_sweep": seconds[name]}
        for key, rising in (("log_posterior", True), ("perplexity", False)):
            curve = common.median_curve([chain[key] for chain in of_sampler])
            target = targets.setdefault(key, curve[-1])
            reached = runs.sweeps_to_reach(sweeps, curve, target, rising=rising)
            row[key] = {
                "last": float(curve[-1]),
                "sweeps": reached,
                "seconds": None if reached is None else reached * seconds[name],
            }
        summary[name] = row
    return summary


def print_chains(summary, n_tokens) -> None:
    """Print the table of chains_summary."""
    print("                s per   log posterior per token     perplexity")
    print("sampler         sweep      last  sweeps seconds      last  sweeps seconds")
    for name, row in summary.items():
        line = f"{name:14} {row['seconds_per_sweep']:>6.4f}"
        for key, unit, digits in (("log_posterior", n_tokens, 4), ("perplexity", 1, 1)):
            cell = row[key]
            line += f"  {cell['last'] / unit:>8.{digits}f}"
            if cell["sweeps"] is None:
                line += f"  {'never':>6} {'-':>7}"
            else:
                line += f"  {cell['sweeps']:>6} {cell['seconds']:>7.2f}"
        print(line)


def chains_command(arguments) -> None:
    """Run chains on a real corpus and compare sweeps and seconds."""
    from benchmarks.blocking_figures import curves_figure

    corpus = arguments.corpus
    n_topics = arguments.topics or CHAINS_TOPICS[corpus]
    X = corpora.load(corpus, arguments.data_home)
    train, held_out = corpora.split(X, corpus)
    results = run_chains(arguments, train, held_out, n_topics)
    for of_sampler in results.values():
        for chain in of_sampler:
            del chain["topic_word"]
    seconds = runs.seconds_per_sweep(
        train,
        n_topics,
        arguments.samplers,
        *CHAINS_TIMED,
        max_block_size=arguments.max_block_size,
    )
    sweeps, n_tokens = common.recorded_sweeps(arguments), int(train.sum())
    summary = chains_summary(sweeps, results, common.medians(seconds))
    print(
        f"\n{corpus}, K = {n_topics}: medians of {arguments.starts} starts after "
        f"{arguments.sweeps} sweeps; sweeps and\nseconds to reach "
        f"{arguments.samplers[0]} at its end"
    )
    print_chains(summary, n_tokens)
    report = {"n_topics": n_topics, "tokens": n_tokens, "summary": summary}
    report |= {"seconds": seconds, "sweeps": sweeps, "chains": results}
    name = f"chains-{corpus}"
    write(arguments, name, report)
    title = f"{corpus.upper()}, K = {n_topics}, {arguments.starts} starts"
    path = arguments.output / f"{name}.png"
    curves_figure(path, title, sweeps, results, n_tokens)


def speed_command(arguments) -> None:
    """Time sweeps against the number of topics."""
    from benchmarks.blocking_figures import speed_figure

    names, corpus = arguments.samplers, arguments.corpus
    X = corpora.load(corpus, arguments.data_home)
    print(f"{corpus}: seconds per sweep, and in those of {names[0]}")
    print("    K  " + "".join(f"{name:>22}" for name in names))
    rows = []
    for n_topics in arguments.topics:
        seconds = runs.seconds_per_sweep(
            X,
            n_topics,
            names,
            arguments.first,
            arguments.sweeps,
            limit=arguments.limit,
            max_block_size=arguments.max_block_size,
        )
        median = common.medians(seconds)
        ratio = common.ratios(median)
        rows.append({"n_topics": n_topics, "median": median, "ratio": ratio})
        rows[-1]["seconds"] = seconds
        cells = [f"{median[name]:.4f} ({ratio[name]:.2f})" for name in names]
        print(f"{n_topics:>5}  " + "".join(f"{cell:>22}" for cell in cells), flush=True)
    print(
        "The paper, interpreted code, K = 1024: nested takes "
        + " and ".join(f"{p} % ({c})" for c, p in PAPER_LESS_TIME.items())
        + "\nless time than single-site."
    )
    report = {"tokens": int(X.sum()), "rows": rows}
    write(arguments, f"speed-{corpus}", {**report, "paper": PAPER_LESS_TIME})
    speed_figure(
        arguments.output / f"speed-{corpus}.png",
        f"{corpus.upper()}, {X.sum():,} tokens, one thread",
        arguments.topics,
        {name: [row["median"][name] for row in rows] for name in names},
    )


def parse(argv=None) -> argparse.Namespace:
    """Read the command line."""
    every = common.output_options()
    names = list(runs.SAMPLERS)
    every.add_argument("--samplers", nargs="+", default=names, choices=names)
    every.add_argument("--max-block-size", type=int, help="of nested and backward")
    curves, real = common.curve_options(every=1), common.corpus_options()

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    add = commands.add_parser("bars", parents=[every, curves])
    add.set_defaults(command=bars_command)
    add.add_argument("--starts", type=int, default=30)
    add.add_argument("--documents", type=int, default=2000, help="more than 250")
    add.add_argument("--corpus-alpha", type=float, default=ALPHA)
    add = commands.add_parser("chains", parents=[every, curves, real])
    add.set_defaults(command=chains_command)
    add.add_argument("--starts", type=int, default=5)
    add.add_argument("--topics", type=int, help="else 32 (kos), 40 (nips)")
    add = commands.add_parser("speed", parents=[every, real])
    add.set_defaults(command=speed_command)
    add.add_argument("--topics", nargs="+", type=int, default=TOPICS)
    add.add_argument("--first", type=int, default=20, help="sweeps before the timed")
    add.add_argument("--sweeps", type=int, default=60, help="the last timed")
    add.add_argument(
        "--limit", type=float, default=120, help="seconds timed of one sampler at one K"
    )
    arguments = parser.parse_args(argv)
    least = getattr(arguments, "every", 1), getattr(arguments, "first", 0) + 1
    common.require_sweeps(parser, arguments, max(least))
    fewest = corpora.N_TEST_DOCUMENTS["bars"] + 1
    if getattr(arguments, "documents", fewest) < fewest:
        parser.error(f"--documents must be at least {fewest}")
    return arguments


def main(argv=None) -> None:
    arguments = parse(argv)
    arguments.command(arguments)


if __name__ == "__main__":
    main()
