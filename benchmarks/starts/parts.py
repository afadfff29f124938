import time
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks import corpora, figures, harness
from benchmarks.internals import Sklda, completion_score
from benchmarks.programs import ALPHA, BETA
from benchmarks.synthetic import zipf_corpus
from sklda import CollapsedGibbsLDA

STARTS = ("random", "subsample")  # values of init
SLACK = 1.01  # of the perplexity that the first has at its end
PLANTED = 300  # topics of the synthetic corpus
MOST_TEST_DOCUMENTS = 2000
STEPS = (1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 4, 5, 6, 7, 8, 9)  # between checkpoints
KINDS = {"perplexity": "perplexity of unseen documents"}
draw = partial(figures.draw_curves, kinds=KINDS, looks=figures.styles("starts"))


def run(options) -> None:
    for corpus in options.corpora:
        train, test = split(load(corpus, options))
        for n_topics in options.topics:
            follow(train[:100], test, n_topics, 0, 12)  # compiles
            chains = {name: [] for name in STARTS}
            for seed in range(options.starts):
                curves = follow(train, test, n_topics, seed, options.sweeps)
                for name, curve in curves.items():
                    chains[name].append({"sampler": name, "seed": seed, **curve})
            report = corpora.shape_of(train) | {"summary": summary(chains)}
            report["chains"] = chains
            facts = {"corpus": corpus, "topics": n_topics, "alpha": ALPHA, "beta": BETA}
            harness.write(options, f"parts-{corpus}-{n_topics}", report, **facts)


def load(corpus, options):
    if corpus == "synthetic":
        shape = options.documents, options.words, options.tokens
        return zipf_corpus(*shape, n_topics=PLANTED)
    return corpora.load_texts(corpus, options.newsgroups_home)


def split(X) -> tuple:
    """Return the documents in a random order but for some, and these."""
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


def follow(X, test, n_topics, seed, n_sweeps) -> dict[str, dict]:
    """Return perplexity, sweeps and seconds of each start."""

    def evaluate(runner):
        score = completion_score(test, runner.chain.topic_word(), ALPHA)
        return {"perplexity": round(float(np.exp(-score)), 3)}

    with threadpool_limits(1):
        team = [begin(name, X, n_topics, seed) for name in STARTS]
        return harness.follow(team, harness.geometric(n_sweeps, STEPS), evaluate)


def summary(chains) -> dict[str, dict]:
    """Return when starts are as good as the first at its end, within the slack."""
    found = {name: {"sweeps": [], "seconds": []} for name in chains}
    for curves in zip(*chains.values(), strict=True):
        level = SLACK * curves[0]["perplexity"][-1]
        for row, curve in zip(found.values(), curves, strict=True):
            falling = np.array(curve["perplexity"])
            for key, values in row.items():
                x = harness.reached(np.array(curve[key]), -falling, -level)
                values.append(x if np.isfinite(x) else None)
    rows = {}
    for name, row in found.items():
        rows[name] = row | {
            "median_seconds": harness.median_of(row["seconds"]),
            "share_of_seconds": harness.median_of(
                [
                    seconds and seconds / first
                    for seconds, first in zip(
                        row["seconds"], found[STARTS[0]]["seconds"], strict=True
                    )
                ]
            ),
            "end": harness.range_of([c["perplexity"][-1] for c in chains[name]]),
        }
    return rows
