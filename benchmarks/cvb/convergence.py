import numpy as np

from benchmarks import corpora, cvb, figures, harness


def run(options) -> None:
    X = corpora.load(options.corpus, options.data_home)
    train, held_out = corpora.hold_out_tokens(X)
    n_topics = options.topics or cvb.TOPICS[options.corpus]
    sweeps = harness.geometric(options.sweeps)
    data = train, held_out, n_topics, sweeps
    chains = harness.run_chains(cvb.run_chain, options.programs, options, *data)
    report = {"tokens": int(train.sum()), "test_tokens": int(held_out.sum())}
    report |= {"summary": summary(sweeps, chains), "sweeps": sweeps, "chains": chains}
    harness.print_rows({"": name, **row} for name, row in report["summary"].items())
    name = f"convergence-{options.corpus}"
    harness.write(options, name, report, topics=n_topics, **cvb.PRIORS)


def summary(sweeps, chains) -> dict:
    """Return where the programs end, and when they are as good as the first is then."""
    rows, target = {}, None
    for name, some in chains.items():
        curve = harness.median_curve([chain["log_probability"] for chain in some])
        target = curve[-1] if target is None else target
        good = np.flatnonzero(curve >= target)
        reached = sweeps[good[0]] if good.size else None
        rows[name] = harness.range_of(cvb.ends(some)) | {"reached": reached}
    return rows


def draw(reports, folder) -> None:
    def draw_one(axes, report):
        sweeps = report["sweeps"]
        for name, chains in report["chains"].items():
            curves = [chain["log_probability"] for chain in chains]
            figures.chains(axes, [sweeps] * len(curves), curves, name, cvb.STYLES[name])
        axes.set(title=f"{figures.title(report)}; thick: median", ylabel=cvb.HELD_OUT)
        figures.sweeps_axis(axes, sweeps, whole=True)

    figures.per_report(folder / "convergence.png", reports, draw_one)
