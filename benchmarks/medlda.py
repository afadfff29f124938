"""The experiments of Zheng, Yu and Xing on supervised topics, with sklda.

X. Zheng, Y. Yu, E. P. Xing, "Linear Time Samplers for Supervised Topic Models using
Compositional Proposals" (2016). Priors: alpha = 6.4 / K, beta = 0.01.

    python -m benchmarks.medlda newsgroups --newsgroups-home DIR --output DIR
    python -m benchmarks.medlda binary --newsgroups-home DIR --output DIR
    python -m benchmarks.medlda growth --newsgroups-home DIR --output DIR
    python -m benchmarks.medlda reuters --reuters-home DIR --output DIR
    python -m benchmarks.medlda figures --output DIR

`newsgroups`: accuracy and seconds of training on 20 Newsgroups, by date, processed
(train.data, train.label, test.data, test.label and vocabulary.txt). `binary`: the same
of alt.atheism against talk.religion.misc. `reuters`: F1 of the ten largest topics of
Reuters-21578, split ModApte, in which a document may have any number of topics.
`growth`: seconds per sweep against topics and against documents.

Each prints a table and writes a JSON file, from which `figures` draws again. Rows of
an earlier run stay in the file, unless the same is run again: methods that take long
can be run one by one.

Seconds are those of `fit`, of compiled code, on one thread: processor time, with all
that is done before the first sweep. Per sweep they are divided by the sweeps; `growth`
takes the difference of two fits. A method's name tells what is not the default of the
command.

Baselines, with scikit-learn's defaults but for what is said: multinomial naive Bayes
(smoothing 0.01); LinearSVC and LogisticRegression of tf-idf; and "unsupervised, SVM",
LinearSVC of the square roots of the topic proportions that CollapsedGibbsLDA finds in
100 sweeps with the same priors. Seconds of that one are of both steps.

Figures of other programs were measured once, on a machine with two cores and AVX-512,
on one thread and without loading; 25 sweeps, but 21 of MedLDA-MT, with its own priors.
LightMedLDA is the C++ program of the authors of the paper.
"""

import argparse
import json
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks import common, corpora, reuters
from benchmarks import medlda_runs as runs

SAMPLERS, STRATEGIES = ("light", "gibbs"), ("multitask", "ovr")
# Seconds of training and accuracy, by topics.
OTHERS = {
    "newsgroups-all-words": {
        "LightMedLDA, multitask": {
            20: (28.7, 0.683),
            50: (35.3, 0.776),
            100: (40.7, 0.781),
            200: (54.4, 0.692),
            400: (65.8, 0.449),
        },
    },
    "newsgroups-no-stop-words": {
        "LightMedLDA, multitask": {
            20: (16.5, 0.696),
            50: (18.4, 0.793),
            100: (25.6, 0.793),
            200: (33.2, 0.764),
            400: (44.0, 0.648),
        },
        "LightMedLDA, multitask, 75 sweeps": {200: (None, 0.785)},
        "LightMedLDA, ovr": {20: (260.0, 0.781)},
        "MedLDA-MT": {100: (4.7, 0.789), 400: (15.2, 0.688)},
    },
}
NOTES = {
    "binary": (
        "The paper: about 0.80. LightMedLDA: accuracy 0.76 to 0.83 for K = 5 to 50, "
        "in 0.9 to 1.0 s."
    ),
}
STEPS = {"n_mh_steps": 6, "n_weight_steps": 2}
# The program of the authors has margins l, 64 of many classes and 164 of two, and cost
# 1.6; here margins are 1, so C = 1.6 l. Its prior precision, 1, would be l ** 2: the
# default of sklda is less for many classes.
MANY = {"C": 102.4, "prior_precision": 1000.0, **STEPS}
TWO = {"C": 262.4, "prior_precision": 164.0**2, **STEPS}
DEFAULTS = {
    "newsgroups": {**MANY, "max_iter": 25, "burn_in": 24},
    "binary": {**TWO, "max_iter": 11, "burn_in": 10},
    "reuters": {**MANY, "max_iter": 25, "burn_in": 24},
    "growth": MANY,
}
OPTIONS = {  # names of parameters on the command line
    "C": "--cost",
    "prior_precision": "--prior-precision",
    "n_mh_steps": "--mh-steps",
    "n_weight_steps": "--weight-steps",
    "max_iter": "--sweeps",
    "burn_in": "--burn-in",
}
IDENTITY = ("method", "n_topics", "documents", "seed")  # of a row
BINARY = (0, 19)  # alt.atheism, talk.religion.misc


def write(arguments, name: str, rows: list[dict], **facts) -> list[dict]:
    """Add rows to a report, draw its figure, and return all of its rows."""
    path = arguments.output / f"{name}.json"
    if path.exists():
        new = {_key(row) for row in rows}
        earlier = json.loads(path.read_text())["rows"]
        rows = [row for row in earlier if _key(row) not in new] + rows
    fixed = {"alpha": f"{runs.ALPHA_SUM} / K", "beta": runs.BETA}
    output = argparse.Namespace(output=arguments.output)
    common.write(output, name, fixed, {**facts, "rows": rows})
    draw(path)
    return rows


