"""The experiments of Teh, Newman and Welling, and variational Bayes of others.

Y. W. Teh, D. Newman, M. Welling, "A Collapsed Variational Bayesian Inference Algorithm
for Latent Dirichlet Allocation", NIPS 2006. alpha = beta = 0.1.

    python -m benchmarks.cvb convergence --corpus kos --output DIR
    python -m benchmarks.cvb size --corpus kos --output DIR
    python -m benchmarks.cvb speed --corpus nips --topics 40 100 400 --output DIR
    python -m benchmarks.cvb stream --output DIR
    python -m benchmarks.cvb figures --output DIR

`convergence`: log probability of held-out words against sweeps. `size`: the same after
the last sweep, against the number of documents. `speed`: seconds per sweep, and seconds
until held-out words are predicted as well as by batch variational Bayes at its end.
`stream`: score of unseen documents against seconds, of topics fitted by minibatches.

Each prints a table and writes a JSON file with all curves or times; figures are drawn
of all such files in the folder, and `figures` draws them again.

Of each document 10 % of the tokens, drawn at random, are held out; the others train.
The log probability of a held-out token is log sum_k theta_dk phi_kw, with theta of its
document and phi as the training leaves them; a mean over tokens. `size` takes its
documents from one random order, with the words of the whole corpus, so each subset
holds the one before. `stream` fits three quarters of the documents and scores the
others by document completion, with the same code whoever fitted the topics.

CVB is CVBLDA with the Gaussian approximation, whose first sweep begins with ten
zero-order ones, and their time is counted; CVB0 is CVBLDA with the zero-order
approximation, SCVB0 its partial_fit; Gibbs is CollapsedGibbsLDA, after sweep s the mean
over the samples of the second half of s sweeps. VB and online VB are scikit-learn's
LatentDirichletAllocation, gensim its LdaModel; a sweep is an iteration of batch VB, in
which each document is updated until it settles, up to 100 times, or a pass over the
corpus of the online ones (minibatches of 128 documents; gensim 2,000).

Times are on one thread, of compiled code; `speed` takes seconds per sweep of all
programs in turns of one sweep, on all tokens. Seconds to reach are of one start each,
one after another, and leave out the evaluations: after every sweep of CVB and CVB0, of
Gibbs after sweeps a tenth apart.
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import common, corpora
from benchmarks import cvb_runs as runs

COMPARED = ("VB", "CVB", "CVB0", "Gibbs")
COMMANDS = ("convergence", "size", "speed", "stream")
TOPICS = {"kos": 8, "nips": 40}  # of the paper
DOCUMENTS = [100, 200, 400, 800, 1600]


def write(arguments, name: str, report: dict, **options) -> None:
    """Write a report as JSON, and draw all reports of the command."""
    options |= {"alpha": runs.ALPHA, "beta": runs.BETA}
    common.write(arguments, name, options, report)
    draw(arguments.output, name.partition("-")[0])


def draw(folder: Path, command: str) -> None:
    """Draw the figure of a command, with all of its reports in a folder."""
    from benchmarks import cvb_figures

    reports = [json.loads(p.read_text()) for p in folder.glob(f"{command}-*.json")]
    if reports:
        reports.sort(key=lambda r: (r["options"]["corpus"], r["options"]["topics"]))
        getattr(cvb_figures, f"{command}_figure")(folder / f"{command}.png", reports)


def figures_command(arguments) -> None:
    """Draw the figures of all commands again."""
    for command in COMMANDS:
        draw(arguments.output, command)


def last_value(chain) -> float:
    return chain["log_probability"][-1]


def tell(chain) -> str:
    return f"{chain['documents']} documents, log probability {last_value(chain):.4f}"


def range_of(values) -> dict:
    """Return the median and the range of the values of all starts."""
    return {"median": float(np.median(values)), "range": [min(values), max(values)]}


def convergence_summary(sweeps, chains) -> dict:
    """Return where the programs end, and when they are as good as the first is then.

    The sweep is that of the median curve, None if it never gets there.
    """
    curves = {
        name: common.median_curve([chain["log_probability"] for chain in of_program])
        for name, of_program in chains.items()
    }
    target = next(iter(curves.values()))[-1]
    summary = {}
    for name, curve in curves.items():
        good = np.flatnonzero(curve >= target)
        summary[name] = {
            **range_of([last_value(chain) for chain in chains[name]]),
            "reached": sweeps[good[0]] if good.size else None,
        }
    return summary


def convergence_command(arguments) -> None:
    """Follow the log probability of held-out words over the sweeps."""
    corpus = arguments.corpus
    n_topics = arguments.topics or TOPICS[corpus]
    train, held_out = corpora.hold_out_tokens(corpora.load(corpus, arguments.data_home))
    sweeps = common.geometric(arguments.sweeps)
    jobs = [
        (name, train, held_out, n_topics, seed, sweeps)
        for seed in range(arguments.starts)
        for name in arguments.programs
    ]
    chains = common.run_chains(runs.run_chain, jobs, arguments.jobs, tell)
    summary = convergence_summary(sweeps, chains)
    first = arguments.programs[0]
    print(
        f"\n{corpus}, K = {n_topics}: log probability of held-out words, {sweeps[-1]} "
        f"sweeps, {arguments.starts} starts\n"
        f"           median        range        as good as {first} at its end"
    )
    for name, row in summary.items():
        low, high = row["range"]
        reached = f"sweep {row['reached']}" if row["reached"] else "never"
        print(f"{name:8} {row['median']:.4f}  {low:.4f} to {high:.4f}  {reached}")
    report = {"tokens": int(train.sum()), "test_tokens": int(held_out.sum())}
    report |= {"summary": summary, "sweeps": sweeps, "chains": chains}
    write(arguments, f"convergence-{corpus}", report, topics=n_topics)


def size_command(arguments) -> None:
    """Compare the log probability of held-out words in more and more documents."""
    corpus = arguments.corpus
    n_topics = arguments.topics or TOPICS[corpus]
    whole = corpora.hold_out_tokens(corpora.load(corpus, arguments.data_home))
    n_docs = whole[0].shape[0]
    order = np.random.default_rng(0).permutation(n_docs)
    sizes = sorted({n for n in arguments.documents if n < n_docs} | {n_docs})
    subsets = {n: [X[np.sort(order[:n])] for X in whole] for n in sizes}
    jobs = [
        (name, *subsets[n], n_topics, seed, [arguments.sweeps])
        for n in sizes
        for seed in range(arguments.starts)
        for name in arguments.programs
    ]
    chains = common.run_chains(runs.run_chain, jobs, arguments.jobs, tell)
    rows = [{"documents": n, **size_row(n, chains)} for n in sizes]
    print(
        f"\n{corpus}, K = {n_topics}: log probability of held-out words after "
        f"{arguments.sweeps} sweeps, medians of {arguments.starts} starts\n"
        "documents" + "".join(f"{name:>10}" for name in arguments.programs)
    )
    for row in rows:
        cells = [f"{row[name]['median']:>10.4f}" for name in arguments.programs]
        print(f"{row['documents']:>9}" + "".join(cells))
    report = {"rows": rows, "chains": chains}
    write(arguments, f"size-{corpus}", report, topics=n_topics, documents=sizes)


def size_row(n_docs, chains) -> dict:
    """Return where the programs end on so many documents."""
    return {
        name: range_of([last_value(c) for c in of_program if c["documents"] == n_docs])
        for name, of_program in chains.items()
    }


def reach_rows(curves) -> dict:
    """Return what is told of the curves of runs.reach: first and target of batch VB.

    Seconds and sweeps of others until they are as good, None if they never are; and
    in how small a part of the seconds of batch VB.
    """
    vb = curves["VB"]
    target, seconds = vb["log_probability"][-1], vb["seconds"][-1]
    rows = {"VB": {"sweeps": vb["sweeps"][-1], "seconds": seconds, "relative": 1.0}}
    for name, curve in curves.items():
        if name == "VB":
            continue
        reached = curve["log_probability"][-1] >= target
        own = curve["seconds"][-1] if reached else None
        rows[name] = {
            "sweeps": curve["sweeps"][-1] if reached else None,
            "seconds": own,
            "relative": own / seconds if reached else None,
        }
    return rows


def print_reach(rows, vb) -> None:
    """Print the table of reach_rows."""
    print(
        f"until held-out words are predicted as by VB after {rows['VB']['sweeps']} "
        f"iterations, {vb['log_probability'][-1]:.4f} (its best recorded: "
        f"{max(vb['log_probability']):.4f}):"
    )
    for name, row in rows.items():
        if row["seconds"] is None:
            print(f"  {name:8} never")
        else:
            print(
                f"  {name:8} {row['seconds']:>9.2f} s, {row['sweeps']} sweeps, "
                f"{row['relative']:.4f} of VB's seconds",
            )


def speed_command(arguments) -> None:
    """Time sweeps, and how long it takes to be as good as batch VB; one report a K."""
    corpus = arguments.corpus
    X = corpora.load(corpus, arguments.data_home)
    names = runs.available(arguments.programs)
    for n_topics in arguments.topics:
        report = {"tokens": int(X.sum()), "cells": int(X.nnz)}
        if "gensim" in names:
            report["gensim"] = version("gensim")
        with threadpool_limits(1):
            report |= speed_report(arguments, X, n_topics, names)
        write(arguments, f"speed-{corpus}-{n_topics}", report, topics=n_topics)


def speed_report(arguments, X, n_topics, names) -> dict:
    """Return, and print, the times of one number of topics."""
    options = arguments.warm, arguments.sweeps, arguments.limit
    seconds = runs.seconds_per_sweep(names, X, n_topics, *options)
    medians = common.medians(seconds)
    ratios = {name: 1 / ratio for name, ratio in common.ratios(medians).items()}
    print(f"\n{arguments.corpus}, K = {n_topics}\nseconds per sweep; {names[0]} / this")
    for name, median in medians.items():
        print(f"  {name:10} {median:>9.4f} {ratios[name]:>8.2f}", flush=True)
    report = {"median": medians, "times_as_fast": ratios, "seconds": seconds}
    if arguments.vb_iterations:
        train, held_out = corpora.hold_out_tokens(X)
        others = [name for name in ("CVB0", "CVB", "Gibbs") if name in names]
        limits = arguments.vb_iterations, arguments.most_sweeps
        curves = runs.reach(others, train, held_out, n_topics, *limits)
        rows = reach_rows(curves)
        print_reach(rows, curves["VB"])
        report |= {"reach": rows, "curves": curves}
    return report


def stream_command(arguments) -> None:
    """Follow the score of unseen documents over minibatches."""
    X = corpora.load_texts(arguments.corpus, arguments.data_home)
    train, test = corpora.split_documents(X)
    n_topics, starts = arguments.topics, []
    print(f"{arguments.corpus}: {train.shape[0]} documents, {X.shape[1]} words")
    with threadpool_limits(1):
        for seed in range(arguments.starts):
            options = train.shape[0], arguments.batch, arguments.passes
            batches = runs.minibatches(*options, seed)
            starts.append(runs.run_streams(train, test, n_topics, seed, batches))
            print_stream(seed, starts[-1])
    report = {"documents": train.shape[0], "words": X.shape[1]}
    report |= {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    write(arguments, f"stream-{arguments.corpus}", {**report, "starts": starts})


def print_stream(seed, curves) -> None:
    """Print a line per entry of the curves of a start."""
    print(f"\nstart {seed}: seconds and score\ndocuments" + "".join(map(_wide, curves)))
    columns = curves.values()
    for row, documents in enumerate(next(iter(columns))["documents"]):
        cells = [f"{c['seconds'][row]:.2f} s {c['score'][row]:.4f}" for c in columns]
        print(f"{documents:>9}" + "".join(map(_wide, cells)), flush=True)


def _wide(cell: str) -> str:
    return f"{cell:>20}"


def curves_parser(commands, name, command) -> argparse.ArgumentParser:
    """Add a command that runs chains on held-out words."""
    real = common.corpus_options()
    real.set_defaults(corpus="kos")
    add = commands.add_parser(name, parents=[common.output_options(), real])
    add.set_defaults(command=command)
    add.add_argument("--topics", type=int, help="default: 8 for kos, 40 for nips")
    add.add_argument("--starts", type=int, default=5)
    add.add_argument("--sweeps", type=int, default=100)
    add.add_argument("--jobs", type=int, default=2, help="chains side by side")
    add.add_argument(
        "--programs", nargs="+", default=list(COMPARED), choices=runs.NAMES
    )
    return add


def parse(argv=None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    curves_parser(commands, "convergence", convergence_command)
    add = curves_parser(commands, "size", size_command)
    add.add_argument("--documents", nargs="+", type=int, default=DOCUMENTS)
    output = common.output_options()
    add = commands.add_parser("speed", parents=[output, common.corpus_options()])
    add.set_defaults(command=speed_command)
    add.add_argument("--topics", nargs="+", type=int, default=[40, 100, 400])
    names = runs.NAMES
    add.add_argument("--programs", nargs="+", default=list(names), choices=names)
    add.add_argument("--warm", type=int, default=3, help="sweeps before the timed")
    add.add_argument("--sweeps", type=int, default=10, help="timed")
    add.add_argument(
        "--limit", type=float, default=1e6, help="seconds to time a program, about"
    )
    add.add_argument(
        "--vb-iterations", type=int, default=50, help="to the target; 0 leaves it out"
    )
    add.add_argument("--most-sweeps", type=int, default=500, help="to reach the target")
    add = commands.add_parser("stream", parents=[output])
    add.set_defaults(command=stream_command)
    texts = ["newsgroups", "docstrings"]
    add.add_argument("--corpus", default="newsgroups", choices=texts)
    add.add_argument(
        "--newsgroups-home",
        dest="data_home",
        help="data_home of fetch_20newsgroups; None is its own",
    )
    add.add_argument("--topics", type=int, default=50)
    add.add_argument("--batch", type=int, default=128, help="documents")
    add.add_argument("--passes", type=int, default=10)
    add.add_argument("--starts", type=int, default=3)
    add = commands.add_parser("figures", parents=[output])
    add.set_defaults(command=figures_command)
    arguments = parser.parse_args(argv)
    common.require_sweeps(parser, arguments, 1)
    return arguments


def main(argv=None) -> None:
    arguments = parse(argv)
    arguments.command(arguments)


if __name__ == "__main__":
    main()
