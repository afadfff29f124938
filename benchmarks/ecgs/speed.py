from benchmarks import PAPER, corpora, ecgs, figures, harness
from benchmarks.programs.ours import Sklda


def run(options) -> None:
    X = corpora.load(options.corpus, options.data_home)
    rows = harness.time_topics(new_program, options.strategies, X, options)
    paper = {"n_topics": 400, "seconds": PAPER["ecgs-speed"][options.corpus]}
    harness.print_rows([paper])
    report = {"tokens": int(X.sum()), "rows": rows, "paper": paper}
    harness.write(options, f"speed-{options.corpus}", report, **ecgs.PRIORS)


def new_program(name, X, n_topics) -> Sklda:
    strategy = "standard" if name == "apart" else name
    program = ecgs.new_chain(X, n_topics, strategy=strategy)
    if name == "apart":
        program.separate_tokens()
    return program


def draw(reports, folder) -> None:
    def draw_one(axes, report):
        topics = [row["n_topics"] for row in report["rows"]]
        for name in report["options"]["strategies"]:
            seconds = [row["mean"][name] for row in report["rows"]]
            axes.plot(topics, seconds, label=name, **ecgs.STYLES[name])
        figures.powers_axis(axes, "topics", topics)
        axes.set(title=figures.timed_title(report), ylabel="seconds per sweep")
        axes.set_ylim(0, None)

    figures.per_report(folder / "speed.png", reports, draw_one)
