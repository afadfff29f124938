from functools import partial

from benchmarks import PAPER, blocking, corpora, figures, harness

draw = partial(figures.draw_rows, looks=blocking.STYLES)


def run(options) -> None:
    X = corpora.load(options.corpus, options.data_home)
    new = partial(blocking.new_program, max_block_size=options.max_block_size)
    rows = harness.time_topics(new, options.samplers, X, options)
    report = {"tokens": int(X.sum()), "rows": rows, "paper": PAPER["blocking-speed"]}
    harness.write(options, f"speed-{options.corpus}", report, **blocking.FACTS)
