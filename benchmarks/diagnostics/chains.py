import time
from functools import partial

from sklearn.base import clone

from benchmarks import blocking, corpora, figures, harness
from sklda.diagnostics import sample_chains

KINDS = {"log_joint": "log joint per token, nats"}
draw = partial(figures.draw_curves, kinds=KINDS, looks=blocking.STYLES)


def run(options) -> None:
    X = corpora.load(options.corpus, options)
    n_train = X.shape[0] - corpora.N_TEST_DOCUMENTS[options.corpus]
    train, test = X[:n_train], X[n_train:]
    report = corpora.shape_of(train) | {"summary": {}, "tables": {}, "chains": {}}
    given = {"doc_topic_prior": blocking.ALPHA, "topic_word_prior": blocking.BETA}
    given |= {"max_iter": options.sweeps, "burn_in": options.burn_in}
    given |= {"thin": options.thin, "evaluate_every": 10}
    for name in options.samplers:
        settings = blocking.settings_of(name)
        lda = settings.pop("estimator")(options.topics, **settings, **given)
        sample_chains(clone(lda).set_params(burn_in=1, max_iter=3), train[:50])
        start = time.process_time()  # compiled by now
        seeded = {"n_chains": options.starts, "random_state": 0}
        chains = sample_chains(lda, train, X_test=test, **seeded)
        seconds = time.process_time() - start
        table = in_processor_time(chains, seconds)
        report["tables"][name] = table
        report["chains"][name] = [
            {"log_joint": [round(v / report["tokens"], 5) for v in one.log_joint_]}
            for one in chains.estimators_
        ]
        report["summary"][name] = {
            "seconds": round(seconds, 2),
            "effective_per_second": table["log_joint"]["ess_per_second"],
            "verdict": chains.verdict_,
        }
        harness.print_rows([{"": name, **report["summary"][name]}])
    report["sweeps"] = chains.estimators_[0].log_joint_iter_.tolist()
    harness.write(options, f"chains-{options.corpus}", report, **blocking.FACTS)


def in_processor_time(chains, seconds: float) -> dict[str, dict]:
    """Return the table of diagnostics, per second of the processor; None for NaN."""
    table = chains.summary()
    for row in table.values():
        row["ess_per_second"] = row["ess_bulk"] / seconds
    return {
        name: {key: None if value != value else value for key, value in row.items()}
        for name, row in table.items()
    }
