from functools import partial

from benchmarks import PAPER, blocking, corpora, figures, harness


def relative(row: dict) -> dict:
    return {name: 1 / times for name, times in row["times_as_fast"].items()}


KINDS = {**figures.SECONDS, "relative to the first": relative}
draw = partial(figures.draw_rows, looks=blocking.STYLES, kinds=KINDS)


def run(options) -> None:
    for corpus in options.corpora:
        X = corpora.load(corpus, options.data_home)
        rows = harness.time_topics(blocking.new_program, options.samplers, X, options)
        report = {
            "tokens": int(X.sum()),
            "rows": rows,
            "paper": PAPER["blocking-speed"],
        }
        facts = {"corpus": corpus, **blocking.FACTS}
        harness.write(options, f"speed-{corpus}", report, **facts)