def _key(row) -> tuple:
    return tuple(row.get(name) for name in IDENTITY)


def draw(path: Path) -> None:
    """Draw the figure of a report beside it."""
    from benchmarks import medlda_figures

    kind = "growth" if path.stem == "growth" else "scores"
    report = json.loads(path.read_text())
    getattr(medlda_figures, f"{kind}_figure")(path.with_suffix(".png"), report)


def figures_command(arguments) -> None:
    """Draw the figures of all reports again."""
    for path in sorted(arguments.output.glob("*.json")):
        draw(path)


def settings_of(arguments) -> dict[str, dict]:
    """Return the parameters of MedLDA by the name of the method."""
    defaults = DEFAULTS[arguments.name]
    chosen = {name: getattr(arguments, name) for name in defaults}
    changed = [f"{n} = {chosen[n]}" for n in defaults if chosen[n] != defaults[n]]
    if chosen.get("burn_in") == chosen.get("max_iter", 0) - 1:  # as by default
        changed = [text for text in changed if not text.startswith("burn_in")]
    methods = {}
    for strategy, sampler in product(arguments.strategies, arguments.samplers):
        settings = {"sampler": sampler, "multi_class": strategy, **chosen}
        methods[", ".join([strategy, sampler, *changed])] = settings
    return methods


def tell(row) -> None:
    """Print the row of a fit that is done."""
    scores = ", ".join(f"{name} {value:.4f}" for name, value in row["test"].items())
    print(
        f"  {row['method']}, K = {row.get('n_topics')}, start {row['seed']}: {scores}, "
        f"{row['seconds']:.2f} s",
        flush=True,
    )


def score_rows(arguments, train, test, measures) -> list[dict]:
    """Return the rows of all methods that are asked for."""
    rows = []

    def add(name, result, **facts):
        rows.append({"method": name, "seed": 0, **facts, **result})
        tell(rows[-1])

    data = train, test, measures
    for name in arguments.baselines:
        if name in runs.OF_WORDS:
            add(name, runs.run_baseline(name, *data))
    for seed, n_topics in product(range(arguments.starts), arguments.topics):
        facts = {"n_topics": n_topics, "seed": seed}
        for name, settings in settings_of(arguments).items():
            result = runs.run_medlda(*data, n_topics, seed, settings)
            add(name, result, **facts, settings=settings)
        for name in arguments.baselines:
            if name in runs.OF_TOPICS:
                add(name, runs.run_baseline(name, *data, n_topics, seed), **facts)
    return rows


def summary(rows) -> list[dict]:
    """Return the medians over starts of each method and number of topics, and ranges.

    Those of more topics follow those of fewer, and baselines of words come last.
    """
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault((row["method"], row.get("n_topics")), []).append(row)
    methods = list(dict.fromkeys(method for method, _ in groups))
    ordered = sorted(
        groups.items(),
        key=lambda g: (g[0][1] is None, methods.index(g[0][0]), g[0][1]),
    )
    table = []
    for (method, n_topics), some in ordered:
        scores = {name: [row["test"][name] for row in some] for name in some[0]["test"]}
        row = {"method": method, "n_topics": n_topics, "starts": len(some)}
        row["median"] = {name: float(np.median(v)) for name, v in scores.items()}
        row["range"] = {name: [min(v), max(v)] for name, v in scores.items()}
        row["seconds"] = float(np.median([r["seconds"] for r in some]))
        table.append(row)
    return table


def print_summary(table, others, note) -> None:
    """Print medians and ranges, and below them the figures of other programs."""
    names = list(table[0]["median"])
    head = "".join(f"{name:>12}{'range':>18}" for name in names)
    print(f"{'method':44}{'K':>6}{'starts':>8}{head}{'seconds':>10}")
    for row in table:
        cells = ""
        for name in names:
            low, high = row["range"][name]
            cells += f"{row['median'][name]:>12.4f}{low:>9.4f} - {high:.4f}"
        topics = row["n_topics"] or "-"
        start = f"{row['method']:44}{topics:>6}{row['starts']:>8}"
        print(f"{start}{cells}{row['seconds']:>10.2f}")
    for method, points in others.items():
        for n_topics, (seconds, score) in points.items():
            taken = "-" if seconds is None else f"{seconds:.1f}"
            print(f"{method:44}{n_topics:>6}{'-':>8}{score:>12.3f}{'':18}{taken:>10}")
    print(note, end="\n" * bool(note))


def score_command(arguments, name, train, test, measures, **facts) -> None:
    """Score all methods, print all rows of the report, and write it."""
    print(f"{name}: {train[0].shape[0]} documents train, {test[0].shape[0]} test")
    rows = score_rows(arguments, train, test, measures)
    others, note = OTHERS.get(name, {}), NOTES.get(name, "")
    for part, (X, _) in (("train", train), ("test", test)):
        facts[part] = {"documents": X.shape[0], "tokens": int(X.sum())}
    facts |= {"words": train[0].shape[1], "others": others, "note": note}
    rows = write(arguments, name, rows, **facts)
    print_summary(summary(rows), others, note)


