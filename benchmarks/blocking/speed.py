from functools import partial

from benchmarks import PAPER, blocking, corpora, figures, harness


def relative(row: dict) -> dict:
    return {name: 1 / times for name, times in row["times_as_fast"].items()}


RELATIVE = {"seconds per sweep, relative to the first sampler": relative}
KINDS = figures.SECONDS | RELATIVE
LINES = {"looks": blocking.STYLES, "kinds": KINDS, "linear": RELATIVE}
draw = partial(figures.draw_rows, **LINES)


def run(options) -> None:
    for corpus in options.corpora:
        X = corpora.load(corpus, options)
        rows = harness.time_topics(blocking.new_program, options.samplers, X, options)
        report = {"tokens": int(X.sum()), "rows": rows}
        report["paper"] = PAPER["blocking-speed"]
        facts = {"corpus": corpus, **blocking.FACTS}
        harness.write(options, f"speed-{corpus}", report, **facts)
