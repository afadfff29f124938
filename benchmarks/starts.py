"""Starts of chains: random topics, or a fit to some of the documents."""

import time
from functools import partial
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import corpora, figures, harness
from benchmarks.internals import Sklda, completion_score
from benchmarks.programs import ALPHA, BETA
from sklda import CollapsedGibbsLDA

STARTS = ("random", "subsample")  # values of init
SLACK = 1.01  # of the perplexity that the first has at its end
MOST_TEST_DOCUMENTS = 2000
STEPS = (1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 4, 5, 6, 7, 8, 9)  # between checkpoints
KINDS = {"perplexity": "perplexity of unseen documents"}
draw_parts = partial(figures.draw_curves, kinds=KINDS, looks=figures.styles("starts"))


def run_parts(options) -> None:
    for corpus in options.corpora:
        train, test = split(corpora.load(corpus, options))
        for n_topics in options.topics:
            run_start(0, train[:100], test, n_topics, 12)  # compiles
            data = train, test, n_topics, options.sweeps
            chains = harness.run_starts(run_start, options, *data)
            report = corpora.shape_of(train) | {"summary": summary(chains)}
            report["chains"] = chains
            facts = {"corpus": corpus, "topics": n_topics, "alpha": ALPHA, "beta": BETA}
            harness.write(options, f"parts-{corpus}-{n_topics}", report, **facts)


def split(X) -> tuple:
    """Return the documents in a random order, and some of them for tests."""
    X = X[np.random.default_rng(0).permutation(X.shape[0])]
    n_test = min(MOST_TEST_DOCUMENTS, X.shape[0] // 10)
    return X[:-n_test], X[-n_test:]


def begin(name, X, n_topics, seed) -> harness.Runner:
    """Return a chain at its start; its seconds are those of the processor."""
    start = time.process_time()
    chain = Sklda(CollapsedGibbsLDA, X, n_topics, seed, init=name)
    chain.clock = time.process_time
    runner = harness.Runner(name, chain.seconds)
    runner.chain, runner.seconds = chain, time.process_time() - start
    return runner


def run_start(seed, X, test, n_topics, n_sweeps) -> dict[str, dict]:
    """Return perplexity, sweeps and seconds of each value of init."""

    def evaluate(runner):
        score = completion_score(test, runner.chain.topic_word(), ALPHA)
        return {"perplexity": round(float(np.exp(-score)), 3)}

    with threadpool_limits(1):
        team = [begin(name, X, n_topics, seed) for name in STARTS]
        return harness.follow(team, harness.geometric(n_sweeps, STEPS), evaluate)


def summary(chains) -> dict[str, dict]:
    """Return when chains are as good as the first at its end, within the slack."""
    levels = [SLACK * chain["perplexity"][-1] for chain in chains[STARTS[0]]]
    rows: dict[str, dict] = {}
    for name, some in chains.items():
        row = {key: [] for key in ("sweeps", "seconds")}
        for (chain, level), key in product(zip(some, levels, strict=True), row):
            falling = np.array(chain["perplexity"])
            x = harness.reached(np.array(chain[key]), -falling, -level)
            row[key].append(x if np.isfinite(x) else None)
        first = rows[STARTS[0]]["seconds"] if rows else row["seconds"]
        pairs = zip(row["seconds"], first, strict=True)
        rows[name] = row | {
            "median_seconds": harness.median_of(row["seconds"]),
            "share_of_seconds": harness.median_of(s and s / one for s, one in pairs),
            "end": harness.range_of([chain["perplexity"][-1] for chain in some]),
        }
    return rows
