import numpy as np

from benchmarks import PAPER, corpora, ecgs, figures, harness

KINDS = {
    "perplexity": "perplexity of the test documents",
    "relative": "perplexity, relative to the first",
    "sampling_rate": "sampling rate, draws / tokens",
}


def run(options) -> None:
    X = corpora.load(options.corpus, options.data_home)
    train, test = corpora.split_documents(X)
    names = []
    for strategy in options.strategies:
        dampings = options.damping if strategy == "dynamic" else [None]
        names += [f"{strategy}-{d}" if d else strategy for d in dampings]
    chains = harness.run_chains(run_chain, names, options, train, test, options)
    report = {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    report["least_rate"] = rate_limits(train)
    report["paper_least_rate"] = PAPER["ecgs-chains"][options.corpus]
    sweeps = harness.recorded_sweeps(options)
    report |= {"summary": summary(sweeps, chains), "sweeps": sweeps, "chains": chains}
    harness.write(options, f"chains-{options.corpus}", report, **ecgs.PRIORS)


def run_chain(name, seed, train, test, options) -> dict:
    """Return the perplexity of recorded sweeps, and draws / tokens of all."""
    strategy, _, damping = name.partition("-")
    parameters = {"strategy": strategy} | ({"damping": int(damping)} if damping else {})
    chain = ecgs.new_chain(train, options.topics, seed, **parameters)
    curve = []
    for _ in harness.recorded_sweeps(options):
        chain.sweep(options.every)
        curve.append(round(ecgs.perplexity(chain, test), 3))
    rate = [round(value, 5) for value in chain.sampling_rate()]
    return {"perplexity": curve, "sampling_rate": rate}


def rate_limits(X) -> dict[str, float]:
    """Return below what the sampling rate cannot fall, for each strategy.

    For shortcut sampling that is the limit of the paper: cells / tokens. Dynamic
    sampling draws cells of two tokens twice.
    """
    twice = X.nnz + (X.data == 2).sum()
    return {"shortcut": float(X.nnz / X.sum()), "dynamic": float(twice / X.sum())}


def summary(sweeps, chains) -> dict:
    """Return where the chains of each strategy end, beside those of the first."""
    rows = harness.summary(sweeps, chains, "perplexity", -1, harness.TAIL)
    for name, row in rows.items():
        rates = [chain["sampling_rate"][-1] for chain in chains[name]]
        row["sampling_rate"] = float(np.median(rates))
    return rows


def draw(reports, folder) -> None:
    for report in reports.values():
        first, *_ = report["chains"].values()
        base = harness.median_curve([chain["perplexity"] for chain in first])
        recorded = np.array(report["sweeps"]) - 1
        for chain in (chain for some in report["chains"].values() for chain in some):
            chain["relative"] = chain["perplexity"] / base
            chain["sampling_rate"] = np.array(chain["sampling_rate"])[recorded]
        limit = dict.fromkeys(KINDS, 0 * base + np.nan)
        limit["sampling_rate"] = 0 * base + report["least_rate"]["shortcut"]
        report["chains"] = {"cells / tokens": [limit], **report["chains"]}
    figures.draw_curves(reports, folder, KINDS, ecgs.STYLES)
