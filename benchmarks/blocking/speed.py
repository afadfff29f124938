from functools import partial

from benchmarks import PAPER, blocking, corpora, figures, harness

draw = partial(figures.draw_rows, looks=blocking.STYLES)


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
