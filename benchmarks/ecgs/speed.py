from functools import partial

from benchmarks import PAPER, corpora, ecgs, figures, harness
from benchmarks.internals import Sklda

draw = partial(figures.draw_rows, looks=ecgs.STYLES)


def run(options) -> None:
    X = corpora.load(options.corpus, options)
    rows = harness.time_topics(new_program, options.strategies, X, options)
    paper = {"n_topics": 400, "seconds": PAPER["ecgs-speed"][options.corpus]}
    report = {"tokens": int(X.sum()), "rows": rows, "paper": paper}
    harness.write(options, f"speed-{options.corpus}", report, **ecgs.PRIORS)


def new_program(name, X, n_topics) -> Sklda:
    strategy = "standard" if name == "apart" else name
    program = ecgs.new_chain(X, n_topics, strategy=strategy)
    if name == "apart":
        program.separate_tokens()
    return program
