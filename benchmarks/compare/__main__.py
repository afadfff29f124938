"""The commands of the comparison."""

import argparse
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import common, corpora
from benchmarks.compare import growth, measures, page
from benchmarks.compare.peers import ALPHA, BETA, PEERS, available
from benchmarks.compare.worker import save, workplace

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "compare"
MEASURES = ("speed", "quality", "process")


def run_command(arguments) -> None:
    """Measure all programs on real corpora, and write the page."""
    versions = available(arguments.peers, arguments.threads)
    with TemporaryDirectory() as folder, workplace(Path(folder) / "kernels"):
        for corpus in arguments.corpora:
            of_corpus = _Corpus(corpus, arguments, Path(folder))
            for n_topics, measure in product(arguments.topics, arguments.measures):
                print(f"\n{corpus}, K = {n_topics}: {measure}", flush=True)
                programs = of_corpus.measure(measure, list(versions), n_topics)
                report = of_corpus.shape | {"programs": programs, "peers": versions}
                name = f"{measure}-{corpus}-{n_topics}-{arguments.threads}"
                options = {"alpha": ALPHA, "beta": BETA, "topics": n_topics}
                options["corpus"] = corpus
                common.write(arguments, name, options, report)
                page.tell(measure, report)
    page.write(arguments.output, arguments.doc)


class _Corpus:
    """A corpus, whole and split, where workers find it."""

    def __init__(self, name, arguments, folder: Path):
        X = corpora.load(name, arguments.data_home)
        train, self.held_out = corpora.split(X, name)
        self.whole = save(X, folder / f"{name}.npz")
        self.train = save(train, folder / f"{name}-train.npz")
        self.shape = common.shape_of(X)
        self.arguments = arguments

    def measure(self, measure: str, names, n_topics) -> dict[str, dict]:
        a = self.arguments
        seeds = range(a.repeats)
        path = self.train if measure == "quality" else self.whole
        task = measures.Task(path, n_topics, a.threads, a.limit)
        if measure == "quality":
            asked = common.geometric(a.sweeps)
            task = task._replace(limit=a.quality_limit)
            return measures.quality(names, task, seeds, self.held_out, asked)
        names = [name for name in names if not PEERS[name].takes_means]
        if measure == "process":
            return measures.process(names, task)
        return measures.speed(names, task, seeds, a.first, a.last)


def page_command(arguments) -> None:
    """Write the page and its figures again."""
    page.write(arguments.output, arguments.doc)


def scale_command(arguments) -> None:
    """Time sweeps of a corpus of the shape of the New York Times one."""
    shape = arguments.documents, arguments.words, arguments.tokens
    with TemporaryDirectory() as folder, workplace(Path(folder) / "kernels"):
        report = growth.scale(
            Path(folder), shape, arguments.topics, arguments.threads, arguments.sweeps
        )
    common.write(arguments, "scale", {"alpha": ALPHA, "beta": BETA}, report)
    page.write(arguments.output, arguments.doc)


def growth_command(arguments) -> None:
    """Time sweeps against tokens and against topics."""
    with TemporaryDirectory() as folder, workplace(Path(folder) / "kernels"):
        report = growth.growth(Path(folder), arguments)
    common.write(arguments, "growth", {"alpha": ALPHA, "beta": BETA}, report)
    page.write(arguments.output, arguments.doc)


def parse(argv=None) -> argparse.Namespace:
    """Read the command line; without a command it is `run`."""
    argv = sys.argv[1:] if argv is None else argv
    if not argv or (argv[0].startswith("-") and argv[0] not in ("-h", "--help")):
        argv = ["run", *argv]
    every = argparse.ArgumentParser(add_help=False)
    every.add_argument(
        "--output", type=Path, default=RESULTS, help="folder of the JSON files"
    )
    every.add_argument(
        "--doc", type=Path, default=ROOT / "doc", help="folder of the page"
    )
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare")
    commands = parser.add_subparsers(required=True)
    add = commands.add_parser("run", parents=[every], help=run_command.__doc__)
    add.set_defaults(command=run_command)
    _run_options(add)
    add = commands.add_parser("page", parents=[every], help=page_command.__doc__)
    add.set_defaults(command=page_command)
    add = commands.add_parser("scale", parents=[every], help=scale_command.__doc__)
    add.set_defaults(command=scale_command)
    add.add_argument("--documents", type=int, default=300_000)
    add.add_argument("--words", type=int, default=102_660)
    add.add_argument("--tokens", type=int, default=100_000_000)
    add.add_argument("--topics", nargs="+", type=int, default=[50, 100, 200, 400])
    add.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    add.add_argument("--sweeps", type=int, default=5)
    add = commands.add_parser("growth", parents=[every], help=growth_command.__doc__)
    add.set_defaults(command=growth_command)
    _growth_options(add)
    arguments = parser.parse_args(argv)
    if getattr(arguments, "last", np.inf) <= getattr(arguments, "first", 0):
        parser.error("--last must be greater than --first")
    common.require_sweeps(parser, arguments, 1)
    return arguments


def _run_options(add) -> None:
    corpora.add_arguments(add)
    add.set_defaults(corpora=list(common.CORPORA))
    add.add_argument("--topics", nargs="+", type=int, default=[20, 100, 400, 1000])
    names = list(PEERS)
    add.add_argument("--peers", nargs="+", default=names, choices=names)
    add.add_argument("--measures", nargs="+", default=MEASURES, choices=MEASURES)
    add.add_argument("--threads", type=int, default=1)
    add.add_argument("--repeats", type=int, default=3, help="seeds")
    add.add_argument("--first", type=int, default=20, help="sweeps before the timed")
    add.add_argument("--last", type=int, default=60, help="the last timed")
    add.add_argument(
        "--limit", type=float, default=60, help="seconds of warming up, and of timing"
    )
    add.add_argument("--sweeps", type=int, default=400, help="to follow perplexity")
    add.add_argument(
        "--quality-limit", type=float, default=150, help="seconds to follow it"
    )


def _growth_options(add) -> None:
    tokens = [10**power for power in range(5, 9)]
    topics = [2**power for power in range(3, 15)]
    add.add_argument("--tokens", nargs="+", type=int, default=tokens)
    add.add_argument("--topics", nargs="+", type=int, default=topics)
    add.add_argument("--words", type=int, default=102_660)
    add.add_argument("--tokens-of-topics", type=int, default=2_000_000)
    add.add_argument("--topics-of-tokens", type=int, default=100)
    add.add_argument("--first", type=int, default=5, help="sweeps before the timed")
    add.add_argument("--last", type=int, default=10, help="the last timed")


def main(argv=None) -> None:
    arguments = parse(argv)
    arguments.command(arguments)


if __name__ == "__main__":
    main()
