from functools import partial

import numpy as np

from benchmarks import PAPER, corpora, ecgs, figures, harness

KINDS = {
    "perplexity": "perplexity of the test documents",
    "relative": "perplexity, relative to the first",
    "sampling_rate": "sampling rate, draws / tokens",
}


def run(options) -> None:
    X = corpora.load(options.corpus, options)
    train, test = corpora.split_documents(X)
    names = []
    for strategy in options.strategies:
        dampings = [f"-{d}" for d in options.damping] if strategy == "dynamic" else [""]
        names += [strategy + damping for damping in dampings]
    run_all = partial(harness.run_each, run_chain, names)
    chains = harness.run_starts(run_all, options, train, test, options)
    report = {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    report["least_rate"] = rate_limits(train)
    report["paper_least_rate"] = PAPER["ecgs-chains"][options.corpus]
    sweeps = list(range(options.every, options.sweeps + 1, options.every))
    report |= {"summary": summary(sweeps, chains), "sweeps": sweeps, "chains": chains}
    harness.write(options, f"chains-{options.corpus}", report, **ecgs.PRIORS)


def run_chain(name, seed, train, test, options) -> dict:
    """Return the perplexity of recorded sweeps, and draws / tokens of all."""
    strategy, _, damping = name.partition("-")
    parameters = {"strategy": strategy} | ({"damping": int(damping)} if damping else {})
    chain = ecgs.new_chain(train, options.topics, seed, **parameters)
    curve = []
    for _ in range(options.sweeps // options.every):
        chain.sweep(options.every)
        curve.append(round(ecgs.perplexity(chain, test), 3))
    rate = [round(value, 5) for value in chain.sampling_rate()]
    return {"perplexity": curve, "sampling_rate": rate}


def rate_limits(X) -> dict[str, float]:
    """Return the lower limit of the sampling rate, for each strategy.

    For shortcut sampling that is cells / tokens, as in the paper. Dynamic sampling
    draws cells of two tokens twice.
    """
    twice = X.nnz + (X.data == 2).sum()
    return {"shortcut": float(X.nnz / X.sum()), "dynamic": float(twice / X.sum())}


def summary(sweeps, chains) -> dict:
    """Return the ends of the chains, relative to those of the first strategy."""
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