def newsgroups_command(arguments) -> None:
    """Classify 20 Newsgroups."""
    parts = read_newsgroups(arguments)
    words = "no-stop-words" if arguments.drop_stop_words else "all-words"
    score_command(
        arguments, f"newsgroups-{words}", parts["train"], parts["test"], runs.ACCURACY
    )


def read_newsgroups(arguments) -> dict[str, tuple]:
    stop_words = not arguments.drop_stop_words
    return corpora.read_newsgroups(arguments.newsgroups_home, stop_words=stop_words)


def binary_command(arguments) -> None:
    """Tell alt.atheism from talk.religion.misc."""
    parts = read_newsgroups(arguments)
    train, test = (
        (X[np.isin(y, BINARY)], y[np.isin(y, BINARY)]) for X, y in parts.values()
    )
    score_command(arguments, "binary", train, test, runs.ACCURACY)


def reuters_command(arguments) -> None:
    """Find the topics of Reuters stories, any number each."""
    labels, train, test = reuters.load(arguments.reuters_home)
    score_command(arguments, "reuters", train, test, runs.F1, labels=labels)


def growth_command(arguments) -> None:
    """Time sweeps against the number of topics, and against that of documents."""
    train = read_newsgroups(arguments)["train"]
    whole = train[0].shape[0]
    cases = [(n_topics, whole) for n_topics in arguments.topics]
    sizes = [min(size, whole) for size in arguments.documents]
    cases += [(arguments.fixed_topics, size) for size in sizes]
    print(f"{'method':44}{'K':>6}{'documents':>11}{'tokens':>10}{'s/sweep':>10}")
    rows = []
    for name, settings in settings_of(arguments).items():
        for n_topics, size in dict.fromkeys(cases):
            some = runs.first_documents(train, size)
            seconds = runs.seconds_per_sweep(some, n_topics, settings)
            row = {"method": name, "n_topics": n_topics, "documents": size}
            row |= {"tokens": int(some[0].sum()), "seconds_per_sweep": seconds}
            rows.append({**row, "settings": settings})
            start = f"{name:44}{n_topics:>6}{size:>11}"
            print(f"{start}{row['tokens']:>10}{seconds:>10.4f}", flush=True)
    fixed = {"fixed_topics": arguments.fixed_topics, "all_documents": whole}
    write(arguments, "growth", rows, **fixed)


def method_options(name: str) -> argparse.ArgumentParser:
    """Return the options that say which methods of MedLDA a command runs."""
    options = argparse.ArgumentParser(add_help=False)
    options.set_defaults(name=name)
    options.add_argument("--samplers", nargs="*", default=["light"], choices=SAMPLERS)
    options.add_argument(
        "--strategies", nargs="+", default=["multitask"], choices=STRATEGIES
    )
    for parameter, default in DEFAULTS[name].items():
        options.add_argument(
            OPTIONS[parameter], dest=parameter, type=type(default), default=default
        )
    return options


def newsgroups_options() -> argparse.ArgumentParser:
    """Return the options of commands that run on 20 Newsgroups."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--newsgroups-home", required=True, help="folder of the files")
    options.add_argument("--drop-stop-words", action="store_true")
    return options


def score_options(topics: list[int]) -> argparse.ArgumentParser:
    """Return the options of commands that score methods."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument("--topics", nargs="+", type=int, default=topics)
    options.add_argument("--starts", type=int, default=1)
    options.add_argument(
        "--baselines", nargs="*", default=list(runs.BASELINES), choices=runs.BASELINES
    )
    return options


def parse(argv=None) -> argparse.Namespace:
    """Read the command line."""
    output, newsgroups = common.output_options(), newsgroups_options()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)

    def add(name, command, *parents):
        parents = [output, *parents]
        if name in DEFAULTS:
            parents.append(method_options(name))
        added = commands.add_parser(name, parents=parents)
        added.set_defaults(command=command)
        return added

    topics = [20, 50, 100, 200, 400]
    add("newsgroups", newsgroups_command, newsgroups, score_options(topics))
    topics = [10, 20, 40, 70, 100]
    add("binary", binary_command, newsgroups, score_options(topics))
    growth = add("growth", growth_command, newsgroups)
    topics = [8, 16, 32, 64, 128, 256, 512, 1024]
    growth.add_argument("--topics", nargs="+", type=int, default=topics)
    documents = [704, 1408, 2817, 5634, 11269]
    growth.add_argument("--documents", nargs="+", type=int, default=documents)
    growth.add_argument("--fixed-topics", type=int, default=100)
    topics = [10, 20, 50, 100]
    stories = add("reuters", reuters_command, score_options(topics))
    stories.add_argument("--reuters-home", required=True, help="folder of the files")
    add("figures", figures_command)
    return parser.parse_args(argv)


def main(argv=None) -> None:
    arguments = parse(argv)
    arguments.command(arguments)


if __name__ == "__main__":
    main()
