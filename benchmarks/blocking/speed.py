from functools import partial

from benchmarks import PAPER, blocking, corpora, figures, harness


def run(options) -> None:
    X = corpora.load(options.corpus, options.data_home)
    new = partial(blocking.new_program, max_block_size=options.max_block_size)
    rows = harness.time_topics(new, options.samplers, X, options, options.limit)
    report = {"tokens": int(X.sum()), "rows": rows, "paper": PAPER["blocking-speed"]}
    harness.write(options, f"speed-{options.corpus}", report, **blocking.FACTS)


def draw(reports, folder) -> None:
    for name, report in reports.items():
        figure, ((axes,),) = figures.panels(1, size=(6.4, 4.8))
        topics = [row["n_topics"] for row in report["rows"]]
        for sampler in report["options"]["samplers"]:
            seconds = [row["median"][sampler] for row in report["rows"]]
            axes.plot(topics, seconds, label=sampler, **blocking.STYLES[sampler])
        axes.set_title(figures.timed_title(report))
        figures.powers_axis(axes, "topics", topics)
        figures.log_seconds(axes)
        axes.legend(handlelength=4)
        figures.finish(figure, folder / f"{name}.png", columns=0)
