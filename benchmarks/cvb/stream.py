import time
from functools import partial

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation
from threadpoolctl import threadpool_limits

from benchmarks import corpora, cvb, figures, harness
from benchmarks.internals import completion_score
from sklda import CVBLDA

KINDS = {"score": "score of unseen documents"}
draw = partial(figures.draw_curves, kinds=KINDS, looks=cvb.STYLES)


def run(options) -> None:
    X = corpora.load(options.corpus, options)
    train, test = corpora.split_documents(X)
    report = {"documents": train.shape[0], "words": X.shape[1]}
    report |= {"tokens": int(train.sum()), "test_tokens": int(test.sum())}
    few = np.arange(min(10, train.shape[0]))
    follow(train[few], test, options.topics, 0, [few])  # compiles
    report["chains"] = harness.run_starts(run_start, options, train, test, options)
    harness.write(options, f"stream-{options.corpus}", report, **cvb.PRIORS)


def run_start(seed, train, test, options) -> dict[str, dict]:
    batches = minibatches(train.shape[0], options.batch, options.passes, seed)
    return follow(train, test, options.topics, seed, batches)


def minibatches(n_docs: int, size: int, passes: int, seed: int) -> list[np.ndarray]:
    """Return the documents of each minibatch, in a new order each pass."""
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_docs) for _ in range(passes)]
    firsts = range(0, n_docs, size)
    return [order[first : first + size] for order in orders for first in firsts]


def stream(lda, X, batches):
    """Return `seconds(n)` of a runner that takes a minibatch a sweep."""
    parts = (X[batch] for batch in batches)

    def seconds(n):
        part, start = next(parts), time.perf_counter()
        lda.partial_fit(part)
        return time.perf_counter() - start

    return seconds


def follow(X, test, n_topics, seed, batches) -> dict[str, dict]:
    """Return the score of unseen documents and the seconds after some minibatches."""
    alpha, beta = cvb.PRIORS.values()
    given = {"doc_topic_prior": alpha, "topic_word_prior": beta, "random_state": seed}
    given["total_samples"] = n_docs = X.shape[0]
    online = {"batch_size": n_docs, "n_jobs": 1}  # takes a minibatch as it comes
    ldas = {
        "SCVB0": CVBLDA(n_topics, approximation="zero-order", **given),
        "online VB": LatentDirichletAllocation(n_topics, **given, **online),
    }
    seen = np.cumsum([batch.size for batch in batches])

    def evaluate(runner):
        score = completion_score(test, ldas[runner.name].components_, alpha)
        documents = int(seen[runner.n_sweeps - 1])
        return {"documents": documents, "score": round(score, 5)}

    team = [harness.Runner(n, stream(lda, X, batches)) for n, lda in ldas.items()]
    with threadpool_limits(1):
        return harness.follow(team, harness.geometric(len(batches)), evaluate)
