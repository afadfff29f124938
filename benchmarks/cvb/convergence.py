from functools import partial

from benchmarks import corpora, cvb, figures, harness

KINDS = {"log_probability": cvb.HELD_OUT}
draw = partial(figures.draw_curves, kinds=KINDS, looks=cvb.STYLES)


def run(options) -> None:
    X = corpora.load(options.corpus, options)
    train, held_out = corpora.hold_out_tokens(X)
    n_topics = options.topics or cvb.TOPICS[options.corpus]
    sweeps = harness.geometric(options.sweeps)
    data = train, held_out, n_topics, sweeps
    run_all = partial(harness.run_each, cvb.run_chain, options.programs)
    chains = harness.run_starts(run_all, options, *data)
    report = {"tokens": int(train.sum()), "test_tokens": int(held_out.sum())}
    report["summary"] = harness.summary(sweeps, chains, "log_probability")
    report |= {"sweeps": sweeps, "chains": chains}
    name = f"convergence-{options.corpus}"
    harness.write(options, name, report, topics=n_topics, **cvb.PRIORS)
